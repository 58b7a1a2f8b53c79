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

# The same numbers as arrays of some shapes, for folds along axes: short rows, rows, runs, columns.
npy() {  # type shape elements
  local code='<f4'
  [ "$1" = f64 ] && code='<f8'
  printf '\223NUMPY\001\000\166\000%-117s\n' \
    "{'descr': '$code', 'fortran_order': False, 'shape': ($2), }"
  cat "$folder/$1.$3"
}
for type in f64 f32; do
  npy $type 200,5 1000 > "$folder/$type.odd.npy"
  npy $type 10,10,10 1000 > "$folder/$type.cube.npy"
  npy $type 65536,16 1048576 > "$folder/$type.narrow.npy"
  npy $type 1024,1024 1048576 > "$folder/$type.square.npy"
  npy $type 4,262144 1048576 > "$folder/$type.wide.npy"
  npy $type 128,128,64 1048576 > "$folder/$type.box.npy"
done

one() {  # tool ops type file [axis]
  local files=("$4")
  [ "$2" = dot ] && files=("$4" "$4")
  local run=("$program" "$2" --dtype "$3" --format raw --device cuda "${files[@]}")
  [ -n "${5-}" ] && run=("$program" "$2" --axis "$5" --device cuda "${files[@]}")
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
  for file in "$folder"/*.npy; do
    for axis in 0 1; do
      for ops in sum var argmax; do echo "$tool $ops - $file $axis"; done
    done
  done
  for file in "$folder"/*.*; do
    case $file in *.npy) continue ;; esac
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
