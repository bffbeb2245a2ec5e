#!/usr/bin/env bash
# Runs every fuzz target: run.sh BINARY_DIR SECONDS. What it finds goes to BINARY_DIR/found, what breaks a law beside it.
set -euo pipefail
binaries=$(realpath "$1") seconds=$2
cd "$(dirname "${BASH_SOURCE[0]}")"
for corpus in corpus/*/; do
  name=$(basename "$corpus")
  echo "== $name, $seconds s"
  mkdir -p "$binaries/found/$name"
  "$binaries/${name}_fuzz" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=8192 \
    -verbosity=0 -print_final_stats=1 -artifact_prefix="$binaries/$name-" "$binaries/found/$name" "$corpus"
done
