# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the sources of the reading half never do."""
import re
import unittest
from pathlib import Path

SRC = Path(__file__).resolve().parent.parent.parent / "src"
ROOMS = ("base", "format", "target", "input", "inspect", "report")
STARTS = re.compile(r"\b(system|popen|fork|vfork|clone3?|exec[lv]p?e?|execvpe|fexecve|posix_spawnp?|dlopen)\s*\(")


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


class Sources(unittest.TestCase):
    def test_no_program_is_started(self):
        """Nor a vendor's library loaded: inspection needs neither."""
        seen = 0
        for room in ROOMS:
            for path in sorted((SRC / room).glob("*.cc")) + sorted((SRC / room).glob("*.h")):
                if "_test" in path.name or path.name.startswith("test_"):
                    continue
                seen += 1
                for match in STARTS.finditer(without_comments(path.read_text())):
                    self.fail(f"{path.relative_to(SRC)}: {match.group(0)}")
        self.assertGreater(seen, 100)

    def test_a_start_is_recognised(self):
        for line in ('system("x");', "::popen (p, m)", "execvp(a, b)", "dlopen(n, 1)"):
            self.assertTrue(STARTS.search(line), line)
        for line in ("std::error_code(1, std::system_category())", "filesystem::path(x)", "executes(x)"):
            self.assertFalse(STARTS.search(line), line)


if __name__ == "__main__":
    unittest.main()
