#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles each header by itself, included twice: it includes what it uses and
may be included again.

usage: check_headers.py [HEADER…]     ($CXX is the compiler, else g++)
"""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FLAGS = "-std=c++23 -fsyntax-only -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Werror"
DEFINITIONS = ['-DGANTRY_SAMPLES="samples"']  # as the build gives them to unit tests


def check(header):
    """What the compiler says about a header; empty when it is content."""
    name = header.relative_to(ROOT / header.relative_to(ROOT).parts[0])
    done = subprocess.run(
        [os.environ.get("CXX", "g++"), *FLAGS.split(), *DEFINITIONS, "-Isrc", "-Iinclude", "-x", "c++", "-"],
        input=f'#include "{name}"\n#include "{name}"\n',
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    return done.stdout if done.returncode else ""


def main():
    headers = [Path(a).resolve() for a in sys.argv[1:]]
    headers = headers or sorted(p for d in ("src", "include") for p in (ROOT / d).rglob("*.h"))
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        complaints = [c for c in pool.map(check, headers) if c]
    print("\n".join(complaints), end="")
    print(f"{len(headers) - len(complaints)} of {len(headers)} headers compile alone")
    sys.exit(1 if complaints or not headers else 0)


if __name__ == "__main__":
    main()
