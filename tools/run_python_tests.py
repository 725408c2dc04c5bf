#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the unittest cases of one file and records each by name.

usage: run_python_tests.py FILE_test.py [--results OUT] [unittest's names…]

OUT gets one JSON record a test: name ("python FILE::Class.test"), status
(passed, failed, skipped) and message. A subtest that fails fails its test.
"""
import argparse
import importlib.util
import json
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Recorder(unittest.TextTestResult):
    """Keeps the worst outcome of each test."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.outcomes = {}

    def record(self, test, status, message=""):
        key = test.id()
        if self.outcomes.get(key, ("passed",))[0] == "passed":
            self.outcomes[key] = (status, message)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.record(test, "passed")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.record(test, "skipped", reason)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.record(test, "failed", self._exc_info_to_string(err, test))

    def addError(self, test, err):
        super().addError(test, err)
        self.record(test, "failed", self._exc_info_to_string(err, test))

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err:
            self.record(test, "failed", self._exc_info_to_string(err, test))

    def addExpectedFailure(self, test, err):
        self.record(test, "failed", "expected failures are not used here: list a skip")

    def addUnexpectedSuccess(self, test):
        self.record(test, "failed", "expected failures are not used here")


def load(path):
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--results", type=Path)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    path = args.file.resolve()
    module = load(path)
    loader = unittest.defaultTestLoader
    suite = (
        loader.loadTestsFromNames(args.names, module)
        if args.names
        else loader.loadTestsFromModule(module)
    )
    result = unittest.TextTestRunner(resultclass=Recorder, verbosity=1).run(suite)
    if args.results:
        file = path.relative_to(ROOT)
        with args.results.open("w") as out:
            for key, (status, message) in result.outcomes.items():
                name = f"python {file}::{key.removeprefix(path.stem + '.')}"
                print(json.dumps({"name": name, "status": status, "message": message}), file=out)
    bad = any(status == "failed" for status, _ in result.outcomes.values())
    sys.exit(1 if bad or not result.outcomes else 0)


if __name__ == "__main__":
    main()
