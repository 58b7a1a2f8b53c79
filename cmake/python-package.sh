#!/usr/bin/env bash
# Installs the Python package into .venv, with NumPy: the module and the plugin for Parquet and Arrow
# that build.sh has compiled, and the files of python/onefold. scikit-build-core packs them, and
# compiles nothing.
set -eu
cd "$(dirname "$0")/.."
export PIP_DISABLE_PIP_VERSION_CHECK=1
cmake/python-version.sh .venv
[ -x .venv/bin/pip ] || python3 -m venv .venv
rm -rf build/package
files=$(ls "$PWD"/build/release/python/onefold/_core.*so)
plugin=$PWD/build/release/onefold_arrow.so
[ ! -f "$plugin" ] || files="$files;$plugin"
build/venv/bin/pip wheel --quiet --no-build-isolation --no-deps --wheel-dir build/package \
  --config-settings=build-dir=build/package/tree \
  --config-settings=cmake.define.ONEFOLD_MODULE="$files" .
.venv/bin/pip install --quiet --no-deps --force-reinstall build/package/onefold-*.whl
.venv/bin/pip install --quiet 'onefold[numpy]'
