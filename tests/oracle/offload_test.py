# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Offload binaries, text bundles and sections of single images, answered as the tools answer that write and unpack them.

The inputs are samples, and containers that LLVM's tools make of them here.
"""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"
GANTRY = os.environ.get("GANTRY", "gantry")
PACKAGER, OBJDUMP, BUNDLER = "clang-offload-packager-22", "llvm-objdump-22", "clang-offload-bundler-22"
KINDS = {"<none>": "none", "llvm ir": "bitcode", "elf": "object", "cubin": "cubin", "ptx": "ptx"}


def inspect(path):
    command = [GANTRY, "inspect", "--json", "--show", "objects,containers", path]
    return json.loads(subprocess.run(command, capture_output=True, text=True).stdout)


def run(*command, cwd=None):
    return subprocess.run(command, capture_output=True, check=True, cwd=cwd).stdout


def attribute(o, name):
    return next((a["value"] for a in o["attributes"] if a["name"] == name), "")


def stored(path, o):
    at = o["encoded_location"]
    return Path(path).read_bytes()[at["offset"]:at["offset"] + at["size"]]


class Offload(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def need(self, *tools):
        for tool in tools:
            if not shutil.which(tool):
                self.skipTest(f"{tool} is not installed")

    def listed(self, path):
        """What llvm-objdump says of each image."""
        text = run(OBJDUMP, "--offloading", path, cwd=self.folder).decode()
        return [dict(re.findall(r"^(kind|arch|triple|producer) +(.*?) *$", image, re.M))
                for image in text.split("OFFLOADING IMAGE")[1:]]

    def compare_images(self, path):
        theirs = [(KINDS[i["kind"]], i.get("arch", ""), i.get("triple", ""), i["producer"]) for i in self.listed(path)]
        objects = inspect(path)["objects"]
        ours = [(attribute(o, "image kind"), o["declared"] or "", attribute(o, "triple"), attribute(o, "offload kind"))
                for o in objects]
        self.assertEqual(theirs, ours)
        return objects

    def test_images_are_those_that_llvm_objdump_lists(self):
        self.need(PACKAGER, OBJDUMP)
        images = [("llvm/kernel.spv", "triple=spirv64-unknown-unknown,arch=generic,kind=sycl"),
                  ("hip/bare_v6.co", "triple=amdgcn-amd-amdhsa,arch=gfx942:xnack+,kind=hip"),
                  ("cuda/b_sm_90.cubin", "triple=nvptx64-nvidia-cuda,arch=sm_90,kind=cuda"),
                  ("hip/bare_v6.co", "triple=amdgcn-amd-amdhsa,arch=gfx942,kind=openmp,feature=+x")]
        packed = self.folder / "packed.bin"
        run(PACKAGER, "-o", packed, *(f"--image=file={SAMPLES / file},{rest}" for file, rest in images))
        objects = self.compare_images(packed)
        for (file, _), o in zip(images, objects, strict=True):
            self.assertEqual((SAMPLES / file).read_bytes(), stored(packed, o))
        self.assertEqual("+x", attribute(objects[3], "feature"))

    def test_sections_of_hosts_are_those_that_llvm_objdump_lists(self):
        self.need(OBJDUMP)
        self.assertEqual(2, len(self.compare_images(SAMPLES / "hip/bitcode.o")))

    def test_texts_are_those_that_the_bundler_unpacks(self):
        self.need(BUNDLER)
        host, gpus = "host-x86_64-unknown-linux-gnu-", [f"hip-amdgcn-amd-amdhsa--gfx{n}" for n in (906, "90a", 1030)]
        texts = {"one": "first line\n\nsecond\n", "two": "no break at the end", "none": ""}
        for name, text in texts.items():
            (self.folder / name).write_text(text)
        for suffix in ("s", "ll", "ii", "cui", "i"):
            with self.subTest(suffix):
                bundle = self.folder / f"bundle.{suffix}"
                run(BUNDLER, f"--type={suffix}", "--targets=" + ",".join([host, *gpus]), "--input=/dev/null",
                    *(f"--input={self.folder / name}" for name in texts), f"--output={bundle}")
                document = inspect(bundle)
                self.assertEqual("text-bundle", document["containers"][0]["kind"])
                names = run(BUNDLER, f"--type={suffix}", "--list", f"--input={bundle}").decode().split()
                self.assertEqual(names, [host] + [o["declared"] for o in document["objects"]])
                self.assertEqual(list(texts.values()), [stored(bundle, o).decode() for o in document["objects"]])

    def test_images_of_a_target_are_the_bytes_of_their_section(self):
        self.need("objcopy")
        file = SAMPLES / "hip/bitcode_clang16.o"
        for o in inspect(file)["objects"]:
            run("objcopy", "--dump-section", f"{o['section']}={self.folder / 'section'}", file, self.folder / "copy")
            self.assertEqual((self.folder / "section").read_bytes(), stored(file, o))
            self.assertTrue(o["section"].endswith(o["declared"]))

    def test_compressed_images_are_what_zstd_makes_of_them(self):
        self.need("zstd")
        file = SAMPLES / "llvm/libsycl.so"
        objects = inspect(file)["objects"]
        self.assertEqual(2, len(objects))
        for o in objects:
            decoded = subprocess.run(["zstd", "-dc"], input=stored(file, o), capture_output=True, check=True).stdout
            self.assertEqual((SAMPLES / "llvm/kernel.spv").read_bytes(), decoded)
            self.assertEqual(len(decoded), o["decoded_bytes"])


if __name__ == "__main__":
    unittest.main()
