#!/usr/bin/env bash
# Builds, in build/aarch64, the part of the library that folds arrays for 64-bit Arm by Debian's cross compiler, and compares
# its answers under qemu-user: golden hashes, laws of states. It takes two minutes of two cores.
# Without the compiler it says so and ends well, or with --must it fails.
# Usage: aarch64-test.sh [--must]
set -eu
cd "$(dirname "$0")/.."
if ! why=$(cmake/install-packages.sh aarch64 2>&1); then
  [ "${1-}" = --must ] && echo "$why" >&2 && exit 1
  echo "skipped: tests of 64-bit Arm, since there is no cross compiler here (make test-aarch64 says what it needs)"
  exit 0
fi
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
