# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gantry explain limitations` has the codes of docs/inspect.md, no more and no fewer."""
import os
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GANTRY = os.environ.get("GANTRY", "gantry")


class Explain(unittest.TestCase):
    def test_limitations_are_those_of_the_reference(self):
        page = (ROOT / "docs/inspect.md").read_text()
        table = page[page.index("\n## Limitation codes") :]
        listed = re.findall(r"^\| `([a-z-]+)` \|", table, re.M)
        text = subprocess.run([GANTRY, "explain", "limitations"], capture_output=True, text=True, check=True).stdout
        told = re.findall(r"^  ([a-z]+(?:-[a-z]+)*)(?:  |$)", text, re.M)
        self.assertGreater(len(listed), 40)
        self.assertEqual(sorted(listed), sorted(told))


if __name__ == "__main__":
    unittest.main()
