#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Real GPU libraries of Debian 12 (110 MB to download), answered as tests/real/debian.tsv says.

$GANTRY_DEBIAN_PACKAGES: a folder that holds them unpacked, one folder a package; without it they are fetched with
apt-get download and unpacked in a scratch folder.
"""
import collections
import fnmatch
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/oracle"))
from compare import read_table  # noqa: E402  (the folder has to be named first)


def skip(reason):
    print(reason)
    sys.exit(77)


def unpacked(package, scratch):
    """The folder of one package."""
    at_hand = os.environ.get("GANTRY_DEBIAN_PACKAGES")
    if at_hand:
        return os.path.join(at_hand, package)
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        skip("Debian's packages cannot be fetched: no apt-get")
    folder = os.path.join(scratch, package)
    os.makedirs(folder)
    # As root apt wants to become _apt, which may not write here.
    fetch = subprocess.run(["apt-get", "-o", "APT::Sandbox::User=root", "-q", "download", package], cwd=folder,
                           capture_output=True, text=True)
    archives = [f for f in os.listdir(folder) if f.endswith(".deb")]
    if fetch.returncode or not archives:
        skip("Debian's packages cannot be fetched: apt-get download %s: %s" % (package, fetch.stderr.strip()[-200:]))
    subprocess.run(["dpkg-deb", "-x", archives[0], "."], cwd=folder, check=True)
    os.remove(os.path.join(folder, archives[0]))
    return folder


def matching(folder, pattern):
    for here, _, files in os.walk(folder):
        for name in sorted(files):
            path = os.path.join(here, name)
            if fnmatch.fnmatch(os.path.relpath(path, folder), pattern) and not os.path.islink(path):
                return path
    return None


def joined(counts):
    return " ".join("%s×%d" % pair for pair in sorted(counts.items())) or "-"


def answer(path):
    run = subprocess.run([os.environ["GANTRY"], "inspect", "--json", "--show", "targets,containers", path],
                         stdout=subprocess.PIPE)
    document = json.loads(run.stdout)
    targets, kinds = collections.Counter(), collections.Counter()
    for row in document["targets"]:
        targets[row["target"]] += row["objects"]
    sections = [c for c in document["containers"] if c["kind"] == "section"]
    for c in document["containers"]:
        if c["kind"] != "section":
            kinds[c["kind"]] += 1
    wrappers = sum(c["wrappers"] for c in sections)
    gpu = sum(c["location"]["size"] for c in sections if c["section"] == ".hip_fatbin")
    usage = document["usage"]
    total = sum(usage[k + "_bytes"] for k in ("object", "compressed_together", "container", "padding", "other"))
    if total != document["input"]["size"]:
        print("%s: bytes do not add up: %s" % (path, usage))
    return {"status": str(run.returncode), "targets": joined(targets), "containers": joined(kinds),
            "wrappers": str(wrappers or "-"), "gpu_bytes": str(gpu or "-"), "sum": total == document["input"]["size"]}


def check(row, folder):
    """What is wrong with the answer for one file."""
    path = matching(folder, row["file"])
    if not path:
        return ["%s holds no %s" % (row["package"], row["file"])]
    ours = answer(path)
    faults = ["%s: %s: expected %s, got %s" % (os.path.basename(path), f, row[f], ours[f])
              for f in ("status", "targets", "containers", "wrappers", "gpu_bytes") if row[f] != ours[f]]
    return faults if ours["sum"] else faults + ["%s: bytes do not add up" % os.path.basename(path)]


def main():
    faults = []
    for row in read_table(ROOT / "tests/real/debian.tsv")[0]:
        with tempfile.TemporaryDirectory() as scratch:  # one package at a time: the largest is 1.3 GB unpacked
            found = check(row, unpacked(row["package"], scratch))
        print("%-24s %s" % (row["package"], "; ".join(found) or "as expected"), flush=True)
        faults += found
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
