# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `gantry completion` prints: bash answers as it should, zsh and fish at least read their scripts."""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

GANTRY = os.environ.get("GANTRY", "gantry")

# What readline does around a completion function, for one line.
ASK = r"""
source "$1"
COMP_LINE=$2 COMP_POINT=${#2} COMPREPLY=()
compopt() { echo "files"; }
_gantry
printf '%s\n' "${COMPREPLY[@]}"
"""


def script(shell):
    return subprocess.run([GANTRY, "completion", shell], capture_output=True, check=True).stdout


def saved(shell):
    file = tempfile.NamedTemporaryFile(suffix="." + shell)
    file.write(script(shell))
    file.flush()
    return file


class Bash(unittest.TestCase):
    def answers(self, line):
        with saved("bash") as file:
            run = subprocess.run(["bash", "-c", ASK, "bash", file.name, line],
                                 capture_output=True, text=True, check=True)
        self.assertEqual(run.stderr, "")
        return run.stdout.split()

    def test_completes_verbs(self):
        self.assertIn("inspect", self.answers("gantry "))
        self.assertEqual(self.answers("gantry insp"), ["inspect"])

    def test_completes_options_of_the_verb(self):
        self.assertEqual(self.answers("gantry inspect --targ"), ["--target"])
        self.assertEqual(self.answers("gantry version --targ"), [])
        self.assertIn("--json", self.answers("gantry inspect -"))

    def test_completes_values(self):
        self.assertEqual(self.answers("gantry inspect --color "), ["auto", "always", "never"])
        self.assertEqual(self.answers("gantry inspect --color=al"), ["always"])
        self.assertEqual(self.answers("gantry explain consi"), ["consistency"])
        self.assertIn("sm_90a", self.answers("gantry inspect --target sm_90"))

    def test_completes_the_last_part_of_a_list(self):
        self.assertEqual(self.answers("gantry inspect --show targets,ker"), ["targets,kernels"])

    def test_leaves_files_to_the_shell(self):
        self.assertEqual(self.answers("gantry inspect "), ["files"])
        self.assertEqual(self.answers("gantry inspect -o "), ["files"])


class Others(unittest.TestCase):
    def read_by(self, shell):
        if not shutil.which(shell):
            self.skipTest(f"{shell} is not installed")
        with saved(shell) as file:
            run = subprocess.run([shell, "-n", file.name], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_zsh_reads_its_script(self):
        self.read_by("zsh")

    def test_fish_reads_its_script(self):
        self.read_by("fish")

    def test_every_option_stands_in_every_script(self):
        text = subprocess.run([GANTRY, "inspect", "--help"], capture_output=True, text=True).stdout
        options = [w.rstrip(",") for line in text.splitlines() for w in line.split()[:2] if w.startswith("--")]
        self.assertGreater(len(options), 10)
        for option in options:
            self.assertIn(option.encode(), script("bash"))
            self.assertIn(option.encode(), script("zsh"))
            self.assertIn(b"-l " + option[2:].encode(), script("fish"))


class Manual(unittest.TestCase):
    def test_every_verb_has_a_page_with_its_options(self):
        overview = subprocess.run([GANTRY, "help", "--man"], capture_output=True, text=True).stdout
        self.assertIn("gantry\\-inspect (1)", overview)
        page = subprocess.run([GANTRY, "help", "--man", "inspect"], capture_output=True, text=True).stdout
        for part in (".TH GANTRY\\-INSPECT 1", ".SH SYNOPSIS", ".SH OPTIONS", "\\fB\\-\\-no\\-digest\\fR", ".SH EXIT STATUS"):
            self.assertIn(part, page)
        for line in page.splitlines():
            if line.startswith("."):
                self.assertRegex(line, r"^\.(TH|SH|SS|TP|PP|B|BR|I)( |$)")


if __name__ == "__main__":
    unittest.main()
