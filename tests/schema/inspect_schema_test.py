# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `gantry inspect --json` prints, against docs/schema and against itself: sizes add up, locations lie inside."""
import hashlib
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[2]
GANTRY = os.environ.get("GANTRY", "gantry")
SAMPLES = sorted(p for p in (ROOT / "samples").rglob("*") if p.is_file() and "src" not in p.relative_to(ROOT).parts)
COLLECTIONS = ("targets", "objects", "kernels", "containers")
SUM = ("object_bytes", "compressed_together_bytes", "container_bytes", "padding_bytes", "other_bytes")


def schema(name):
    return json.loads((ROOT / f"docs/schema/{name}.json").read_text())


INSPECT = schema("inspect-1")


def unique(pairs):
    keys = [k for k, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError(f"a key occurs twice: {keys}")
    return dict(pairs)


def gantry(*arguments):
    run = subprocess.run([GANTRY, *map(str, arguments)], capture_output=True, timeout=60)
    return run.returncode, run.stdout.decode("utf-8"), run.stderr.decode("utf-8")


def document(*arguments):
    status, out, _ = gantry("inspect", "--json", *arguments)
    return status, json.loads(out, object_pairs_hook=unique)


def view_schema():
    """Its references lead into the other schema: both in one, for validators that cannot follow them."""
    text = (ROOT / "docs/schema/view-1.json").read_text()
    return json.loads(text.replace(INSPECT["$id"] + "#", "#")) | {"$defs": INSPECT["$defs"]}


VIEW = jsonschema.Draft202012Validator(view_schema())


def view(*arguments, status=None):
    """What gantry view --json prints; it is what its schema says."""
    same, out, _ = gantry("view", "--json", *arguments)
    answer = json.loads(out, object_pairs_hook=unique)
    VIEW.validate(answer)
    if status is not None and same != status:
        raise AssertionError(f"status {same}: {out}")
    return answer


def fields(collection):
    """All fields of a collection, in the schema's order."""
    return list(INSPECT["$defs"][collection[:-1]]["properties"])


class InspectJson(unittest.TestCase):
    maxDiff = None

    def valid(self, answer):
        errors = sorted(jsonschema.Draft202012Validator(INSPECT).iter_errors(answer), key=lambda e: list(e.path))
        # oneOf hides the reason: tell that of the form the answer has.
        form = ("record" if "record" in answer else "list" if "inputs" in answer else "failure" if "error" in answer
                else "text_document" if "text" in answer else "document")
        if errors:
            one = {"$ref": f"#/$defs/{form}", "$defs": INSPECT["$defs"]}
            errors = list(jsonschema.Draft202012Validator(one).iter_errors(answer)) or errors
        self.assertEqual([], [f"{list(e.absolute_path)}: {e.message[:300]}" for e in errors])

    def whole_rows(self, answer):
        for collection in COLLECTIONS:
            for row in answer.get(collection, []):
                self.assertEqual(fields(collection), list(row), collection)

    def sums(self, answer):
        usage = answer["usage"]
        self.assertEqual(usage["accounted_bytes"], sum(usage[key] for key in SUM), usage)
        if answer["package"] is None:
            self.assertEqual(answer["input"]["size"], usage["accounted_bytes"])

    def places(self, answer):
        """Every location lies inside what it counts in; every id leads somewhere."""
        size = answer["input"]["size"]
        containers = {c["id"]: c for c in answer["containers"]}
        objects = {o["id"]: o for o in answer["objects"]}
        self.assertEqual(len(answer["containers"]), len(containers), "ids of containers are unique")
        self.assertEqual(len(answer["objects"]), len(objects), "ids of objects are unique")

        def inside(location, what):
            within = location["in"]
            if within is None:
                limit = size
            elif within in containers:
                limit = containers[within]["decoded_bytes"]
            elif within in objects:
                limit = objects[within]["decoded_bytes"]
            else:  # decoded bytes of an entry whose parts are the objects
                self.assertTrue(any(o.startswith(within + ".") for o in objects), f"{what}: in {within}")
                limit = None
            if limit is not None:
                self.assertLessEqual(location["offset"] + location["size"], limit, what)

        for c in answer["containers"]:
            inside(c["location"], c["id"])
            self.assertTrue(c["parent"] is None or c["parent"] in containers, c["id"])
        counted = sum(c["objects"] for c in answer["containers"])  # also those that were not selected
        self.assertEqual(len(answer["objects"]) + answer["usage"]["objects_not_selected"], counted)
        for o in answer["objects"]:
            inside(o["location"], o["id"])
            # Stored bytes lie in the file, or in the unpacked member.
            self.assertEqual(o["member"], o["encoded_location"]["in"], o["id"])
            inside(o["encoded_location"], o["id"])
            if o["cuda_target_header"]:
                inside(o["cuda_target_header"]["location"], o["id"])
            chain, at = [], o["container"]
            while at is not None:
                chain.insert(0, at)
                at = containers[at]["parent"]
            self.assertEqual(chain, o["parents"], o["id"])
        for k in answer["kernels"]:
            self.assertIn(k["object"], objects, k["name"])

    def counts(self, answer):
        """The rows of targets are the objects, once each; kernels are counted where they are listed."""
        rows = {}
        for o in answer["objects"]:
            key = o["target"], o["kind"], o["relocatable"]
            rows.setdefault(key, []).append(o)
        self.assertEqual({key: len(found) for key, found in rows.items()},
                         {(t["target"], t["kind"], t["relocatable"]): t["objects"] for t in answer["targets"]})
        for o in answer["objects"]:
            if o["kernels"] is not None:
                self.assertEqual(o["kernels"], sum(k["object"] == o["id"] for k in answer["kernels"]), o["id"])

    def reasons(self, answer):
        """What is not wholly known says why."""
        containers = {c["id"]: c for c in answer["containers"]}
        for o in answer["objects"]:
            if o["kernel_analysis"] in ("partial", "unexamined"):
                said = o["limitations"] or any(containers[c]["limitations"] for c in o["parents"])
                said = said or any(k["limitations"] for k in answer["kernels"] if k["object"] == o["id"])
                self.assertTrue(said, f"{o['id']}: {o['kernel_analysis']} without a reason")
            if o["target"] is None and o["kind"] != "spirv":  # SPIR-V is made for none
                self.assertTrue(o["limitations"] or any(containers[c]["limitations"] for c in o["parents"]), o["id"])
        for k in answer["kernels"]:
            for p in ("registers", "shared_bytes"):
                if k["representation"] == "sass" and k[p] is None:
                    owner = next(o for o in answer["objects"] if o["id"] == k["object"])
                    self.assertTrue(k["limitations"] or owner["limitations"], f"{k['name']}: {p}")

    def test_every_sample_with_everything(self):
        self.assertGreater(len(SAMPLES), 40)
        for path in SAMPLES:
            with self.subTest(sample=path.name):
                status, answer = document("--show", ",".join(COLLECTIONS), "--analysis", "kernels", path)
                self.valid(answer)
                self.whole_rows(answer)
                self.sums(answer)
                self.places(answer)
                self.counts(answer)
                self.reasons(answer)
                self.assertEqual(path.stat().st_size, answer["input"]["size"])
                self.assertEqual(0 if answer["objects"] else 1 if answer["coverage"] == "complete" else 4, status)

    def test_every_sample_by_default(self):
        for path in SAMPLES:
            with self.subTest(sample=path.name):
                _, answer = document(path)
                self.valid(answer)
                self.assertEqual(["targets"], [c for c in COLLECTIONS if c in answer])
                self.whole_rows(answer)
                self.sums(answer)
                self.assertEqual("inventory", answer["analysis"])
                self.assertTrue(answer["searched"])
                self.assertTrue(answer["input"]["sha256"])

    def test_every_sample_without_digest(self):
        for path in SAMPLES:
            with self.subTest(sample=path.name):
                _, answer = document("--no-digest", "--show", ",".join(COLLECTIONS), "--kind", "cubin", path)
                self.valid(answer)
                self.whole_rows(answer)
                self.sums(answer)
                self.places(answer)
                self.assertIsNone(answer["input"]["sha256"])

    def test_only_the_fields_asked_for(self):
        for collection in COLLECTIONS:
            for field in fields(collection):
                with self.subTest(collection=collection, field=field):
                    _, answer = document("--show", collection, "--fields", field, ROOT / "samples/cuda/libvector.so")
                    self.valid(answer)
                    self.assertTrue(answer[collection])
                    for row in answer[collection]:
                        self.assertEqual([field], list(row))

    def test_digests_of_payloads(self):
        _, answer = document("--show", "objects", "--fields", "digest,decoded_bytes", ROOT / "samples/cuda/zstd.fatbin")
        self.valid(answer)
        for o in answer["objects"]:
            self.assertTrue(o["digest"])

    def test_errors_are_documents_too(self):
        sample = ROOT / "samples/cuda/zstd.fatbin"
        cases = [
            ["/no/such/file"],
            ["--show", "ptx", sample],
            ["--object", "0.1", sample],
            ["--object", "0.1@0123456789abcdef", sample],
            ["--limit", "1", ROOT / "samples"],
            ["--after", "x", sample],
            ["--budget", "memory=1", sample],
            ["--timeout", "later", sample],
            ["--from", sample, sample],
            ["--evidence", sample, sample],
            ["--target", "sm90", sample],
            ["--kind", "banana", sample],
            ["--fields", "banana", sample],
            ["--banana", sample],
            ["--show", "kernels", "--analysis", "inventory", sample],
            ["-j", "many", sample],
            ["-o", sample, sample],
            [],
        ]
        for case in cases:
            with self.subTest(arguments=[str(c) for c in case]):
                status, answer = document(*case)
                self.assertEqual(2, status)
                self.valid(answer)
                self.assertIn("error", answer)

    def test_several_inputs(self):
        with tempfile.NamedTemporaryFile() as empty:
            status, answer = document(ROOT / "samples/cuda/zstd.fatbin", "/no/such/file", ROOT / "samples/libhost.so",
                                      empty.name)
        self.valid(answer)
        self.assertEqual(3, status)
        self.assertEqual(4, len(answer["inputs"]))
        self.assertEqual({"inputs": 4, "found": 1, "failed": 1, "objects": 3}, answer["summary"])
        self.assertIn("error", answer["inputs"][1])

    def test_the_schema_refuses_what_is_wrong(self):
        """The schema itself can fail."""
        _, good = document("--show", "objects", ROOT / "samples/cuda/zstd.fatbin")
        self.valid(good)
        validator = jsonschema.Draft202012Validator(INSPECT)
        for change in (lambda a: a.pop("usage"), lambda a: a["objects"][0].update(kind="elf"),
                       lambda a: a["objects"][0].update(extra=1), lambda a: a["input"].update(sha256="12"),
                       lambda a: a["objects"][0]["location"].pop("size"), lambda a: a.update(coverage="most")):
            bad = json.loads(json.dumps(good))
            change(bad)
            self.assertFalse(validator.is_valid(bad), str(bad)[:200])


class Pages(unittest.TestCase):
    """Pages together are the whole, with every question and every form."""

    SAMPLE = ROOT / "samples/cuda/libvector.so"

    def pages(self, *arguments, limit):
        cursor, first = [], 0
        while True:
            status, answer = document(*arguments, "--limit", limit, *cursor)
            self.assertEqual(0, status)
            InspectJson.valid(self, answer)
            page = answer["page"]
            self.assertEqual(first, page["first"])
            self.assertEqual(len(answer[page["collection"]]), page["rows"])
            self.assertLessEqual(page["rows"], limit)
            yield answer
            first += page["rows"]
            if page["next"] is None:
                self.assertEqual(page["total"], first)
                return
            cursor = ["--after", page["next"]]

    def test_tile_the_whole(self):
        for question in (["--show", "targets"], ["--show", "objects"], ["--show", "containers"],
                         ["--show", "kernels"], ["--show", "objects", "--target", "sm_90,sm_120"],
                         ["--show", "kernels", "--kernel", "scale"], ["--show", "kernels", "--kind", "ptx"]):
            _, whole = document(*question, self.SAMPLE)
            collection = question[1]
            self.assertGreater(len(whole[collection]), 2, question)
            for limit in (1, 2, len(whole[collection]), 1000):
                with self.subTest(question=question, limit=limit):
                    parts = list(self.pages(*question, self.SAMPLE, limit=limit))
                    self.assertEqual(whole[collection], [row for part in parts for row in part[collection]])
                    for part in parts:
                        part["usage"]["bytes_read"] = whole["usage"]["bytes_read"]  # the digest is known first
                        for key in ("input", "coverage", "limitations", "usage"):
                            self.assertEqual(whole[key], part[key], key)

    def test_a_record_gives_the_same_pages(self):
        with tempfile.TemporaryDirectory() as folder:
            record = Path(folder) / "record"
            self.assertEqual(0, gantry("inspect", "--evidence", record, self.SAMPLE)[0])
            for question in (["--show", "targets"], ["--show", "objects"], ["--show", "containers"],
                             ["--show", "kernels"], ["--show", "kernels", "--target", "sm_90"],
                             ["--show", "objects", "--kind", "ptx"]):
                with self.subTest(question=question):
                    cursor = []
                    for part in self.pages("--analysis", "kernels", *question, self.SAMPLE, limit=3):
                        answer = view(record, *question, "--limit", 3, *cursor)
                        collection = part["page"]["collection"]
                        self.assertEqual(part[collection], answer[collection])
                        self.assertEqual(part["page"], answer["page"])
                        cursor = ["--after", answer["page"]["next"]]


class Records(unittest.TestCase):
    """--ndjson: the rows of --json, a line each."""

    def records(self, *arguments):
        status, out, _ = gantry("inspect", "--ndjson", *arguments)
        lines = [json.loads(line, object_pairs_hook=unique) for line in out.splitlines()]
        for line in lines:
            InspectJson.valid(self, line)
        return status, lines

    def test_are_the_rows_and_then_the_rest(self):
        for path in SAMPLES:
            for collection in COLLECTIONS:
                with self.subTest(sample=path.name, collection=collection):
                    asked = ["--show", collection, "--analysis", "kernels", path]
                    status, answer = document(*asked)
                    same, lines = self.records(*asked)
                    self.assertEqual(status, same)
                    summary = lines.pop()
                    self.assertEqual("summary", summary.pop("record"))
                    self.assertEqual({collection[:-1]}, {line.pop("record") for line in lines} or {collection[:-1]})
                    self.assertEqual(answer.pop(collection), lines)
                    self.assertEqual(answer, summary)

    def test_of_several_collections_and_inputs(self):
        first, second = ROOT / "samples/cuda/zstd.fatbin", ROOT / "samples/hip/plain.o"
        status, lines = self.records("--show", ",".join(COLLECTIONS), first, "/no/such/file", second)
        self.assertEqual(3, status)
        self.assertEqual({"record": "summary", "schema": "gantry.inspect/1", "inputs": 3, "found": 2, "failed": 1,
                          "objects": lines[-1]["objects"]}, lines[-1])
        for path in (first, second):
            _, answer = document("--show", ",".join(COLLECTIONS), path)
            for collection in COLLECTIONS:
                rows = [line for line in lines if line["record"] == collection[:-1] and line["input"] == str(path)]
                self.assertEqual(answer[collection], [{k: v for k, v in row.items() if k not in ("record", "input")}
                                                      for row in rows])
        self.assertEqual([str(first), "/no/such/file", str(second)],
                         [line["input"]["path"] for line in lines if line["record"] in ("input", "error")])

    def test_of_a_page(self):
        _, answer = document("--show", "kernels", "--limit", "2", ROOT / "samples/cuda/libvector.so")
        _, lines = self.records("--show", "kernels", "--limit", "2", ROOT / "samples/cuda/libvector.so")
        self.assertEqual(["kernel", "kernel", "summary"], [line["record"] for line in lines])
        self.assertEqual(answer["page"], lines[-1]["page"])

    def test_of_an_error(self):
        for arguments in (["--limit", "0", "x"], ["/no/such/file"], []):
            status, lines = self.records(*arguments)
            self.assertEqual(2, status)
            self.assertEqual(["error"], [line["record"] for line in lines])


class Texts(unittest.TestCase):
    SAMPLE = ROOT / "samples/cuda/libvector.so"

    def test_parts_are_the_text_whose_digest_the_object_has(self):
        _, answer = document("--show", "objects", "--kind", "ptx", "--analysis", "kernels", self.SAMPLE)
        digits = answer["input"]["sha256"]
        self.assertTrue(answer["objects"])
        with tempfile.TemporaryDirectory() as folder:
            record = Path(folder) / "record"
            self.assertEqual(0, gantry("inspect", "--evidence", record, self.SAMPLE)[0])
            for o in answer["objects"]:
                text, offset = b"", 0
                while offset is not None:
                    asked = ["--show", "ptx", "--object", o["id"], "--offset", offset, "--length", 1000]
                    status, part = document(*asked, "--expect-sha256", digits, self.SAMPLE)
                    self.assertEqual(0, status)
                    InspectJson.valid(self, part)
                    self.assertEqual(part["text"], view(record, *asked)["text"])
                    part = part["text"]
                    self.assertEqual((o["digest"], o["decoded_bytes"], offset),
                                     (part["sha256"], part["bytes"], part["offset"]))
                    text += part["text"].encode()
                    offset = part["next"]
                self.assertEqual(o["digest"], hashlib.sha256(text).hexdigest())


class ViewJson(unittest.TestCase):
    def test_every_sample(self):
        """What a record answers is what the file itself does."""
        with tempfile.TemporaryDirectory() as folder:
            record = Path(folder) / "record"
            everything = ["--show", ",".join(COLLECTIONS)]
            for path in SAMPLES:
                with self.subTest(sample=path.name):
                    _, answer = document(*everything, "--analysis", "kernels", path)
                    gantry("inspect", "--evidence", record, path)
                    seen = view(record, *everything, "--verify")
                    self.assertEqual(answer | {"schema": "gantry.view/1"}, seen)

    def test_errors_are_documents_too(self):
        for arguments in (["/no/such/file"], [ROOT / "samples/libhost.so"], ["--limit", "0", "x"], []):
            answer = view(*arguments, status=2)
            self.assertIn("error", answer)


class VersionJson(unittest.TestCase):
    def test_is_what_the_schema_says(self):
        status, out, _ = gantry("version", "--json")
        self.assertEqual(0, status)
        jsonschema.Draft202012Validator(schema("version-1")).validate(json.loads(out, object_pairs_hook=unique))


class Schemas(unittest.TestCase):
    def test_are_schemas(self):
        for path in sorted((ROOT / "docs/schema").glob("*.json")):
            jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text()))


if __name__ == "__main__":
    unittest.main()
