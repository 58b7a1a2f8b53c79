#!/usr/bin/env bash
# Fetches the headers of DuckDB's C extension API into build/duckdb, out of the source package of the duckdb that
# build/venv has (17 MB, once).
set -eu
cd "$(dirname "$0")/.."
pip=build/venv/bin/pip folder=build/duckdb
version=$($pip show duckdb 2>/dev/null | sed -n 's/^Version: //p')
[ -n "$version" ] || { echo "build/venv has no duckdb" >&2 && exit 1; }
[ "$(cat $folder/version.txt 2>/dev/null)" = "$version" ] && exit 0
echo "fetching DuckDB's headers: the source of duckdb $version from PyPI"
mkdir -p $folder
$pip download --quiet --disable-pip-version-check --retries 1 --no-deps --no-binary duckdb -d $folder "duckdb==$version"
tar -xzf $folder/duckdb-*.tar.gz -C $folder --wildcards --strip-components=5 \
  '*/external/duckdb/src/include/duckdb.h' '*/external/duckdb/src/include/duckdb_extension.h'
rm $folder/duckdb-*.tar.gz
echo "$version" >$folder/version.txt
