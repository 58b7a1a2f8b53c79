#!/usr/bin/env bash
# `make install`, `make demo` and `make python` where they cannot do what they promise.
# Usage: set_up.sh TREE BUILD
set -eu
tree=$1 build=$2
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
fail() { echo "$1" && exit 1; }
expect() { grep -qF -- "$1" "$scratch/said" || fail "not said: $1; but: $(cat "$scratch/said")"; }

# What was built before does not decide what is installed: each file that is promised does.
install=$scratch/install
mkdir -p "$install/build/release" "$install/cmake" "$install/bin"
cp "$tree/Makefile" "$install"
printf '#!/bin/sh\necho built $1\n' >"$install/cmake/build.sh"
printf '#!/bin/sh\n' >"$install/bin/cmake"
chmod +x "$install/cmake/build.sh" "$install/bin/cmake"
run_install() { (cd "$install" && PATH=$install/bin:$PATH make install PREFIX="$scratch/p") >"$scratch/said" 2>&1; }
files="onefold onefold-lab libonefold.so.1 onefold_arrow.so"
for file in $files; do echo "$install/build/release/$file"; done >"$install/promised"
touch "$install/build/release/onefold-lab" "$install/build/release/libonefold.so.1"
run_install
expect "built program"  # nothing is configured
cp "$install/promised" "$install/build/release/installed.txt"
run_install
expect "built program"  # the lab and the library are there, and no plugin
for file in $files; do touch "$install/build/release/$file"; done
run_install
! grep -q built "$scratch/said" || fail "built again: $(cat "$scratch/said")"
# CMake's own list has the program, and the plugins of this build.
for file in $(cd "$build" && ls onefold_mpi.so onefold_arrow.so 2>/dev/null) onefold; do
  grep -q "/$file\$" "$build/installed.txt" || fail "installed.txt lacks $file"
done

# Another user's tree, and a folder in one's own that root has built in.
as=()
[ "$(id -u)" -ne 0 ] || as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
other=$scratch/other
mkdir -p "$other/cmake" "$other/build/release"
cp "$tree"/cmake/*.sh "$other/cmake"
chmod 755 "$scratch"
refuse() {  # refuse SAYS SCRIPT PURPOSE
  ! "${as[@]}" "$other/cmake/$2" "$3" >"$scratch/said" 2>&1 || fail "$2 ran in a tree of another user"
  expect "$1"
  [ "$(wc -l <"$scratch/said")" -eq 1 ] || fail "more than a line: $(cat "$scratch/said")"
}
chmod a-w "$other"
for script in build.sh install-packages.sh; do
  refuse "onefold: this tree belongs to $(id -un), and you cannot write to it: clone your own" $script demo
done
chmod 777 "$other" "$other/build"
chmod a-w "$other/build/release"
refuse "onefold: build/release belongs to $(id -un), and you cannot write to it: remove it" build.sh demo
# What is built there can be installed elsewhere.
chmod 755 "$other/build/release"
mkdir "$scratch/source" && printf '%s\n' 'cmake_minimum_required(VERSION 3.20)' 'project(other NONE)' \
  'install(FILES CMakeLists.txt DESTINATION share)' \
  "$(sed -n '/^# Last: CMake lists/,$p' "$tree/cmake/install.cmake")" >"$scratch/source/CMakeLists.txt"
cmake -S "$scratch/source" -B "$other/build/release" >/dev/null
chmod -R a-w "$other/build/release"
mkdir -m 777 "$scratch/elsewhere"
"${as[@]}" cmake --install "$other/build/release" --prefix "$scratch/elsewhere" >"$scratch/said" 2>&1 ||
  fail "not installed: $(cat "$scratch/said")"
[ -f "$scratch/elsewhere/share/CMakeLists.txt" ] || fail "not installed"
chmod -R u+w "$other/build/release"
cmake --install "$other/build/release" --prefix "$scratch/elsewhere" >/dev/null
[ -f "$other/build/release/install_manifest.txt" ] || fail "the owner has no list"

# A Python that is too old.
old=$scratch/old
mkdir -p "$old/cmake" "$old/bin"
cp "$tree"/cmake/*.sh "$old/cmake"
cp "$tree/pyproject.toml" "$old"
cat >"$old/bin/python3" <<'END'
#!/bin/sh
case "$*" in
  *version_info*"(3, 11)"*) exit 1 ;;
  --version) echo Python 3.10.12 ;;
  *) echo "called: $*"; exit 3 ;;
esac
END
chmod +x "$old/bin/python3"
too_old() {  # too_old SAYS SCRIPT [PURPOSE]
  ! PATH=$old/bin:$PATH "$old/cmake/$2" ${3-} >"$scratch/said" 2>&1 || fail "took Python 3.10 for $2 ${3-}"
  expect "onefold: Python 3.11 and later work, and $1"
  [ "$(wc -l <"$scratch/said")" -eq 1 ] || fail "more than a line: $(cat "$scratch/said")"
}
here="$old/bin/python3 is Python 3.10.12; put a later python3 first in PATH"
for purpose in module test docs; do too_old "$here" venv.sh $purpose; done
for purpose in python test; do too_old "$here" build.sh $purpose; done  # before anything is installed
too_old "$here" python-package.sh
too_old "$here" wheel.sh
mkdir -p "$old/build/venv/bin"
cp "$old/bin/python3" "$old/build/venv/bin/python"
too_old "build/venv/bin/python is Python 3.10.12; remove build/venv, and put a later" build.sh python
