# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Saved records against docs/schema/evidence-1.json, read with standard tools, and against what inspect prints."""
import hashlib
import json
import os
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[2]
GANTRY = os.environ.get("GANTRY", "gantry")
SAMPLES = sorted(p for p in (ROOT / "samples").rglob("*") if p.is_file() and "src" not in p.relative_to(ROOT).parts)
KINDS = ("container", "object", "kernel", "target")


def schema(name):
    return json.loads((ROOT / f"docs/schema/{name}.json").read_text())


EVIDENCE = schema("evidence-1")


def absolute(part, base):
    """A schema whose references say which schema they mean: old resolvers cannot join them with a "gantry:" base."""
    if isinstance(part, list):
        return [absolute(p, base) for p in part]
    if not isinstance(part, dict):
        return part
    return {k: base + v if k == "$ref" and v.startswith("#") else absolute(v, base) for k, v in part.items()}


STORE = {s["$id"]: absolute(s, s["$id"]) for s in (schema("inspect-1"), EVIDENCE)}


def validator(name):
    wanted = {"$ref": f"gantry:schema/evidence-1#/$defs/{name}"}
    # Debian 12 has a jsonschema that knows no other way to find other schemas.
    return jsonschema.Draft202012Validator(wanted, resolver=jsonschema.RefResolver("", wanted, store=STORE))


VALIDATORS = {name: validator(name) for name in (*KINDS, "text", "summary", "index")}


def gantry(*arguments):
    run = subprocess.run([GANTRY, *map(str, arguments)], capture_output=True, timeout=120)
    return run.returncode, run.stdout.decode("utf-8"), run.stderr.decode("utf-8")


def document(verb, *arguments):
    return json.loads(gantry(verb, "--json", "--show", "targets,objects,kernels,containers", *arguments)[1])


class Records(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.record = Path(self.folder.name) / "record"

    def rows(self):
        run = subprocess.run(["zstd", "-dcq", self.record], capture_output=True, check=True)
        return [json.loads(line) for line in run.stdout.splitlines()]

    def index(self):
        """The index, and the record's bytes before it."""
        data = self.record.read_bytes()
        offset, size, digest, magic = struct.unpack("<QQ32s16s", data[-64:])
        self.assertEqual(b"gantry.evidence\n", magic)
        text = data[offset : offset + size]
        self.assertEqual(digest, hashlib.sha256(text).digest())
        self.assertEqual(len(data), offset + size + 64)
        self.assertEqual((0x184D2A57, size + 64), struct.unpack("<II", data[offset - 8 : offset]))
        return json.loads(text), data[: offset - 8]

    def valid(self, name, value):
        errors = list(VALIDATORS[name].iter_errors(value))
        self.assertEqual([], [f"{list(e.absolute_path)}: {e.message[:300]}" for e in errors], name)

    def test_every_sample(self):
        for path in SAMPLES:
            with self.subTest(sample=path.name):
                gantry("inspect", "--quiet", "--evidence", self.record, path)
                counts = {}
                for row in self.rows():
                    self.valid(row["record"], row)
                    count = counts.get(row["record"], 0)
                    self.assertEqual(count, row.get("row", count))
                    counts[row["record"]] = count + 1
                index, blocks = self.index()
                self.valid("index", index)
                self.assertEqual({k: v for k, v in index["totals"].items() if v}, counts)
                self.assertEqual(len(blocks), sum(b["stored"] for b in index["blocks"]))
                self.assertEqual(0, gantry("view", "--verify", self.record)[0] & 2)

    def test_has_what_inspect_prints(self):
        for path in SAMPLES:
            with self.subTest(sample=path.name):
                gantry("inspect", "--quiet", "--evidence", self.record, path)
                rows = self.rows()
                (summary,) = (r["value"] for r in rows if r["record"] == "summary")
                said = document("inspect", path)
                viewed = document("view", self.record)
                for kind in KINDS:
                    values = [r["value"] for r in rows if r["record"] == kind]
                    self.assertEqual(values, viewed[kind + "s"])
                    # A record has digests of all payloads, too.
                    for value, told in zip(values, said[kind + "s"], strict=True):
                        told.update({k: v for k, v in value.items() if k in ("digest", "decoded_bytes")})
                        self.assertEqual(told, value)
                for key in ("input", "package", "analysis", "searched", "coverage"):
                    self.assertEqual(summary[key], viewed[key])
                    self.assertEqual(said[key], summary[key])

    def test_has_the_texts(self):
        found = 0
        for path in SAMPLES:
            gantry("inspect", "--quiet", "--evidence", self.record, path)
            texts = {}
            rows = self.rows()
            for row in rows:
                if row["record"] == "text":
                    data = row["text"].encode() if row["encoding"] == "utf-8" else bytes.fromhex(row["text"])
                    self.assertEqual(len(data), row["bytes"])
                    self.assertEqual(len(texts.setdefault(row["object"], b"")), row["offset"])
                    texts[row["object"]] += data
            objects = {r["value"]["id"]: r for r in rows if r["record"] == "object"}
            for name, text in texts.items():
                found += 1
                self.assertEqual(hashlib.sha256(text).hexdigest(), objects[name]["value"]["digest"])
                self.assertEqual(len(text), objects[name]["text_bytes"])
                self.assertEqual(len(text), objects[name]["value"]["decoded_bytes"])
        self.assertGreater(found, 10)


if __name__ == "__main__":
    unittest.main()
