#!/usr/bin/env bash
# Ends with one line if the tree, or a folder in it that is built in, belongs to somebody else.
set -eu
cd "$(dirname "$0")/.."
for folder in . build build/release .venv; do
  [ ! -e $folder ] || [ -w $folder ] && continue
  owner=$(stat -c %U $folder)
  if [ $folder = . ]; then
    echo "onefold: this tree belongs to $owner, and you cannot write to it: clone your own" >&2
  else
    echo "onefold: $folder belongs to $owner, and you cannot write to it: remove it (sudo rm -r $folder), or clone another tree" >&2
  fi
  exit 1
done
