#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks docs/requirements.md: every test that its tables name exists.

Rows are `| id | requirement | test | state |`; state is `done` or `open`. Tests
are written in backquotes: `Suite.Name` (a unit test), `cli/topic/name` (the case
tests/cli/topic/name.test), `README.md`, or `path/file_test.py::Class.test`. A
requirement that is done names at least one; ids are unique.

usage: check_requirements.py UNIT_TESTS_PROGRAM
"""
import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROW = re.compile(r"^\|(.+)\|\s*$", re.M)
CODE = re.compile(r"`([^`]+)`")


def read_rows(text):
    """(id, tests, state) of each row; header and rule lines are left out."""
    rows = []
    for line in ROW.findall(text):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
        if len(cells) != 4:
            raise ValueError(f"not four columns: {line}")
        if cells[0] != "id" and not set(cells[0]) <= set(":-"):
            rows.append((cells[0], CODE.findall(cells[2]), cells[3]))
    return rows


def unit_tests(program):
    out = subprocess.run([program, "--gtest_list_tests"], check=True, capture_output=True, text=True)
    names, suite = set(), ""
    for line in out.stdout.splitlines():
        name = line.split("#")[0].rstrip()
        if name.startswith("  "):
            names.add(suite + name.strip())
        else:
            suite = name
    return names


def python_tests(path):
    """Class.test of each test method in a file."""
    tree = ast.parse(path.read_text())
    return {
        f"{c.name}.{f.name}"
        for c in tree.body if isinstance(c, ast.ClassDef)
        for f in c.body if isinstance(f, ast.FunctionDef)
    }


def exists(name, units, root):
    if name == "README.md":
        return (root / name).exists()
    if name.startswith("cli/"):
        return (root / "tests" / f"{name}.test").exists()
    if "::" in name:
        file, _, test = name.partition("::")
        return (root / file).exists() and test in python_tests(root / file)
    return name in units


def check(text, units, root):
    found, ids = [], set()
    for number, tests, state in read_rows(text):
        if number in ids:
            found.append(f"{number}: the id stands twice")
        ids.add(number)
        if state not in ("done", "open"):
            found.append(f"{number}: state '{state}' is neither done nor open")
        if state == "done" and not tests:
            found.append(f"{number}: done, but no test is named")
        found += [f"{number}: no test {t}" for t in tests if not exists(t, units, root)]
    return found if ids else ["docs/requirements.md has no rows"]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    text = (ROOT / "docs/requirements.md").read_text()
    found = check(text, unit_tests(sys.argv[1]), ROOT)
    print("\n".join(found) if found else "every named test exists")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
