#!/usr/bin/env bash
# Makes build/venv, the Python of the build tree, or brings it up to date, with what a purpose needs:
#   formats  pyarrow, whose Arrow C++ the plugin for Parquet and Arrow files is linked to
#   module   what the Python module is built with and needs when it runs: pyproject.toml has the lists
#   docs     what makes the documentation site
#   engines  duckdb, of which the headers of its extensions are, too
#   test     what python/tests use, and the site
# Usage: venv.sh formats|module|docs|engines|test
set -eu
cd "$(dirname "$0")/.."
purpose=$1 folder=build/venv
export PIP_DISABLE_PIP_VERSION_CHECK=1
[ "$purpose" = formats ] || cmake/python-version.sh $folder
[ -x $folder/bin/pip ] || python3 -m venv $folder
case $purpose in
  formats) list=pyarrow ;;
  module) list=$($folder/bin/python -c "
import tomllib
about = tomllib.load(open('pyproject.toml', 'rb'))
print(*about['build-system']['requires'], *about['project']['dependencies'])") ;;
  docs) list=$(tr '\n' ' ' <docs/site/requirements.txt) ;;
  engines) list=duckdb ;;
  test) list=$(cat python/tests/requirements.txt docs/site/requirements.txt | grep -v '^#' | tr '\n' ' ') ;;
  *) echo "usage: $0 formats|module|docs|engines|test" >&2 && exit 2 ;;
esac
# Again only when the list has changed.
[ "$(cat $folder/$purpose.txt 2>/dev/null)" = "$list" ] && exit 0
echo "installing from PyPI into $folder: $list"
set -f  # a list of words
$folder/bin/pip install --quiet --retries 2 $list
echo "$list" >$folder/$purpose.txt
