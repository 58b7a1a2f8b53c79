#!/usr/bin/env bash
# Tries single/onefold_exact.hpp for Windows: compiles its example, its instances and its tests by MinGW-w64, and runs example
# and tests under Wine. With a zig (ZIG=path, or that of cmake/musl-test.sh) the instances are also compiled for
# macOS and for Windows on Arm, which nothing here can run. LIBRARY=1 also builds what folds arrays on a processor, with
# onefold/system/windows.cpp, and runs the first folds of the golden hash and the laws; docs/platforms.md says what is not there.
set -eu
cd "$(dirname "$0")/.."
cmake/install-packages.sh windows
tree=$PWD/build/windows
mkdir -p "$tree"
export WINEPREFIX=$tree/wine WINEDEBUG=-all ZIG_GLOBAL_CACHE_DIR=${ZIG_GLOBAL_CACHE_DIR-$tree/cache}
strict=(-Wall -Wextra -Wconversion -Wpedantic -Werror -Isingle)
compile=(x86_64-w64-mingw32-g++-posix -static)
for standard in 17 20; do
  "${compile[@]}" -std=c++$standard "${strict[@]}" -S -o /dev/null tests/single/instances.cpp
done
"${compile[@]}" -std=c++17 -O2 "${strict[@]}" -o "$tree/example.exe" single/example.cpp
c++ -std=c++17 -O2 -Isingle -o "$tree/example" single/example.cpp
"$tree/example" >"$tree/expected"
wine "$tree/example.exe" 2>/dev/null | tr -d '\r' | diff "$tree/expected" -
echo "windows: single/example.cpp prints what it prints on Linux"

# GoogleTest's and JSON's sources are this system's packages; plain, and with flags that break other exact sums.
mkdir -p "$tree/include"
ln -sfn /usr/include/nlohmann "$tree/include/nlohmann"
gtest=/usr/src/googletest/googletest
[ -e "$tree/gtest.o" ] || "${compile[@]}" -std=c++17 -O1 -I$gtest/include -I$gtest -c -o "$tree/gtest.o" $gtest/src/gtest-all.cc
for flags in "-O1" "-O3 -ffast-math"; do
  # shellcheck disable=SC2086  # words
  "${compile[@]}" -std=c++17 $flags "${strict[@]}" -c -o "$tree/one_file.o" tests/single/one_file.cpp
  "${compile[@]}" -std=c++20 -O1 -I$gtest/include -I"$tree/include" -Isingle -I. -Itests "-DONEFOLD_SOURCE_DIR=\"Z:$PWD\"" \
    -o "$tree/tests.exe" tests/single/test_vectors.cpp tests/single/test_facts.cpp "$tree/one_file.o" "$tree/gtest.o" $gtest/src/gtest_main.cc
  wine "$tree/tests.exe" --gtest_brief=1 2>/dev/null | tr -d '\r' | tee "$tree/said"
  grep -q 'PASSED' "$tree/said"
done

if [ -n "${LIBRARY:-}" ]; then
  tools=$tree/tools
  # shellcheck source=cmake/header-packages.sh
  . cmake/header-packages.sh
  launcher=()
  if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  cmake -B "$tree/library" -G Ninja --toolchain cmake/windows.cmake -DONEFOLD_HEADERS="$tools" "${launcher[@]}" -DONEFOLD_TESTS=OFF -DONEFOLD_CLI=OFF \
    -DONEFOLD_FILES=OFF -DONEFOLD_MPI=OFF -DONEFOLD_ARROW=OFF -DONEFOLD_CUB=OFF -DONEFOLD_GOLDEN=ON -DONEFOLD_STD_THREADS=ON \
    -DCMAKE_CXX_FLAGS_RELEASE="${FLAGS--O1 -DNDEBUG -w}" >/dev/null
  cmake --build "$tree/library" -j "${JOBS:-$(nproc)}" --target onefold_golden onefold_laws
  ctest --test-dir "$tree/library" -LE long --no-tests=error --output-on-failure
fi

zig=${ZIG-$PWD/build/x86_64-linux-musl/tools/zig/ziglang/zig}
[ -x "$zig" ] || { echo "windows: no zig here, so nothing was compiled for macOS and Windows on Arm"; exit 0; }
for target in x86_64-macos aarch64-macos x86_64-windows-gnu aarch64-windows-gnu; do
  "$zig" c++ -target $target -std=c++17 -O1 "${strict[@]}" -c -o "$tree/instances-$target.o" tests/single/instances.cpp
  echo "$target: compiled, not run"
done
