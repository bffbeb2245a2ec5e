#!/usr/bin/env bash
# Builds a wheel with each Python that is supported and on PATH, and uses it in an environment of its own, as `pip
# install .` would. Versions that the wheel of an older one serves (stable ABI) take that one. Into out/wheels/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  echo "wheels: $1" >&2
  exit 1
}

versions=()
for version in 3.10 3.11 3.12 3.13; do
  if "python$version" -c 'import ensurepip, venv' 2>/dev/null; then
    versions+=("$version")
  else
    echo "wheels: there is no python$version with venv on PATH; it is left out"
  fi
done
((${#versions[@]})) || fail "none of them is there, so nothing was built; install one"

rm -rf out/wheels
stable=
for version in "${versions[@]}"; do
  folder=out/wheels/$version
  "python$version" -m venv "$folder/env"
  pip=("$folder/env/bin/python" -m pip --quiet --disable-pip-version-check --no-input)
  wheel=$stable
  if [[ -z $wheel ]]; then
    "${pip[@]}" wheel --no-deps --wheel-dir "$folder" .
    wheel=$(echo "$folder"/plumbline-*.whl)
  fi
  module=$("$folder/env/bin/python" -m zipfile --list "$wheel" | grep -o '^plumbline/_core\.[^ ]*\.so')
  if [[ $wheel == *-abi3-* ]]; then
    [[ $module == *.abi3.so ]] || fail "$wheel says that it is of the stable ABI, and holds $module"
    stable=$wheel
  fi
  "${pip[@]}" install "$wheel"
  "$folder/env/bin/python" -c 'import numpy, plumbline; plumbline.OrthogonalToBias(sensitive_feature_ids=0).fit(numpy.eye(3))'
  echo "wheels: python$version fits with $(basename "$wheel")"
done
