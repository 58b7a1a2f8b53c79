"""Every op over arrays of NumPy: values, types, axes, keywords."""

import math
from fractions import Fraction

import numpy as np
import pytest

import onefold

FLOATS = ["f2", "f4", "f8"]
INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


def rounded(exact, dtype):
    """A Fraction, rounded once to a float type."""
    dtype = np.dtype(dtype)
    if dtype == np.float64:
        return exact.numerator / exact.denominator  # Python rounds this quotient correctly
    info = np.finfo(dtype)
    if exact == 0:
        return dtype.type(0)
    exponent = max(math.floor(math.log2(abs(exact))) - info.nmant - 2, int(np.log2(info.smallest_subnormal)) - 2)
    unit = Fraction(2) ** exponent
    steps = abs(exact) / unit
    # Rounds to odd with two extra bits; then rounding to the type is correct.
    n = steps.numerator // steps.denominator
    if n * steps.denominator != steps.numerator:
        n |= 1
    value = float(Fraction(n) * unit)
    return dtype.type(value if exact > 0 else -value)


def test_sum_is_exact_where_numpy_is_not():
    assert onefold.sum(np.array([1e16, 1.0, -1e16])) == 1.0


@pytest.mark.parametrize("dtype", FLOATS)
def test_sum_and_mean_of_floats_are_rounded_once(dtype):
    x = np.random.default_rng(1).normal(size=1001).astype(dtype)
    total = sum(map(Fraction, x.tolist()))
    for op, exact in [("sum", total), ("mean", total / 1001)]:
        answer = getattr(onefold, op)(x)
        assert type(answer) is np.dtype(dtype).type
        assert answer == rounded(exact, dtype)


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS + ["?"])
def test_types_of_answers_are_those_of_the_table(dtype):
    x = np.ones((3, 4), dtype)
    for name, op in onefold._ops.ops.items():
        inputs, types = op.inputs, op.types
        args = (x,) * inputs
        spelling = {"?": "bool"}.get(dtype, f"{dtype[0]}{8 * int(dtype[1:] or 1) if dtype != '?' else ''}")
        numpy_name = types[spelling].replace("f", "float").replace("i", "int").replace("u", "uint")
        whole, rows = onefold.fold(name, *args)[0], getattr(onefold, name)(*args, axis=1)
        assert whole.dtype == rows.dtype == np.dtype(numpy_name), name
        assert rows.shape == (3,)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), (2, 0), (), (0, 1, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_shapes_are_those_of_numpy(axis, keepdims):
    x = np.arange(24.0).reshape(2, 3, 4)
    for op in ["sum", "mean", "min", "any", "ptp"]:
        ours = getattr(onefold, op)(x, axis=axis, keepdims=keepdims)
        theirs = getattr(np, op)(x, axis=axis, keepdims=keepdims) if op != "ptp" else np.ptp(
            x, axis=axis, keepdims=keepdims) if axis != () else np.zeros(x.shape)
        np.testing.assert_array_equal(ours, theirs)
        assert np.shape(ours) == np.shape(theirs)


@pytest.mark.parametrize("layout", ["C", "F", "reversed", "strided", "broadcast", "readonly"])
def test_layouts_give_the_same_bits(layout):
    base = np.random.default_rng(2).normal(size=(40, 30))
    x = {"C": base, "F": np.asfortranarray(base), "reversed": base[::-1, ::-1],
         "strided": np.repeat(np.repeat(base, 2, 0), 3, 1)[::2, ::3],
         "broadcast": np.broadcast_to(base, (2, 40, 30)), "readonly": base.copy()}[layout]
    if layout == "readonly":
        x.flags.writeable = False
    copy = np.ascontiguousarray(x)
    for op in [row[0] for row in onefold._core.op_table() if row[2] == 1]:
        for axis in [None, 0, 1]:
            a, b = getattr(onefold, op)(x, axis), getattr(onefold, op)(copy, axis)
            assert np.array_equal(a, b, equal_nan=True) and a.dtype == b.dtype, (op, axis)


def test_out_is_written_and_returned():
    x = np.arange(6.0).reshape(2, 3)
    out = np.empty(3)
    assert onefold.sum(x, 0, out=out) is out
    assert out.tolist() == [3, 5, 7]
    scalar = np.empty(())
    assert onefold.sum(x, out=scalar) is scalar and scalar == 15
    holes = np.zeros(6)
    onefold.sum(x, 0, out=holes[::2])
    assert holes.tolist() == [3, 0, 5, 0, 7, 0]
    onefold.sum(x, 0, out=x[1])  # the output overlaps the input
    assert x[1].tolist() == [3, 5, 7]


@pytest.mark.parametrize("out, error", [
    (np.empty(2), onefold.ShapeError), (np.empty(3, "i8"), onefold.DTypeError),
    ([0.0] * 3, onefold.DTypeError), (np.empty(3, ">f8"), onefold.DTypeError)])
def test_a_wrong_out_is_refused(out, error):
    with pytest.raises(error):
        onefold.sum(np.ones((2, 3)), 0, out=out)


def test_a_read_only_out_is_refused_and_a_failed_fold_writes_nothing():
    out = np.full(2, 7.0)
    out.flags.writeable = False
    with pytest.raises(onefold.OptionError):
        onefold.sum(np.ones((3, 2)), 0, out=out)
    out = np.full(2, 7, "i8")
    with pytest.raises(OverflowError):
        onefold.sum(np.array([[1, 2**62], [1, 2**62]]), 0, out=out)
    assert out.tolist() == [7, 7]


def test_dtype_rounds_the_exact_value_once():
    x = np.array([1.0, 2.0**-24, 2.0**-60])  # rounding to f64 first would make a tie, which rounds down to even
    assert onefold.sum(x, dtype="f4") == np.float32(1 + 2.0**-23)
    assert onefold.sum(x, dtype=np.float32).dtype == np.float32
    assert onefold.sum(np.float32([1, 2]), dtype=float).dtype == np.float64
    with pytest.raises(onefold.OptionError):
        onefold.sum(np.ones(3), dtype="i4")
    with pytest.raises(onefold.DTypeError, match="'zork' is not a type"):
        onefold.sum(np.ones(3), dtype="zork")
    with pytest.raises(onefold.OptionError, match="say int8 or int64"):
        onefold.sum(np.ones(3, int), dtype="i8")


def test_ddof_and_correction_are_the_same():
    x = np.array([2.0, 4, 4, 4, 5, 5, 7, 9])
    assert onefold.var(x) == 4
    assert onefold.var(x, ddof=1) == onefold.var(x, correction=1) == onefold.var(
        x, correction=1.0, ddof=1) == 32 / 7
    assert onefold.std(x, ddof=np.int64(1)) == math.sqrt(32 / 7)
    assert onefold.var(x, correction=1.755859375) == float(Fraction(32) / (8 - Fraction(1.755859375)))
    for k in (0.5, 2.0**-29, 7.875, -1e15):  # the very value of a float, too
        assert onefold.var(x, ddof=k) == float(Fraction(32) / (8 - Fraction(k)))
    for k in (0.1, 7.9, -0.123456789, 1e-9):  # means the decimal of its digits
        assert onefold.var(x, ddof=k) == float(Fraction(32) / (8 - Fraction(repr(k))))
    for wrong in [{"ddof": 1, "correction": 2}, {"ddof": "1"}, {"ddof": []}, {"ddof": 1 / 3}, {"ddof": 5e-324}]:
        with pytest.raises(onefold.OptionError):
            onefold.var(x, **wrong)
    with pytest.raises(TypeError):
        onefold.sum(x, ddof=1)


def test_nan_policies():
    x = np.array([[1, np.nan], [np.nan, np.nan]])
    assert np.isnan(onefold.sum(x))
    assert onefold.sum(x, nan="omit") == 1
    with pytest.raises(onefold.NanError):
        onefold.sum(x, nan="raise")
    np.testing.assert_array_equal(onefold.max(x, 1, nan="omit"), [1, np.nan])
    with pytest.raises(onefold.EmptyError, match=r"argmax\[1\]"):
        onefold.argmax(x, 1, nan="omit")


def test_zero_sized_results_are_no_error():
    assert onefold.min(np.zeros((0, 3)), axis=1).shape == (0,)
    with pytest.raises(ValueError):
        onefold.min(np.zeros((0, 3)), axis=0)
    assert onefold.sum(np.zeros((0, 3)), axis=0).tolist() == [0, 0, 0]


def test_buffers_give_numbers_of_python():
    from array import array

    assert type(onefold.sum(array("d", [1e16, 1, -1e16]))) is float
    assert onefold.sum(b"\x01\x02") == 3
    assert onefold.any(memoryview(b"\0\1").cast("?")) is True
    assert onefold.sum([1e16, 1, -1e16]) == 1.0
    assert onefold.mean([1, 2]) == 1.5
    assert onefold.max([[1, 2], [3, 4]]) == 4 and type(onefold.max([[1, 2], [3, 4]])) is int


def test_fold_gives_a_named_tuple_that_pickles():
    import pickle

    x = np.arange(12.0).reshape(3, 4)
    answers = onefold.fold("mean,var,argmax", x)
    mean, var, place = answers
    assert (mean, var, place) == (5.5, np.var(x), 11)
    assert answers.argmax == 11 and answers._fields == ("mean", "var", "argmax")
    assert pickle.loads(pickle.dumps(answers)) == answers
    np.testing.assert_array_equal(onefold.fold(["min", "max"], x, axis=0).max, x[2])


def test_an_axis_that_is_not_there_is_named():
    with pytest.raises(onefold.AxisError, match="axis 3 is out of range") as caught:
        onefold.sum(np.ones((4, 5)), axis=3)
    assert isinstance(caught.value, IndexError) and isinstance(caught.value, ValueError)
    assert caught.value.code == "bad_axis"


def test_calls_that_python_refuses():
    for call in [lambda: onefold.sum(), lambda: onefold.sum(np.ones(2), 0, None),
                 lambda: onefold.sum(np.ones(2), axes=0), lambda: onefold.sum(np.ones(2), 0, axis=0)]:
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize("op, why", [
    ("median", "all values at once"), ("nunique", "all values at once"), ("prod", "the exact product has as many"),
    ("gmean", "the exact product has as many"), ("cumsum", "an answer for each element")])
def test_what_is_no_op_on_purpose_says_why(op, why):
    for call in [lambda: onefold.fold(op, [1.0]), lambda: onefold.fold(f"mean,{op}", [1.0]),
                 lambda: onefold.gather(op, [1.0]), lambda: onefold.gather("sum", [1.0]).answer(op)]:
        with pytest.raises(onefold.OptionError, match=f"^{op} cannot be folded: .*{why}"):
            call()


@pytest.mark.parametrize("word, meant", [
    ("sun", "sum"), ("maen", "mean"), ("count_nonezro", "count_nonzero"), ("medium", None),
    ("logsumexp", None), ("kurtosys", "kurtosis")])
def test_only_what_is_near_is_meant(word, meant):
    with pytest.raises(onefold.OptionError) as error:
        onefold.fold(word, [1.0])
    assert (f"(did you mean {meant}?)" in str(error.value)) if meant else "did you mean" not in str(error.value)
