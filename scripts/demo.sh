#!/usr/bin/env bash
# The tool from end to end: simulated insurance prices, the bias removed, the result checked. Usage: demo.sh PLUMBLINE DIR
set -euo pipefail

plumbline=$(realpath "$1")
mkdir -p "$2"
cd "$2"

step() {
  printf '\n$ plumbline %s\n' "$*"
  "$plumbline" "$@"
}

echo "Customers have an age (b), four features that depend on it (A1 ... A4), and a price (y)."
step data generate insurance --rows 100000 --seed 1 --output people.csv --force
head -3 people.csv
step fit --input people.csv --sensitive b --target y --model fair.json --force
step transform --model fair.json --input people.csv --output fair.csv --force --check
head -3 fair.csv

cat <<'TEXT'

fair.csv holds the features without the influence of b, and y as it was: train any model on it.

Try next
  on your own table       plumbline fit --input FILE --sensitive COLUMN,... --target COLUMN --model m.json --output fair.csv
  no b at scoring time    add --mode blind to fit
  fewer dimensions        add --rank 2, or --rank 0.95, to fit; --scores to transform
  more than linear        add --expand splines=5 to fit
  the paper's data        plumbline data list
  all commands            plumbline --help
TEXT
printf '\nThe files are in %s; the tool is %s.\n' "$PWD" "$plumbline"
