#!/usr/bin/env bash
# Builds the library and the program for musl in build/TARGET, static, by zig from PyPI, and tries both: the first folds of the
# golden hash, and files. Of the libraries that they need only headers are used, from this system's packages; for another
# processor programs run under qemu-user.
# Usage: musl-test.sh [TARGET], x86_64-linux-musl or aarch64-linux-musl, as zig calls them
#   PYTHON       CPython 3.12 or later, whose headers are used: the wheel for musllinux is built too, and what it links is checked
#   MUSL_PYTHON  a CPython for musl that can run here, as words: the README's examples and tests of arrays are run with that wheel
set -eu
cd "$(dirname "$0")/.."
export PIP_DISABLE_PIP_VERSION_CHECK=1
target=${1-x86_64-linux-musl}
processor=${target%%-*} tree=$PWD/build/$target
tools=$tree/tools
mkdir -p "$tools"
[ -x "$tools/zig/ziglang/zig" ] || python3 -m pip install --quiet --target "$tools/zig" ziglang
for tool in c++ ar ranlib; do
  words=$tool
  [ $tool != c++ ] || words="c++ -target $target"
  printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$tools/zig/ziglang/zig" "$words" >"$tools/$tool"
  chmod +x "$tools/$tool"
done
# shellcheck source=cmake/header-packages.sh
. cmake/header-packages.sh
package CLI11 CLI11::CLI11
package fmt fmt::fmt 'INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY'
# Boost's switch of stacks is assembly, for any libc.
boost=/usr/lib/$processor-linux-gnu/libboost_context.a
if [ ! -e "$boost" ]; then  # for another processor, without the compiler that its package would bring
  name=$(dpkg -S /usr/lib/*/libboost_context.a | sed 's/:.*//;q') boost=$tools/boost$boost
  (cd "$tools" && apt-get download -qq "$name:$(dpkg-architecture -t "$processor-linux-gnu" -q DEB_HOST_ARCH)" && dpkg -x libboost*.deb boost)
fi
package Boost Boost::context "INTERFACE_LINK_LIBRARIES $boost"
echo "set(Boost_context_FOUND TRUE)" >>"$tools/packages/BoostConfig.cmake"
export ZIG_GLOBAL_CACHE_DIR=$tree/cache ZIG_LOCAL_CACHE_DIR=$tree/cache
launcher=()
if command -v ccache >/dev/null; then
  launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  # Not the time of the scripts above; with the target, which no option of the compiler names.
  CCACHE_COMPILERCHECK="string:$target $("$tools/zig/ziglang/zig" version)"
  export CCACHE_COMPILERTYPE=clang CCACHE_COMPILERCHECK
fi
module=()
if [ -n "${PYTHON:-}" ]; then
  [ -x "$tree/venv/bin/pip" ] || "$PYTHON" -m venv "$tree/venv"
  "$tree/venv/bin/pip" install --quiet $("$PYTHON" -c "
import tomllib
print(*tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires'])")
  module=(-DONEFOLD_PYTHON=ON -DONEFOLD_NANOBIND_INSIDE=ON -DPython_EXECUTABLE="$tree/venv/bin/python"
    -DPython_INCLUDE_DIR="$("$PYTHON" -c "import sysconfig; print(sysconfig.get_path('include'))")")
fi
# -O0 takes a quarter of the time of -O2, of which clang needs twice g++'s. FLAGS="-O2 -DNDEBUG" makes programs to use.
cmake -B "$tree" -G Ninja --toolchain cmake/musl.cmake -DONEFOLD_MUSL="$tools" -DONEFOLD_PROCESSOR="$processor" "${launcher[@]}" -DONEFOLD_TESTS=OFF \
  -DCMAKE_CXX_FLAGS_RELEASE="${FLAGS--O0 -DNDEBUG -fno-sanitize=all}" \
  -DONEFOLD_MPI=OFF -DONEFOLD_ARROW=OFF -DONEFOLD_GOLDEN=ON -DONEFOLD_STD_THREADS=ON "${module[@]}" >/dev/null
cmake --build "$tree" -j "${JOBS:-$(nproc)}" --target onefold_golden onefold_laws onefold_program onefold_lab_program
ctest --test-dir "$tree" -j "${JOBS:-$(nproc)}" -LE long --no-tests=error --output-on-failure

# Files, as the README has them; what is static loads no library, so codecs are named as missing.
program=$tree/onefold emulator=()
[ "$processor" = "$(uname -m)" ] || emulator=("qemu-$processor-static")
same() {  # what is expected, then words of the program
  local expected=$1 got
  shift
  got=$("${emulator[@]}" "$program" "$@" 2>&1) || true
  [ "$got" = "$expected" ] || { printf 'onefold %s\n  printed  %s\n  expected %s\n' "$*" "$got" "$expected" >&2; exit 1; }
}
same 340.1422471910112 mean --nan omit data/co2.txt
same '{"min": 18.95, "argmin": 56, "max": 29.24, "argmax": 578}' min,argmin,max,argmax --json data/elnino.npy
same 16903.8 sum data/elnino.csv
[ "$(seq 1000000 | "${emulator[@]}" "$program" sum)" = 500000500000 ]
[ "$(echo 1e308 1e308 -1e308 | "${emulator[@]}" "$program" sum)" = 1e+308 ]
"${emulator[@]}" "$program-lab" lab reduce --machine sim --n 4096 >/dev/null
echo "musl: the program of $(stat -c %s "$program") bytes answers as expected"

[ -n "${PYTHON:-}" ] || exit 0
cmake --build "$tree" -j "${JOBS:-$(nproc)}" --target onefold_python
built=$tree/python/onefold/_core.abi3.so
needed=$(readelf -d "$built" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
[ "$needed" = libc.so ] || { echo "musl-test.sh: the module needs $needed; musl has libc.so alone" >&2; exit 1; }
TAGS="--python-tag cp312 --platform-tag musllinux_1_2_$processor" INSIDE=nanobind-backend \
  cmake/pack-wheel.sh "$tree" "$built" "$tree/venv/bin/python"
[ -n "${MUSL_PYTHON:-}" ] || exit 0
"$tree/venv/bin/pip" install --quiet --only-binary :all: --platform "musllinux_1_2_$processor" --upgrade \
  --python-version "$($MUSL_PYTHON -c "import sys; print('%d.%d' % sys.version_info[:2])")" --target "$tree/site" numpy pytest "$tree"/dist/*.whl
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$tree/site
$MUSL_PYTHON -m pytest python/tests/test_documents.py -k "README or tour"
# Files of tests that need NumPy alone, and neither zlib nor ctypes; some start sys.executable.
$MUSL_PYTHON -m pytest python/tests/test_{agg,errors,expr,fit,fold,matmul,ops,order,pairs,quantiles,shapes,threads,weights}.py
