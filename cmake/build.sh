#!/usr/bin/env bash
# Builds in build/release, the one tree of the Makefile: what one purpose has compiled serves the others.
#   demo     the program alone
#   program  the programs, the library and the plugins
#   python   the Python module
#   engines  extensions of engines
#   test     these, and the tests (long: with what `make test-long` needs)
# TARGETs are built instead of the purpose's own.
# Usage: build.sh demo|program|python|engines|test|long [-DNAME=VALUE ...] [TARGET ...]
set -eu
cd "$(dirname "$0")/.."
purpose=$1 tree=build/release
shift
options=() targets=() asked=()
case $purpose in
  demo) targets=(onefold_program) ;;
  program) targets=(onefold_installed) ;;
  python) targets=(onefold_python) options=(-DONEFOLD_PYTHON=ON) ;;
  engines) targets=(onefold_engines) options=(-DONEFOLD_ENGINES=ON) ;;
  test | long)
    targets=(all) options=(-DONEFOLD_PYTHON=ON -DONEFOLD_TESTS=ON -DONEFOLD_ENGINES=ON)
    [ "$purpose" = test ] || options+=(-DONEFOLD_LONG_TESTS=ON) ;;
  *) echo "usage: $0 demo|program|python|engines|test|long [-DNAME=VALUE ...] [TARGET ...]" >&2 && exit 2 ;;
esac
for word in "$@"; do
  case $word in
    -D*) options+=("$word") ;;
    *) asked+=("$word") ;;
  esac
done
if [ ${#asked[@]} -gt 0 ]; then targets=("${asked[@]}"); fi

cmake/writable.sh
case $purpose in demo | program) ;; *) cmake/python-version.sh build/venv ;; esac
echo "packages: what is missing is installed"
cmake/install-packages.sh "$purpose"
if [ "$purpose" != demo ] && ! why=$(cmake/venv.sh formats 2>&1); then
  echo "onefold: Parquet and Arrow files will not be read: pyarrow was not installed: ${why##*$'\n'}" >&2
fi
[ "$purpose" = demo ] || [ "$purpose" = program ] || cmake/venv.sh module
case $purpose in test | long) cmake/venv.sh test ;; esac
case $purpose in
  engines | test | long)
    { cmake/venv.sh engines && cmake/duckdb-headers.sh; } ||
      echo "onefold: DuckDB's headers cannot be fetched here, so its extension is not built" >&2 ;;
esac
python=$PWD/build/venv/bin/python
if [ -x "$python" ]; then options+=("-DPython_EXECUTABLE=$python"); fi

echo "configure: $tree"
# What an earlier call switched on stays on: CMake removes the objects of a target that goes.
if [ ! -f $tree/CMakeCache.txt ]; then
  options=(--preset release "${options[@]}")
  # Only at first, for another launcher would compile everything again.
  if command -v ccache >/dev/null; then options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
fi
cmake -B $tree "${options[@]}" >/dev/null

# Of a copy: a dry run of build.ninja itself ends where CMake would be run again.
cp $tree/build.ninja $tree/CMakeFiles/dry.ninja
objects=$(ninja -C $tree -f CMakeFiles/dry.ninja -n "${targets[@]}" |
  grep -c '] \(Building CXX object\|Fuzzing:\)' || true)
echo "compile: $objects objects"
# Where another tree has compiled them with ccache, they are taken from there.
CCACHE_BASEDIR=${CCACHE_BASEDIR-$PWD} cmake --build $tree -j "${JOBS:-$(nproc)}" --target "${targets[@]}"
