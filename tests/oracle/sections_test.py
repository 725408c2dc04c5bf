# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Section tables of PE, COFF and Mach-O files, as llvm-readobj reads them.

The files are the named seeds of the fuzz targets, real output of clang and lld, and samples. More can be given as
$GANTRY_SECTION_FILES, a folder.
"""
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
READOBJ = "llvm-readobj-22"
BUILD = os.environ.get("GANTRY_BUILD", str(ROOT / "build/dev"))
# Of Mach-O the index counts from 0, of COFF from 1.
FIELD = re.compile(r"^    (Number|Index|Name|Segment|RawDataSize|Size|PointerToRawData|Offset): (.*?)(?: \([0-9A-F ]*\))?$")


def theirs(path):
    """(index, name, offset, size) of each section."""
    text = subprocess.run([READOBJ, "--sections", path], capture_output=True, text=True, check=True).stdout
    sections = []
    for line in text.splitlines():
        if line == "  Section {":
            sections.append({})
        found = FIELD.match(line)
        if found:
            sections[-1][found[1]] = found[2]
    return [(int(s["Number"]), s["Name"], int(s["PointerToRawData"], 0), int(s["RawDataSize"], 0)) if "Number" in s else
            (int(s["Index"]) + 1, s["Segment"] + "," + s["Name"], int(s["Offset"], 0), int(s["Size"], 0)) for s in sections]


def ours(path):
    run = subprocess.run([BUILD + "/tests/section_table", path], capture_output=True, text=True)
    if run.returncode != 0:
        raise AssertionError(f"{path}: status {run.returncode} {run.stderr}")
    rows = [line.split("\t") for line in run.stdout.splitlines()]
    return [(int(index), name, int(offset), int(size)) for index, name, offset, size in rows]


def files():
    for folder in ("fuzz/corpus/pe", "fuzz/corpus/macho"):
        yield from (p for p in sorted((ROOT / folder).iterdir()) if re.match("(image|object|bigobj|universal)", p.name))
    yield from sorted(p for p in (ROOT / "samples").glob("*/*") if p.suffix in (".dll", ".obj"))
    if os.environ.get("GANTRY_SECTION_FILES"):
        yield from sorted(p for p in Path(os.environ["GANTRY_SECTION_FILES"]).rglob("*") if p.is_file())


class Sections(unittest.TestCase):
    def test_are_those_that_llvm_readobj_lists(self):
        if not shutil.which(READOBJ):
            self.skipTest(f"{READOBJ} is not installed")
        compared = 0
        for path in files():
            with self.subTest(path=path):
                expected = theirs(path)
                self.assertNotEqual([], expected)
                self.assertEqual(expected, ours(path))
                compared += len(expected)
        self.assertGreater(compared, 60)


if __name__ == "__main__":
    unittest.main()
