#!/usr/bin/env bash
# Ends with one line unless the package works with the Python of a virtual environment, or with python3 if it is not made yet.
# Usage: python-version.sh VENV
set -eu
venv=$1 python=python3
cure="put a later python3 first in PATH"
[ ! -x "$venv/bin/python" ] || { python=$venv/bin/python cure="remove $venv, and put a later python3 first in PATH"; }
command -v "$python" >/dev/null || exit 0  # install-packages.sh installs it
least=$(sed -n 's/^requires-python = ">=\(.*\)"/\1/p' "$(dirname "$0")/../pyproject.toml")
"$python" -c "import sys; sys.exit(sys.version_info < (${least/./, }))" && exit 0
echo "onefold: Python $least and later work, and $(command -v "$python") is $("$python" --version); $cure" >&2
exit 1
