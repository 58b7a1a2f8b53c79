#!/usr/bin/env bash
# Installs what is missing for a purpose (program, python, test, clang, long, bench): on Debian and Ubuntu, as root.
# Elsewhere it says what to install, in one line.
set -eu
packages=(g++ cmake ninja-build libhwy-dev libtbb-dev libcli11-dev libfmt-dev nlohmann-json3-dev
  libfast-float-dev libboost-context-dev zlib1g-dev libzstd-dev liblzma-dev libbz2-dev)
case ${1-program} in
  program) ;;
  python) packages+=(python3-dev python3-venv) ;;
  # Chromium, for the page of the lab, is 15 s of it; clang, for kernels, is small beside clang-format.
  test) packages+=(libhdf5-103-1 libblosc1 zstd xz-utils bzip2 libgtest-dev libgmp-dev clang clang-format chromium python3-dev python3-venv
        libopenmpi-dev openmpi-bin) ;;
  # The other compiler.
  clang) packages+=(clang) ;;
  # That, and its fuzzer.
  long) packages+=(libhdf5-103-1 libblosc1 zstd xz-utils bzip2 libgtest-dev libgmp-dev clang-format chromium clang python3-dev python3-venv
        libopenmpi-dev openmpi-bin) ;;
  # Peers to measure against.
  bench) packages+=(libeigen3-dev python3-numpy datamash miller) ;;
  *) echo "usage: $0 [program|python|test|clang|long|bench]" >&2 && exit 2 ;;
esac
if ! command -v dpkg-query >/dev/null; then
  echo "onefold: no dpkg here; install what your system calls ${packages[*]}" >&2
  exit 0
fi
missing=()
for p in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
done
[ ${#missing[@]} -eq 0 ] && exit 0
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "onefold: install what is missing first: sudo apt-get install ${missing[*]}" >&2
  exit 1
fi
echo "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
install="apt-get install -qq -y --no-install-recommends"
$install "${missing[@]}" >/dev/null 2>&1 ||
  { apt-get update -qq && $install "${missing[@]}" >/dev/null; }
# clang's run-time libraries, for fuzzers. Older systems have them in another package, which clang needs.
case ${1-program} in test|long) $install libclang-rt-dev >/dev/null 2>&1 || true ;; esac
