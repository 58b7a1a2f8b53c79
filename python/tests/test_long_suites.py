"""The tests of NumPy, Bottleneck, Dask and scipy, run on our functions; differences.txt is what differs."""

import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parent
SUITES = {
    "numpy": ["numpy.lib.tests.test_nanfunctions",
              *(f"numpy.lib.tests.test_function_base::{name}" for name in ("TestPercentile", "TestQuantile", "TestLerp", "TestMedian")),
              "numpy._core.tests.test_ufunc",
              "numpy._core.tests.test_numeric::TestNonarrayArgs",
              *(f"numpy._core.tests.test_multiarray::{name}" for name in (
                  "TestStats", "TestArgmaxArgminCommon", "TestArgmax", "TestArgmin",
                  "TestMinMax"))],
    "bottleneck": ["bottleneck.tests.reduce_test"],
    "dask": ["dask.array.tests.test_reductions"],
    "scipy": ["scipy.special.tests.test_logsumexp"]}


def differences(suite):
    lines = (FOLDER / "differences.txt").read_text().splitlines()[1:]
    assert len(lines) <= 25
    split = [line.split(" ", 2) for line in lines]
    assert all(len(parts) == 3 and parts[0] in SUITES for parts in split)
    return {test for name, test, _ in split if name == suite}


@pytest.mark.parametrize("suite", SUITES)
def test_what_differs_is_listed(suite):
    pytest.importorskip(suite)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(FOLDER), *filter(None, sys.path)])}
    done = subprocess.run(
        [sys.executable, "-B", "-m", "pytest", "-q", "-c", os.devnull, "-p", "no:cacheprovider",
         "-p", f"patch_{suite}", "--tb=line", "-rfE", "--pyargs", *SUITES[suite]],
        env=env, cwd="/", capture_output=True, text=True)
    failed = {line.split(" - ")[0].split(".py::")[-1] for line in done.stdout.splitlines()
              if line.startswith(("FAILED ", "ERROR "))}
    assert " passed" in done.stdout, done.stdout[-3000:] + done.stderr[-3000:]
    listed = differences(suite)  # a name without parameters is that of all of them
    failed = {name if name in listed else next((one for one in listed if name.startswith(one + "[")), name) for name in failed}
    assert failed == listed, done.stdout[-3000:]
