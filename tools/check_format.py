#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that clang-format-22 would change no C++ file, and that each file of
ours starts with its SPDX line. `./dev format` mends the former."""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
CPP = {".cc", ".h"}
SOURCES = CPP | {".py", ".sh", ".cmake"}


def tracked_files():
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)
    return [Path(n) for n in names.stdout.decode().split("\0") if n and (ROOT / n).exists()]


def main():
    files = tracked_files()
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
