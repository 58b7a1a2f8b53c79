"""What users of other packages have reported, by thread: each gives the exact answer here.

What NumPy 2.5, Bottleneck 1.6 or pandas 3 give instead stands beside it; tests assert ours only,
for theirs may get better.
"""

import math

import ml_dtypes
import numpy as np
import pytest

import onefold


def test_numpy_22956_mean_of_f32_along_the_first_axis():
    x = np.ones((1 << 21, 2), "f4")
    x[0] = 2**24  # NumPy adds row by row in f32: 8.0 instead of 8.9999995
    assert onefold.mean(x, axis=0).tolist() == [np.float32((2**24 + 2**21 - 1) / 2**21)] * 2


def test_numpy_8869_std_of_constant_columns():
    x = np.full((100_000, 2), np.float32(0.1))
    assert onefold.std(x, axis=0).tolist() == [0, 0]  # NumPy: 7e-5


def test_numpy_8786_an_exact_sum_of_arrays():
    x = np.array([1e100, 1.0, -1e100, 1e-100])
    assert onefold.sum(x) == math.fsum(x.tolist()) == 1.0  # NumPy: 1e-100


@pytest.mark.parametrize("dtype", ["i8", "u8"])
def test_numpy_29881_integer_sums_do_not_wrap(dtype):
    with pytest.raises(OverflowError):
        onefold.sum(np.full(4, 2**62, dtype))  # NumPy: 0 or -4.6e18
    with pytest.raises(OverflowError):
        onefold.dot(*[np.full(4, 2**40, dtype)] * 2)


def test_numpy_13783_a_sum_of_an_unsigned_and_a_signed_extreme():
    assert onefold.sum(np.array([2**63 - 1], "i8")) == 2**63 - 1
    assert onefold.mean(np.full(3, 2**62)) == 2.0**62  # of a sum that int64 cannot hold


def test_numpy_23523_layouts_give_one_bit_pattern():
    base = np.random.default_rng(9).normal(size=(128, 96)).astype("f4")
    flat = base.ravel()
    layouts = [flat, flat[::-1], base, base.T, np.asfortranarray(base), np.repeat(flat, 2)[::2],
               base[::-1], base.reshape(32, 4, 96).swapaxes(0, 2)]
    assert len({onefold.sum(x).tobytes() for x in layouts}) == 1  # NumPy: 5


def test_numpy_21209_var_of_large_integers():
    assert onefold.var(np.array([2**62, 2**62 + 1, 2**62 + 2])) == 2 / 3  # NumPy: 0.0


def test_f16_sums_and_norms_do_not_overflow_within():
    assert onefold.mean(np.full(100_000, 1, "f2")) == 1
    assert onefold.var(np.full(1000, 300, "f2")) == 0  # NumPy: inf
    assert onefold.norm2(np.array([600, 800], "f2")) == 1000  # NumPy: inf
    assert onefold.norm2(np.array([1e200, 1e200])) == math.sqrt(2) * 1e200  # NumPy: inf


def test_ml_dtypes_63_sums_of_bfloat16_do_not_stick():
    assert onefold.sum(np.ones(1024, ml_dtypes.bfloat16)) == 1024  # NumPy: 256


def test_bottleneck_193_pandas_42878_means_are_not_of_the_input_type():
    x = np.ones(1 << 25, "f4")
    assert onefold.nanmean(x) == 1  # Bottleneck: 0.5


def test_xarray_5424_odd_strides():
    x = np.arange(24.0).reshape(2, 3, 4)[:, ::-2, 1::2].transpose(2, 0, 1)
    for axis in [0, 1, 2, (0, 2)]:
        np.testing.assert_array_equal(onefold.nansum(x, axis=axis), np.sum(x.copy(), axis=axis))


def test_xarray_344_empty_slices_do_not_warn(recwarn):
    x = np.array([[np.nan, np.nan], [1, 2]])
    np.testing.assert_array_equal(onefold.nanmean(x, axis=1), [np.nan, 1.5])
    np.testing.assert_array_equal(onefold.nanmax(x, axis=1), [np.nan, 2])
    assert not recwarn.list


def test_polars_27223_rows_in_any_order():
    x = np.random.default_rng(10).lognormal(0, 5, 10_000).astype("f4")
    sums = {onefold.sum(np.random.default_rng(k).permutation(x)).tobytes() for k in range(20)}
    assert len(sums) == 1


def test_pandas_38778_a_mean_of_large_and_small():
    assert onefold.mean(np.array([1e17, 1.0, -1e17])) == 1 / 3


def test_pytorch_88718_threads_change_nothing():
    x = np.random.default_rng(11).normal(size=1 << 20).astype("f4")
    assert len({onefold.mean(x, threads=t).tobytes() for t in range(1, 9)}) == 1


def test_numpy_30_nan_aware_ops_copy_nothing():
    import tracemalloc

    x = np.random.default_rng(12).normal(size=1 << 20)
    x[::7] = np.nan
    tracemalloc.start()
    onefold.nanmean(x), onefold.nanvar(x), onefold.var(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000  # NumPy: 1.1 to 1.25 times the input
