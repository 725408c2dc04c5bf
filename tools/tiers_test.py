# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tiers must not be fooled by: skips, vanished tests, crashes."""
import tempfile
import unittest
from pathlib import Path

import test_steps
import tiers
from test_steps import Result

# Stands for a GoogleTest program; {cases} are the testcase elements it reports,
# {end} is how it ends.
PROGRAM = """#!/usr/bin/python3
import os, sys
options = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
if "--gtest_list_tests" in sys.argv:
    print("Suite.")
    print("  A")
    print("  B  # GetParam() = 1")
elif os.environ["GTEST_SHARD_INDEX"] == "0":
    print("[ RUN      ] Suite.B", flush=True)
    {end}
    path = options["--gtest_output"].removeprefix("xml:")
    open(path, "w").write('''<testsuites><testsuite name="Suite">{cases}</testsuite></testsuites>''')
"""
A = '<testcase name="A" status="run" result="completed" classname="Suite"/>'
B = A.replace('"A"', '"B"')


class UnitTests(unittest.TestCase):
    def run_fake(self, cases, end="pass"):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "tests/unit_tests"
            program.parent.mkdir()
            program.write_text(PROGRAM.format(cases=cases, end=end))
            program.chmod(0o755)
            return {r.name: r for r in test_steps.unit("unit", "none", folder=folder)}

    def test_counts_what_ran(self):
        found = self.run_fake(A + B)
        self.assertEqual({n: r.status for n, r in found.items()},
                         {"unit Suite.A": "passed", "unit Suite.B": "passed"})

    def test_a_vanished_test_fails(self):
        self.assertEqual(self.run_fake(A)["unit Suite.B"].status, "failed")

    def test_a_program_that_ends_early_fails_every_test(self):
        found = self.run_fake(A + B, end="sys.exit(0)")
        self.assertEqual([r.status for r in found.values()], ["failed", "failed"])

    def test_a_crash_names_the_last_test(self):
        found = self.run_fake(A + B, end="os.abort()")
        self.assertIn("Suite.B", found["step unit"].message)

    def test_skipped_and_disabled_tests_are_skips(self):
        skipped = A.replace('"completed"', '"skipped"').replace("/>", '><skipped message="f:1&#x0A;why"/></testcase>')
        disabled = B.replace('"run"', '"notrun"').replace('"completed"', '"suppressed"')
        found = self.run_fake(skipped + disabled)
        self.assertEqual(found["unit Suite.A"], Result("unit Suite.A", "skipped", "f:1\nwhy"))
        self.assertEqual(found["unit Suite.B"].status, "skipped")

    def test_a_failure_keeps_its_message(self):
        failed = A.replace("/>", '><failure message="one"/><failure message="two"/></testcase>')
        self.assertEqual(self.run_fake(failed + B)["unit Suite.A"].message, "one\ntwo")


class Skips(unittest.TestCase):
    RESULTS = [Result("unit A.B", "skipped", "file.cc:3\nno device"), Result("unit A.C", "passed")]

    def judge(self, text):
        return [f.name for f in tiers.judge_skips(self.RESULTS, tiers.read_expected_skips(text))]

    def test_a_listed_skip_is_accepted(self):
        self.assertEqual(self.judge("# why\nunit A.B | no device\n"), [])

    def test_an_unlisted_skip_fails(self):
        self.assertEqual(self.judge(""), ["unit A.B"])

    def test_a_skip_for_another_reason_fails(self):
        self.assertEqual(self.judge("unit A.B | no disk"), ["unit A.B"])

    def test_a_line_without_a_reason_fails(self):
        self.assertEqual(set(self.judge("unit A.B")), {"unit A.B"})

    def test_a_listed_test_that_is_gone_fails(self):
        for name in ("unit A.Gone", "step gone", "script tests/all/gone.sh", "other thing"):
            self.assertEqual(self.judge(f"unit A.B | no device\n{name} | why"), [name])

    def test_a_kind_that_did_not_run_is_not_judged(self):
        self.assertEqual(self.judge("unit A.B | no device\npython a.py::B.c | why"), [])

    def test_a_listed_test_that_ran_is_fine(self):
        self.assertEqual(self.judge("unit A.B | no device\nunit A.C | sometimes"), [])


if __name__ == "__main__":
    unittest.main()
