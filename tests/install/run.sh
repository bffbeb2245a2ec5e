#!/usr/bin/env bash
# Usage: run.sh BUILD_DIR. Installs that build to a temporary folder, then builds and runs consumer/ against it.
set -euo pipefail

build=$(realpath "${1:?usage: run.sh BUILD_DIR}")
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/first" >"$scratch/install.log"
mv "$scratch/first" "$scratch/prefix"  # a package that works here depends on no absolute path of its own

# Callers are free to build for their machine alone; the library is not built for it.
cmake -S "$here/consumer" -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS=-march=native \
  -DCMAKE_PREFIX_PATH="$scratch/prefix" >"$scratch/configure.log" || { cat "$scratch/configure.log"; exit 1; }
grep -q "^Plumbline_DIR:PATH=$scratch/prefix/" "$scratch/build/CMakeCache.txt" ||
  { echo "install-test: found a Plumbline other than the one just installed" >&2; exit 1; }
cmake --build "$scratch/build"
"$scratch/build/app"
