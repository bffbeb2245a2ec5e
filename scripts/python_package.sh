#!/usr/bin/env bash
# Installs the Python package into .venv/, built in build/ from the libraries that are there; `pip install .` builds its
# own. Whether it succeeds or not, build/ is left configured as it was.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/build.sh tool plumbline
preset=$(cat build/preset)
configure_again() { cmake --preset "$preset" -U 'SKBUILD*' >/dev/null; }
trap configure_again EXIT
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall \
  --config-settings=build-dir=build --config-settings=cmake.define.PLUMBLINE_FMT_HEADER_ONLY=OFF .
