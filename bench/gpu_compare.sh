#!/usr/bin/env bash
# Are the kernels of one build as fast as those of another? By turns on one device, the best of so
# many rounds:
#
#   bench/gpu_compare.sh OLD_BUILD NEW_BUILD [ROUNDS]
#
# A line: the case, old and new (us of gpu_sizes, ms of gpu_whole), and old / new. WHOLE and SIZES
# in the environment hold options of gpu_whole and gpu_sizes; empty: that one is not run.
set -eu
old=$1 new=$2 rounds=${3-3}
whole=${WHOLE---gib 4 --replays 9} sizes=${SIZES---sizes 10,14,18,20,22,24,28}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for round in $(seq "$rounds"); do
  for which in old new; do
    build=${!which}
    # shellcheck disable=SC2086
    { [ -z "$whole" ] || "$build/bench/gpu_whole" $whole; } >>"$out/$which"
    # shellcheck disable=SC2086
    { [ -z "$sizes" ] || "$build/bench/gpu_sizes" $sizes; } >>"$out/$which"
  done
done
# The best time of each case, and the plain read's bandwidth as it was beside it.
times() {
  awk '/ ms /{k=$1" "$2; t=$4} /^onefold/{k=$2" "$3" "$4; t=$5}
       / ms |^onefold/{if (!(k in best) || t<best[k]) best[k]=t}
       END{for (k in best) print k"\t"best[k]}' "$1" | sort
}
join -t $'\t' <(times "$out/old") <(times "$out/new") |
  awk -F'\t' '{printf "%-36s %10.4f %10.4f  %.3f\n", $1, $2, $3, $2/$3}'
