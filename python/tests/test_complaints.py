"""What users of other packages have reported, thread by thread: each has the exact answer here.

Beside ours stands what they complained of, in the package that is installed: it must still differ, or
the test is skipped and says that the peer has got better.
"""

import math
import tracemalloc
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import bottleneck as bn
import dask.array as da
import ml_dtypes
import numpy as np
import pandas as pd
import polars as pl
import pytest

import onefold
import onefold.dask


@dataclass
class Complaint:
    threads: str  # names of threads that report it
    make: Callable[[], Any]
    ours: Callable[[Any], Any]
    exact: Any
    theirs: Callable[[Any], Any] | None = None  # None: the package is not installed, or it crashes

    def __str__(self):
        return self.threads.replace(" ", ",")


def outcome(call, x):
    """The result of a call, or the kind of its error; arrays as lists, so that they compare."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = call(x)
    except ArithmeticError as error:
        return "OverflowError" if isinstance(error, OverflowError) else type(error).__name__
    return value.tolist() if hasattr(value, "tolist") else value


def first_row_large():
    x = np.ones((1 << 21, 2), "f4")
    x[0] = 2**24
    return x


def layouts(x):
    flat = x.ravel()
    return [flat, flat[::-1], x, x.T, np.repeat(flat, 2)[::2], x[::-1],
            x.reshape(32, 4, -1).swapaxes(0, 2)]


def patterns(op, arrays):
    """Counts the different bit patterns of the arrays' answers."""
    return len({np.asarray(op(a)).tobytes() for a in arrays})


def permuted(x):
    return [np.random.default_rng(k).permutation(x) for k in range(20)]


def warned(call, x):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call(x)
    return len(seen)


def temporaries(call, x):
    """Returns whether a call allocates as much memory as its input has."""
    call(x)
    tracemalloc.start()
    call(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak > x.nbytes / 8


def with_nan():
    x = np.random.default_rng(12).normal(size=1 << 18)
    x[::7] = np.nan
    return x


def chunked(mean):
    x = np.random.default_rng(3).lognormal(0, 3, 20_000).astype("f4")
    return patterns(lambda c: mean(da.from_array(x, c)).compute(scheduler="sync"),
                    [20_000, 7_000, 999, 128])


OFFSET = np.array([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16])

COMPLAINTS = [
    Complaint("numpy_22956 numpy_29772 numpy_30543 numpy_20458 numpy_14691 numpy_5681 cupy_2559",
              first_row_large, lambda x: onefold.mean(x, axis=0),
              [float(np.float32((2**24 + 2**21 - 1) / 2**21))] * 2, lambda x: np.mean(x, axis=0)),
    Complaint("numpy_8869", lambda: np.full((100_000, 2), np.float32(0.1)),
              lambda x: onefold.std(x, axis=0), [0, 0], lambda x: np.std(x, axis=0)),
    Complaint("numpy_8786 numba_2855 numba_3702 numba_8485",
              lambda: np.array([1e100, 1.0, -1e100, 1e-100]), onefold.sum, 1.0, np.sum),
    Complaint("cpython_100425", lambda: [0.1] * 10 + [1e17, 1.0, -1e17], onefold.sum,
              math.fsum([0.1] * 10 + [1e17, 1.0, -1e17]), sum),
    Complaint("numpy_29881 numpy_13783", lambda: np.full(4, 2**62), onefold.sum, "OverflowError",
              np.sum),
    Complaint("numpy_10449", lambda: np.full(4, 2**63, "u8"), onefold.sum, "OverflowError", np.sum),
    Complaint("numpy_6753", lambda: np.full(4, 2**40), lambda x: onefold.dot(x, x),
              "OverflowError", lambda x: np.dot(x, x)),
    Complaint("numpy_23523", lambda: layouts(
        np.random.default_rng(9).normal(size=(128, 96)).astype("f4")),
        lambda x: patterns(onefold.sum, x), 1, lambda x: patterns(np.sum, x)),
    Complaint("numpy_21209", lambda: np.array([2**62, 2**62 + 1, 2**62 + 2]), onefold.var, 2 / 3,
              np.var),
    Complaint("numpy_PR15023 numpy_PR30", with_nan, lambda x: temporaries(onefold.nanmean, x), False,
              lambda x: temporaries(np.nanmean, x)),
    Complaint("numpy_var_of_f16", lambda: np.full(1000, 300, "f2"), onefold.var, 0, np.var),
    Complaint("numpy_norm_of_large", lambda: np.array([1e200, 1e200]), onefold.norm2,
              math.sqrt(2) * 1e200, np.linalg.norm),
    Complaint("ml_dtypes_63 jax_585 jax_26365 mlx_PR3909 mlx_4387",
              lambda: np.ones(1024, ml_dtypes.bfloat16), lambda x: float(onefold.sum(x)), 1024,
              lambda x: float(np.sum(x))),
    Complaint("bottleneck_193 xarray_1346 xarray_2370 xarray_2401 xarray_7344 pandas_25307 "
              "pandas_42878 photutils_PR1941",
              lambda: np.ones(1 << 25, "f4"), onefold.nanmean, 1, bn.nanmean),
    Complaint("xarray_5424", lambda: np.arange(24.0).reshape(2, 3, 4)[:, ::-2, 1::2].transpose(
        2, 0, 1), lambda x: onefold.nansum(x, axis=(0, 2)), [24, 72]),
    Complaint("xarray_344 xarray_3811 xarray_2566", lambda: np.array([[np.nan, np.nan], [1, 2]]),
              lambda x: warned(lambda a: onefold.nanmean(a, axis=1), x), 0,
              lambda x: warned(lambda a: np.nanmean(a, axis=1), x)),
    Complaint("pandas_38778 pandas_48433 pandas_34298", lambda: np.array([1e17, 1.0, -1e17]),
              onefold.mean, 1 / 3, lambda x: pd.Series(x).mean()),
    Complaint("polars_27223 polars_25337 polars_10553 polars_27662",
              lambda: permuted(np.random.default_rng(10).lognormal(0, 5, 10_000).astype("f4")),
              lambda x: patterns(onefold.sum, x), 1,
              lambda x: patterns(lambda a: np.float32(pl.Series(a).sum()), x)),
    Complaint("xarray_2902", lambda: onefold.dask.mean, chunked, 1, lambda _: chunked(da.mean)),
    Complaint("dask_1394 flox_PR131", lambda: da.ones(9, dtype="f4", chunks=4),
              lambda x: str(onefold.dask.mean(x).compute(scheduler="sync").dtype), "float32"),
    Complaint("fast_array_utils_PR127", lambda: da.from_array(OFFSET * 1e3, 2),
              lambda x: onefold.dask.var(x).compute(scheduler="sync"), 22.5e6,
              lambda x: (x**2).mean().compute(scheduler="sync") - x.mean().compute(
                  scheduler="sync") ** 2),
    Complaint("pytorch_88718 pytorch_2201 pytorch_155423 openturns_PR372 within_110 xgboost_8930 "
              "cuml_2685 redrock_242",
              lambda: np.random.default_rng(11).normal(size=1 << 18).astype("f4"),
              lambda x: len({onefold.var(x, threads=t).tobytes() for t in range(1, 9)}), 1),
]


@pytest.mark.parametrize("complaint", COMPLAINTS, ids=str)
def test_ours_is_exact(complaint):
    assert outcome(complaint.ours, complaint.make()) == complaint.exact


@pytest.mark.parametrize("complaint", [c for c in COMPLAINTS if c.theirs], ids=str)
def test_theirs_is_not(complaint):
    if outcome(complaint.theirs, complaint.make()) == complaint.exact:
        pytest.skip("the peer gives it now")


def test_no_thread_stands_twice():
    threads = [name for c in COMPLAINTS for name in c.threads.split()]
    assert len(threads) == len(set(threads)) >= 40
