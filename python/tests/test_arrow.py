"""Columns by the Arrow C data interface: chunk by chunk, nulls left out, NaN kept."""

import subprocess
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import onefold

OPS = "count,sum,mean,var,min,max,argmin,argmax,any,count_nonzero"
VALUES = [3, None, 1, 7, None, 7, 1, 0, None]
THERE = [i for i, v in enumerate(VALUES) if v is not None]


def expected(dtype):
    x = np.array([VALUES[i] for i in THERE], dtype)
    answers = onefold.fold(OPS, x)
    places = ("argmin", "argmax")
    return [THERE[v] if name in places else v for name, v in zip(answers._fields, answers)]


@pytest.mark.parametrize("type", [
    pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(),
    pa.uint64(), pa.float16(), pa.float32(), pa.float64()])
def test_nulls_are_left_out_of_arrays_chunks_and_slices(type):
    values = [None if v is None else np.float16(v) for v in VALUES] if type == pa.float16() else (
        VALUES)
    whole = pa.array(values, type)
    chunked = pa.chunked_array([values[:2], [], values[2:3], values[3:]], type)
    sliced = pa.array([9, None, 9, *values, None, 9], type)[3:-2] if type != pa.float16() else whole
    for column in [whole, chunked, sliced]:
        answers = onefold.fold(OPS, column)
        assert list(answers) == expected(type.to_pandas_dtype()), column
        assert onefold.nansum(column) == 19 and onefold.argmax(column, 0) == 3


def test_bits_are_folded_as_bools():
    column = pa.array([True, None, False, True] * 5)[3:]
    assert onefold.sum(column) == 9 and onefold.count(column) == 13 and onefold.any(column)
    assert onefold.argmin(column) == 3 and not onefold.all(column)


def test_nan_is_no_null():
    nan = float("nan")
    column = pa.chunked_array([[1.0, None], [nan, 2.0], [nan]])
    assert np.isnan(onefold.sum(column)) and onefold.nansum(column) == 3
    assert onefold.argmax(column) == 2 and onefold.nanargmax(column) == 3
    assert onefold.count(column) == 4 and onefold.count_nan(column) == 2
    only = pa.chunked_array([[nan], [nan, None]])
    assert np.isnan(onefold.nanmin(only)) and np.isnan(onefold.nanmean(only))
    with pytest.raises(onefold.EmptyError):
        onefold.nanargmin(only)


def test_polars_series_need_no_numpy():
    program = """if True:
        import sys; sys.path[:0] = %r
        import onefold, polars
        x = polars.Series([1e16, None, 1.0, -1e16])
        x = polars.concat([x, x], rechunk=False)
        print(onefold.sum(x), onefold.argmin(x), onefold.count(x), "numpy" in sys.modules)
    """ % sys.path
    done = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["2.0", "3", "6", "False"], done.stderr


def test_answers_are_pythons_numbers_with_options():
    column = pa.chunked_array([[1.0, 2.0], [None, 4.0]])
    x = np.array([1.0, 2.0, 4.0])
    assert type(onefold.mean(column)) is float
    assert onefold.var(column, ddof=1) == onefold.var(x, ddof=1)
    assert onefold.mean(column, dtype="f4") == onefold.mean(x, dtype="f4")
    assert onefold.describe(column).mean == onefold.describe(x).mean
    assert onefold.describe(pa.array([], pa.float32())).min is None
    assert onefold.sum(column, where=[True, True, True, False]) == 3
    state = onefold.gather("mean", column)
    state |= onefold.gather("mean", pl.Series([8.0]))
    assert state.mean == 3.75


def test_empty_columns():
    assert onefold.sum(pa.chunked_array([], pa.int32())) == 0
    assert onefold.sum(pa.array([None, None], pa.int32())) == 0
    assert np.isnan(onefold.max(pa.array([None], pa.float64())))
    with pytest.raises(onefold.EmptyError):
        onefold.max(pa.array([None], pa.int32()))


@pytest.mark.parametrize("column, text", [
    (pa.array(["a"]), "format \"u\""), (pa.array(["a", "b"]).dictionary_encode(), "dictionary"),
    (pa.array([1], pa.timestamp("s")), "no sum"), (pa.array([1], pa.time32("s")), "tts"), (pa.array([[1]]), "format")])
def test_what_is_no_number_is_refused(column, text):
    with pytest.raises(onefold.UnsupportedError, match=text):
        onefold.sum(column)


@pytest.mark.parametrize("numbers", [[3, None, 5, 3], [0.5, 0.5, None, 1.5], [True, True, None, False]])
def test_dictionaries_and_runs_of_numbers_are_their_numbers(numbers):
    import pyarrow.compute

    plain = pa.array(numbers)
    runs = pyarrow.compute.run_end_encode(plain)
    for encoded in (plain.dictionary_encode(), runs, plain.dictionary_encode().slice(1, 3), runs.slice(1, 3)):
        x = plain if len(encoded) == 4 else plain.slice(1, 3)
        for one, other in [(encoded, x), (pa.chunked_array([encoded, encoded]), pa.chunked_array([x, x]))]:
            assert onefold.fold("sum,count,max", one) == onefold.fold("sum,count,max", other)
            assert onefold.median(one) == onefold.median(other)
    frame = pa.table({"k": list("abab"), "d": plain.dictionary_encode(), "r": runs, "x": plain})
    keys, found = onefold.fold("sum", frame, columns=["d", "r", "x"], by="k")
    assert found["d"].sum.tolist() == found["r"].sum.tolist() == found["x"].sum.tolist()


class Stream:
    """A producer that returns the same capsule twice."""

    def __init__(self):
        self.capsule = pa.chunked_array([[1, 2]]).__arrow_c_stream__()

    def __arrow_c_stream__(self, requested_schema=None):
        return self.capsule


def test_a_capsule_is_used_once():
    stream = Stream()
    assert onefold.sum(stream) == 3
    with pytest.raises(onefold.UnsupportedError, match="used up"):
        onefold.sum(stream)


def test_memory_is_released_when_the_call_returns():
    before = pa.total_allocated_bytes()
    for _ in range(20):
        column = pa.array(np.ones(1 << 16), mask=np.arange(1 << 16) % 3 == 0)
        onefold.sum(column)
        onefold.argmax(column)
        with pytest.raises(onefold.UnsupportedError):
            onefold.sum(pa.array(["a" * 1000] * 100))
        del column
    assert pa.total_allocated_bytes() <= before + 1024
