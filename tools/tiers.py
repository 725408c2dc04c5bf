#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one tier of the tests: dev, ci or all (docs/testing.md).

Each step prints one line with its time; failures are told again at the end; the
last line is "N passed, N failed". A skip counts as a failure unless
tests/expected-skips lists it with its reason, and so does a listed skip whose
test is gone.
"""
import os
import shutil
import sys
import time
from dataclasses import dataclass

import test_steps as do
from test_steps import PYTHON, ROOT, TOLD_LINES, Result

# Threaded tests name their suite so; TSan runs these.
THREADED = "*Thread*:*Parallel*"
# The release with warnings as errors; users' own builds must not fail over one.
RELEASE = "build/ci-release"
CLANG, FORMAT = "clang++-22", "clang-format-22"


@dataclass
class Step:
    tier: str
    name: str
    action: callable
    arguments: tuple = ()
    needs: str = ""  # a program without which the step is skipped
    after: str = ""  # a step that must not have failed


STEPS = [
    Step("dev", "build dev", do.build, ("dev",)),
    Step("dev", "unit", do.unit, ("dev",), after="build dev"),
    Step("dev", "cli", do.cli, ("dev",), after="build dev"),
    Step("dev", "python", do.python, after="build dev"),
    Step("dev", "install", do.command, ("tests/install/run.sh", "build/dev"), after="build dev"),
    Step("dev", "layers", do.command, (PYTHON, "tools/check_layers.py")),
    Step("dev", "requirements", do.command,
         (PYTHON, "tools/check_requirements.py", "build/dev/tests/unit_tests"), after="build dev"),
    Step("ci", "format", do.command, (PYTHON, "tools/check_format.py"), FORMAT),
    Step("ci", "headers", do.command, (PYTHON, "tools/check_headers.py")),
    Step("ci", "build release", do.build, ("release", RELEASE, ("-DGANTRY_WERROR=ON",))),
    Step("ci", "release", do.release, (RELEASE,), after="build release"),
    Step("ci", "build clang", do.build, ("clang",), CLANG),
    Step("ci", "unit clang", do.unit, ("clang",), CLANG, "build clang"),
    Step("ci", "build asan", do.build, ("asan",), CLANG),
    Step("ci", "unit asan", do.unit, ("asan",), CLANG, "build asan"),
    Step("ci", "cli asan", do.cli, ("asan",), CLANG, "build asan"),
    Step("ci", "corpora", do.corpora, (), CLANG, "build asan"),
    Step("ci", "build tsan", do.build, ("tsan",), CLANG),
    Step("ci", "threads tsan", do.unit, ("tsan", THREADED), CLANG, "build tsan"),
    Step("ci", "cli tsan", do.cli, ("tsan",), CLANG, "build tsan"),
    Step("ci", "scripts ci", do.scripts, ("ci", RELEASE), after="build release"),
    Step("all", "compilers", do.other_compilers),
    Step("all", "tidy", do.tidy, (), "clang-tidy-22"),
    Step("all", "fuzz", do.fuzz, (), CLANG),
    Step("all", "scripts all", do.scripts, ("all", RELEASE), after="build release"),
]


def run_step(step, failed_steps):
    if step.needs and not shutil.which(step.needs):
        return [Result(f"step {step.name}", "skipped", f"{step.needs} is not installed")]
    if step.after in failed_steps:
        return [Result(f"step {step.name}", "failed", f"not run: {step.after} failed")]
    return step.action(step.name, *step.arguments)


def tell(step, results, seconds):
    counts = []
    for status in ("passed", "failed", "skipped"):
        number = sum(r.status == status for r in results)
        if number or status == "passed":
            counts.append(f"{number} {status}")
    print(f"{step.name:<16} {', '.join(counts):<34} {seconds:7.1f} s", flush=True)


def run_tier(tier):
    results, failed_steps = [], set()
    for step in STEPS:
        if tier not in (step.tier, "all"):
            continue
        start = time.monotonic()
        found = run_step(step, failed_steps)
        tell(step, found, time.monotonic() - start)
        if any(r.name == f"step {step.name}" and r.status != "passed" for r in found):
            failed_steps.add(step.name)
        results += found
    return results


# --- skips ------------------------------------------------------------------


def read_expected_skips(text):
    """Lines "NAME | reason" as a dictionary; # starts a comment."""
    skips = {}
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, reason = (part.strip() for part in line.partition("|"))
            skips[name] = reason
    return skips


def judge_skips(results, expected):
    """Unlisted skips as failures, and so each line of the list that says no
    reason or names a test that is gone. A skip is listed when its name is there
    and its message holds the listed reason."""
    failures = []
    for r in results:
        if r.status == "skipped" and not (
            expected.get(r.name) and expected[r.name] in r.message
        ):
            failures.append(Result(r.name, "failed", f"skipped, not listed: {r.message}"))
    kinds_run = {r.name.split()[0] for r in results}
    known = {r.name for r in results} | {f"step {s.name}" for s in STEPS}
    for name, reason in expected.items():
        kind = name.split()[0]
        if not reason:
            failures.append(Result(name, "failed", "tests/expected-skips gives no reason"))
        elif kind == "script":
            if not (ROOT / name.split()[1]).exists():
                failures.append(Result(name, "failed", "listed in tests/expected-skips, but gone"))
        elif name not in known and (kind in kinds_run or kind not in ("unit", "cli", "python")):
            failures.append(Result(name, "failed", "listed in tests/expected-skips, but gone"))
    return failures


def summarise(results, failures):
    for r in results:
        if r.status == "skipped" and not any(f.name == r.name for f in failures):
            print(f"skipped: {r.name}: {r.message.splitlines()[-1]}")
    for r in failures:
        lines = r.message.splitlines()
        print(f"\nFAILED {r.name}")
        print("\n".join("    " + line for line in lines[:TOLD_LINES]))
        if len(lines) > TOLD_LINES:
            print(f"    … {len(lines) - TOLD_LINES} more lines")
    passed = sum(r.status == "passed" for r in results)
    skipped = sum(r.status == "skipped" for r in results)
    closing = f"{passed} passed, {len(failures)} failed"
    print(closing + (f", {skipped} skipped" if skipped else ""), flush=True)


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in ("dev", "ci", "all"):
        sys.exit("usage: tiers.py dev|ci|all")
    os.chdir(ROOT)
    results = run_tier(sys.argv[1])
    expected = read_expected_skips((ROOT / "tests/expected-skips").read_text())
    failures = [r for r in results if r.status == "failed"] + judge_skips(results, expected)
    summarise(results, failures)
    sys.exit(1 if failures or not results else 0)


if __name__ == "__main__":
    main()
