#!/usr/bin/env bash
# Tests the wheel as users have it. For each Python, a fresh virtual environment in build/wheel-test:
# build/dist's wheel is installed with what python/tests need, and these run on it; nothing is taken
# from a build tree. Then `pip install .` with the last Python, in a fresh environment without NumPy.
#
#   PYTHONS  programs, separated by spaces; else those of python3.11 to python3.14 that run, and pyenv's
#   NEEDS    packages, separated by spaces; else python/tests/requirements.txt
#   PROGRAM  the program onefold, for the tests of the lab; else these are skipped
#   TESTS    words for pytest; else the files of python/tests that `make test` runs
set -eu
cd "$(dirname "$0")/.."
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
if command -v ccache >/dev/null; then
  # With paths from the source tree on, so that it takes what build/release has compiled.
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=${CCACHE_BASEDIR-$PWD}
fi
export CXX=${CXX:-c++}  # as other builds call it: ccache tells compilers apart by name
unset PYTHONPATH ONEFOLD_PROGRAM ONEFOLD_ARROW_PLUGIN
[ -z "${PROGRAM:-}" ] || export ONEFOLD_PROGRAM=$PROGRAM
wheel=$(ls -t build/dist/onefold-*.whl | head -n 1)
version_of() {  # fails without a GIL: free-threaded-wheel.sh is for these
  "$1" -c "import sys; print('%d.%d' % sys.version_info[:2]); sys.exit('t' in sys.abiflags)" 2>/dev/null
}
if [ -z "${PYTHONS:-}" ]; then
  versions=" "  # each once, though pyenv may be behind the name in PATH
  for python in python3.11 python3.12 python3.13 python3.14 \
    "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[1-4].*/bin/python3; do
    version=$(version_of "$python") || continue
    case $versions in *" $version "*) continue ;; esac
    versions+="$version " PYTHONS="${PYTHONS:-} $python"
  done
fi
tests=${TESTS:-$(ls python/tests/test_*.py | grep -v -e test_long_ -e test_cuda)}

fresh() {  # a new environment
  rm -rf "$2"
  "$1" -m venv "$2"
}

for python in $PYTHONS; do
  venv=build/wheel-test/$(version_of "$python")
  echo "$wheel with $("$python" --version)"
  fresh "$python" "$venv"
  "$venv/bin/pip" install --quiet ${NEEDS:---requirement python/tests/requirements.txt} "$wheel"
  "$venv/bin/python" -c "import onefold, sys; sys.exit('site-packages' not in onefold.__file__)"
  "$venv/bin/python" -m pytest $tests
done
[ -z "${NEEDS:-}" ] || exit 0
echo "pip install . with $("$python" --version)"
fresh "$python" build/wheel-test/source
cmake/say-build.sh
build/wheel-test/source/bin/pip install --quiet .
cd build/wheel-test  # where no onefold lies
source/bin/python -c "import array, onefold; assert onefold.sum(array.array('d', [1e16, 1, -1e16])) == 1"
