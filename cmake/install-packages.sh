#!/usr/bin/env bash
# Installs what is missing for a purpose (demo, program, python, engines, debian, debian-arm64, test, clang, aarch64, aarch64-one, windows, long, page, bench): on Debian and
# Ubuntu, as root. Elsewhere it says what to install, in one line.
set -eu
"$(dirname "$0")/writable.sh"
packages=(g++ cmake ninja-build libhwy-dev libtbb-dev libcli11-dev libfmt-dev nlohmann-json3-dev
  libfast-float-dev libboost-context-dev zlib1g-dev libzstd-dev liblzma-dev libbz2-dev)
# What the program loads for a file, of which it needs one name a line; without, it works for others.
wanted=("libhdf5-103-1 libhdf5-103-1t64 libhdf5-310" libblosc1)
purpose=${1-program}
case $purpose in
  demo) ;;
  program) python3 -c "import ensurepip" 2>/dev/null || wanted+=(python3-venv) ;;
  python) packages+=(python3-dev python3-venv) ;;
  engines) packages+=(libsqlite3-dev python3-venv) ;;
  # Chromium, for the page of the lab, is 15 s of it; clang, for kernels, is small beside clang-format.
  test | long) packages+=(zstd xz-utils bzip2 libgtest-dev libgmp-dev clang clang-format chromium
    python3-dev python3-venv libopenmpi-dev openmpi-bin pkgconf
    libsqlite3-dev sqlite3)
    # Engines and languages that tests skip where they are not there.
    wanted+=(gfortran r-base-core golang-go nodejs lld postgresql postgresql-server-dev-all) ;;
  # The other compiler.
  clang) packages+=(clang) wanted=() ;;
  # 64-bit Arm: a cross compiler, what runs its programs here, and Arm's libraries.
  aarch64) packages=(cmake ninja-build libfast-float-dev g++-aarch64-linux-gnu qemu-user-static
    libhwy-dev:arm64 libtbb-dev:arm64) wanted=() ;;
  aarch64-one) packages=(g++ g++-aarch64-linux-gnu qemu-user-static) wanted=() ;;
  # Windows: a cross compiler, and what runs its programs here.
  windows) packages=(cmake ninja-build g++ g++-mingw-w64-x86-64-posix wine wine64 libgtest-dev nlohmann-json3-dev libhwy-dev libfast-float-dev) wanted=() ;;
  debian) packages+=(build-essential debhelper libopenmpi-dev lintian) ;;
  # The same by a cross compiler; qemu runs tests, and prints manual pages.
  debian-arm64) packages=(build-essential debhelper lintian cmake ninja-build g++-aarch64-linux-gnu qemu-user-static
    libcli11-dev nlohmann-json3-dev libfast-float-dev libhwy-dev:arm64 libtbb-dev:arm64 libfmt-dev:arm64
    libboost-context-dev:arm64 zlib1g-dev:arm64 libzstd-dev:arm64 liblzma-dev:arm64 libbz2-dev:arm64) wanted=() ;;
  # The compiler to WebAssembly: 805 MB.
  page) packages+=(emscripten) wanted=() ;;
  # Peers to measure against.
  bench) packages+=(libeigen3-dev python3-numpy datamash miller) wanted=() ;;
  *) echo "usage: $0 [demo|program|python|engines|debian|debian-arm64|test|clang|aarch64|aarch64-one|windows|long|page|bench]" >&2 && exit 2 ;;
esac
if ! command -v dpkg-query >/dev/null; then
  echo "onefold: no dpkg here; install what your system calls ${packages[*]}" >&2
  exit 0
fi
is_here() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

missing=() may=()
for p in "${packages[@]}"; do is_here "$p" || missing+=("$p"); done
for names in "${wanted[@]}"; do
  for p in $names; do is_here "$p" && continue 2; done
  may+=("$names")
done
[ $((${#missing[@]} + ${#may[@]})) -eq 0 ] && exit 0
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  first=("${may[@]%% *}")
  if [ ${#missing[@]} -gt 0 ]; then
    echo "onefold: install what is missing first: sudo apt-get install ${missing[*]} ${first[*]}" >&2
    exit 1
  fi
  echo "onefold: some formats need more (onefold info): sudo apt-get install ${first[*]}" >&2
  exit 0
fi
case $purpose in aarch64 | debian-arm64) dpkg --add-architecture arm64 ;; esac
echo installing "${missing[@]}" "${may[@]%% *}"
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1  # no server starts because it was installed
install="apt-get install -qq -y --no-install-recommends"
if [ ${#missing[@]} -gt 0 ]; then
  $install "${missing[@]}" >/dev/null 2>&1 ||
    { apt-get update -qq && $install "${missing[@]}" >/dev/null; }
elif ! apt-cache show "${may[0]%% *}" >/dev/null 2>&1; then
  apt-get update -qq 2>/dev/null || true
fi
for names in "${may[@]}"; do
  for p in $names; do $install "$p" >/dev/null 2>&1 && continue 2; done
  echo "onefold: ${names%% *} cannot be installed here; what needs it is left out (onefold info says which files)" >&2
done
# clang's run-time libraries, for fuzzers. Older systems have them in another package, which clang needs.
case $purpose in test | long) $install libclang-rt-dev >/dev/null 2>&1 || true ;; esac
