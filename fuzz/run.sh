#!/usr/bin/env bash
# Runs every fuzz target, as many at a time as there are cores: run.sh BINARY_DIR LIMIT…, limits in libFuzzer's words
# (-max_total_time=60, or -seed=1 -runs=50000, which does the same work each time).
# With -total=N in place of limits, N inputs in all, shared out so that targets take about as long.
# What it finds goes to BINARY_DIR/found, what breaks a law beside it.
set -euo pipefail
binaries=$(realpath "$1") limits=${*:2}
cd "$(dirname "${BASH_SOURCE[0]}")"

fuzz() {
  local name=$1
  declare -A share=([arrow]=45 [moments]=30 [csv]=20 [model]=4 [table]=1)
  if [[ $limits == -total=* ]]; then limits=-runs=$((${limits#-total=} / 100 * ${share[$name]})); fi
  mkdir -p "$binaries/found/$name"
  "$binaries/${name}_fuzz" $limits -timeout=10 -rss_limit_mb=1024 -max_len=8192 \
    -verbosity=0 -print_final_stats=1 -artifact_prefix="$binaries/$name-" "$binaries/found/$name" "corpus/$name" \
    >"$binaries/$name.log" 2>&1 || { cat "$binaries/$name.log" && return 1; }
  echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$binaries/$name.log") inputs"
}
export binaries limits
export -f fuzz
ls corpus | xargs -P "$(nproc)" -I{} bash -c 'fuzz {}' | awk '{print; fflush(); sum += $2} END {printf "in all: %d inputs\n", sum}'
