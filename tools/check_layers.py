#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the #include lines against the floors of docs/design.md 2.

A file of src/ includes its own folder and folders of lower floors, never another
folder of its own floor. include/gantry/NAME.h counts to the room src/NAME/ and
includes only include/gantry/. A third-party header stands in a .cc of the one
folder that owns the library (design.md 6). Unit tests may also call the codecs,
to make their inputs.

usage: check_layers.py [ROOT]
"""
import re
import sys
from pathlib import Path

TABLE_ROW = re.compile(r"^\| *(\d+) *\| *`src/([a-z_]+)/`", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)

# Folder that owns a library, by the start of its header's name.
OWNERS = {
    "zstd": "base", "zdict": "base", "lz4": "base", "zlib": "base", "nettle/": "base",
    "msgpack": "base", "nlohmann/": "base", "fmt/": "base", "cxxabi.h": "base", "libiberty/": "base",
    "archive": "input", "toml++/": "check", "llvm": "emulate", "CLI/": "cli",
}
TESTS_MAY = ("zstd", "lz4", "zlib", "nettle/")
EVERYWHERE = ("fmt/core.h",)
TEST_ONLY = ("gtest/", "gmock/")
# C and POSIX; C++'s own headers have no dot.
SYSTEM = re.compile(
    r"^(sys/\w+|linux/\w+|arpa/inet|netinet/\w+|unistd|fcntl|dlfcn|pthread|signal|poll|dirent|errno"
    r"|stdint|stddef|string|time|termios|sched|malloc|[a-z]mmintrin|x86intrin|arm_neon|cpuid)\.h$"
)


def read_floors(design):
    """Folder name to floor, out of the table."""
    return {name: int(floor) for floor, name in TABLE_ROW.findall(design)}


def room_of(path):
    """The room that a file of src/ or include/gantry/ counts to."""
    return path.parts[1] if path.parts[0] == "src" else path.stem


def is_test(path):
    return path.stem.endswith("_test") or path.stem.startswith("test_")


def check_own(path, name, floors):
    """A line `#include "name"`; the complaint, or None."""
    public = name.startswith("gantry/")
    room = name.removeprefix("gantry/").removesuffix(".h") if public else name.split("/")[0]
    mine = room_of(path)
    if "/" not in name or room not in floors:
        return f'"{name}" names no room of docs/design.md 2'
    if path.parts[0] == "include" and not public:
        return f'"{name}": a public header includes only public headers'
    if mine == "cli" and not public and room not in ("cli", "base"):
        return f'"{name}": cli/ comes in through include/gantry/ only'
    if room != mine and floors[room] >= floors[mine]:
        return f'"{name}": floor {floors[room]}, but {mine}/ is on floor {floors[mine]}'
    return None


def check_system(path, name):
    """A line `#include <name>`; the complaint, or None."""
    if "." not in name or SYSTEM.match(name) or name in EVERYWHERE:
        return None
    if name.startswith(TEST_ONLY):
        return None if is_test(path) else f"<{name}> in a file that is no test"
    owner = next((o for start, o in OWNERS.items() if name.startswith(start)), None)
    if owner is None:
        return f"<{name}> is in no list of tools/check_layers.py"
    if is_test(path) and name.startswith(TESTS_MAY):
        return None
    if room_of(path) != owner:
        return f"<{name}> belongs to {owner}/ only"
    if path.suffix == ".h":
        return f"<{name}> in a header; it belongs into a .cc"
    return None


def check_file(path, text, floors):
    room = room_of(path)
    if room not in floors:
        return [f"{path}: {room}/ has no line in the table of docs/design.md 2"]
    found = []
    for match in INCLUDE.finditer(text):
        own = match[1] == '"'
        complaint = check_own(path, match[2], floors) if own else check_system(path, match[2])
        if complaint:
            found.append(f"{path}:{text.count(chr(10), 0, match.start(2)) + 1}: {complaint}")
    return found


def check_tree(root):
    floors = read_floors((root / "docs/design.md").read_text())
    if not floors:
        return ["docs/design.md: no table of floors"]
    found, users_of_cli11 = [], []
    files = [p for d in ("src", "include/gantry") for p in (root / d).rglob("*")]
    for full in sorted(p for p in files if p.suffix in (".h", ".cc")):
        path = full.relative_to(root)
        if path.parts[0] == "src" and len(path.parts) < 3:
            found.append(f"{path}: lies in no room")
            continue
        text = full.read_text()
        found += check_file(path, text, floors)
        if "#include <CLI/" in text:
            users_of_cli11.append(str(path))
    if len(users_of_cli11) > 1:
        found.append(f"CLI11 in more than one file: {', '.join(users_of_cli11)}")
    return found


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    found = check_tree(root)
    print("\n".join(found) if found else "every include goes down")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
