#!/usr/bin/env bash
# Configures and builds a preset, in one moving line: build.sh PRESET [TARGET...]
#
# What is missing, too old or full is said in one sentence before minutes of compiling; where compiling fails, the
# compiler's whole message is shown. JOBS says how many files are compiled at a time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly least_free=600  # megabytes, of the largest build
readonly least_cmake=3.25

preset=$1
targets=("${@:2}")
case $preset in tool | programs | release) folder=build ;; *) folder=out/$preset ;; esac
configured=$(cat "$folder/preset" 2>/dev/null || true)
case "$preset $configured" in  # a build that has more is left as it is
  "tool programs" | "tool release" | "programs release") preset=$configured ;;
esac

fail() {
  echo "build: $1" >&2
  exit 1
}

# Older ones cannot read CMakePresets.json, and say so in words that are no help.
check_cmake() {
  local version
  command -v ninja >/dev/null || fail "ninja was not found; on Debian and Ubuntu run \`apt-get install ninja-build\`"
  command -v cmake >/dev/null || fail "CMake was not found; $least_cmake or newer is needed"
  version=$(cmake --version | awk 'NR == 1 {print $3}')
  [[ $(printf '%s\n' "$least_cmake" "$version" | sort -V | head -n 1) == "$least_cmake" ]] ||
    fail "CMake is $version; $least_cmake or newer is needed"
}

# The words of the first error that CMake reports, on one line.
first_error() {
  awk '/^CMake Error/ {if (seen++) exit; on = 1; sub(/^CMake Error( at [^ ]+ \([a-z_]+\))?:/, "")}
    /^Call Stack|^-- / {on = 0}
    on && NF {$1 = $1; line = line " " $0}
    END {print substr(line, 2)}' "$1"
}

check_room() {
  local free
  free=$(df -Pm "$folder" | awk 'NR == 2 {print $4}')
  ((free >= least_free)) || fail "the disk that holds $folder has $free MB free; building needs $least_free MB"
}

configure() {
  local log=$folder/configure.log words
  cmake --preset "$preset" >"$log" 2>&1 && return
  words=$(first_error "$log")
  [[ -n $words ]] || { cat "$log" >&2 && words="cmake failed"; }
  fail "$words"
}

# Ninja's lines, the steps on one that moves; on what is no terminal, they are left out.
show_progress() {
  awk -v terminal="$1" '
    /^\[[0-9]+\/[0-9]+\] / && !failed {
      if (terminal) {split(substr($1, 2), n, /[\/\]]/); printf "\r\033[Kbuilding: %d of %d", n[1], n[2]; fflush()}
      next
    }
    /^FAILED/ && !failed {failed = 1; if (terminal) printf "\r\033[K"}
    /^ninja: no work to do|^-- / {next}
    {if (terminal && !failed) printf "\r\033[K"; print > "/dev/stderr"; if (/No space left on device/) full = 1}
    END {if (terminal && !failed) printf "\r\033[K"; if (full) exit 3}'
}

compile() {
  local terminal=0 states
  if [[ -t 1 && ${TERM:-dumb} != dumb ]]; then terminal=1; else echo "building: ${targets[*]:-all of $preset}"; fi
  set +e
  cmake --build "$folder" --parallel "${JOBS:-$(nproc)}" ${targets[@]+--target "${targets[@]}"} 2>&1 | show_progress $terminal
  states=("${PIPESTATUS[@]}")
  set -e
  ((states[1] != 3)) || fail "the disk that holds $folder is full"
  ((states[0] == 0)) || fail "compiling failed, for the reason above"
}

mkdir -p "$folder"
# Ninja configures again by itself when a CMakeLists.txt changes, but knows nothing of presets.
if [[ ! -f $folder/build.ninja || CMakePresets.json -nt $folder/build.ninja || $configured != "$preset" ]]; then
  check_cmake
  check_room
  rm -f "$folder/preset"  # a failure leaves a cache that is of neither
  configure
  echo "$preset" >"$folder/preset"
fi
compile
