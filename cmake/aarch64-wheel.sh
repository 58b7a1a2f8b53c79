#!/usr/bin/env bash
# Builds the wheel for 64-bit Arm by Debian's cross compiler, and runs the examples of docs/start/tour.md with it under qemu-user:
# Debian's Python for Arm, unpacked into build/aarch64/root, with NumPy's and nanobind's wheels beside ours.
set -eu
cd "$(dirname "$0")/.."
export PIP_DISABLE_PIP_VERSION_CHECK=1
tree=$PWD/build/aarch64 venv=$PWD/build/wheel-venv triple=aarch64-linux-gnu
[ -x "$venv/bin/pip" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet $("$venv/bin/python" -c "
import tomllib
print(*tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires'])")
launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
cmake -B "$tree" -G Ninja --toolchain cmake/aarch64.cmake "${launcher[@]}" -DONEFOLD_TESTS=OFF -DONEFOLD_CLI=OFF \
  -DONEFOLD_MPI=OFF -DONEFOLD_ARROW=OFF -DONEFOLD_GOLDEN=ON -DONEFOLD_FILES=ON -DONEFOLD_PYTHON=ON \
  -DPython_EXECUTABLE="$venv/bin/python" -DPython_INCLUDE_DIR="$("$venv/bin/python" -c "
import sysconfig
print(sysconfig.get_path('include'))")" >/dev/null
CCACHE_BASEDIR=${CCACHE_BASEDIR-$PWD} cmake --build "$tree" -j "${JOBS:-$(nproc)}" --target onefold_python

rm -rf "$tree/site" "$tree/root"
$triple-strip -o "$tree/_core.abi3.so" "$tree/python/onefold/_core.abi3.so"
TAGS="--platform-tag linux_aarch64" cmake/pack-wheel.sh "$tree" "$tree/_core.abi3.so" "$venv/bin/python" --ldpaths "/usr/lib/$triple:/usr/$triple/lib"

mkdir -p "$tree/packages" "$tree/site"
(cd "$tree/packages"
  for name in python3.11-minimal libpython3.11-minimal libpython3.11-stdlib zlib1g libexpat1 libffi8; do
    ls "${name}"_*.deb >/dev/null 2>&1 || apt-get -o APT::Sandbox::User=root -o Acquire::Retries=3 download -qq "$name:arm64"
    dpkg -x "${name}"_*.deb "$tree/root"
  done)
"$venv/bin/pip" install --quiet --no-deps --only-binary :all: --platform manylinux_2_28_aarch64 --platform manylinux_2_36_aarch64 \
  --platform manylinux_2_35_aarch64 --platform manylinux_2_34_aarch64 --python-version 3.11 --target "$tree/site" nanobind-backend numpy "$tree"/dist/*.whl
timeout 300 qemu-aarch64-static -E PYTHONHOME="$tree/root/usr" -E PYTHONPATH="$tree/site" \
  -E LD_LIBRARY_PATH="$tree/root/lib/$triple:$tree/root/usr/lib/$triple" "$tree/root/usr/bin/python3.11" -B -c '
import doctest, os, platform, re
import numpy as np, onefold
text = "\n".join(re.findall(r"^```python\n(.*?)^```", open("docs/start/tour.md").read(), re.M | re.S))
test = doctest.DocTestParser().get_doctest(text, {"np": np, "onefold": onefold}, "tour.md", None, 0)
with np.printoptions(legacy="2.1"):
    failed, tried = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL).run(test)
print(f"tour.md on {platform.machine()}: {tried} examples, {failed} failed", flush=True)
os._exit(failed != 0 or tried < 7)'
