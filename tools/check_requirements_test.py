# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import unittest

import check_requirements as requirements

HEAD = "| id | requirement | test | state |\n|---|---|---|---|\n"
SELF = "tools/check_requirements_test.py::Requirements.test_accepts_tests_that_exist"
UNITS = {"Elf.ReadsSections", "All/Elf.Reads/0"}


class Requirements(unittest.TestCase):
    def complaints(self, rows):
        return requirements.check(HEAD + rows, UNITS, requirements.ROOT)

    def test_accepts_tests_that_exist(self):
        rows = f"| 9.1-1 | a \\| b | `Elf.ReadsSections`, `All/Elf.Reads/0` | done |\n| 2 | c | `{SELF}` | done |\n"
        self.assertEqual(self.complaints(rows + "| 3 | later | | open |\n"), [])

    def test_finds_each_fault(self):
        for rows in (
            "| 1 | a | `Elf.Gone` | done |",
            "| 1 | a | `Elf.Gone` | open |",
            "| 1 | a | `cli/no/such` | done |",
            f"| 1 | a | `{SELF}x` | done |",
            "| 1 | a | `tools/gone_test.py::A.b` | done |",
            "| 1 | a | | done |",
            "| 1 | a | `Elf.ReadsSections` | nearly |",
            "| 1 | a | | open |\n| 1 | b | | open |",
            "no table",
        ):
            with self.subTest(rows):
                self.assertEqual(len(self.complaints(rows)), 1)

    def test_refuses_a_row_of_other_width(self):
        with self.assertRaises(ValueError):
            self.complaints("| 1 | a | done |")


if __name__ == "__main__":
    unittest.main()
