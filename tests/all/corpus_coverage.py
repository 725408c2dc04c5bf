#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The seeds of each fuzz target reach at least 90 % of the lines of its parser.

Builds preset `coverage`, runs every target over fuzz/corpus/TARGET and asks
llvm-cov. A target whose sources are not listed here fails, so that a new one is
not forgotten.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/coverage"
LEAST = 90.0

PARSERS = {
    "amdgpu": ["format/amdgpu.cc", "format/amdgpu_symbols.cc", "format/amdgpu_metadata.cc",
               "format/amdgpu_descriptor.cc"],
    "amdgpu_yaml": ["format/amdgpu_yaml.cc", "format/yaml.cc"],
    "bundle": ["format/bundle.cc"],
    "ccob": ["format/ccob.cc"],
    "cubin": ["format/cubin.cc", "format/cubin_attributes.cc", "format/cubin_kernels.cc",
              "format/cubin_notes.cc"],
    "decompress": ["base/decompress.cc"],
    "demangle": ["base/demangle.cc"],
    "elf": ["format/elf.cc"],
    "fatbin": ["format/fatbin.cc"],
    "hip_wrapper": ["format/hip_wrapper.cc"],
    "inspect": ["inspect/decode.cc", "inspect/describe_amdgpu.cc", "inspect/describe_cubin.cc",
                "inspect/describe_ptx.cc", "inspect/discover.cc", "inspect/found.cc",
                "inspect/host_elf.cc", "inspect/region.cc", "inspect/unit_bundle.cc",
                "inspect/unit_fatbin.cc"],
    "msgpack": ["base/msgpack.cc"],
    "nvinfo": ["format/nvinfo.cc"],
    "ptx": ["format/ptx.cc", "format/ptx_lexer.cc"],
    "target_names": ["target/entry_id.cc", "target/target.cc", "target/amd_name.cc"],
}


def covered(program, seeds, sources, scratch):
    """Percent of the lines of the sources that running the seeds reaches."""
    raw, merged = scratch / "raw", scratch / "merged"
    subprocess.run([program, "-runs=0", seeds], check=True, capture_output=True,
                   env=os.environ | {"LLVM_PROFILE_FILE": str(raw)})
    subprocess.run(["llvm-profdata-22", "merge", "-sparse", raw, "-o", merged], check=True)
    answer = subprocess.run(
        ["llvm-cov-22", "export", "-summary-only", f"-instr-profile={merged}", program,
         *[ROOT / "src" / source for source in sources]], check=True, capture_output=True)
    lines = json.loads(answer.stdout)["data"][0]["totals"]["lines"]
    return 100.0 * lines["covered"] / lines["count"]


def main():
    if not shutil.which("clang++-22") or not shutil.which("llvm-cov-22"):
        print("clang++-22 is not installed")
        return 77
    subprocess.run(["cmake", "--preset", "coverage"], cwd=ROOT, check=True, capture_output=True)
    targets = sorted((ROOT / "fuzz").glob("*_fuzz.cc"))
    subprocess.run(["ninja", "-C", BUILD, *[target.stem for target in targets]], check=True,
                   capture_output=True)
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for source in targets:
            name = source.stem.removesuffix("_fuzz")
            if name not in PARSERS:
                print(f"{name}: its sources are not listed in this script")
                failed += 1
                continue
            percent = covered(BUILD / f"fuzz/{source.stem}", ROOT / "fuzz/corpus" / name,
                              PARSERS[name], Path(scratch))
            print(f"{name}: {percent:.1f} % of the lines")
            failed += percent < LEAST
    if failed:
        print(f"{failed} targets whose seeds reach less than {LEAST:.0f} %")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
