#!/usr/bin/env bash
# Users who compile as C++17 get one error, which names C++20, from every public header.
# Usage: cxx17.sh SOURCE_DIR COMPILER [OPTION ...]
set -eu
cd "$1"
shift
status=0
for header in onefold/*.hpp; do
  case $header in onefold/version.hpp | onefold/mpi*) continue ;; esac
  errors=$("$@" -std=c++17 -fsyntax-only -include "$header" -x c++ /dev/null 2>&1 | grep 'error:') || true
  if [ "$(wc -l <<< "$errors")" != 1 ] || [[ $errors != *"Onefold needs C++20: compile with -std=c++20"* ]]; then
    echo "$header: wanted one error that asks for C++20, got: ${errors:-none}" >&2
    status=1
  fi
done
exit $status
