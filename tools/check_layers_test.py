# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A bad tree must fail, each fault by itself."""
import tempfile
import unittest
from pathlib import Path

import check_layers

DESIGN = """
| floor | folder | what |
|---|---|---|
| 0 | `src/base/` | ground |
| 1 | `src/format/` | formats |
| 1 | `src/target/` | targets |
| 2 | `src/input/` | input |
| 3 | `src/inspect/` | model |
| 8 | `src/cli/` | command |
"""
GOOD = {
    "src/base/json.cc": "#include <nlohmann/json.hpp>\n#include <vector>\n",
    "src/format/elf.h": '#include "base/reader.h"\n#include "gantry/base.h"\n#include <sys/stat.h>\n',
    "src/format/elf.cc": '#include "format/elf.h"\n#include <fmt/core.h>\n',
    "src/format/ccob_test.cc": "#include <gtest/gtest.h>\n#include <zstd.h>\n",
    "src/base/test_bytes.h": "#include <gtest/gtest.h>\n",
    "include/gantry/inspect.h": '#include "gantry/base.h"\n',
    "src/cli/main.cc": '#include "gantry/inspect.h"\n#include "cli/x.h"\n#include <CLI/CLI.hpp>\n',
}
BAD = {
    "upward": ("src/base/a.h", '#include "format/elf.h"'),
    "sideways": ("src/format/a.h", '#include "target/names.h"'),
    "upward by a public header": ("src/format/a.h", '#include "gantry/inspect.h"'),
    "public on private": ("include/gantry/inspect.h", '#include "format/elf.h"'),
    "public upward": ("include/gantry/base.h", '#include "gantry/inspect.h"'),
    "cli on a room": ("src/cli/a.cc", '#include "inspect/walk.h"'),
    "no such room": ("src/format/a.h", '#include "util/x.h"'),
    "no room named": ("src/format/a.h", '#include "elf.h"'),
    "room without a line": ("src/util/a.h", "#include <vector>"),
    "file outside rooms": ("src/a.cc", "#include <vector>"),
    "codec outside base": ("src/format/a.cc", "#include <zstd.h>"),
    "library in a header": ("src/base/a.h", "#include <zstd.h>"),
    "heavy library in a test": ("src/format/a_test.cc", "#include <nlohmann/json.hpp>"),
    "heavy part of fmt": ("src/format/a.cc", "  #  include <fmt/format.h>"),
    "test library in code": ("src/format/a.cc", "#include <gtest/gtest.h>"),
    "unknown library": ("src/format/a.cc", "#include <boost/any.hpp>"),
    "unknown plain header": ("src/format/a.cc", "#include <elfio.h>"),
    "CLI11 twice": ("src/cli/b.cc", "#include <CLI/CLI.hpp>"),
}


class Layers(unittest.TestCase):
    def complaints(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in {"docs/design.md": DESIGN, **files}.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text + "\n")
            return check_layers.check_tree(root)

    def test_accepts_a_good_tree(self):
        self.assertEqual(self.complaints(GOOD), [])

    def test_finds_each_fault(self):
        for fault, (path, text) in BAD.items():
            with self.subTest(fault):
                found = self.complaints({**GOOD, path: text})
                self.assertEqual(len(found), 1, found)

    def test_names_file_and_line(self):
        found = self.complaints({**GOOD, "src/base/a.h": '#include <span>\n#include "format/elf.h"'})
        self.assertTrue(found[0].startswith("src/base/a.h:2: "), found)

    def test_refuses_a_design_page_without_the_table(self):
        self.assertEqual(len(self.complaints({"docs/design.md": "nothing"})), 1)


if __name__ == "__main__":
    unittest.main()
