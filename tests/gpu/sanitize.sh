#!/bin/bash
# compute-sanitizer over the program on a GPU: every family of kernels, arrays of one block, of some
# and of all, of small numbers and of random bits, and sums of more.
#
#   tests/gpu/sanitize.sh build/release/onefold [TOOL ...]
#
# Takes about 4 minutes a tool on 16 cores. Prints a line for each run with an error, then how many
# there were of how many. Statuses of answers (a sum that overflows) are no errors here.
program=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Launches wait for their end: racecheck 2025.3 loses most of those of 4 MiB that do not, or stops.
export CUDA_LAUNCH_BLOCKING=1
export ONEFOLD_CACHE=${ONEFOLD_CACHE-$folder}
PATH=$PATH:/usr/local/cuda/bin

for n in 1000 16380 1048576; do
  head -c $((8 * n)) /dev/urandom > "$folder/bits.$n"
  perl -e 'print pack("d<*", map {rand() - 0.5} 1 .. shift)' $n > "$folder/f64.$n"
  perl -e 'print pack("f<*", map {rand() - 0.5} 1 .. shift)' $n > "$folder/f32.$n"
  perl -e 'print pack("v*", map {unpack("V", pack("f<", rand() - 0.5)) >> 16} 1 .. shift)' $n \
      > "$folder/bf16.$n"
done

# 72 MiB, which sums of f64 and squares take in several launches.
for type in bits f64 f32 bf16; do
  for copy in $(seq $((75497472 / $(stat -c %s "$folder/$type.1048576")))); do
    cat "$folder/$type.1048576"
  done > "$folder/$type.large"
done

one() {  # tool ops type file
  local files=("$4")
  [ "$2" = dot ] && files=("$4" "$4")
  local run=("$program" "$2" --dtype "$3" --format raw --device cuda "${files[@]}")
  "${run[@]}" > /dev/null 2>&1  # compiles, so that the tool need not watch
  local said
  for attempt in 1 2 3; do  # a tool that stops without a word is asked again
    said=$(timeout 150 compute-sanitizer --tool "$1" "${run[@]}" 2>&1 | grep SUMMARY) && break
  done
  case $said in
    *": 0 errors" | *": 0 hazards"*) echo clean ;;
    *) echo "$1: ${run[*]}: ${said:-ended without a summary}" ;;
  esac
}
export -f one
export program

for tool in ${*:-memcheck racecheck initcheck synccheck}; do
  for file in "$folder"/*.*; do
    name=${file##*/}
    for type in f64 f32 f16 bf16 i8 i64; do
      case $name in bits.* | "$type".*) ;; *) continue ;; esac
      all="sum norm2 var max argmax any dot describe"
      case $name.$type in *.large.[fb]*) all="sum norm2 var" ;; *.large.*) continue ;; esac
      for ops in $all; do echo "$tool $ops $type $file"; done
    done
  done
done | xargs -P "$(nproc)" -L 1 bash -c 'one "$@"' one | tee "$folder/said" |
  grep --line-buffered -v '^clean$'
echo "$(grep -vc '^clean$' "$folder/said") with an error of $(wc -l < "$folder/said")"
! grep -qv '^clean$' "$folder/said"
