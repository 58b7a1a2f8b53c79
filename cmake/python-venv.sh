#!/usr/bin/env bash
# Makes the virtual environment FOLDER, or brings it up to date, with what a purpose needs:
#   test     what python/tests use; the package itself comes from the build tree
#   package  the package, installed from this source tree
# Usage: python-venv.sh test|package FOLDER
set -eu
cd "$(dirname "$0")/.."
purpose=$1 folder=$2
export PIP_DISABLE_PIP_VERSION_CHECK=1
if command -v ccache >/dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache; fi
export CXX=${CXX:-c++}  # as other builds call it: ccache tells compilers apart by name
[ -x "$folder/bin/pip" ] || python3 -m venv "$folder"
case $purpose in
  test)
    # Again only when the list has changed.
    list=python/tests/requirements.txt
    cmp -s $list "$folder/requirements.txt" && exit 0
    "$folder/bin/pip" install --quiet --requirement $list
    cp $list "$folder/requirements.txt"
    ;;
  package)
    cmake/say-build.sh
    "$folder/bin/pip" install --quiet .
    ;;
esac
