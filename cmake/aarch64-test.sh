#!/usr/bin/env bash
# Tests for 64-bit Arm, by Debian's cross compiler and under qemu-user, in build/aarch64.
#   all  builds what reduces arrays, and compares golden hashes and laws of states: two minutes of two cores
#   one  the one-file header's example: it must print what it prints here. Skipped where there is no cross compiler
# Usage: aarch64-test.sh all|one
set -eu
cd "$(dirname "$0")/.."
case ${1-} in
  all) cmake/install-packages.sh aarch64 ;;
  one)
    if ! cmake/install-packages.sh aarch64-one >/dev/null 2>&1; then
      echo "skipped: the test for 64-bit Arm, since there is no cross compiler here (make test-aarch64 says what it needs)"
      exit 0
    fi
    mkdir -p build/aarch64
    here=build/aarch64/example there=build/aarch64/example-aarch64
    "${CXX:-g++}" -std=c++17 -O2 -o $here single/example.cpp
    aarch64-linux-gnu-g++ -std=c++17 -O2 -static -o $there single/example.cpp
    $here >$here.txt
    qemu-aarch64-static $there | diff $here.txt - || { echo "single/example.cpp prints other numbers on 64-bit Arm" >&2; exit 1; }
    echo "64-bit Arm: single/example.cpp prints the same numbers"
    exit 0 ;;
  *) echo "usage: $0 all|one" >&2 && exit 2 ;;
esac
launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
cmake -B build/aarch64 -G Ninja --toolchain cmake/aarch64.cmake "${launcher[@]}" -DONEFOLD_TESTS=OFF -DONEFOLD_CLI=OFF \
  -DONEFOLD_MPI=OFF -DONEFOLD_ARROW=OFF -DONEFOLD_GOLDEN=ON -DONEFOLD_FILES=OFF -DONEFOLD_PYTHON=OFF >/dev/null
echo "compile for 64-bit Arm: what folds arrays"
CCACHE_BASEDIR=${CCACHE_BASEDIR-$PWD} cmake --build build/aarch64 -j "${JOBS:-$(nproc)}" --target onefold_golden onefold_laws
# The other compiler: of what has text for one processor, one file each.
if command -v clang++ >/dev/null; then
  for file in onefold/engine/plan/plan.cpp onefold/cpu/short_fold.cpp build/aarch64/generated/feed/sum_f64.cpp; do
    clang++ --target=aarch64-linux-gnu -fsyntax-only -std=c++20 -Wall -Wextra -Werror -Wno-ignored-attributes -Wno-psabi \
      -march=armv8-a+crypto "-DHWY_DISABLED_TARGETS=(~(HWY_NEON|HWY_EMU128))" \
      -I. -Ibuild/aarch64/include -Ibuild/aarch64 "$file"
  done
fi
ctest --test-dir build/aarch64 -j "${JOBS:-$(nproc)}" -LE long --no-tests=error --output-on-failure
