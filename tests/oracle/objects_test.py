# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SPIR-V, LLVM bitcode and kpack archives, answered as other readers of these formats answer.

The inputs are the seeds of the fuzz targets. What archives should answer stands in ARCHIVES; where the project's corpus
is at hand ($GANTRY_SHARED, else ../shared beside the repository), archives and hosts of AMD's splitter are compared, too.
"""
import json
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

try:
    import msgpack
except ImportError:
    msgpack = None

ROOT = Path(__file__).resolve().parents[2]
SEEDS = ROOT / "fuzz/corpus"
GANTRY = os.environ.get("GANTRY", "gantry")
SHARED = Path(os.environ.get("GANTRY_SHARED", ROOT.parent / "shared"))


def inspect(path):
    command = [GANTRY, "inspect", "--json", "--analysis", "kernels", "--show", "objects,kernels,containers", path]
    return json.loads(subprocess.run(command, capture_output=True, text=True).stdout)


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def attributes(o, name):
    return [a["value"] for a in o["attributes"] if a["name"] == name]


def codes(limitations):
    return [l["code"] for l in limitations]


@unittest.skipUnless(shutil.which("spirv-dis"), "spirv-dis is not installed")
class Spirv(unittest.TestCase):
    # Not big_endian: SPIRV-Tools 2023 does not turn the words of texts, as the specification would have it.
    def test_agrees_with_spirv_dis(self):
        for seed in ("opencl", "amd", "local_size_id"):
            with self.subTest(seed):
                text = output("spirv-dis", "--raw-id", SEEDS / "spirv" / seed)
                document = inspect(SEEDS / "spirv" / seed)
                o = document["objects"][0]
                self.assertEqual("spirv", o["kind"])
                self.assertEqual(re.search(r"; Version: (.*)", text)[1], o["version"])
                self.assertEqual([", ".join(re.findall(r"OpCapability (\S+)", text))], attributes(o, "capabilities"))
                self.assertEqual([" ".join(re.search(r"OpMemoryModel (\S+) (\S+)", text).groups())],
                                 attributes(o, "memory model"))
                entries = re.findall(r'OpEntryPoint (\S+) (\S+) "(.*?)"', text)
                sizes = {f: [int(n) for n in s.split()] for f, s in re.findall(r"OpExecutionMode (\S+) LocalSize (.*)", text)}
                self.assertEqual([(name, sizes.get(f)) for model, f, name in entries if model == "Kernel"],
                                 [(k["name"], k["required_threads"]) for k in document["kernels"]])
                self.assertEqual([model + " " + name for model, _, name in entries if model != "Kernel"],
                                 [a.split(",")[0] for a in attributes(o, "entry point")])

    def test_constants_give_a_local_size(self):
        o = inspect(SEEDS / "spirv/local_size_id")["objects"][0]
        self.assertEqual(["GLCompute main, local size 8 4 8"], attributes(o, "entry point"))

    def test_names_are_those_of_spirv_dis(self):
        """Capabilities and tools of the tables, one by one."""
        table = (ROOT / "src/format/spirv_names.cc").read_text()
        names = re.findall(r'Name\{(\d+), "(.*?)"\}', re.search(r"kCapabilities = \{(.*?)\};", table, re.S)[1])
        self.assertGreater(len(names), 150)
        words = [0x07230203, 0x10600, 0, 1, 0]
        for value, _ in names:
            words += [2 << 16 | 17, int(value)]
        module = b"".join(w.to_bytes(4, "little") for w in words)
        text = subprocess.run(["spirv-dis"], input=module, capture_output=True, check=True).stdout.decode()
        # Some have a newer name for the same number.
        theirs = re.findall(r"OpCapability (\S+)", text)
        self.assertEqual(len(names), len(theirs))
        self.assertGreater(sum(a == b for (_, a), b in zip(names, theirs)), 0.9 * len(names))


@unittest.skipUnless(shutil.which("llvm-bcanalyzer-22"), "llvm-bcanalyzer-22 is not installed")
class Bitcode(unittest.TestCase):
    def test_agrees_with_llvm_bcanalyzer(self):
        for seed in ("amdgcn", "nvptx", "device_lib"):
            with self.subTest(seed):
                text = output("llvm-bcanalyzer-22", "--dump", SEEDS / "bitcode" / seed)
                o = inspect(SEEDS / "bitcode" / seed)["objects"][0]

                def record(name):
                    operands = re.findall(r"<%s ([^>]*)/>" % name, text)
                    return ["".join(chr(int(n)) for n in re.findall(r"op\d+=(\d+)", r)) for r in operands]

                self.assertEqual("bitcode", o["kind"])
                self.assertEqual(record("TRIPLE"), [o["payload_target"]])
                self.assertEqual(record("STRING"), attributes(o, "producer"))
                self.assertEqual(record("DATALAYOUT"), attributes(o, "data layout"))
                self.assertEqual(record("SOURCE_FILENAME"), attributes(o, "source file"))
                self.assertEqual(["no-kernel-list"], codes(o["limitations"]))


# File: limitations of the container, number of objects, limitations of the first.
NOT_ELF = ["bad-magic"]
ARCHIVES = {
    "arrbomb": (["bad-value"], 0, None),
    "mapbomb": (["truncated"], 0, None),
    "hdronly": (["bad-value"], 0, None),
    "tocinheader": (["bad-value"], 0, None),
    "hugeblob": ([], 1, ["truncated"]),
    "offpast": ([], 1, ["truncated"]),
    "noord": ([], 1, ["bad-value"]),
    "ordstr": ([], 1, ["bad-value"]),
    "zordneg": ([], 1, ["bad-value"]),
    "zord33": ([], 1, ["bad-value"]),
    "zord7": ([], 1, ["bad-value"]),
    "unkscheme": (["unsupported"], 1, ["unsupported"]),
    "z1Mcount": (["bad-value"], 1, ["bad-value"]),
    "z4gblob": (["truncated"], 1, ["bad-value"]),
    "z8gorig": ([], 1, ["too-large"]),
    "zoff1": ([], 1, ["corrupt"]),
    "znosize": ([], 1, NOT_ELF),
    "trailing": (["unrecognised-bytes"], 1, NOT_ELF),
    "noarch": ([], 1, NOT_ELF),
    "upstream-2025-12_test_noop": ([], 3, NOT_ELF),
    "upstream-2025-12_test_zstd": ([], 3, NOT_ELF),
    "upstream-2026-02_test_noop": ([], 3, NOT_ELF),
    "upstream-2026-02_test_zstd": ([], 3, NOT_ELF),
    "split_libk3_gfx942_zstd": ([], 3, []),
}


class Kpack(unittest.TestCase):
    def test_archives_have_the_right_answers(self):
        for seed, (container, objects, first) in ARCHIVES.items():
            with self.subTest(seed):
                document = inspect(SEEDS / "kpack_index" / seed)
                self.assertEqual(["kpack"], [c["kind"] for c in document["containers"]])
                self.assertEqual(container, codes(document["containers"][0]["limitations"]))
                self.assertEqual(objects, len(document["objects"]))
                if objects:
                    self.assertEqual(first, codes(document["objects"][0]["limitations"]))

    @unittest.skipUnless(msgpack and hasattr(msgpack, "unpackb"), "python3-msgpack is not installed")
    def test_entries_are_those_that_msgpack_reads(self):
        seeds = [s for s, (container, objects, _) in ARCHIVES.items() if objects and not container]
        for seed in seeds:
            with self.subTest(seed):
                data = (SEEDS / "kpack_index" / seed).read_bytes()
                index = msgpack.unpackb(data[int.from_bytes(data[8:16], "little"):])
                document = inspect(SEEDS / "kpack_index" / seed)
                theirs = [(binary, target) for binary, targets in index["toc"].items() for target in targets]
                self.assertEqual(theirs, [(o["name"], o["declared"]) for o in document["objects"]])
                for o in document["objects"]:
                    entry = index["toc"][o["name"]][o["declared"]]
                    if o["decoded_bytes"] is not None:
                        self.assertEqual(entry["original_size"], o["decoded_bytes"])
                        self.assertEqual([str(entry["ordinal"])], attributes(o, "ordinal"))

    def corpus(self):
        if not (SHARED / "corpus/kpack/split").is_dir():
            self.skipTest("no corpus: $GANTRY_SHARED is not set and ../shared is not there")
        return SHARED / "corpus/kpack"

    def test_split_archives_hold_their_kernels(self):
        folder = self.corpus() / "split"
        for name, numbers in (("libk3_gfx942.none", (1, 2, 3)), ("libk3_gfx942.zstd", (1, 2, 3)),
                              ("libmix_gfx942.misindexed", (2, 3))):
            with self.subTest(name):
                document = inspect(folder / (name + ".kpack"))
                self.assertEqual("complete", document["coverage"])
                self.assertEqual(["kern%d(float*, float const*, int)" % n for n in numbers],
                                 [k["demangled"] for k in document["kernels"]])
                self.assertEqual({"equal"}, {o["target_consistency"] for o in document["objects"]})

    def test_split_hosts_say_where_their_code_is(self):
        folder = self.corpus() / "split"
        for name, records, binary in (("exe_pie.kpacked", 1, "libk3.so"), ("libk2_lld.kpacked.so", 2, "libk3.so"),
                                      ("libk3_bfd.kpacked.so", 3, "libk3.so"), ("k2.kpacked.dll", 2, "wk2.dll")):
            with self.subTest(name):
                told = [l["message"] for l in inspect(folder / name)["limitations"] if l["code"] == "kpack-reference"]
                self.assertEqual(["%d of %d registration records refer to kpack archives: that device code is not in this "
                                  "file, but in .kpack/t_@GFXARCH@.kpack, named %s#N" % (records, records, binary)], told)


if __name__ == "__main__":
    unittest.main()
