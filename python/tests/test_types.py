"""Types of answers follow from the types of the arguments, and never from the values."""

import array

import ml_dtypes
import numpy as np
import pandas as pd
import polars as pl
import pytest

import onefold

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", ">i4", ">f4", ">f8"]
ONE = [row[0] for row in onefold._core.op_table() if row[2] == 1]
TWO = [row[0] for row in onefold._core.op_table() if row[2] == 2]


def random(rng, dtype, n):
    """Small numbers of a type, with its special values."""
    native = np.dtype(dtype).newbyteorder("=")
    if native.kind == "f":
        x = rng.choice([0, -0.0, 1, 2.5, -3, 1.1, np.inf, np.nan, 1e-3], n)
    else:
        x = rng.integers(0 if native.kind in "bu" else -9, 10, n)
    return x.astype(native).astype(dtype)


CONTAINERS = {
    "ndarray": lambda x: x, "list": lambda x: x.tolist(), "masked": lambda x: np.ma.array(x, mask=x == 1),
    "rows": lambda x: x.reshape(2, -1), "scalar": lambda x: x[0], "zero": lambda x: x[0].reshape(()),
    "buffer": lambda x: memoryview(x.astype(x.dtype.newbyteorder("="))),
    "array": lambda x: array.array("d", x.astype("f8")), "pandas": pd.Series, "polars": pl.Series}


def type_of(call):
    """The kind of an answer; None: these data have no answer."""
    try:
        with np.errstate(all="ignore"):
            value = call()
    except (onefold.OverflowError, onefold.EmptyError, onefold.DTypeError) as error:
        assert "exactly" in str(error) or not isinstance(error, onefold.DTypeError), error
        return None
    if value is np.ma.masked:
        return None
    if isinstance(value, tuple):
        return tuple((type(v), getattr(v, "dtype", None)) for v in value)
    return type(value), getattr(value, "dtype", None)


def only_type(call, make, times=6):
    found = {type_of(lambda: call(*make(seed))) for seed in range(times)} - {None}  # noqa: B023
    assert len(found) <= 1, found


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CONTAINERS)
def test_answers_of_one_array_have_one_type(name, dtype):
    if name in ("pandas", "polars") and dtype[0] == ">":
        dtype = dtype[1:]
    if (name, dtype) == ("polars", "f2"):
        pytest.skip("Polars has no float16")

    def make(seed, n=10):
        return [CONTAINERS[name](random(np.random.default_rng(seed), dtype, n))]

    for op in ONE:
        for keywords, times in [({}, 4), ({"nan": "omit"}, 3), ({"keepdims": True}, 2), ({"dtype": "f4"}, 2)]:
            only_type(lambda x: getattr(onefold, op)(x, **keywords), make, times)  # noqa: B023
        only_type(lambda x: onefold.fold(op, x, nan="omit"), make, 2)  # noqa: B023
        if name not in ("scalar", "zero", "rows"):
            only_type(lambda x: onefold.fold(op, x, where=[True] * 9 + [False]), make, 2)  # noqa: B023


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["ndarray", "list", "masked", "buffer"])
def test_what_stands_beside_an_array_changes_no_type(name, dtype):
    x = CONTAINERS[name](random(np.random.default_rng(1), dtype, 8))
    times = [np.ones(8, "i8"), [1] * 8, np.arange(8, dtype=">i4"), np.ones(8, "u1"),
             memoryview(np.ones(8, ">u2"))]
    for op in ONE:
        plain = type_of(lambda: onefold.fold(op, x))  # noqa: B023
        if "arg" in op:
            continue  # repeated elements have no index
        for fweights in times:
            got = type_of(lambda: onefold.fold(op, x, fweights=fweights))  # noqa: B023
            assert got == plain or None in (got, plain), (op, got, plain)
        for where in [[True] * 8, np.ones(8, bool), np.ma.array(np.ones(8, bool))]:
            got = type_of(lambda: onefold.fold(op, x, where=where))  # noqa: B023
            assert got == plain or None in (got, plain), (op, got, plain)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["ndarray", "list", "masked", "rows", "buffer"])
def test_answers_of_two_arrays_have_one_type(name, dtype):
    def make(seed):
        rng = np.random.default_rng(seed)
        return [CONTAINERS[name](random(rng, dtype, 8)) for _ in range(2)]

    for op in TWO:
        if op != "dot":  # of rows it is refused
            only_type(getattr(onefold, op), make, 4)
        only_type(lambda x, y: onefold.fold(op, x, y), make, 2)  # noqa: B023


@pytest.mark.parametrize("weights", [*DTYPES, list])
@pytest.mark.parametrize("dtype", [*DTYPES, list])
def test_an_average_has_the_type_of_numpys(dtype, weights):
    def of(rng, t, n):
        return random(rng, "f8", n).tolist() if t is list else random(rng, t, n)

    for axis, n in [(None, 6), (0, 6)]:
        for seed in range(4):
            rng = np.random.default_rng(seed)
            x, w = of(rng, dtype, n), of(rng, weights, n)
            want = np.average(np.ones_like(x), weights=np.ones_like(w)).dtype
            got = type_of(lambda: onefold.average(x, axis, weights=w))  # noqa: B023
            if got is not None:
                assert got == (float, None) if dtype is list else got[1] == want, (got, want)
            rows = type_of(lambda: onefold.average([x, x] if dtype is list else np.array([x, x]),  # noqa: B023
                                                   1, weights=w))  # noqa: B023
            assert rows is None or rows == (np.ndarray, want), (rows, want)


def test_weights_of_f32_take_the_type_of_a_list():
    x = np.ones(2, "f4")
    for weights in [[1.0, 2.0], [1.0, 2.1], [1, 2], np.array([1.0, 2.0])]:
        assert onefold.average(x, weights=weights).dtype == "f8"
        assert onefold.fold("average", x, weights=weights).average.dtype == "f8"
    for weights in [x, np.ones(2, "f2"), np.ones(2, "i2"), np.ones(2, bool)]:
        assert onefold.average(x, weights=weights).dtype == "f4"
    assert onefold.average(x, weights=[1.0, 2.1], dtype="f4").dtype == "f4"
    third = onefold.average(np.array([0, 1], "f4"), weights=[2.0, 1.0])
    assert third == 1 / 3  # rounded once, to float64
    big = np.array([2**53 + 1, 2**53 + 1])
    assert onefold.average(big, weights=np.ones(2)) == float(2**53)  # exact as integers


def test_no_index_is_nan():
    for call in [lambda: onefold.fold("argmin", [np.nan], nan="omit", result="f8"),
                 lambda: onefold.argmax([np.nan], nan="omit", dtype="f4"),
                 lambda: onefold.nanargmin(np.array([[np.nan, 1]]), axis=0, dtype="f8"),
                 lambda: onefold.gather("argmin", [np.nan], nan="omit").answer("argmin", dtype="f8")]:
        with pytest.raises(onefold.EmptyError):
            call()
    assert np.isnan(onefold.fold("min", [np.nan], nan="omit", result="f8").min)


def test_a_norm_of_order_0_has_the_type_of_the_others():
    for x in [np.ones(3, "f4"), np.ones((2, 3), ml_dtypes.bfloat16), [1.0, 2.0], np.ones(3, "i4"),
              pd.Series([1.0, 0.0]), np.ones(3, ">f4")]:
        for axis in (None, 0):
            types = {type_of(lambda: onefold.linalg.vector_norm(x, ord=ord, axis=axis))  # noqa: B023
                     for ord in (0, 2)}
            assert len(types) == 1, types
    assert type(onefold.vecdot([1, 2], [3, 4])) is int
    assert onefold.vecdot(np.ones(3, "f4"), np.ones(3)).dtype == "f8"
