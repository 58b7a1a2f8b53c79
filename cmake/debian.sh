#!/usr/bin/env bash
# Builds the Debian packages of build/dist's sdist in build/debian/ARCHITECTURE, this machine's or by a cross compiler arm64, and
# has lintian read them: no error or warning may be found.
# Usage: debian.sh [ARCHITECTURE]
set -eu
cd "$(dirname "$0")/.."
here=$(dpkg --print-architecture)
architecture=${1-$here} cross=() options="parallel=${JOBS:-$(nproc)} noautodbgsym"
tree=$PWD/build/debian/$architecture
if [ "$architecture" != "$here" ]; then
  cross=("--host-arch=$architecture" --build-profiles=cross)
  options+=" crossbuildcanrunhostbinaries"
fi
if command -v ccache >/dev/null; then
  CCACHE_DIR=$(ccache --get-config cache_dir)  # dh has a home and a language of its own
  export CCACHE_DIR CCACHE_BASEDIR=$tree CMAKE_CXX_COMPILER_LAUNCHER="env;-u;LC_ALL;ccache"
fi
version=$(sed -n 's/.*ONEFOLD_VERSION "\(.*\)"/\1/p' onefold/version.hpp)
rm -rf "$tree"
mkdir -p "$tree"
cp "build/dist/onefold-$version.tar.gz" "$tree/onefold_$version.orig.tar.gz"
tar xf "build/dist/onefold-$version.tar.gz" -C "$tree"
cp -r debian "$tree/onefold-$version"
cd "$tree/onefold-$version"
DEB_BUILD_OPTIONS=$options dpkg-buildpackage --no-sign "${cross[@]}" >../log 2>&1 || { tail -n 40 ../log; exit 1; }
cd ..
lintian --allow-root --fail-on error,warning "onefold_$version"-*.changes
ls -l ./*.deb
