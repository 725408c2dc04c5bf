# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the steps of the tiers do (the table is in tiers.py). Each returns a list
of Results."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as xml
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
JOBS = len(os.sched_getaffinity(0))
PYTHON = "/usr/bin/python3"
COMMAND_LIMIT_S = 1800
PROGRESS_EVERY_S = 30
TOLD_LINES = 25  # of a failure
OTHER_COMPILERS = ("clang++-19", "g++-13", "g++-14")
RELEASE_LIMIT_BYTES = 6 << 20


@dataclass
class Result:
    """What became of one test. `name` is "unit Suite.Name", "cli topic/name",
    "python file.py::Class.test" or "step NAME"."""

    name: str
    status: str  # passed, failed, skipped
    message: str = ""


class Progress:
    """Shows the last line of a long command: rewritten on a terminal, else one
    line now and then."""

    def __init__(self, step):
        self.step, self.start = step, time.monotonic()
        self.terminal = sys.stdout.isatty()
        self.next = self.start + (0.2 if self.terminal else PROGRESS_EVERY_S)

    def show(self, line):
        now = time.monotonic()
        if now < self.next:
            return
        text = f"{self.step:<16} {now - self.start:5.0f} s  {line.strip()}"[:100]
        if self.terminal:
            print(f"\r\033[K{text}", end="", flush=True)
            self.next = now + 0.2
        else:
            print(f"  … {text}", flush=True)
            self.next = now + PROGRESS_EVERY_S

    def done(self):
        if self.terminal:
            print("\r\033[K", end="", flush=True)


def run(command, progress=None, env=None):
    """Runs a command from the repository root without input; returns its exit
    status and everything it printed."""
    with subprocess.Popen(
        [str(part) for part in command], cwd=ROOT, env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace",
    ) as process:
        timer = threading.Timer(COMMAND_LIMIT_S, process.kill)
        timer.start()
        lines = []
        for line in process.stdout:
            lines.append(line)
            if progress:
                progress.show(line)
        status = process.wait()
        timer.cancel()
    return status, "".join(lines)


def verdict(name, status, output):
    return Result(name, "failed" if status else "passed", output if status else "")


# --- builds -----------------------------------------------------------------


def build(step, preset, folder=None, options=()):
    """Configures and builds a preset, in build/PRESET or another folder."""
    folder = folder or f"build/{preset}"
    progress = Progress(step)
    status, output = run(["cmake", "--preset", preset, "-B", folder, *options])
    if status:
        output = output[max(output.find("CMake Error"), 0):]
    else:
        status, output = run(["ninja", "-C", folder, "-j", JOBS], progress)
        wanted = [l for l in output.splitlines() if "error:" in l or l.startswith("FAILED")]
        output = "\n".join(wanted) or output
    progress.done()
    return [verdict(f"step {step}", status, output)]


# --- unit tests -------------------------------------------------------------


def listed_unit_tests(program, wanted):
    status, output = run([program, "--gtest_list_tests", f"--gtest_filter={wanted}"])
    if status:
        return None
    names, suite = [], ""
    for line in output.splitlines():
        name = line.split("#")[0].rstrip()
        if not name.startswith(" "):
            suite = name
        elif name:
            names.append(suite + name.strip())
    return names


def unit_shard(program, wanted, index, report):
    return run(
        [program, f"--gtest_filter={wanted}", f"--gtest_output=xml:{report}"],
        env={"GTEST_TOTAL_SHARDS": str(JOBS), "GTEST_SHARD_INDEX": str(index)},
    )


def read_unit_report(report):
    """Results by test name out of GoogleTest's XML."""
    results = {}
    for case in xml.parse(report).getroot().iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        failures = [f.get("message", "") for f in case.findall("failure")]
        skips = [s.get("message", "") for s in case.findall("skipped")]
        if failures:
            results[name] = Result(f"unit {name}", "failed", "\n".join(failures))
        elif case.get("status") != "run":
            results[name] = Result(f"unit {name}", "skipped", "disabled")
        elif skips or case.get("result") != "completed":
            results[name] = Result(f"unit {name}", "skipped", "\n".join(skips))
        else:
            results[name] = Result(f"unit {name}", "passed")
    return results


def unit(step, preset, wanted="*", folder=None):
    """Runs the unit tests of a build in one process per core. What is listed has
    to be in the reports: a test cannot vanish by ending its process."""
    program = ROOT / (folder or f"build/{preset}") / "tests/unit_tests"
    names = listed_unit_tests(program, wanted)
    if not names:
        return [Result(f"step {step}", "failed", f"{program} lists no test for {wanted}")]
    results = {}
    with tempfile.TemporaryDirectory() as scratch:
        reports = [Path(scratch) / f"{i}.xml" for i in range(JOBS)]
        with ThreadPoolExecutor(JOBS) as pool:
            runs = list(pool.map(lambda i: unit_shard(program, wanted, i, reports[i]), range(JOBS)))
        for report, (status, output) in zip(reports, runs):
            found = read_unit_report(report) if report.exists() else {}
            results.update(found)
            if status and not any(r.status == "failed" for r in found.values()):
                results[f"exit {report.stem}"] = crashed(step, status, output)
    for name in names:
        results.setdefault(name, Result(f"unit {name}", "failed", "did not run to its end"))
    return list(results.values())


def crashed(step, status, output):
    last = [l for l in output.splitlines() if l.startswith("[ RUN")][-1:] or ["before the first test"]
    tail = "\n".join(output.splitlines()[-TOLD_LINES:])
    return Result(f"step {step}", "failed", f"exit status {status}; last: {last[0]}\n{tail}")


# --- command tests, Python tests, scripts -----------------------------------


def reported(step, command, env=None):
    """A runner of ours that writes one JSON record a test to the file named by
    its --results."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "results"
        status, output = run([*command, "--results", report], env=env)
        lines = report.read_text().splitlines() if report.exists() else []
    results = [Result(**json.loads(line)) for line in lines]
    if status and not any(r.status == "failed" for r in results):
        results.append(Result(f"step {step}", "failed", f"exit status {status}\n{output}"))
    if not results:
        results.append(Result(f"step {step}", "failed", f"ran no test\n{output}"))
    return results


def cli(step, preset):
    program = ROOT / f"build/{preset}/bin/gantry"
    return reported(step, [PYTHON, "tests/cli/run.py", "--gantry", program])


def python(step):
    """Every *_test.py of tools/ and tests/, each file in a process of its own."""
    files = sorted(p for d in ("tools", "tests") for p in (ROOT / d).rglob("*_test.py"))
    env = {"GANTRY": str(ROOT / "build/dev/bin/gantry"), "GANTRY_BUILD": str(ROOT / "build/dev")}

    def one(path):
        name = path.relative_to(ROOT)
        return reported(f"{step} {name}", [PYTHON, "tools/run_python_tests.py", name], env)

    with ThreadPoolExecutor(JOBS) as pool:
        return [r for results in pool.map(one, files) for r in results]


def command(step, *argv):
    status, output = run(argv)
    return [verdict(f"step {step}", status, output)]


def corpora(step):
    """Each fuzz target over its committed seeds."""
    programs = sorted((ROOT / "build/asan/fuzz").glob("*_fuzz"))
    if not programs:
        return [Result(f"step {step}", "failed", "no fuzz target was built")]

    def one(program):
        name = program.name.removesuffix("_fuzz")
        seeds = sorted((ROOT / "fuzz/corpus" / name).glob("*"))
        if not seeds:
            return Result(f"corpus {name}", "failed", f"no seeds in fuzz/corpus/{name}")
        status, output = run([program, "-timeout=10", *seeds])
        return verdict(f"corpus {name}", status, output)

    with ThreadPoolExecutor(JOBS) as pool:
        return list(pool.map(one, programs))


def fuzz(step, seconds=60):
    status, output = run(["./dev", "fuzz", "", seconds], Progress(step))
    return [verdict(f"step {step}", status, output)]


def tidy(step):
    """clang-tidy (.clang-tidy) over what is no test."""
    files = sorted(p for p in (ROOT / "src").rglob("*.cc") if not p.stem.endswith("_test"))
    flags = ["--", "-std=c++23", "-Isrc", "-Iinclude",
             '-DGANTRY_VERSION=""', '-DGANTRY_LIBRARIES={"",""}']  # CMake's
    progress = Progress(step)

    def one(path):
        progress.show(path.name)
        status, output = run(["clang-tidy-22", "--quiet", path, *flags])
        return output if status else ""

    with ThreadPoolExecutor(JOBS) as pool:
        output = "".join(pool.map(one, files))
    progress.done()
    return [verdict(f"step {step}", bool(output), output)]


def release(step, folder):
    """The release as users get it: installed, stripped, small."""
    with tempfile.TemporaryDirectory() as scratch:
        status, output = run(["cmake", "--install", folder, "--strip", "--prefix", scratch])
        program = Path(scratch) / "bin/gantry"
        if status == 0:
            status, output = run([program, "version"])
        size = program.stat().st_size if program.exists() else 0
    if status == 0 and size > RELEASE_LIMIT_BYTES:
        status, output = 1, f"{size} bytes; the limit is {RELEASE_LIMIT_BYTES}"
    return [verdict(f"step {step}", status, output)]


def scripts(step, folder, build_folder):
    """Every executable of tests/ci or tests/all: status 0 passes, 77 skips with
    the last line it printed as the reason."""
    env = {"GANTRY": str(ROOT / build_folder / "bin/gantry")}
    results = []
    for path in sorted((ROOT / "tests" / folder).glob("*")):
        if not os.access(path, os.X_OK) or path.is_dir():
            continue
        name = f"script {path.relative_to(ROOT)}"
        command = [PYTHON, path] if path.suffix == ".py" else [path]
        progress = Progress(path.name)
        status, output = run(command, progress, env)
        progress.done()
        if status == 77:
            results.append(Result(name, "skipped", "".join(output.splitlines()[-1:])))
        else:
            results.append(verdict(name, status, output))
    return results


def other_compilers(step):
    results = []
    for compiler in filter(shutil.which, OTHER_COMPILERS):
        folder = f"build/{compiler}"
        options = [f"-DCMAKE_CXX_COMPILER={compiler}", "-DGANTRY_WERROR=OFF"]
        results += build(f"{step} {compiler}", "clang", folder, options)
        if results[-1].status == "passed":
            results += unit(f"{step} {compiler}", "clang", folder=folder)
    return results
