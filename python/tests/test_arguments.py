"""Wrong arguments for every public function: one line that names what is wrong, of the right
kind."""

import array
import datetime
import decimal
import fractions
import pathlib
import random
import struct
import tempfile
import warnings
import zlib

import dask.array
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import onefold

X = np.array([1.0, 2.0, 4.0])
RELEASED = memoryview(b"abc")
RELEASED.release()
ITSELF = []
ITSELF.append(ITSELF)

WRONG = [
    None, True, -1, 0, 3, 2**70, -2**70, 1.5, float("nan"), float("inf"), 1j, "x", "", "f8", "\udc80", "a\0b",
    "omit", b"ab", b"\xff", object(), [], [[]], [1, [2]], ["a"], [None], [2**70], ITSELF, {}, {1: 2}, {1, 2},
    len, float, int, slice(2), range(3), (), (0, 0), (0, 1), [0], "1,2", iter([1]), ..., NotImplemented,
    array.array("f", [1, 2, 3]), memoryview(b"abc"), RELEASED, memoryview(np.ones(3, ">i4")),
    decimal.Decimal(2), fractions.Fraction(1, 3), datetime.date(2026, 1, 1), pathlib.Path("none.npy"),
    np.array([]), np.ones((2, 3)), np.ones((3, 2), "f4"), np.array(["a"]), np.array([1j] * 3),
    np.array([None] * 3), np.array(["2026"], "M8[D]"), np.ones(3, ">f4"), np.ones(3, ">i4"), np.ones(3, bool),
    np.arange(3), np.arange(3, dtype="u8") + 2**63, np.ma.array(X, mask=[0, 1, 0]), np.ones(3, "f2"),
    np.float64("nan"), np.bool_(1), np.str_("a"), np.void(b"ab"), np.timedelta64(1), np.array(7), np.dtype("f4"),
    np.zeros(3, "i4,f4"), pd.Series(["a"]), pd.Series([1, None, 2], dtype="Int64"), pd.DataFrame({"a": [1]}),
    pl.Series(["a"]), pl.Series([1, None, 3]), pl.DataFrame({"a": [1, 2, 3]}), pa.array([1, None, 2]),
    pa.array(["a"]), pa.table({"a": [1]}), onefold.gather("sum", X), onefold.Error, onefold]

OPS = {"axis", "out", "dtype", "keepdims", "nan", "where", "threads", "errors"}
FOLD = {"axis", "ddof", "correction", "keepdims", "nan", "where", "weights", "fweights", "result", "threads",
        "initial", "format", "dtype", "shape", "offset", "columns", "by", "let", "header", "delimiter", "missing",
        "bad_lines", "decimal", "thousands", "numbers", "non_numbers", "date_format", "skip", "comment", "units", "union", "empty_nan", "memory"}
FOLDER = tempfile.TemporaryDirectory()
FILE = pathlib.Path(FOLDER.name) / "x.npy"
np.save(FILE, X)
TABLE = pathlib.Path(FOLDER.name) / "x.csv"
TABLE.write_text("year,temp,rain\n2024,1.5,3\n2025,11,\n")
NOT_OF_DESCRIBE = {"weights", "fweights", "result", "initial", "by", "empty_nan"}
DASK = dask.array.from_array(X, chunks=2)
STATE = onefold.gather("sum,min", X)
STATES = onefold.gather("sum", X[None], axis=1)


def functions():
    """The name of each function, the function, valid positional arguments, and its keywords."""
    table = {row[0]: row for row in onefold._core.op_table()}
    for name in onefold._functions:
        row = table[name.removeprefix("nan")]
        more = ({"ddof", "correction"} if row[4] else set()) | ({"bias"} if row[5] else set()) | (
            {"fisher"} if name == "kurtosis" else set()) | (
            {"initial"} if name.removeprefix("nan") in ("sum", "min", "max") else set())
        more |= {"weights"} if name == "average" else set()
        yield name, getattr(onefold, name), [X] * row[2], OPS | more
    yield "fold", onefold.fold, ["sum", X], FOLD
    yield "fold", onefold.fold, ["average", X], FOLD
    yield "fold", onefold.fold, ["sum", FILE], FOLD
    yield "explain", onefold.explain, ["sum", FILE], {"axis", "nan", "format", "dtype", "shape", "offset"}
    yield "fold", onefold.fold, ["corr", X, X], FOLD
    yield "fold", onefold.fold, ["sum", pl.DataFrame({"a": [1, 2, 3], "s": ["x", "y", "z"]})], FOLD
    of_files = FOLD - NOT_OF_DESCRIBE - {"ddof", "correction"} | {"by"}
    yield "agg", onefold.agg, [TABLE, "sum(temp)"], of_files - {"axis", "keepdims", "shape", "offset", "columns"} | {
        "having", "sort", "top", "ddof"}
    yield "quantile", onefold.quantile, [X, 0.5], of_files | {"method"}
    yield "median", onefold.median, [TABLE], of_files
    yield "moment", onefold.moment, [X, 3], {"center", "axis", "keepdims", "nan", "where", "threads", "dtype"}
    yield "logsumexp", onefold.logsumexp, [X], {"axis", "keepdims", "nan", "where", "weights", "threads", "dim"}
    yield "softmax", onefold.softmax, [X], {"axis", "threads"}
    yield "cov_matrix", onefold.cov_matrix, [X], {"ddof", "nan", "threads"}
    yield "gram", onefold.gram, [X], {"nan", "threads"}
    yield "linear_fit", onefold.linear_fit, [X, X], {"intercept", "nan", "threads"}
    yield "fold_segments", onefold.fold_segments, ["sum", X, [0, 3]], {
        "ddof", "correction", "nan", "where", "result", "threads"}
    yield "fold_by", onefold.fold_by, ["sum", [0, 1, 0], X], {
        "groups", "null_keys", "ddof", "correction", "nan", "result", "threads"}
    yield "gather", onefold.gather, ["sum", X], {"axis", "first", "keepdims", "nan", "where", "threads"}
    yield "gather_parts", onefold.gather_parts, ["sum", [X, X]], {"axis", "nan", "threads"}
    yield "fold", onefold.fold, ["sum", TABLE], FOLD
    yield "describe", onefold.describe, [TABLE], FOLD - NOT_OF_DESCRIBE
    yield "describe", onefold.describe, [X], FOLD - NOT_OF_DESCRIBE
    yield "explain", onefold.explain, ["sum", X], {
        "axis", "nan", "result", "format", "dtype", "shape", "offset"}
    yield "set_threads", onefold.set_threads, [0], set()
    yield "vecdot", onefold.vecdot, [X, X], {"axis"}
    yield "vector_norm", onefold.linalg.vector_norm, [X], {"axis", "keepdims", "ord"}
    import onefold.dask as lazy

    yield "mean", lazy.mean, [DASK], {"axis", "keepdims", "nan", "split_every", "ddof", "dtype"}
    yield "fold", lazy.fold, ["sum,var", DASK], {"axis", "keepdims", "nan", "split_every", "ddof", "dtype"}
    for state in (STATE, STATES):
        yield "merge", type(state).load(bytes(state)).merge, [state], set()
        yield "answer", state.answer, ["sum"], {"ddof", "correction", "dtype", "initial", "empty_nan"}
        yield "load", type(state).load, [bytes(state)], set()


FUNCTIONS = list(functions())
SIGNS_OF_A_DEFECT = ("NoneType' ", "bad_cast", "' object is not", "incompatible function", "sequence item", "_convert",
                     "not supported between", "has no attribute", "basic_string", "vector::", "unhashable",
                     "truth value", "fold_array", "gather_array")


def check(name, function, args, keywords):
    def said():
        return f"{name}({args!r:.300}, {keywords!r:.300})"

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*args, **keywords)
    except (onefold.Error, TypeError, ValueError) as error:
        text = str(error)
        assert not isinstance(error, (onefold.InternalError, UnicodeError)), f"{said()}: {error!r}"
        assert text.isprintable() and 10 < len(text) < 1500, f"{said()}: {text!r}"
        assert not any(sign in text for sign in SIGNS_OF_A_DEFECT), f"{said()}: {text!r}"
        names = {name.removeprefix("nan"), *keywords, *(a for a in args if isinstance(a, str)), "ops", "released",
                 "open ", "column ", "q=", "sum:", "min[", "DLPack", "Arrow", "ddof", "op name", "norm"}
        assert any(n and n in text for n in names), f"{said()}: {text!r} names nothing"
    except Exception as error:
        raise AssertionError(f"{said()}: {error!r}") from error
    finally:
        onefold.set_threads(0)


@pytest.mark.parametrize("k", range(len(FUNCTIONS)), ids=lambda k: f"{FUNCTIONS[k][0]}-{k}")
def test_one_wrong_argument_is_named(k):
    name, function, args, keywords = FUNCTIONS[k]
    for wrong in WRONG:
        for i in range(len(args)):
            check(name, function, [*args[:i], wrong, *args[i + 1:]], {})
        for keyword in sorted(keywords):
            check(name, function, args, {keyword: wrong})
    if name in onefold._functions and name != "average":
        check(name, function, args[:-1], {})


@pytest.mark.parametrize("seed", range(4))
def test_so_is_one_of_several(seed):
    rng = random.Random(seed)
    for _ in range(800):
        name, function, args, keywords = rng.choice(FUNCTIONS)
        args = [rng.choice(WRONG) if rng.random() < 0.3 else a for a in args]
        if rng.random() < 0.1 and name not in ("merge", "answer", "load"):
            args.append(rng.choice(WRONG))
        some = rng.sample(sorted(keywords), rng.randint(0, min(3, len(keywords))))
        check(name, function, args, {k: rng.choice(WRONG) for k in some})


@pytest.mark.parametrize("call, error, text", [
    (lambda: onefold.fold(X, "mean"), TypeError, "the names of ops come first"),
    (lambda: onefold.average(X, X, weights=X), TypeError, "weights twice"),
    (lambda: onefold.fold_by("sum", [0, 1, 0], X, groups=2**70), onefold.OptionError, "groups=1180591620717411303424"),
    (lambda: onefold.fold_segments("sum", X, np.array([0, 2**64 - 1], "u8")), onefold.OptionError,
     "offset 1 is 18446744073709551615"),
    (lambda: onefold.fold("sum", X, keepdims=X), onefold.OptionError, "keepdims=array"),
    (lambda: onefold.sum(X, axis=np.ones((50, 50))), TypeError, r"axis=array\(\[\[1., 1.,.*\.\.\. is not an integer"),
    (lambda: onefold.fold("sum", X, weights=X), onefold.OptionError, "sum: weights= applies only to average.* fweights= to rep"),
    (lambda: onefold.fold("sum", X, result="x"), TypeError, "sum: result='x' is not a type"),
    (lambda: onefold.sum([1.0], dtype="x"), TypeError, "sum: dtype='x' is not a type"),
    (lambda: onefold.sum(X, dtype="x"), TypeError, "sum: dtype='x' is not a type"),
    (lambda: STATE.merge(3), onefold.DTypeError, "merge: other is a builtins.int, and must be a State"),
    (lambda: STATE.remove(3), onefold.DTypeError, "remove: other is a builtins.int, and must be a State"),
    (lambda: STATE.answer(3), onefold.DTypeError, "answer: op is a builtins.int, and must be a str"),
    (lambda: onefold.State.load("text"), onefold.DTypeError, "must be bytes")])
def test_the_line_says_what_is_wrong(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_whatever_bytes_a_state_holds_its_refusal_can_be_read():
    good = bytes(onefold.gather("mean,argmax", np.arange(5.0), first=3))
    rng = random.Random(1)
    for _ in range(3000):
        bad = bytearray(good[:-4])
        for _ in range(rng.randint(1, 4)):
            bad[rng.randrange(8, len(bad))] = rng.choice(b"\0\n\xff\xc3\x80\x7f")
        try:
            onefold.State.load(bytes(bad) + struct.pack("<I", zlib.crc32(bad)))
        except onefold.StateError as error:
            assert str(error).isprintable()


def test_names_of_files_may_be_any_bytes(tmp_path):
    np.save(tmp_path / "x.npy", X)
    odd = tmp_path / "\udcff\udc80.npy"
    (tmp_path / "x.npy").rename(odd)
    assert onefold.sum(odd) == 7 and onefold.explain("sum", odd)["files"] == [str(odd)]
    with pytest.raises(onefold.FileError, match="byte 0"):
        onefold.sum(str(odd) + "\0.txt")


def test_what_stands_beside_an_array_may_be_of_any_kind():
    big = X.astype(">f8")
    for weights in [X, big, X.tolist(), memoryview(X), memoryview(big), pl.Series(X), pd.Series(X), pa.array(X),
                    array.array("d", X), range(1, 4)]:
        for x in [X, big, X.tolist(), memoryview(big), array.array("d", X), pl.Series(X)]:
            want = onefold.average(X, np.asarray(weights, "f8"))
            assert onefold.average(x, weights=weights) == want
            assert onefold.fold("average", x, weights=weights) == (want,)
    three = np.array([1, 0, 2])
    for times in [three, three.astype(">i4"), [1, 0, 2], memoryview(three), pl.Series(three), pa.array(three)]:
        for x in [X, big, X.tolist(), memoryview(big), pl.Series(X), np.ma.array(X),
                  pl.concat([pl.Series(X[:1]), pl.Series(X[1:])], rechunk=False)]:
            assert onefold.fold("sum,count", x, fweights=times) == (9, 3)
    for where in [[True, False, True], np.array([True, False, True]), memoryview(bytes([1, 0, 1])).cast("?"),
                  pl.Series([True, False, True]), pd.Series([True, False, True]), pa.array([True, False, True])]:
        for x in [X, big, X.tolist(), array.array("d", X), pl.Series(X), np.ma.array(X, mask=[0, 1, 0])]:
            assert onefold.sum(x, where=where) == 5 and onefold.gather("sum", x, where=where).sum == 5
            out = np.zeros(())
            assert onefold.sum(x, where=where, out=out) is out and out == 5
    for keys in [three, three.astype(">i2"), [1, 0, 2], pl.Series(three), array.array("i", three)]:
        assert onefold.fold_by("sum", keys, big, groups=3).sum.tolist() == [2, 1, 4]


def test_out_takes_the_exact_value_rounded_once_to_its_type():
    x = np.array([[1, 2**-24, 2**-60]] * 2)
    for op, dtype, right in [("sum", "f4", 1 + 2**-23), ("sum", "f2", 1), ("mean", "f4", np.float32(1 / 3)),
                             ("max", "f4", 1), ("count", "f8", 3), ("count_nonzero", "f4", 3)]:
        out = np.zeros(2, dtype)
        assert getattr(onefold, op)(x, axis=1, out=out) is out and out.tolist() == [right] * 2, op
    wide = np.empty(2)
    assert onefold.mean(np.array([[1, 2], [1, 2], [2, 2]], "f4"), axis=0, out=wide).tolist() == [4 / 3, 2]
    small = np.empty((), "i1")
    assert onefold.sum(np.array([100, 27]), out=small) == 127
    with pytest.raises(onefold.OverflowError):
        onefold.sum(np.array([100, 28]), out=small)
    for op, given, dtype in [("mean", x, "i8"), ("any", x, "f8"), ("sum", x, "i8"), ("sum", x, "c16"), ("argmax", x, "M8[s]")]:
        with pytest.raises(onefold.Error, match=f"^{op}: "):
            getattr(onefold, op)(given, axis=1, out=np.zeros(2, dtype))
    asked = np.zeros((), "f4")
    with pytest.raises(onefold.DTypeError, match="they must agree"):  # two types were named
        onefold.sum(x, dtype="f8", out=asked)


def test_empty_nan_makes_extremes_of_nothing_nan():
    for x in (np.empty((2, 0)), np.ma.empty((2, 0))):
        assert np.isnan(np.asarray(onefold.fold("min,max,ptp", x, axis=1, empty_nan=True))).all()
        with pytest.raises(onefold.EmptyError):
            onefold.fold("min", x, axis=1)
        with pytest.raises(onefold.EmptyError):
            onefold.fold("argmin", x, axis=1, empty_nan=True)
    assert np.isnan(onefold.fold("max", np.ones(3), where=np.zeros(3, bool), empty_nan=True).max)
    assert np.isnan(onefold.fold("max", [], empty_nan=True).max)
    with pytest.raises(onefold.EmptyError):
        onefold.fold("max", np.empty(0, "i4"), empty_nan=True)


def test_an_initial_element_has_no_imaginary_part():
    assert onefold.sum(np.ones(2), initial=np.float32(1)) == 3
    with pytest.raises(onefold.OptionError, match="is not a number"):
        onefold.sum(np.ones(2), initial=np.complex64(1 + 2j))
