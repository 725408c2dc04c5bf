#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The tour of `./dev demo`: each command is shown, then run.
set -u
cd "$(dirname "$0")/.." || exit
PATH=$PWD/build/release/bin:$PATH

tell() { printf '\n%s\n' "$*"; }
show() {
  printf '\n$ %s\n' "$*"
  "$@"
  local status=$?
  [ $status -eq 0 ] || printf '(exit status %d)\n' $status
}

tell "Which gantry is this, and what is compiled in?"
show gantry version

tell "Which targets does this CUDA library carry? Only declarations are read."
show gantry inspect samples/cuda/libvector.so

tell "Which kernels does it hold for two of them, and what do they need?"
show gantry inspect --show kernels --target sm_90 --target sm_100f samples/cuda/libvector.so

tell "An AMD library with compressed bundles."
show gantry inspect --analysis kernels samples/hip/libtwo_ccob.so

tell "A wheel: one answer over all its members, those of the static library in it, too."
show gantry inspect samples/wheel/gantry_sample-1.0-py3-none-any.whl

tell "A damaged file: its sound parts are shown, the rest is said to be unknown."
show gantry inspect --analysis kernels samples/cuda/damaged.fatbin

tell "More: gantry help inspect, gantry explain, docs/inspect.md"
