#!/usr/bin/env bash
# Builds the Debian packages of build/dist's sdist in build/debian, and has lintian read them: no error or warning may be found.
set -eu
cd "$(dirname "$0")/.."
if command -v ccache >/dev/null; then
  CCACHE_DIR=$(ccache --get-config cache_dir)  # dh has a home and a language of its own
  export CCACHE_DIR CCACHE_BASEDIR=$PWD/build/debian CMAKE_CXX_COMPILER_LAUNCHER="env;-u;LC_ALL;ccache"
fi
version=$(sed -n 's/.*ONEFOLD_VERSION "\(.*\)"/\1/p' onefold/version.hpp)
rm -rf build/debian
mkdir -p build/debian
cp "build/dist/onefold-$version.tar.gz" "build/debian/onefold_$version.orig.tar.gz"
cd build/debian
tar xf "onefold_$version.orig.tar.gz"
cd "onefold-$version"
cp -r ../../../debian .
DEB_BUILD_OPTIONS="parallel=${JOBS:-$(nproc)} noautodbgsym" \
  dpkg-buildpackage --no-sign >../log 2>&1 || { tail -n 40 ../log; exit 1; }
cd ..
lintian --allow-root --fail-on error,warning "onefold_$version"-*.changes
ls -l ./*.deb
