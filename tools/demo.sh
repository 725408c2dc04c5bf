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
