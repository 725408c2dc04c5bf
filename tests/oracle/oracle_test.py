# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The committed samples, answered as the vendors' tools answered them (golden/) and as answers.tsv says."""
import os
import shutil
import tempfile
import unittest
from pathlib import Path

import compare

ROOT = Path(__file__).resolve().parents[2]
GANTRY = os.environ.get("GANTRY", "gantry")
GOLDEN = ROOT / "tests/oracle/golden"


class Samples(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.answers = compare.Answers(GANTRY, ROOT / "samples")

    def comparisons(self, golden=GOLDEN):
        return compare.compare(compare.TABLES, self.answers, golden)

    def test_agree_with_the_vendors_tools(self):
        comparisons = self.comparisons()
        self.assertEqual(set(compare.TABLES), {c.table for c in comparisons})
        self.assertGreater(sum(c.compared for c in comparisons), 1500)
        unlisted, stale = compare.judge(comparisons, compare.known_differences())
        self.assertEqual([], ["\t".join(d) for d in unlisted], "differences that differences.tsv does not list")
        self.assertEqual([], stale, "listed differences that no longer occur")

    def test_ptx_declares_what_its_cubins_have(self):
        c = compare.ptx_and_cubins(self.answers, compare.files_below(ROOT / "samples"))
        self.assertIn("cuda/layout.ptx", c.files)
        self.assertGreater(len(c.files), 8)
        self.assertGreater(c.compared, 400)
        self.assertEqual([], c.found)

    def test_have_the_right_answers(self):
        wrong, compared = compare.single_answers(self.answers)
        self.assertGreater(compared, 80)
        self.assertEqual([], ["%s: %s: expected %s, got %s" % line for line in wrong])

    def test_every_sample_has_a_line_in_the_readme(self):
        told = (ROOT / "samples/README.md").read_text()
        for path in sorted((ROOT / "samples").glob("*/*.*")):
            if path.parent.name != "src":
                self.assertIn("`%s/%s`" % (path.parent.name, path.name), told)

    def test_are_small_and_hold_no_path_of_a_machine(self):
        total = 0
        for path in sorted((ROOT / "samples").rglob("*")):
            if path.is_file() and path.parent.name in ("cuda", "hip", "llvm"):
                content = path.read_bytes()
                total += len(content)
                for part in (b"/home/", b"/tmp/", b"/root/", b"/usr/", b"tmpxft"):
                    self.assertNotIn(part, content, path.name)
        self.assertLess(total, 1 << 20)


class Comparing(unittest.TestCase):
    """The comparison itself notices what it is there for."""

    def changed(self, table, old, new):
        """The differences that a changed golden brings."""
        answers = compare.Answers(GANTRY, ROOT / "samples")
        known = compare.known_differences()
        before, _ = compare.judge(compare.compare({table: compare.TABLES[table]}, answers, GOLDEN), known)
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(GOLDEN / (table + ".tsv"), folder)
            path = Path(folder) / (table + ".tsv")
            content = path.read_text()
            self.assertIn(old, content)
            path.write_text(content.replace(old, new, 1))
            after, _ = compare.judge(compare.compare(compare.TABLES, answers, folder), known)
        return [d for d in after if d not in before]

    def test_a_changed_register_count_is_seen(self):
        unlisted = self.changed("nvidia-kernels", "a_11.8_sm_50.cubin\t1\t-\tsm_50\treduce\t16",
                                   "a_11.8_sm_50.cubin\t1\t-\tsm_50\treduce\t17")
        self.assertEqual([("nvidia-kernels", "cuda/a_11.8_sm_50.cubin", "sm_50 reduce", "registers", "17", "16")],
                         [tuple(d) for d in unlisted])

    def test_a_missing_object_is_seen(self):
        line = "hip/plain.o\tobjdump\t-\t0\tbundle entry\thipv4-amdgcn-amd-amdhsa--gfx1100\tamdgpu\n"
        unlisted = self.changed("hip-objects", line, line + line)
        self.assertEqual([("hip/plain.o", "rows", "2", "1")], [(d.file, d.field, d.theirs, d.ours) for d in unlisted])

    def test_an_argument_list_is_compared(self):
        unlisted = self.changed("amd-kernels", "0:8:global_buffer;8:8:global_buffer;16:24:by_value",
                                   "0:8:global_buffer;8:8:global_buffer;16:32:by_value")
        self.assertEqual(["parameters"], [d.field for d in unlisted])

    def test_a_listed_difference_that_is_gone_is_seen(self):
        row = dict(zip(compare.Difference._fields, ("*", "cuda/none.fatbin", "elf sm_80", "compressed", "yes", "-")))
        c = compare.Comparison("nvidia-objects", {})
        c.files.add("cuda/none.fatbin")
        self.assertEqual(([], [row]), compare.judge([c], [row]))
        c.found.append(compare.Difference("nvidia-objects", "cuda/none.fatbin", "elf sm_80", "compressed", "yes", "-"))
        self.assertEqual(([], []), compare.judge([c], [row]))

    def test_a_difference_needs_a_reason(self):
        with tempfile.NamedTemporaryFile("w", suffix=".tsv") as f:
            f.write("#table\tfile\tsubject\tfield\ttheirs\tours\treason\n*\t*\t*\t*\t*\t*\t \n")
            f.flush()
            with self.assertRaises(SystemExit):
                compare.known_differences(f.name)


if __name__ == "__main__":
    unittest.main()
