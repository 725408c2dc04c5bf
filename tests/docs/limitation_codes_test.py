# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of docs/inspect.md and docs/limits.md, against the code, the schema and the command."""
import json
import os
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GANTRY = os.environ.get("GANTRY", "gantry")
SCHEMA = json.loads((ROOT / "docs/schema/inspect-1.json").read_text())["$defs"]
CODE = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*"


def tables(page):
    """Heading → rows (lists of cells) of the tables under it, without their heads."""
    out, heading = {}, ""
    for line in (ROOT / "docs" / page).read_text().splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.startswith("|"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            out.setdefault(heading, []).append(cells)
    return {name: rows[2:] for name, rows in out.items()}


def named(rows):
    """The name in backquotes that each row starts with."""
    return [re.fullmatch(r"`([^`]+)`", row[0])[1] for row in rows]


def sources(folder):
    return {p: p.read_text() for p in (ROOT / "src" / folder).glob("*.cc") if not p.stem.endswith("_test")}


def returned(text, function):
    """The words that word(function …) returns."""
    body = re.search(rf"^std::string_view word\({function} \w+\) {{(.*?)^}}", text, re.M | re.S)
    return set(re.findall(rf'return "({CODE})"', body[1])) - {"unknown"} if body else set()


def codes_of_errors():
    return returned((ROOT / "src/base/error.cc").read_text(), "Errc")


def codes_of_formats():
    found = set()
    for text in sources("format").values():
        found |= returned(text, "Gap") | returned(text, "Limitation")
        found |= set(re.findall(rf'\b(?:limit|limitations_?\.add)\(\s*"({CODE})"', text))
    return found


def codes_of_inspect():
    return {code for text in sources("inspect").values() for code in re.findall(rf'{{\s*"({CODE})",', text)}


def inspect(*arguments):
    run = subprocess.run([GANTRY, "inspect", *map(str, arguments)], capture_output=True, timeout=60)
    return run.stdout.decode()


class LimitationCodes(unittest.TestCase):
    rows = tables("inspect.md")["Limitation codes"]

    def test_every_code_has_a_row_and_every_row_a_code(self):
        for found, least in ((codes_of_errors(), 10), (codes_of_formats(), 30), (codes_of_inspect(), 15)):
            self.assertGreaterEqual(len(found), least, f"the search misses codes: {sorted(found)}")
        told = named(self.rows)
        self.assertEqual(len(told), len(set(told)), "a code stands twice")
        known = codes_of_errors() | codes_of_formats() | codes_of_inspect()
        self.assertEqual([], sorted(known - set(told)), "codes without a row")
        self.assertEqual([], sorted(set(told) - known), "rows without a code")
        self.assertEqual([], [row for row in self.rows if len(row) != 4 or not all(row)])

    def test_what_the_samples_answer_has_a_row(self):
        """The search through the sources has missed nothing that occurs."""
        told, seen = set(named(self.rows)), set()
        for path in sorted(p for p in (ROOT / "samples").rglob("*") if p.is_file() and "src" not in p.relative_to(ROOT).parts):
            answer = json.loads(inspect("--json", "--show", "objects,kernels,containers", path))
            for part in [answer, *answer["objects"], *answer["kernels"], *answer["containers"]]:
                seen |= {limitation["code"] for limitation in part["limitations"]}
        self.assertGreater(len(seen), 5)
        self.assertEqual([], sorted(seen - told))


class Reference(unittest.TestCase):
    """docs/inspect.md has a row for each field, word and option."""
    maxDiff = None
    page = tables("inspect.md")

    def test_every_field(self):
        for heading, definition in (("Document", "document"), ("usage", "usage"), ("targets", "target"),
                                    ("objects", "object"), ("kernels", "kernel"), ("parameters", "parameter"),
                                    ("containers", "container")):
            with self.subTest(table=heading):
                self.assertEqual(list(SCHEMA[definition]["properties"]), named(self.page[heading]))

    def test_every_word_of_the_vocabularies(self):
        for heading, definition in (("Object kinds", "object_kind"), ("Container kinds", "container_kind"),
                                    ("Coverage", "coverage"), ("Consistency", "target_consistency"),
                                    ("Compression", "compression"), ("Found by", "found_by"),
                                    ("Representation", "representation")):
            with self.subTest(table=heading):
                self.assertEqual(SCHEMA[definition]["enum"], named(self.page[heading]))

    def test_every_option(self):
        options = set(re.findall(r"^ +(?:-\w, )?(--[a-z][a-z-]*)", inspect("--help"), re.M))
        self.assertGreater(len(options), 10)
        told = {re.search(r"--[a-z][a-z-]*", row[0])[0] for row in self.page["Options"]}
        self.assertEqual(options, told)

    def test_every_exit_status(self):
        statuses = re.findall(r"^  (\d)  ", inspect("--help"), re.M)
        self.assertGreater(len(statuses), 3)
        self.assertEqual(statuses, named(self.page["Exit status"]))


class Limits(unittest.TestCase):
    """docs/limits.md states what the code has."""
    page = tables("limits.md")

    def test_every_member_with_its_default(self):
        struct = re.search(r"^struct Limits {(.*?)^};", (ROOT / "include/gantry/base.h").read_text(), re.M | re.S)[1]
        members = re.findall(r"^  std::uint\d+_t (\w+)\s*=\s*([^;]+);", struct, re.M)
        self.assertEqual(struct.count(";"), len(members))
        self.assertEqual([name for name, _ in members], named(self.page["Limits"]))
        for (name, default), row in zip(members, self.page["Limits"]):
            with self.subTest(limit=name):
                self.assertEqual(self.value(default), self.value(row[1]))

    def test_every_fixed_bound(self):
        rows = self.page["Fixed bounds"]
        self.assertGreater(len(rows), 5)
        for constant, value, file, _ in rows:
            with self.subTest(bound=constant):
                name = constant.strip("`").split("::")[-1]
                text = (ROOT / file.strip("`")).read_text()
                code = re.search(rf"\b{name} =\s*([^;]+);", text)
                self.assertTrue(code, f"{file} has no {name}")
                self.assertEqual(self.value(code[1]), self.value(value))

    @staticmethod
    def value(text):
        """Bytes or number of `std::uint64_t{4} << 30`, of "4 GiB" and of "1,024"."""
        text = re.sub(r"std::uint\d+_t|[{}]|//.*", "", text).replace(",", "").strip()
        units = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
        if plain := re.fullmatch(r"(\d+) ?([KMG]iB)?", text):
            return int(plain[1]) * units[plain[2] or ""]
        shifted = re.fullmatch(r"(\d+) << (\d+)", text)
        return int(shifted[1]) << int(shifted[2])


if __name__ == "__main__":
    unittest.main()
