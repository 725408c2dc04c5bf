#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the command tests: tests/cli/TOPIC/NAME.test, and README.md's examples.

A case is a text file:

    # What this case shows.
    $ gantry inspect samples/none.so
    2> gantry: samples/none.so: No such file or directory
    exit 2
    $ gantry version | head -n 1
    > gantry 0.1.0

`$ ` is a command for /bin/sh; what follows is exactly what it must answer: `> `
a line of stdout, `2> ` a line of stderr, then `exit N` unless N is 0. `\\` after
the last line of an output says that it does not end with a newline. Bytes that
are no UTF-8 are shown as \\xNN. Empty lines and lines with # are comments.

The commands of a case run one after the other in one empty folder. There
`samples` leads to the repository's samples/ ($SAMPLES says so too), `gantry` is
the program under test, and $ROOT is the repository.

In README.md the code blocks that have a line `$ gantry …` are cases as well.
There stdout and stderr stand as a terminal shows them, without marks.

usage: run.py --gantry PROGRAM [--update] [--results OUT] [TOPIC[/NAME]… | README.md]
--update writes the answers into the files; look at the difference before you
commit it.
"""
import argparse
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CASES = Path(__file__).resolve().parent
ROOT = CASES.parent.parent
LIMIT_S = 60


class Sandbox:
    """An empty folder with the program and the samples in reach."""

    def __init__(self, gantry):
        self.folder = tempfile.TemporaryDirectory()
        base = Path(self.folder.name)
        self.cwd, bin_folder = base / "cwd", base / "bin"
        self.cwd.mkdir()
        bin_folder.mkdir()
        (bin_folder / "gantry").symlink_to(gantry)
        (self.cwd / "samples").symlink_to(ROOT / "samples")
        kept = {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
        self.env = kept | {
            "PATH": f"{bin_folder}:/usr/bin:/bin",
            "HOME": str(base),
            "LC_ALL": "C.UTF-8",
            "SAMPLES": "samples",
            "ROOT": str(ROOT),
        }

    def run(self, command, merged=False):
        """Exit status, stdout, stderr."""
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd=self.cwd, env=self.env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT if merged else subprocess.PIPE,
            timeout=LIMIT_S,
        )
        return done.returncode, show(done.stdout), show(done.stderr or b"")

    def close(self):
        self.folder.cleanup()


def show(output):
    return output.decode("utf-8", errors="backslashreplace")


def marked(output, mark):
    """An output as lines of a case file."""
    if not output:
        return []
    lines = [f"{mark} {line}" if line else mark for line in output.removesuffix("\n").split("\n")]
    return lines if output.endswith("\n") else [*lines, "\\"]


# --- case files -------------------------------------------------------------

ANSWER = re.compile(r"2?>( |$)|exit \d+$|\\$")


def answer_case(text, gantry):
    """The case with the answers that the program gives now; comments and empty
    lines stay."""
    lines, commands = [], 0
    sandbox = Sandbox(gantry)
    for line in text.split("\n"):
        if ANSWER.match(line):
            continue
        lines.append(line)
        if line.startswith("$ "):
            status, out, err = sandbox.run(line[2:])
            lines += marked(out, ">") + marked(err, "2>") + ([f"exit {status}"] if status else [])
            commands += 1
        elif line and not line.startswith("#"):
            raise ValueError(f"neither a command, an answer nor a comment: {line}")
    sandbox.close()
    if not commands:
        raise ValueError("a case without a command")
    return "\n".join(lines)


# --- README -----------------------------------------------------------------


def answer_readme(text, gantry):
    """README.md with the answers that the program gives now."""
    parts = text.split("```")
    sandbox = Sandbox(gantry)
    for i in range(1, len(parts), 2):  # the odd parts are code blocks
        language, _, body = parts[i].partition("\n")
        if not any(line.startswith("$ gantry ") for line in body.split("\n")):
            continue
        lines = [language]
        for line in body.split("\n"):
            if line.startswith("$ "):
                lines += [line, *sandbox.run(line[2:], merged=True)[1].splitlines()]
        parts[i] = "\n".join([*lines, ""])
    sandbox.close()
    return "```".join(parts)


# --- running ----------------------------------------------------------------


def check(path, name, answer, gantry, update):
    """One case as a record: name, status, message."""
    record = {"name": f"cli {name}", "status": "passed", "message": ""}
    text = path.read_text()
    try:
        now = answer(text, gantry)
    except (ValueError, subprocess.TimeoutExpired) as error:
        return record | {"status": "failed", "message": str(error)}
    if now == text:
        return record
    if update:
        path.write_text(now)
        return record | {"message": "updated"}
    diff = difflib.unified_diff(text.splitlines(), now.splitlines(), "expected", "now", lineterm="")
    return record | {"status": "failed", "message": "\n".join(diff)}


def cases(wanted):
    """(path, name, function) of each wanted case, README.md last."""
    found = []
    for path in sorted(CASES.rglob("*.test")):
        name = str(path.relative_to(CASES).with_suffix(""))
        if not wanted or any(name == w or name.startswith(w + "/") for w in wanted):
            found.append((path, name, answer_case))
    readme = ROOT / "README.md"
    if readme.exists() and (not wanted or "README.md" in wanted):
        found.append((readme, "README.md", answer_readme))
    return found


def main():
    parser = argparse.ArgumentParser(description="Runs the command tests.")
    parser.add_argument("--gantry", required=True, type=Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--results", type=Path)
    parser.add_argument("wanted", nargs="*")
    args = parser.parse_args()
    gantry = args.gantry.resolve()
    if not os.access(gantry, os.X_OK):
        sys.exit(f"run.py: {gantry} is not there")
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        records = list(
            pool.map(lambda c: check(c[0], c[1], c[2], gantry, args.update), cases(args.wanted))
        )
    for record in records:
        if record["message"]:
            print(f"{record['status']}: {record['name']}\n{record['message']}")
    if args.results:
        args.results.write_text("".join(json.dumps(r) + "\n" for r in records))
    failed = sum(r["status"] == "failed" for r in records)
    print(f"{len(records) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not records else 0)


if __name__ == "__main__":
    main()
