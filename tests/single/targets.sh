#!/bin/sh
# Source files with different -m flags, or with and without exceptions, share no function of the file: else the
# linker would keep one of the two, and a path for old processors would run new instructions.
# Usage: targets.sh COMPILER FOLDER-OF-THE-HEADER SCRATCH
set -eu
compiler=$1 folder=$2 scratch=$3 here=$(dirname "$0")
mkdir -p "$scratch"
cat >"$scratch/main.cpp" <<'END'
#include <cstdio>
double plain(const double*, unsigned);
double other(const double*, unsigned);
int main(int n, char**) {
  const double x[] = {1e16, 1, -1e16, 0.5};
  std::printf("%.17g\n", n > 1 ? other(x, 4) : plain(x, 4));
}
END
functions() { nm "$1" | sed -n 's/^[0-9a-f]* [WVuT] //p' | grep onefold | sort; }
"$compiler" -std=c++17 -O2 -I"$folder" -DFUNCTION=plain -c "$here/target.cpp" -o "$scratch/plain.o"
functions "$scratch/plain.o" >"$scratch/plain"
[ -s "$scratch/plain" ]
for flags in -mavx2 -mavx512f -mavx -msse4.2 -mbmi2 -mfma -mlzcnt -march=haswell -fno-exceptions; do
  "$compiler" -std=c++17 -O2 $flags -I"$folder" -DFUNCTION=other -c "$here/target.cpp" -o "$scratch/other.o"
  functions "$scratch/other.o" >"$scratch/other"
  shared=$(comm -12 "$scratch/plain" "$scratch/other")
  [ -z "$shared" ] || { echo "shared with $flags: $shared" && exit 1; }
  "$compiler" "$scratch/plain.o" "$scratch/other.o" "$scratch/main.cpp" -std=c++17 -o "$scratch/program"
  "$scratch/program"
done
