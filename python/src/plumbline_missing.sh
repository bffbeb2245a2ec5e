#!/bin/sh
# Installed as `plumbline` where the package was built without CLI11.
echo "plumbline: the command line was not built, for CLI11 2.1 or newer was not found; install it (apt install libcli11-dev)" \
  "and run pip install again" >&2
exit 2
