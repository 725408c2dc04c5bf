#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: run.sh BUILD_DIR
# Installs a build into a scratch folder, moves it elsewhere, and builds and runs
# a consumer against it: once with find_package, once with pkg-config.
set -euo pipefail
build=$(realpath "$1")
cd "$(dirname "$0")/consumer"
sample=../../../samples/cuda/b_sm_90.cubin
expected="sm_90 cubin"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "$build/CMakeCache.txt")

expect() { # NAME PROGRAM
  local answer
  answer=$("$2" $sample)
  [ "$answer" = "$expected" ] || { echo "$1: got '$answer', expected '$expected'"; exit 1; }
}

cmake --install "$build" --prefix "$scratch/first" >/dev/null
mv "$scratch/first" "$scratch/moved"
prefix=$scratch/moved
! grep -rIl -e "$scratch/first" -e "$build" "$prefix" || { echo "the install holds paths of the build"; exit 1; }

cmake -G Ninja -S . -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
cmake --build "$scratch/build" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
expect find_package "$scratch/build/consumer"

config=$(dirname "$(find "$prefix" -name gantry.pc)")
export PKG_CONFIG_PATH=$config
# shellcheck disable=SC2046 # the words are meant to be split
"$compiler" -std=c++23 main.cc -o "$scratch/consumer" $(pkg-config --cflags --libs gantry)
expect pkg-config "$scratch/consumer"
