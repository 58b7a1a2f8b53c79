#!/usr/bin/env bash
# Builds, in build/free, the wheel for a CPython without a GIL, and tries it there: the README's examples, and each test of
# arrays by 8 threads of one process. nanobind is inside: nanobind-backend has no version for such a Python before 3.15.
# Usage: free-threaded-wheel.sh PYTHON, such as python3.14t
set -eu
cd "$(dirname "$0")/.."
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
tree=$PWD/build/free venv=$PWD/build/free/venv
if [ "$("$1" -c 'import sysconfig; print(sysconfig.get_config_var("Py_GIL_DISABLED"))')" != 1 ]; then
  echo "free-threaded-wheel.sh: $1 has a GIL; name one such as python3.14t" >&2 && exit 2
fi
rm -rf "$venv"
"$1" -m venv "$venv"
"$venv/bin/pip" install --quiet --only-binary :all: ml-dtypes pytest pytest-run-parallel $("$venv/bin/python" -c "
import tomllib
print(*tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires'])")
launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
cmake -B "$tree" -G Ninja "${launcher[@]}" -DCMAKE_BUILD_TYPE=Release -DONEFOLD_TESTS=OFF -DONEFOLD_CLI=OFF \
  -DONEFOLD_MPI=OFF -DONEFOLD_ARROW=OFF -DONEFOLD_PYTHON=ON -DPython_EXECUTABLE="$venv/bin/python" >/dev/null
CCACHE_BASEDIR=${CCACHE_BASEDIR-$PWD} cmake --build "$tree" -j "${JOBS:-$(nproc)}" --target onefold_python
INSIDE=nanobind-backend cmake/pack-wheel.sh "$tree" "$(ls "$tree"/python/onefold/_core.*.so)" "$venv/bin/python"
"$venv/bin/pip" install --quiet --force-reinstall --no-deps "$tree"/dist/*.whl
"$venv/bin/python" -c "import onefold, sys; sys.exit(sys._is_gil_enabled() or 'site-packages' not in onefold.__file__)"
"$venv/bin/python" -m pytest python/tests/test_threads.py python/tests/test_documents.py -k "threads or README or tour"
# Files of tests that need NumPy and ml_dtypes alone.
"$venv/bin/python" -m pytest --parallel-threads=8 python/tests/test_{agg,bits,fold,order,states,weights,where}.py
