"""NumPy's own tests of its reductions, run on ours; what differs has its reason here."""

import os
import pathlib
import subprocess
import sys

SUITES = ["numpy.lib.tests.test_nanfunctions"] + [
    f"numpy._core.tests.test_multiarray::{name}"
    for name in ("TestStats", "TestArgmax", "TestArgmin", "TestMinMax")]

# Test: why it differs.
DIFFERENT = {}


def test_numpy_passes_its_own_tests_on_ours():
    folder = str(pathlib.Path(__file__).parent)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([folder, *filter(None, sys.path)])}
    without = " and ".join(f"not {name}" for name in DIFFERENT)
    done = subprocess.run(
        [sys.executable, "-B", "-m", "pytest", "-q", "-c", os.devnull, "-p", "no:cacheprovider",
         "-p", "patch_numpy", *(["-k", without] if without else []), "--pyargs", *SUITES],
        env=env, cwd="/", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
