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
  -nostdlib -nostdinc++ -mbulk-memory -I"$top/single" -isystem "$here/freestanding" \
  -Wl,--no-entry -Wl,--strip-all -Wl,-z,stack-size=65536 "$here/exact_sum.cpp" -o "$out/exact_sum.wasm"
{ printf '// exact_sum.wasm as text, since no way to load a file is the same everywhere.\nexport default "'
  base64 -w 0 "$out/exact_sum.wasm"
  printf '";\n'
} >"$out/wasm.mjs"
cp "$here/index.mjs" "$here/index.d.ts" "$here/package.json" "$here/README.md" "$top/LICENSE" "$out"
