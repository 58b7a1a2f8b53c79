#!/usr/bin/env bash
# Installs Debian's packages with their dependencies in a new root of Debian 12, runs the program there, and compiles a C++ and a
# C program with what pkg-config says. Needs mmdebstrap, root, and a network. Usage: try-debs.sh FILE.deb ...
set -eu
debs=$(mktemp -d)
trap 'rm -rf "$debs"' EXIT
cp "$@" "$debs"
cat >"$debs/a.cpp" <<'END'
#include <onefold/onefold.hpp>

#include <cstdio>
#include <vector>

int main() { std::printf("%g\n", onefold::sum(std::vector<double>{1e16, 1, -1e16})); }
END
cat >"$debs/a.c" <<'END'
#include <onefold/onefold.h>
#include <stdio.h>

int main(void) {
  puts(onefold_version());
  return 0;
}
END
cat >"$debs/try" <<'END'
set -eux
apt-get install -y -qq --no-install-recommends ./*.deb g++ pkgconf >/dev/null
[ "$(echo 1e308 1e308 -1e308 | onefold sum)" = 1e+308 ]
[ "$(seq 1000 | gzip | onefold mean)" = 500.5 ]
[ -e /usr/share/man/man1/onefold-describe.1.gz ] || [ -e /etc/dpkg/dpkg.cfg.d/docker ]
g++ -std=c++20 a.cpp $(pkg-config --cflags onefold) -l:libonefold.a -lhwy -ltbb -ldl -o a && [ "$(./a)" = 1 ]
gcc a.c $(pkg-config --cflags --libs onefold) -o c && ./c
END
# shellcheck disable=SC2016  # mmdebstrap expands $1
mmdebstrap --variant=apt --quiet --skip=cleanup/apt/lists --customize-hook="cp -r '$debs' \$1/debs" \
  --customize-hook='chroot $1 sh -c "cd /debs && sh try"' bookworm /dev/null http://deb.debian.org/debian
echo "installed and tried in a new root: $*"
