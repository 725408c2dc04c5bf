#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that clang-format-22 would change no C++ file, and that each source starts
with its SPDX line. `./dev format` mends the former."""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
CPP = {".cc", ".h"}
FOLDERS = ("bench", "cmake", "fuzz", "include", "samples", "src", "tests", "tools")
SOURCES = CPP | {".py", ".sh", ".cmake"}


def our_files():
    """What lies in the folders of ours, whether or not there is a git."""
    return sorted(p.relative_to(ROOT) for f in FOLDERS for p in (ROOT / f).rglob("*") if p.is_file())


def main():
    files = our_files()
    unmarked = [
        f for f in files
        if f.suffix in SOURCES and not any(SPDX in l for l in (ROOT / f).read_text().split("\n")[:3])
    ]
    for path in unmarked:
        print(f"{path}: no SPDX line at the top")
    cpp = [str(f) for f in files if f.suffix in CPP]
    done = subprocess.run(["clang-format-22", "--dry-run", "-Werror", *cpp], cwd=ROOT)
    sys.exit(1 if unmarked or done.returncode or not cpp else 0)


if __name__ == "__main__":
    main()
