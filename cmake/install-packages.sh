#!/usr/bin/env bash
# Installs what the build needs where it is missing: Debian and Ubuntu, as root. Elsewhere it says
# what to install.
set -eu
packages=(g++ cmake ninja-build libhwy-dev libtbb-dev libcli11-dev libfmt-dev nlohmann-json3-dev
  libfast-float-dev libgtest-dev libgmp-dev)
if ! command -v dpkg-query >/dev/null; then
  echo "onefold: no dpkg here; needed are ${packages[*]} or what your system calls them" >&2
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
apt-get install -qq -y "${missing[@]}" >/dev/null 2>&1 ||
  { apt-get update -qq && apt-get install -qq -y "${missing[@]}" >/dev/null; }
