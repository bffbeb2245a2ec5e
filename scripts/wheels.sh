#!/usr/bin/env bash
# Builds a wheel with each Python that is supported and on PATH, for every Linux with glibc 2.17 or newer; auditwheel and
# abi3audit say whether it is, and each is used in an empty environment. Versions that the wheel of an older one serves
# (stable ABI) take that one. Into out/wheels/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly folder=out/wheels
readonly packages=(libeigen3-dev libfmt-dev nlohmann-json3-dev libcli11-dev libfast-float-dev zlib1g-dev libzstd-dev)

fail() {
  echo "wheels: $1" >&2
  exit 1
}

find_pythons() {
  for version in 3.10 3.11 3.12 3.13; do
    if "python$version" -c 'import ensurepip, venv' 2>/dev/null; then
      versions+=("$version")
    else
      echo "wheels: there is no python$version with venv on PATH; it is left out"
    fi
  done
  ((${#versions[@]})) || fail "none of them is there, so nothing was built; install one"
}

pip() { "$1/bin/python" -m pip --quiet --disable-pip-version-check --no-input "${@:2}"; }

# The headers and archives of what the package is built from, apart from the rest of /usr: a wheel brings its libraries
# within itself.
gather_prefix() {
  local prefix=$1 file
  command -v dpkg >/dev/null || fail "this is no Debian or Ubuntu, whose packages the wheels are built from"
  mkdir -p "$prefix"
  dpkg -L "${packages[@]}" >"$prefix/files" || fail "to build from are needed: ${packages[*]}"
  while read -r file; do
    [[ -f $file && $file != *.so && $file != /usr/share/doc/* ]] || continue
    case $file in
      *.a) install -D -m 644 "$file" "$prefix/lib/${file##*/}" ;;
      *) install -D -m 644 "$file" "$prefix${file#/usr}" ;;
    esac
  done <"$prefix/files"
  for file in /usr/include/*-linux-gnu/python3.*; do  # see the toolchain file
    [[ -d $file ]] || continue
    mkdir -p "$prefix${file#/usr}"
    cp -r "$file/." "$prefix${file#/usr}"
  done
}

build_wheel() {
  local version=$1 built=$folder/$1/built wheel
  "python$version" -m venv "$folder/$version/build-env"
  pip "$folder/$version/build-env" wheel --no-deps --wheel-dir "$built" \
    --config-settings=build-dir="$folder/cmake" .
  wheel=$(echo "$built"/plumbline-*.whl)
  PATH="$PWD/$folder/tools/bin:$PATH" auditwheel repair --plat "manylinux_2_17_$(uname -m)" \
    --wheel-dir "$folder/$version/repaired" "$wheel" || fail "$wheel does not serve glibc 2.17, for the reason above"
}

# What is promised, read back from the wheel that is left.
check_wheel() {
  local wheel=$1 module
  "$folder/tools/bin/auditwheel" show "$wheel" | grep -o '"manylinux_2_17_[a-z0-9_]*"' >/dev/null ||
    fail "$wheel does not serve glibc 2.17"
  [[ $wheel == *-abi3-* ]] || return 0
  module=$("$folder/tools/bin/python" -m zipfile --list "$wheel" | grep -o '^plumbline/_core\.[^ ]*\.so')
  [[ $module == *.abi3.so ]] || fail "$wheel says that it is of the stable ABI, and holds $module"
  "$folder/tools/bin/abi3audit" --strict "$wheel" || fail "$wheel is not of the stable ABI, for the reason above"
}

use_wheel() {
  local version=$1 wheel=$2 env=$folder/$1/env
  "python$version" -m venv "$env"
  pip "$env" install "$wheel"
  "$env/bin/python" -c 'import numpy, plumbline; plumbline.OrthogonalToBias(sensitive_feature_ids=0).fit(numpy.eye(3))'
  scripts/demo.sh "$env/bin/plumbline" "$folder/$version/demo" >"$folder/$version/demo.txt" 2>&1
  echo "wheels: python$version and its command fit with $(basename "$wheel")"
}

versions=()
find_pythons
rm -rf "$folder"
mkdir -p "$folder"
"python${versions[0]}" -m venv "$folder/tools"
pip "$folder/tools" install -r requirements/wheels.txt
gather_prefix "$PWD/$folder/prefix"
export PLUMBLINE_WHEEL_PREFIX=$PWD/$folder/prefix
PLUMBLINE_ZIG=$("$folder/tools/bin/python" -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))')
export PLUMBLINE_ZIG
export CMAKE_TOOLCHAIN_FILE=$PWD/cmake/toolchain-manylinux.cmake

stable=
for version in "${versions[@]}"; do
  wheel=$stable
  if [[ -z $wheel ]]; then
    echo "wheels: building with python$version"
    build_wheel "$version"
    wheel=$folder/$(basename "$folder/$version"/repaired/plumbline-*.whl)
    mv "$folder/$version"/repaired/plumbline-*.whl "$wheel"
    check_wheel "$wheel"
    if [[ $wheel == *-abi3-* ]]; then stable=$wheel; fi
  fi
  use_wheel "$version" "$wheel"
done
