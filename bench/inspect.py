#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times `gantry inspect` on real libraries, each figure beside a goal or a peer.

usage: inspect.py [--runs N] [--libraries FOLDER]

Whole processes are timed from outside, warm, in turn with what they are
compared with (A B A B …); medians are shown with the smallest and the largest
value. A ratio is that of each pair, so a drift of the machine hits both sides.
The command is $GANTRY. What is not at hand (a CUDA toolkit's libraries, a
peer) is named and left out. librocsparse0 is fetched with apt-get into
build/bench/.
"""
import argparse
import glob
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GANTRY = os.environ.get("GANTRY", os.path.join(ROOT, "build/release/bin/gantry"))
CACHE = os.path.join(ROOT, "build/bench")


def run(command, cwd=None):
    """(wall seconds, peak resident bytes, exit status) of one process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    return wall, usage.ru_maxrss * 1024, os.waitstatus_to_exitcode(status)


class Row:
    """One line of the table: what was run, how long, beside what."""

    def __init__(self, what, goal):
        self.what, self.goal = what, goal
        self.walls, self.peaks, self.peer_walls, self.ratios = [], [], [], []

    def measure(self, runs, command, peer=None, cwd=None):
        run(command, cwd)  # warms the page cache; not counted
        for _ in range(runs):
            wall, peak, _ = run(command, cwd)
            self.walls.append(wall)
            self.peaks.append(peak)
            if peer:
                other, _, _ = run(peer, cwd)
                self.peer_walls.append(other)
                self.ratios.append(wall / other)
        return self

    def show(self):
        def spread(values, scale, unit):
            if not values:
                return "-"
            low, mid, high = min(values), statistics.median(values), max(values)
            return f"{mid * scale:.1f} {unit} ({low * scale:.1f}–{high * scale:.1f})"

        ratio = f"{statistics.median(self.ratios):.2f}" if self.ratios else "-"
        print(f"| {self.what} | {spread(self.walls, 1e3, 'ms')} | "
              f"{max(self.peaks) / 1e6:.0f} MB | {spread(self.peer_walls, 1e3, 'ms')} | "
              f"{ratio} | {self.goal} |", flush=True)


def cuda_libraries(folder):
    folders = [folder] if folder else []
    folders += [os.path.join(os.environ[v], d) for v in ("CUDA_HOME", "CUDA_PATH")
                if v in os.environ for d in ("lib64", "lib")]
    folders += sorted(glob.glob("/usr/local/cuda*/lib*"), reverse=True)
    out = {}
    for name in ("libcublasLt", "libcudnn_engines_precompiled", "libcufft", "libcusparse",
                 "libcurand"):
        for place in folders:
            found = [f for f in sorted(glob.glob(f"{place}/{name}.so*")) if os.path.isfile(f)]
            if found:
                out[name] = os.path.realpath(found[-1])
                break
        else:
            print(f"- {name}: not at hand (no CUDA toolkit library of that name)")
    return out


def rocsparse():
    """Debian's librocsparse0: 1.3 GB, 111 bundles."""
    def find():
        return glob.glob(f"{CACHE}/rocsparse/usr/lib/*/librocsparse.so.0.*")
    if not find():
        os.makedirs(CACHE, exist_ok=True)
        if subprocess.run(["apt-get", "download", "-qq", "librocsparse0"], cwd=CACHE,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            print("- librocsparse: apt-get download librocsparse0 failed")
            return {}
        package = glob.glob(f"{CACHE}/librocsparse0_*.deb")[0]
        subprocess.run(["dpkg-deb", "-x", package, f"{CACHE}/rocsparse"], check=True)
        os.remove(package)
    return {"librocsparse": find()[0]}


def kernels(libraries, runs):
    """All kernels beside decompressing the same payloads, by a program of its own."""
    program = os.path.join(os.path.dirname(GANTRY), "../bench/kernels")
    if not os.path.exists(program):
        print("- kernels: not built (GANTRY_BENCH)")
        return
    print(flush=True)
    subprocess.run([program, "--runs", str(runs), "--command", GANTRY, *libraries.values()],
                   check=True)


def tool(variable, name):
    return os.environ.get(variable) or shutil.which(name)


def peers(libraries, runs):
    """The same question put to the vendors' and LLVM's tools."""
    cuobjdump = tool("CUOBJDUMP", "cuobjdump")
    for name in ("libcublasLt", "libcusparse"):
        if name not in libraries:
            continue
        if not cuobjdump:
            print("- cuobjdump: not at hand (PyPI nvidia-cuda-cuobjdump; set CUOBJDUMP)")
            break
        Row(f"{name}: list objects; cuobjdump -lelf", "").measure(
            runs, [GANTRY, "inspect", "--no-digest", "--show", "objects", libraries[name]],
            [cuobjdump, "-lelf", libraries[name]]).show()
        Row(f"{name}: kernels; cuobjdump -res-usage", "").measure(
            1, [GANTRY, "inspect", "--no-digest", "--show", "kernels", libraries[name]],
            [cuobjdump, "-res-usage", libraries[name]]).show()
    objdump = tool("LLVM_OBJDUMP", "llvm-objdump-22")
    if "librocsparse" in libraries and objdump:
        # It writes every code object beside its input, hence the link in a scratch folder.
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            link = os.path.join(scratch, "lib.so")
            os.symlink(libraries["librocsparse"], link)
            Row("librocsparse: list objects; llvm-objdump-22 --offloading", "").measure(
                1, [GANTRY, "inspect", "--no-digest", "--show", "objects", link],
                [objdump, "--offloading", link], cwd=scratch).show()
    elif "librocsparse" in libraries:
        print("- llvm-objdump-22: not at hand (Debian llvm-22)")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--libraries", help="a folder with the CUDA libraries")
    options = parser.parse_args()
    libraries = {**cuda_libraries(options.libraries), **rocsparse()}

    print("| what; beside it | gantry, median (range) | peak memory | beside it | ratio | goal |")
    print("| --- | --- | --- | --- | --- | --- |")
    Row("gantry version", "5 ms").measure(options.runs * 3, [GANTRY, "version"]).show()
    for name, path in libraries.items():
        Row(f"{name}: inventory, no digest", "30 ms, 30 MB").measure(
            options.runs, [GANTRY, "inspect", "--no-digest", path]).show()
    for name, path in libraries.items():
        Row(f"{name}: inventory with digest and search; openssl dgst -sha256",
            "1.15 ×").measure(max(3, options.runs // 2), [GANTRY, "inspect", path],
                              ["openssl", "dgst", "-sha256", path]).show()
    peers(libraries, max(1, options.runs // 3))
    kernels(libraries, max(3, options.runs // 2))
    size = os.path.getsize(GANTRY)
    print(f"\ngantry is {size / 1e6:.2f} MB (goal: under 6 MB)")


if __name__ == "__main__":
    sys.exit(main())
