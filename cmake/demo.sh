#!/usr/bin/env bash
# What `make demo` shows: real data described, and a larger file folded; last, how to have the program.
# Usage: demo.sh PROGRAM PREFIX
set -eu
onefold=$1
large=build/demo.raw
trap 'rm -f "$large"' EXIT

run() {
  printf '\n$ onefold'
  printf ' %s' "$@"
  printf '\n'
  "$onefold" "$@"
}

echo "Sea surface temperatures, 61 years of 12 months (data/README.md says where from):"
run describe data/elnino.csv
run mean --axis 0 data/elnino.csv
run mean,std --ddof 1 data/michelson.txt
run count,mean --nan omit data/co2.txt

printf '\nA file of 512 MiB: 1e16, 1, -1e16, 1 and so on, which floating-point sums get wrong.\n'
# f64, little-endian; doubled from one block of 1 MiB, so that making it takes a second.
for ((i = 0; i < 32768; ++i)); do
  printf '\x00\x80\xe0\x37\x79\xc3\x41\x43\x00\x00\x00\x00\x00\x00\xf0\x3f'
  printf '\x00\x80\xe0\x37\x79\xc3\x41\xc3\x00\x00\x00\x00\x00\x00\xf0\x3f'
done >"$large"
for ((i = 0; i < 9; ++i)); do
  cat "$large" "$large" >"$large.next"
  mv "$large.next" "$large"
done
run sum --progress always --dtype f64 "$large"
run describe --progress always --dtype f64 "$large"

printf '\nThe program is %s; "make install" puts it into %s/bin\n' "$onefold" "$2"
printf '(PREFIX=FOLDER: elsewhere), or: alias onefold=%s\n' "$PWD/$onefold"
