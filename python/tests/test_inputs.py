"""Every kind of array is accepted, and answers are of the same kind."""

import array
import ctypes
import math
import subprocess
import sys
import warnings

import ml_dtypes
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xarray as xr

import onefold

X = np.array([1e16, 1.0, -1e16, 2.5])


def test_bfloat16_arrays_give_bfloat16():
    x = np.ones(1000, ml_dtypes.bfloat16)
    assert onefold.sum(x) == 1000 and onefold.sum(x).dtype == ml_dtypes.bfloat16
    rows = onefold.max(x.reshape(10, 100), axis=1)
    assert rows.dtype == ml_dtypes.bfloat16 and rows.shape == (10,)
    assert onefold.sum(x, dtype="f4") == np.float32(1000)
    assert onefold.sum(np.float32([1, 2]), dtype=ml_dtypes.bfloat16).dtype == ml_dtypes.bfloat16


def test_big_endian_and_packed_fields():
    assert onefold.sum(X.astype(">f8")) == 3.5
    packed = np.zeros(4, np.dtype([("a", "i1"), ("b", "f8")]))
    packed["b"] = X
    assert packed["b"].strides == (9,) and onefold.sum(packed["b"]) == 3.5


def test_memmap_and_zero_dimensions(tmp_path):
    np.save(tmp_path / "x.npy", X)
    assert onefold.sum(np.load(tmp_path / "x.npy", mmap_mode="r")) == 3.5
    assert onefold.sum(np.array(2.5)) == 2.5 and onefold.argmax(np.array(2.5)) == 0
    assert onefold.sum(np.float32(2.5)) == 2.5
    assert onefold.mean(np.float32(2.5)).dtype == np.float32


@pytest.mark.parametrize("make", [
    lambda: array.array("d", X), lambda: memoryview(X.tobytes()).cast("d"), lambda: X.tolist(),
    lambda: tuple(X.tolist()), lambda: pd.Series(X), lambda: pl.Series(X), lambda: pa.array(X),
    lambda: pa.chunked_array([X[:1], X[1:]]), lambda: (ctypes.c_double * 4)(*X)])
def test_containers_give_numbers_of_python(make):
    answer = onefold.sum(make())
    assert type(answer) is float and answer == 3.5
    assert onefold.argmax(make()) == 0
    assert onefold.fold("sum,count", make()) == (3.5, 4)


def test_scalars_of_python():
    assert onefold.sum(2.5) == 2.5 and onefold.sum(7) == 7 and onefold.any(True) is True


def test_xarray_calls_ours_over_dimensions():
    x = xr.DataArray(np.ones((2, 3), "f4"), dims=("t", "x"))
    assert x.reduce(onefold.mean, dim="t").shape == (3,)
    assert onefold.sum(x) == 6 and onefold.sum(x, axis=0).shape == (3,)


def test_tensors_of_the_array_api_come_back():
    xp = pytest.importorskip("array_api_strict")
    answer = onefold.sum(xp.asarray(X))
    assert isinstance(answer, type(xp.asarray(1.0))) and float(answer) == 3.5


@pytest.mark.parametrize("make", [
    lambda: np.ma.array(X, mask=[1, 0, 1, 0]), lambda: pd.Series([None, 1.0, None, 2.5], dtype="Float64"),
    lambda: pl.Series([None, 1.0, None, 2.5]), lambda: pa.array([None, 1.0, None, 2.5]),
    lambda: pa.chunked_array([[None, 1.0], [None, 2.5]])])
def test_masked_elements_and_nulls_are_not_there(make):
    assert onefold.sum(make()) == 3.5
    assert onefold.count(make()) == 2
    assert onefold.argmin(make()) == 1 and onefold.argmax(make()) == 3
    assert onefold.fold("min,argmin", make()) == (1.0, 1)
    assert onefold.gather("sum", make()).answer("sum") == 3.5


def test_where_takes_elements_and_broadcasts():
    x = np.arange(6.0).reshape(2, 3)
    assert onefold.sum(x, where=[True, False, True]) == 0 + 2 + 3 + 5
    assert onefold.argmin(x, where=x > 2) == 3
    assert onefold.fold("sum,argmin", x, where=x > 2) == (12, 3)
    assert onefold.fold("dot", x, x, where=x > 3).dot == 41
    out = np.empty(())
    assert onefold.mean(x, where=x > 3, out=out) is out and out == 4.5
    with pytest.raises(onefold.DTypeError):
        onefold.sum(x, where=[1, 0, 1])
    with pytest.raises(onefold.ShapeError):
        onefold.sum(x, where=np.ones(7, bool))
    with pytest.raises(onefold.EmptyError):
        onefold.min(x, where=np.zeros((2, 3), bool))


def test_where_goes_with_axes_as_numpy_has_it():
    x = np.random.default_rng(3).integers(-9, 9, (5, 4, 6)).astype("f8")
    for mask in [x > 0, x[:, :1] > 0, x[0] < 0, x[0, 0] > 2, np.True_, np.False_]:
        for axis in [None, 0, 1, (0, 2), -1]:
            for op in ["sum", "mean", "any", "all"]:
                with np.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    want = getattr(np, op)(x, axis=axis, where=mask, keepdims=True)
                got = getattr(onefold, op)(x, axis=axis, where=mask, keepdims=True)
                np.testing.assert_allclose(got, want, rtol=1e-14)
            got = onefold.max(x, axis=axis, where=mask, initial=-10)
            np.testing.assert_array_equal(got, np.max(x, axis=axis, where=mask, initial=-10))
    with pytest.raises(onefold.EmptyError):
        onefold.max(x, axis=0, where=np.False_)


def test_masked_arrays_go_with_axes():
    x = np.arange(12.0).reshape(3, 4)
    masked = np.ma.array(x, mask=[[0, 1, 0, 1], [0, 1, 1, 0], [0, 1, 1, 0]])
    for op in ["sum", "mean", "var", "min", "max"]:
        for axis in (0, 1, None):
            want, got = getattr(np.ma, op)(masked, axis=axis), getattr(onefold, op)(masked, axis=axis)
            assert np.ma.allclose(got, want, rtol=1e-15) and type(got) is type(want)
            assert np.ma.getmaskarray(got).tolist() == np.ma.getmaskarray(want).tolist()
    assert onefold.argmax(masked, axis=1).tolist() == [2, 3, 3] and onefold.argmin(masked, axis=0).tolist() == [0, None, 0, 1]
    answers = onefold.fold("count,min", masked, axis=0, where=x < 9)
    assert answers.count.tolist() == [3, 0, 1, 1] and answers.min.tolist() == [0, None, 2, 7]


@pytest.mark.parametrize("dtype", ["i1", "u4", "i8", "f4", "f8", "?"])
def test_slices_that_are_masked_answer_masked(dtype):
    x = np.arange(24).reshape(2, 3, 4).astype(dtype)
    masked = np.ma.array(x, mask=x % 3 == 1)
    masked[:, 1], masked[1, :, 2] = np.ma.masked, np.ma.masked
    for op in ["sum", "min", "max", "ptp", "any", "mean", "median", "argmin"]:
        for axis in [0, 1, 2, (0, 2), (1, 2), [0, 1]]:
            for keepdims in [False, True]:
                got = getattr(onefold, op)(masked, axis=axis, keepdims=keepdims)
                there = onefold.count(masked, axis=axis, keepdims=keepdims)
                assert np.ma.getmaskarray(got).tolist() == (there == 0).tolist() and type(there) is np.ndarray
                if op in ("sum", "any", "mean", "median"):
                    assert (got == getattr(onefold, op)(x, axis=axis, where=~masked.mask, keepdims=keepdims)).all()
                elif op in ("min", "max"):
                    assert (got == getattr(np.ma, op)(masked, axis=tuple(np.atleast_1d(axis)), keepdims=keepdims)).all()
    nothing = np.ma.array(x, mask=True)
    assert onefold.min(nothing) is np.ma.masked and onefold.sum(nothing) is np.ma.masked
    assert onefold.fold("argmax,count", nothing, where=x > 3) == (np.ma.masked, 0) and onefold.median(nothing) is np.ma.masked
    assert onefold.sum(np.ma.array(x)).dtype == onefold.sum(x).dtype
    with pytest.raises(onefold.EmptyError):  # a NaN is not a masked element
        onefold.argmin(np.ma.array([[np.nan, 1], [np.nan, 2]], mask=[[0, 1], [0, 0]]), axis=0, nan="omit")


@pytest.mark.parametrize("initial, code", [
    (2.5, None), (True, None), (2**63, None), (2**64, "bad_option"), ("a", "bad_option"),
    (1e300, "bad_option")])
def test_initial_is_one_more_element(initial, code):
    x = np.float32([1, 4])
    if code:
        with pytest.raises(onefold.Error) as caught:
            onefold.sum(x, initial=initial)
        assert caught.value.code == code
    else:
        assert onefold.sum(x, initial=initial) == np.float32(5 + initial)
        assert onefold.max(x[:0], initial=initial) == initial
    with pytest.raises(TypeError, match="unexpected"):
        onefold.mean(x, initial=1)


class Quantity(np.ndarray):
    unit = "m"


class Struct:
    """An array that offers only __array_struct__."""

    def __init__(self, array):
        self.array = array

    @property
    def __array_struct__(self):
        return self.array.__array_struct__


def test_an_array_struct_is_enough():
    assert onefold.sum(Struct(X)) == 3.5
    assert onefold.max(Struct(np.arange(6.0).reshape(2, 3)[:, ::2]), axis=0).tolist() == [3, 5]
    with pytest.raises(onefold.UnsupportedError):  # the type says only that there are two bytes
        onefold.sum(Struct(np.ones(2, ml_dtypes.bfloat16)))


def test_a_cuda_array_interface_needs_nothing_beside_it():
    class Bare:
        __cuda_array_interface__ = {"shape": (3,), "typestr": "<f8", "data": (4096, False), "version": 3}

    if len(onefold.info()["devices"]) > 1:
        pytest.skip("a device is here, and this memory is not on it")
    for call in [onefold.sum, lambda x: onefold.fold("min,max", x, axis=0)]:
        with pytest.raises(onefold.NoBackendError):
            call(Bare())


@pytest.mark.parametrize("x", [
    np.ones(2, np.longdouble), np.ones(2, np.clongdouble), np.array(["2020-01-01"], "M8[D]"),
    np.datetime64("2020"), np.bytes_(b"a"), np.longdouble(1),
    np.array([1, "a"], object), np.array(["a"]), np.ones(2).view(Quantity), np.ma.zeros(2, "f4,i4"),
    object(), [1, "a"], {1: 2},
    pa.array(["a"]), pl.Series(["a"]), pd.Series(["a"]), [2**53 + 1, 0.5], [[1], [1, 2]],
    [[2**53 + 1, 0.5]], pd.DataFrame({"a": ["x"]}), xr.Dataset({"a": ("x", [1])}),
    memoryview(b"ab").cast("c"), None, 1j])
def test_what_cannot_be_folded_is_named(x):
    with pytest.raises(onefold.UnsupportedError) as caught:
        onefold.sum(x)
    assert "\n" not in str(caught.value) and isinstance(caught.value, TypeError)


class Producer:
    """A DLPack producer whose capsules the test watches."""

    def __init__(self, x, versioned=True):
        self.x, self.versioned, self.asked = x, versioned, []

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **keywords):
        self.asked.append(keywords)
        if not self.versioned and keywords:
            raise TypeError("an old producer")
        return self.x.__dlpack__(**keywords)


@pytest.mark.parametrize("versioned", [True, False])
def test_dlpack_is_asked_for_version_1_and_old_producers_work(versioned):
    producer = Producer(X, versioned)
    before = sys.getrefcount(X)
    assert onefold.sum(producer) == 3.5
    assert producer.asked[0] == {"max_version": (1, 1)}
    assert sys.getrefcount(X) == before


def test_dlpack_of_read_only_and_strided_arrays():
    x = np.arange(12.0).reshape(3, 4)[:, ::2]
    x.flags.writeable = False
    assert onefold.sum(Producer(x)) == x.sum()
    assert onefold.argmax(Producer(x.T)) == np.argmax(x.T)


def test_a_used_capsule_is_refused():
    capsule = X.__dlpack__()
    onefold._core.View.from_dlpack(capsule)
    with pytest.raises(onefold.UnsupportedError, match="not an unused capsule"):
        onefold._core.View.from_dlpack(capsule)


def test_sums_need_no_numpy():
    program = """
import sys, array, onefold
assert onefold.sum(array.array('d', [1e16, 1, -1e16])) == 1.0
assert onefold.fold("mean,max", [1, 2, 3.0]) == (2.0, 3.0)
assert onefold.sum(b"abc", dtype=float) == 294.0
assert "numpy" not in sys.modules and "typing" not in sys.modules and "enum" not in sys.modules
"""
    subprocess.run([sys.executable, "-S", "-c", "import sys; sys.path += " + repr(sys.path) + program],
                   check=True)


def test_dot_and_vecdot():
    a, b = np.array([[1e16, 1, 2]]), np.array([[1.0, 1, 1], [-1e16, 1, 1]])
    assert onefold.vecdot(a, b).tolist() == [1e16 + 4, float(3 - 10**32)]
    assert onefold.vecdot([1, 2], [3, 4]) == 11
    assert onefold.linalg.vector_norm([3.0, 4.0]) == 5
    assert onefold.linalg.vector_norm(np.array([1e200, 1e200])) == math.hypot(1e200, 1e200)
    for wrong in [lambda: onefold.vecdot(a, b, axis=3), lambda: onefold.vecdot([1, 2], [1, 2, 3]),
                  lambda: onefold.vecdot(np.ones(2), np.ones(2, int)), lambda: onefold.dot(a, b)]:
        with pytest.raises(onefold.Error):
            wrong()


def test_nested_sequences_are_arrays():
    rows = [[1, 2, 3], (4, 5, 6)]
    assert onefold.sum(rows) == 21 and type(onefold.sum(rows)) is int
    assert onefold.sum([[[0.5], [True]], [[2], [3]]]) == 6.5
    assert onefold.max(rows, axis=0).tolist() == [4, 5, 6]
    assert onefold.mean([[1e16, 1.0], [-1e16, 1.0]], axis=(0, 1)) == 0.5
    assert onefold.sum([[True, False], [True, True]]) == 3
    assert onefold.sum([[], []]) == 0 and onefold.sum([[], []], axis=1).tolist() == [0, 0]
    assert onefold.sum([np.ones(3), np.ones(3)]) == 6
    assert onefold.sum(rows, where=[[True, False, True], [False] * 3]) == 4
    for ragged in [[[1, 2], [3]], [[1, 2], 3], [[[1], [2]], [[3], 4]], [[1, "2"]], [[None]]]:
        with pytest.raises(onefold.UnsupportedError):
            onefold.sum(ragged)
    with pytest.raises(onefold.UnsupportedError, match="float64"):
        onefold.sum([[2**63 - 1, 0.5]])
    grid = ((ctypes.c_int16 * 3) * 2)((1, 2, 3), (4, 5, 6))
    assert onefold.sum(grid, axis=0).tolist() == [5, 7, 9]
    endless = []
    endless.append(endless)
    with pytest.raises(onefold.UnsupportedError, match="more than 16 dimensions"):
        onefold.sum(endless)


def test_what_needs_numpy_says_so_where_it_is_not():
    program = """
import sys
class NoNumpy:  # as where it is not installed
    def find_spec(self, name, *_):
        if name == "numpy":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, NoNumpy())
import onefold
assert onefold.sum([[1, 2], [3, 4]]) == 10 and onefold.nanmax([[1.5, float("nan")]]) == 1.5
assert onefold.describe([1.0, 2.0]).mean == 1.5
assert onefold.sum([1, 2, 3], where=[True, False, True]) == 4
import array
assert onefold.sum(array.array("d", [1, 2, 3]), where=[True, False, True]) == 4
assert onefold.average([1, 2], weights=[1, 3]) == 1.75
assert onefold.fold("mean", [1.0, 2.0], fweights=[1, 3]) == (1.75,)
assert onefold.gather("mean", [[1, 2], [3, 6]]).mean == 3
for call in [lambda: onefold.sum([[1, 2], [3, 4]], axis=0), lambda: onefold.sum([1, 2], keepdims=True),
             lambda: onefold.gather("mean", [[1, 2]], axis=0).mean,
             lambda: onefold.average([1, 2], weights=[1.0, 3.0]), lambda: onefold.sum([1, None]),
             lambda: onefold.fold_segments("sum", [1, 2, 3], [0, 2, 3]), lambda: onefold.quantile([1, 2], [0.1, 0.2])]:
    try:
        call()
        raise SystemExit("no error")
    except onefold.UnsupportedError as e:
        assert "NumPy, which is not installed: pip install numpy" in str(e), e
"""
    done = subprocess.run([sys.executable, "-S", "-c", "import sys; sys.path += " + repr(sys.path)
                           + program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_extension_arrays_of_pandas_are_folded_or_refused_in_one_line():
    assert onefold.sum(pd.array([1, 2, None])) == 3
    assert onefold.sum(pd.Categorical([1, 2, 1])) == 4
    for x in (pd.Categorical(["a"]), pd.interval_range(0, 2), pd.Timestamp("2020")):
        with pytest.raises((onefold.Error, TypeError)) as e:
            onefold.sum(x)
        assert "\n" not in str(e.value) and "attribute" not in str(e.value), x


@pytest.mark.parametrize("make", [
    lambda: pytest.importorskip("sparse").COO.from_numpy(np.eye(3)),
    lambda: pytest.importorskip("scipy.sparse").eye(3).tocsr(),
    lambda: pytest.importorskip("awkward").Array([1.0, None, 3]),
    lambda: pytest.importorskip("awkward").Array([[1.0, 2], [3]])])
def test_arrays_that_are_not_dense_are_refused(make):
    x = make()
    for call in (onefold.sum, lambda x: onefold.mean(x, axis=0), onefold.median, lambda x: onefold.gather("sum", x),
                 lambda x: onefold.fold("min,max", x), lambda x: onefold.sum(np.ones(3), where=x), onefold.describe,
                 lambda x: onefold.fold_by("sum", keys=x, x=[1.0, 2, 3]), lambda x: onefold.average([1.0, 2, 3], weights=x)):
        with pytest.raises((onefold.UnsupportedError, onefold.ShapeError)) as error:
            call(x)
        assert "\n" not in str(error.value)


def test_calls_that_mean_something_else_in_numpy_are_refused():
    x = np.array([[1.0, 2], [3, 7]])
    for axis in (0, 1, -1, True, np.int64(1), np.array(0), (0, 1), (0,)):
        with pytest.raises(onefold.OptionError, match=r"average: .* is an axis in NumPy.*average\(x, axis=...\)"):
            onefold.average(x, axis)
    assert onefold.average([1.0, 2], (0, 1)) == 2 and onefold.average(x, axis=1).tolist() == [1.5, 5]
    assert onefold.average(x, 1, weights=[1, 1]).tolist() == [1.5, 5]
    for y in (x, x.astype("f4"), x[0], x.tolist(), x[:, :1]):
        for a, b in ((x, y), (y, x)):
            with pytest.raises(onefold.ShapeError, match=r"dot: .* matrix product; call vecdot\(x, y\)"):
                onefold.dot(a, b)
    assert onefold.fold("dot", x, x).dot == onefold.dot(x, x, axis=(0, 1)) == 63 == onefold.dot(x.ravel(), x.ravel())
    assert onefold.dot(x, x, axis=0).tolist() == [10, 53]


def test_marks_at_the_end_of_keys_stay(tmp_path):
    """A reader exchanges the delimiter with the comma: a comma at the end of a key is not a blank then."""
    path = tmp_path / "k.tsv"
    path.write_text('k\tx\na,\t1\na\t2\n,a\t4\na,,\t8\n"a,"\t16\n,\t32\n"b" \t64\nb\t128\n')
    keys, answers = onefold.fold("sum", path, columns="x", by="k")
    expected = {",": 32, ",a": 4, "a": 2, "a,": 17, "a,,": 8, "b": 192}
    assert dict(zip(keys.tolist(), answers.sum.tolist())) == expected
    for key, total in expected.items():
        assert onefold.fold("sum", path, columns="x", where=f"k == '{key}'").sum == total
    path = tmp_path / "k.csv"
    path.write_text("k\tx\nInc.\t1,5\nInc\t2,5\n")
    keys, answers = onefold.fold("sum", path, columns="x", by="k", decimal=",", delimiter="tab")
    assert dict(zip(keys.tolist(), answers.sum.tolist())) == {"Inc.": 1.5, "Inc": 2.5}
