# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What docs/inspect.md says about packages, against the code."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/inspect.md").read_text()


def source(name):
    return (ROOT / "src" / name).read_text()


class Packages(unittest.TestCase):
    def test_suffixes_that_are_skipped(self):
        table = re.search(r"kTexts = \{(.*?)\};", source("inspect/member_names.cc"), re.S)[1]
        listed = re.search(r"`--deep` opens all:\n\n(.*?)\n\n", PAGE, re.S)[1]
        self.assertEqual(re.findall(r'"(\w+)"sv', table), re.findall(r"`(\w+)`", listed))

    def test_compressions_of_members(self):
        words = re.findall(r'return "(\w+)";', re.search(
            r"method_word.*?^}", source("input/zip_package.cc"), re.S | re.M)[0])
        words += re.findall(r'codec == "(\w+)"', source("input/stream.cc"))
        rows = re.findall(r"^\| `(\w+)` \|", PAGE.split("### Compression")[1].split("###")[0], re.M)
        self.assertGreater(len(words), 8)
        self.assertEqual(set(words) - set(rows), set())


if __name__ == "__main__":
    unittest.main()
