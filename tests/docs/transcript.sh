#!/usr/bin/env bash
# Runs the examples of one document and compares what they print with what the document says.
#
#   ```console   lines "$ COMMAND" are run by bash, one shell a block, in a scratch folder beside
#                a copy of data/; the lines after each are what it prints, errors too
#   ```cpp run, ```c run   a whole program, compiled by the build; the next ```text block is what it prints
#   ```cpp build  a whole program that is compiled and not run, for it needs MPI
#
# usage: transcript.sh DOCUMENT DATA PROGRAM EXAMPLES SCRATCH [--update]
#   PROGRAM    the folder of `onefold`
#   EXAMPLES   the folder of the compiled programs, <document's stem>_<n> for the n-th
#   --update   writes what is printed into the document
set -u
document=$1 data=$2 program=$3 examples=$4 scratch=$5 update=${6-}
stem=$(basename "$document" .md)
rm -rf "$scratch" && mkdir -p "$scratch/build" && cp -r "$data" "$scratch/data" || exit 1
ln -s "$program" "$scratch/build/release"  # paths of the tree
PATH=$program:$PATH
export LC_ALL=C NO_COLOR=1

# One block: each command as it stands, then what it prints.
play() {
  local line status=0
  while IFS= read -r line <&3; do
    [[ $line == '$ '* ]] || continue
    printf '%s\n' "$line"
    eval "(exit $status)"$'\n'"${line#\$ }" </dev/null 2>&1 3<&-
    status=$?
  done 3<"$1"
}

retell() {
  local line state=prose count=0
  while IFS= read -r line; do
    case $state in
      prose)
        printf '%s\n' "$line"
        case $line in
          '```console') state=console && : >"$scratch/.block" ;;
          '```cpp run' | '```c run') state=code && count=$((count + 1)) ;;
          '```cpp build' | '```c build') state=other && count=$((count + 1)) ;;
          '```'?*) state=other ;;
        esac ;;
      console)
        if [ "$line" = '```' ]; then
          (cd "$scratch" && play .block)
          printf '%s\n' "$line" && state=prose
        else
          printf '%s\n' "$line" >>"$scratch/.block"
        fi ;;
      code)  # up to its ```text block
        printf '%s\n' "$line"
        if [ "$line" = '```text' ]; then
          (cd "$scratch" && "$examples/${stem}_$count" </dev/null 2>&1)
          state=output
        fi ;;
      output)
        [ "$line" = '```' ] && printf '%s\n' "$line" && state=prose ;;
      other)
        printf '%s\n' "$line"
        [ "$line" = '```' ] && state=prose ;;
    esac
  done <"$document"
  [ $state = prose ] || echo "a block is not closed"
}

retell >"$scratch/.retold"
if [ "$update" = --update ]; then
  cp "$scratch/.retold" "$document"
elif ! diff -u --label "$document" --label "what is printed" "$document" "$scratch/.retold"; then
  echo "if what is printed is right: build the target update_docs"
  exit 1
fi
