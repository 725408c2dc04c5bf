#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The large corpus of the project's fact sheets, against the recorded answers of the vendors' tools.

Needs a folder with facts/ and oracle/ ($GANTRY_SHARED, else ../shared beside the repository). Its samples are built
here (half a minute; $GANTRY_SAMPLES: a folder where they lie already). Cubins of other toolkits are compared when
$GANTRY_TOOLKITS holds what oracle/make-toolkit-samples.sh wrote; the CUDA 13.0 libraries where that toolkit is found.
"""
import glob
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def skip(reason):
    print(reason)
    sys.exit(77)


def libraries():
    """The library folder of a CUDA 13.0 toolkit: the recorded numbers are of that release."""
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), *sorted(glob.glob("/usr/local/cuda*"))]
    for home in filter(None, homes):
        nvcc = os.path.join(home, "bin/nvcc")
        if os.access(nvcc, os.X_OK) and "release 13.0" in subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout:
            for folder in ("lib64", "lib", "targets/x86_64-linux/lib"):
                if glob.glob(os.path.join(home, folder, "libcublasLt.so.*")):
                    return os.path.join(home, folder)
    return None


def samples(shared, scratch):
    if os.environ.get("GANTRY_SAMPLES"):
        return os.environ["GANTRY_SAMPLES"]
    out = os.path.join(scratch, "samples")
    subprocess.run(["bash", os.path.join(shared, "facts/make-samples.sh"), out], stdout=subprocess.PIPE)
    return out


def main():
    shared = os.environ.get("GANTRY_SHARED", str(ROOT.parent / "shared"))
    if not os.path.isdir(os.path.join(shared, "oracle/golden")):
        skip("no corpus: $GANTRY_SHARED is not set and ../shared is not there")
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, str(ROOT / "tests/oracle/compare.py"), "--gantry", os.environ["GANTRY"],
                   "--golden", os.path.join(shared, "oracle/golden"), "--files", samples(shared, scratch)]
        if os.environ.get("GANTRY_TOOLKITS"):
            command += ["--toolkits", os.environ["GANTRY_TOOLKITS"]]
        if libraries():
            command += ["--libraries", libraries()]
        sys.exit(subprocess.run(command).returncode)


if __name__ == "__main__":
    main()
