#!/usr/bin/env bash
# Installs what is missing on Debian or Ubuntu; does nothing, and asks apt nothing, when all is there.
#
#   scripts/setup.sh packages GROUP...   apt packages of the groups below
#   scripts/setup.sh python NAME...      requirements/NAME.txt into .venv/, made with $PYTHON or python3
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages_of() {
  case $1 in
    tool)
      echo make g++ cmake ninja-build
      echo libeigen3-dev libfmt-dev nlohmann-json3-dev libcli11-dev libfast-float-dev zlib1g-dev libzstd-dev
      ;;
    paper) echo libcurl4-openssl-dev libssl-dev ;;
    figures) echo gnuplot-nox ;;
    python) echo python3 python3-dev python3-venv ;;
    test) echo libgtest-dev git zstd ;;
    bench) echo libbenchmark-dev ;;
    torch) echo python3-torch libopenblas0-serial ;;  # of the system's Python; alone it has a BLAS 20 times slower
    trees) echo libxgboost-dev ;;  # boosted trees in the tool's probe
    lint) echo clang clang-format clang-tidy git ;;
    cross) echo g++-aarch64-linux-gnu qemu-user googletest ;;
    sanitize) echo clang libclang-rt-dev lld ;;
    *) fail "'$1' is not a package group; the groups are tool, paper, figures, python, test, trees, bench, torch, lint, cross and sanitize" ;;
  esac
}

fail() {
  echo "setup: $1" >&2
  exit 1
}

is_installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

apt_get() {
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "not root and no sudo; as root run: apt-get install $*"
    as_root=(sudo)
    [[ -t 0 ]] || as_root+=(-n)  # without a terminal, fail at once in place of waiting for a password
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" </dev/null
}

install_packages() {
  local group names missing=()
  for group in "$@"; do
    names=$(packages_of "$group")
    for name in $names; do
      is_installed "$name" || missing+=("$name")
    done
  done
  ((${#missing[@]})) || return 0
  if ! command -v apt-get >/dev/null; then
    echo "setup: no apt-get here; going on in the hope that these are installed: ${missing[*]}" >&2
    return 0
  fi
  echo "setup: installing ${missing[*]}"
  apt_get update
  apt_get install --no-install-recommends "${missing[@]}"
}

find_python() {
  local candidate
  for candidate in ${PYTHON:+"$PYTHON"} python3 /usr/bin/python3; do
    if "$candidate" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  fail "no Python 3.10 or newer with venv found; set PYTHON to one"
}

# A stamp per requirements file is written last, so that an interrupted installation is taken up again.
install_python() {
  local name python
  for name in "$@"; do
    [[ -f requirements/$name.txt ]] || fail "there is no requirements/$name.txt"
    if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
      python=$(find_python)
      "$python" -m venv --clear .venv
    fi
    echo "setup: installing requirements/$name.txt into .venv/"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input -r "requirements/$name.txt"
    touch ".venv/$name.stamp"
  done
}

case ${1:-} in
  packages) install_packages "${@:2}" ;;
  python) install_python "${@:2}" ;;
  *) fail "usage: setup.sh packages GROUP... | python NAME..." ;;
esac
