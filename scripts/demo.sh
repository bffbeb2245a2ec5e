#!/usr/bin/env bash
# The tool from end to end: simulated people, the influence of age and sex removed, the result checked on people that the
# fit has not seen. Usage: demo.sh PLUMBLINE DIR
set -euo pipefail

plumbline=$(realpath "$1")
mkdir -p "$2"
cd "$2"

step() {
  printf '\n$ plumbline %s\n' "$*"
  "$plumbline" "$@"
}

# The same people everywhere: awk's own random numbers differ between its implementations.
people() {
  awk -v rows="$1" -v seed=1 '
    function uniform() {seed = seed * 16807 % 2147483647; return seed / 2147483647}
    function normal() {return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform())}
    BEGIN {
      print "age,sex,years_employed,savings,open_loans,housing,region,repaid"
      split("north south east west", regions, " ")
      for (i = 0; i < rows; i++) {
        age = 18 + 60 * (uniform() + uniform()) / 2
        woman = uniform() < 0.5
        years = (age - 18) * (0.75 - 0.25 * woman) + 3 * normal()
        savings = 2000 + 400 * age - 6000 * woman + 8000 * normal()
        loans = 4 - age / 25 + 0.4 * woman + normal()
        owns = uniform() < age / 90
        region = regions[1 + int(4 * uniform())]
        repaid = years / 20 + savings / 20000 - loans / 2 + owns + normal() > 1.5
        printf "%.1f,%s,%.1f,%.0f,%.2f,%s,%s,%d\n", age, woman ? "f" : "m", years, savings, loans, \
          owns ? "own" : "rent", region, repaid
      }
    }'
}

echo "Made-up people: age and sex are sensitive; four of five features depend on them, and so does who repaid a loan."
people 200000 >all.csv
head -100001 all.csv >people.csv
{ head -1 all.csv && tail -100000 all.csv; } >later.csv
head -3 people.csv
step fit --input people.csv --sensitive age,sex --target repaid --model fair.json --force
step transform --model fair.json --input later.csv --output fair.csv --force --check --tolerance 0.02
head -3 fair.csv

cat <<'TEXT'

fair.csv holds the features without the linear influence of age and sex, and repaid as it was.

Try next
  on your own table       plumbline fit --input FILE --sensitive COLUMN,... --target COLUMN --model m.json --output fair.csv
  no b at scoring time    add --mode blind to fit
  fewer dimensions        add --rank 2, or --rank 0.95, to fit; --scores to transform
  more than linear        add --expand splines=5 to fit
  the paper's data        make build, then plumbline data list
  all commands            plumbline --help
TEXT
printf '\nThe files are in %s; the tool is %s.\n' "$PWD" "$plumbline"
