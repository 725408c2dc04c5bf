# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runner of the command tests must fail when an answer differs."""
import tempfile
import unittest
from pathlib import Path

import run

PROGRAM = """#!/bin/sh
case $1 in
out) printf 'one\\n\\n two\\n' ;;
err) echo bad >&2; exit 3 ;;
cut) printf 'no newline' ;;
esac
"""
CASE = """# all there is
$ gantry out
> one
>
>  two

$ gantry err
2> bad
exit 3
$ gantry cut
> no newline
\\
"""
README = "Text\n```console\n$ gantry out\none\n\n two\n$ gantry err\nbad\n```\n```\n$ false\n```\n"


class CommandCases(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.gantry = self.folder / "program"
        self.gantry.write_text(PROGRAM)
        self.gantry.chmod(0o755)

    def check(self, text, update=False, answer=run.answer_case):
        path = self.folder / "x.test"
        path.write_text(text)
        record = run.check(path, "x", answer, self.gantry, update)
        return record["status"], path.read_text()

    def test_passes_when_every_answer_is_exact(self):
        self.assertEqual(self.check(CASE)[0], "passed")

    def test_fails_on_any_other_stdout_stderr_or_status(self):
        for line in ("> one", ">", ">  two", "2> bad", "exit 3", "\\"):
            with self.subTest(removed=line):
                self.assertEqual(self.check(CASE.replace(line + "\n", "", 1))[0], "failed")
        self.assertEqual(self.check(CASE.replace("exit 3", "exit 2"))[0], "failed")
        self.assertEqual(self.check(CASE.replace("> one", "2> one"))[0], "failed")

    def test_updates_the_answers_and_keeps_the_rest(self):
        self.assertEqual(self.check(CASE.replace("> one\n", "> old\n"), update=True)[1], CASE)

    def test_refuses_a_case_without_a_command_or_with_a_stray_line(self):
        self.assertEqual(self.check("# nothing\n")[0], "failed")
        self.assertEqual(self.check("$ gantry out\none\n")[0], "failed")

    def test_runs_the_readme_blocks_that_call_gantry(self):
        readme = run.answer_readme
        self.assertEqual(self.check(README, answer=readme)[0], "passed")
        self.assertEqual(self.check(README.replace("bad", "good"), answer=readme)[0], "failed")


if __name__ == "__main__":
    unittest.main()
