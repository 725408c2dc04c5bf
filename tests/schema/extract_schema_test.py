# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `gantry extract --json` prints, against docs/schema and against the files that were written."""
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
SCHEMA = json.loads((ROOT / "docs/schema/extract-1.json").read_text())
SAMPLES = sorted(p for p in (ROOT / "samples").rglob("*") if p.is_file() and "src" not in p.relative_to(ROOT).parts)


def extract(*arguments):
    run = subprocess.run([GANTRY, "extract", "--json", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    document = json.loads(run.stdout)
    jsonschema.validate(document, SCHEMA)
    return run.returncode, document


class Extract(unittest.TestCase):
    def test_every_sample_as_decoded_and_as_stored(self):
        for sample in SAMPLES:
            for raw in ((), ("--raw",)):
                with self.subTest(sample.name, raw=raw), tempfile.TemporaryDirectory() as folder:
                    status, document = extract(sample, "-o", folder, *raw)
                    self.assertIn(status, (0, 1, 2, 3, 4))
                    written = {e["path"]: e for e in document["objects"] if not e["error"]}
                    found = {str(p.relative_to(folder)) for p in Path(folder).rglob("*") if p.is_file()}
                    self.assertEqual(set(written), found)
                    for path, e in written.items():
                        data = (Path(folder) / path).read_bytes()
                        self.assertEqual((len(data), hashlib.sha256(data).hexdigest()), (e["size"], e["sha256"]))

    def test_errors_are_documents_too(self):
        for arguments in (("/nowhere", "-o", "x"), (SAMPLES[0], "0.0", "-o", "x"), (SAMPLES[0],)):
            status, document = extract(*arguments)
            self.assertEqual(status, 2)
            self.assertIn("error", document)


if __name__ == "__main__":
    unittest.main()
