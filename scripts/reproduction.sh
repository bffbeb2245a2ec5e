#!/usr/bin/env bash
# docs/reproduction.md and its figures anew, with the time that it took. Usage: reproduction.sh PLUMBLINE DIR
#
# A start that goes on from finished runs of an earlier one takes less than the whole: then no time is written.
set -euo pipefail

folder=$2
went_on=$([[ -d $folder/runs ]] && echo yes || echo no)
start=$(date +%s)
"$1" reproduce all --output "$folder" --force
took=$(($(date +%s) - start))

if [[ $went_on == yes ]]; then
  sentence="No time is given, for finished runs of an earlier start were there."
else
  model=$(awk -F ': *' '/^model name/ {print $2; exit}' /proc/cpuinfo)
  sentence="It took $((took / 60)) min $((took % 60)) s on $(nproc) cores (${model:-$(uname -m)}); the target is 15 minutes on two."
fi
awk -v sentence="$sentence" '{print} /^Written by / && !done {print "\n" sentence; done = 1}' \
  "$folder/results.md" > docs/reproduction.md
cp "$folder"/*.svg docs/
rm -rf "$folder/runs"  # the next start is timed from nothing
echo "$sentence"
