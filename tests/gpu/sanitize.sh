#!/bin/bash
# compute-sanitizer over the program on a GPU: every family of kernels, arrays of one block, of some
# and of all, of small numbers and of random bits, and sums of more; masks, segments and pairs.
#
#   tests/gpu/sanitize.sh build/release/onefold [TOOL ...]
#
# Took about 4 minutes a tool on 16 cores before it had masks, segments and pairs. Prints a line for
# each run with an error, then how many there were of how many. Statuses of answers (a sum that
# overflows) are no errors here; what the program refuses is.
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
npy() {  # code shape
  printf '\223NUMPY\001\000\166\000%-117s\n' \
    "{'descr': '$1', 'fortran_order': False, 'shape': ($2), }"
}
array() {  # type shape elements
  npy $([ "$1" = f64 ] && echo '<f8' || echo '<f4') "$2"
  cat "$folder/$1.$3"
}
for type in f64 f32; do
  array $type 200,5 1000 > "$folder/$type.odd.npy"
  array $type 10,10,10 1000 > "$folder/$type.cube.npy"
  array $type 65536,16 1048576 > "$folder/$type.narrow.npy"
  array $type 1024,1024 1048576 > "$folder/$type.square.npy"
  array $type 4,262144 1048576 > "$folder/$type.wide.npy"
  array $type 128,128,64 1048576 > "$folder/$type.box.npy"
done

# Masks, of which a third is true, and segments of an array of one axis: most are empty or short,
# and the last one is the rest.
mask() {  # shape elements
  npy '|b1' "$1"
  perl -e 'print pack("C*", map {rand() < 0.34 ? 1 : 0} 1 .. shift)' $2
}
mask 200,5 1000 > "$folder/mask.odd"
mask 65536,16 1048576 > "$folder/mask.narrow"
mask 1024,1024 1048576 > "$folder/mask.square"
for type in f64 f32; do array $type 1048576, 1048576 > "$folder/$type.line"; done
{ npy '<i8' 40002,
  perl -e '$o = 0; print pack("q<*", (map {$o += rand() < 0.3 ? 0 : int(rand() ** 4 * 99); $o} 0 .. 40000),
           1048576)'
} > "$folder/offsets.line"

one() {  # tool ops type file [axis] [option file]
  local files=("$4")
  case $2 in dot | corr) files=("$4" "$4") ;; esac
  local run=("$program" "$2" --dtype "$3" --format raw --device cuda "${files[@]}")
  case ${5-} in
    "") ;;
    whole) run=("$program" "$2" "${@:6}" --device cuda "${files[@]}") ;;
    *) run=("$program" "$2" --axis "$5" "${@:6}" --device cuda "${files[@]}") ;;
  esac
  local said
  said=$("${run[@]}" 2>&1 > /dev/null)  # compiles, so that the tool need not watch
  case $? in
    0 | 20 | 21 | 22) ;;
    *) echo "$1: ${run[*]}: $said"; return ;;
  esac
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
  for type in f64 f32; do
    for shape in odd narrow square; do
      for axis in whole 0 1; do
        for ops in sum max; do
          echo "$tool $ops - $folder/$type.$shape.npy $axis --where $folder/mask.$shape"
        done
        echo "$tool corr - $folder/$type.$shape.npy $axis"
      done
    done
    for ops in sum var argmax; do
      echo "$tool $ops - $folder/$type.line whole --offsets $folder/offsets.line"
    done
  done
  for file in "$folder"/*.*; do
    case $file in *.npy | *.line | */mask.*) continue ;; esac
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
