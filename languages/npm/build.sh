#!/bin/sh
# Makes the package: build.sh FOLDER. It needs clang and lld 14 or later (Debian: clang lld); CLANGXX names another clang++.
set -e
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
out=$1
[ -n "$out" ] || { echo "usage: build.sh FOLDER" >&2; exit 2; }
mkdir -p "$out"
# Without __int128 no library of the compiler is needed.
"${CLANGXX:-clang++}" --target=wasm32 -std=c++17 -Os -U__SIZEOF_INT128__ -fno-exceptions -fno-rtti -ffreestanding \
  -nostdinc++ -mbulk-memory -I"$top/single" -isystem "$here/freestanding" -c "$here/exact_sum.cpp" -o "$out/exact_sum.o"
# Without -Os, with which clang would run any wasm-opt that it finds, and that knows no bulk memory.
"${CLANGXX:-clang++}" --target=wasm32 -nostdlib -Wl,--no-entry -Wl,--strip-all -Wl,-z,stack-size=65536 \
  "$out/exact_sum.o" -o "$out/exact_sum.wasm"
rm "$out/exact_sum.o"
{ printf '// exact_sum.wasm as text, since no way to load a file is the same everywhere.\nexport default "'
  base64 -w 0 "$out/exact_sum.wasm"
  printf '";\n'
} >"$out/wasm.mjs"
cp "$here/index.mjs" "$here/index.d.ts" "$here/package.json" "$here/README.md" "$top/LICENSE" "$out"
