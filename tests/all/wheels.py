#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Real wheels against the right answers of the project's fact sheets.

Needs corpus/wheels/expected.tsv ($GANTRY_SHARED, else ../shared beside the repository) and the wheels it names
($GANTRY_WHEELS; corpus/wheels/fetch downloads them). Each row (member, section, target, kind) is compared: objects,
kernels, stored and decoded bytes. What gantry finds beyond the rows is a fault, too. Rows that differ only in facts
the report does not have are compared together.

usage: wheels.py [WHEEL…]      ($GANTRY: the command)
"""
import collections
import fnmatch
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONTAINERS = ("fatbin", "bundle", "ccob2", "ccob3")
# Objects that no row describes: bytes of no known kind.
NO_ROW = ("unknown",)

Key = collections.namedtuple("Key", "member section target kind detail")
FIELDS = ("objects", "kernels", "stored", "decoded")


def skip(reason):
    print(reason)
    sys.exit(77)


# --- what is expected ---------------------------------------------------------


def detail_of(note):
    """What tells rows of one key apart and the report knows: bare or not, the ABI version of AMD's bare files."""
    abi = re.search(r"bare files.*EI_ABIVERSION (\d+)", note)
    return f"abi {abi[1]}" if abi else "bare" if note.startswith("bare ELF") else ""


def number(text):
    return None if text == "-" else int(text)


def expected_rows(path):
    """{wheel: {key: [row…]}}"""
    wheels = collections.defaultdict(lambda: collections.defaultdict(list))
    with open(path, encoding="utf-8") as f:
        head = f.readline().rstrip("\n").split("\t")
        for line in f:
            row = dict(zip(head, line.rstrip("\n").split("\t")))
            member = re.sub(r"\((.*)\)$", r"!\1", row["member"])
            key = Key(member, row["section"], row["target"], row["kind"], detail_of(row["note"]))
            wheels[row["wheel"]][key].append({f: number(row[f]) for f in FIELDS})
    return wheels


def together(rows):
    return {f: None if any(r[f] is None for r in rows) else sum(r[f] for r in rows) for f in FIELDS}


# --- what gantry says ---------------------------------------------------------


def inspect(gantry, wheel):
    run = subprocess.run([gantry, "inspect", "--json", "--analysis", "kernels", "--show", "objects,containers", wheel],
                         stdout=subprocess.PIPE)
    return json.loads(run.stdout)


def target_word(o):
    if o["kind"] in ("ptx", "lto-ir") and o["target"]:
        return o["target"].replace("sm_", "compute_" if o["kind"] == "ptx" else "lto_")
    if o["kind"] == "bitcode":
        return o["payload_target"] or "?"
    if o["kind"] == "spirv" and o["container_kind"] == "bare":
        return "-"
    return o["target"] or o["declared"] or "?"


def object_key(o):
    kind = {"cubin": "cubin-rel" if o["relocatable"] else "cubin", "amdgpu": "code-object"}.get(o["kind"], o["kind"])
    detail = ""
    if o["container_kind"] == "bare" and o["section"]:
        detail = "bare"
    elif o["container_kind"] == "bare" and o["kind"] == "amdgpu":
        # Code object versions 3 to 6 are ABI versions 1 to 4.
        detail = f"abi {int(o['version']) - 2}"
    return Key(o["member"], o["section"] or "-", target_word(o), kind, detail)


def found_rows(document):
    """{key: row} of a whole document, members by their full path."""
    rows = collections.defaultdict(lambda: dict.fromkeys(FIELDS, 0))

    def add(key, **numbers):
        for field, value in numbers.items():
            rows[key][field] = None if value is None or rows[key][field] is None else rows[key][field] + value

    containers = {c["id"]: c for c in document["containers"]}
    for c in containers.values():
        member = c["id"].rpartition("!")[0]
        where = (member, c["section"] or "-")
        inner = c["location"]["in"] in containers and containers[c["location"]["in"]]["kind"] == "ccob"
        kind = f"ccob{c['version']}" if c["kind"] == "ccob" else c["kind"]
        if kind in CONTAINERS and not inner:
            add(Key(*where, "-", kind, ""), objects=1, kernels=None, stored=c["location"]["size"],
                decoded=c["decoded_bytes"])
        if c["host_entries"]:
            add(Key(*where, "host-x86_64-unknown-linux-gnu-", "host", ""), objects=c["host_entries"], kernels=None)
    for o in document["objects"]:
        if o["kind"] in NO_ROW:
            continue
        o["container_kind"] = containers[o["container"]]["kind"]
        add(object_key(o), objects=1, kernels=o["kernels"], stored=o["encoded_bytes"], decoded=o["decoded_bytes"])
    return rows


# --- both together --------------------------------------------------------------


def matching(rows, key):
    """Keys of what was found that a row's key with its patterns stands for."""
    return [k for k in rows if k[1:] == key[1:] and fnmatch.fnmatchcase(k.member, key.member)]


def compare_row(key, rows, found):
    """(faults, keys used) of the rows of one key."""
    if key.kind == "none":
        extra = [k for k in found if fnmatch.fnmatchcase(k.member, key.member)]
        return [f"code where none is: {' '.join(map(str, k))}" for k in extra], extra
    keys = matching(found, key)
    if not keys:
        return ["not found"], []
    theirs, ours = together(rows), together([found[k] for k in keys])
    return [f"{f}: expected {theirs[f]}, got {ours[f]}" for f in FIELDS
            if theirs[f] is not None and theirs[f] != ours[f]], keys


def check_wheel(expected, document):
    """(rows right, faults)"""
    found = found_rows(document)
    right, faults, used = 0, [], set()
    for key, rows in expected.items():
        wrong, keys = compare_row(key, rows, found)
        used.update(keys)
        faults += [f"{' '.join(key).strip()}: {w}" for w in wrong]
        right += 0 if wrong else len(rows)
    faults += [f"{' '.join(k).strip()}: in no row" for k in found if k not in used]
    return right, faults


def find_wheel(folder, name):
    hits = sorted(Path(folder).glob(f"{name}-*.whl"))
    return str(hits[0]) if hits else None


def main():
    shared = os.environ.get("GANTRY_SHARED", str(ROOT.parent / "shared"))
    table = os.path.join(shared, "corpus/wheels/expected.tsv")
    folder = os.environ.get("GANTRY_WHEELS")
    if not folder or not os.path.isdir(folder):
        skip("no wheels: $GANTRY_WHEELS names no folder")
    if not os.path.isfile(table):
        skip("no corpus: $GANTRY_SHARED is not set and ../shared is not there")
    wheels = {name: rows for name, rows in expected_rows(table).items() if name in (sys.argv[1:] or [name])}
    total = right = bad = 0
    for name, expected in wheels.items():
        wheel = find_wheel(folder, name)
        count = sum(len(rows) for rows in expected.values())
        total += count
        if not wheel:
            bad += 1
            print(f"{name:<24} 0 of {count} rows: not in {folder}", flush=True)
            continue
        good, faults = check_wheel(expected, inspect(os.environ["GANTRY"], wheel))
        right += good
        bad += len(faults)
        print(f"{name:<24} {good} of {count} rows", flush=True)
        for fault in faults[:20]:
            print(f"    {fault}")
        if len(faults) > 20:
            print(f"    … and {len(faults) - 20} more")
    print(f"{right} of {total} rows of {len(wheels)} wheels")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
