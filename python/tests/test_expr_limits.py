"""Expressions of arrays where they are easily wrong: many terms, large integers, labels, masks, numbers of arguments."""

from fractions import Fraction as F

import numpy as np
import pytest

import onefold
from onefold import expr


def array(*values, dtype=None):
    return np.array(values, dtype)


def test_polynomials_of_many_terms_are_exact():
    assert onefold.sum(expr("+".join(["x"] * 65)), x=array(0.1)) == 6.5
    ones = {name: array(1.0) for name in "bdefghi"}
    assert onefold.sum(expr("(a+b+c+d+e+f+g+h+i)**2"), a=array(1e16), c=array(-1e16), **ones) == 49
    value = (F(0.1) * F(1e200) * F(1e200) + F(1e-300)) * F(0.3) * F(1e-250)
    assert onefold.sum(expr("(0.1 * 1e200 * 1e200 * x + x * 1e-300) * 0.3 * 1e-250"), x=array(1.0)) == float(value)
    many = [f"n{k}" for k in range(50)]
    with pytest.raises(onefold.OptionError, match="has 1275 terms, but sums of at most 1024 are exact"):
        onefold.sum(expr("(" + "+".join(many) + ")**2"), **dict.fromkeys(many, array(1.0)))
    assert onefold.max(expr("(" + "+".join(many) + ")**2"), **dict.fromkeys(many, array(1.0))) == 2500


def test_chains_of_a_thousand_operators_have_values():
    x = array(1.0, 2.0)
    assert onefold.sum(expr("+".join(["x"] * 1000)), x=x) == 3000 and onefold.max(expr("+".join(["x"] * 1000)), x=x) == 2000
    assert onefold.max(expr("*".join(["x"] * 1000)), x=x / 1.9) == np.multiply.reduce(np.full(1000, 2 / 1.9))
    assert onefold.any(expr(" and ".join(["x > 1"] * 1000)), x=x)


@pytest.mark.parametrize("divisor", ["8", "2**3", "(4*2)", "(10 - 2)", "(1 / 0.125)"])
def test_quotients_by_powers_of_2_are_exact(divisor):
    assert onefold.sum(expr(f"x / {divisor}"), x=array(*[5e-324] * 8)) == 5e-324
    assert onefold.sum(expr(f"x / -{divisor} / 1e308 * 1e308"), x=array(8.0)) != 0
    assert onefold.sum(expr(f"x * 1e-308 / -{divisor} / 1024**9 * 1024**9 * 1e308"), x=array(8.0)) == float(-F(1e-308) * F(1e308))


def test_round_is_of_all_floats():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for dtype in ("f2", "f4", "f8", ml_dtypes.bfloat16):
        x = array(1.5, 2.5, -0.4, -2.5).astype(dtype)
        assert [onefold.max(expr("round(x)"), x=x), onefold.min(expr("round(x)"), x=x)] == [3, -3]
        assert np.signbit(np.float64(onefold.min(expr("round(x)"), x=x[2:3])))


def test_if_leaves_no_type_of_integers():
    e, u = expr("if(x > 1, x, -1)"), array(0, dtype="u8")
    with pytest.raises(onefold.OverflowError, match="if of integers overflows 64 bits"):
        onefold.sum(e, x=u)
    with pytest.raises(onefold.OverflowError, match="if of integers overflows 64 bits"):
        onefold.max(expr("if(x < 1, 9223372036854775808, -1)"), x=u)
    assert onefold.sum(e, x=u + 5) == 5 and onefold.sum(e, x=array(0)) == -1
    assert onefold.max(expr("if(x > 1, -0.0, x)"), x=array(2**53 + 1, -1)).dtype == "i8"


@pytest.mark.parametrize("text, x, right", [
    ("if(x == 9007199254740992, 1, 0)", array(2**53 + 1), 0), ("x > 9007199254740992", array(2**53 + 1), 1),
    ("x == 18446744073709551616", array(2**64 - 1, dtype="u8"), 0), ("x in (9007199254740992)", array(2**53 + 1), 0),
    ("x + 9007199254740992", array(1), 2**53 + 1), ("x + -1", array(5, dtype="u8"), 4), ("x % -3", array(5, dtype="u8"), 2),
    ("x + 9223372036854775808", array(-5), 2**63 - 5), ("x % 9223372036854775808", array(-5), -5), ("x % 0", array(5), 0),
    ("x - 1e300 > 0", array(5), 0), ("x * 1e200 * 1e200 > 1", array(1.0), 1)])
def test_constants_are_exact_beside_integers(text, x, right):
    found = onefold.fold("max", expr(text, x=x)).max
    assert int(found) == right and (found.dtype == bool or found.dtype.kind in "iu")


def test_constants_beyond_the_type_are_an_overflow():
    for text, x in (("x + -6", array(5, dtype="u8")), ("x + 9223372036854775808", array(5)), ("x * -1", array(1, dtype="u8"))):
        with pytest.raises(onefold.OverflowError, match="overflows 64 bits"):
            onefold.max(expr(text), x=x)


def test_int64_with_uint64_is_not_rounded():
    for text in ("x * y", "x + y", "if(x > 1, x, y)"):
        with pytest.raises(onefold.DTypeError, match="float64, as in NumPy, which cannot hold these integers"):
            onefold.max(expr(text), x=array(2**53 + 1), y=array(1, dtype="u8"))
        assert onefold.max(expr(text), x=array(3), y=array(1, dtype="u8")) in (3, 4)
    assert onefold.sum(expr("x - y"), x=array(2**53 + 1), y=array(1, dtype="u8")) == 2**53


def test_a_constant_zero_has_a_sign():
    assert np.signbit(onefold.min(expr("-0.0 * x"), x=array(1.0))) and np.signbit(onefold.max(expr("-0.0 + x"), x=array(-0.0)))
    assert not np.signbit(onefold.max(expr("0 + x"), x=array(-0.0))) and np.signbit(onefold.sum(expr("-0.0 * x"), x=array(1.0)))


def test_nan_is_checked():
    for nan in ("foo", 3):
        for text in ("x", "x * x", "sqrt(x)"):
            with pytest.raises(onefold.OptionError, match=f"mean: nan={nan!r} is not one of"):
                onefold.mean(expr(text), x=array(1.0), nan=nan)


def test_a_scalar_stays_one():
    for op in ("sum", "max"):
        assert getattr(onefold, op)(expr("x"), x=np.array(2.0), axis=()).shape == ()
    assert onefold.argmax(expr("x * x"), x=array([1, 5], [7, 2]), axis=(0, 1)) == 2


@pytest.mark.parametrize("op", ["sum", "mean", "var", "max", "min", "argmax", "count", "any", "norm2"])
def test_masked_slices_have_the_answers_of_a_masked_array(op):
    x = np.ma.array([[1.0, 2], [3, 4], [5, 6]], mask=[[1, 1], [0, 0], [0, 1]])
    for keywords in ({"axis": 1}, {"axis": 0}, {"axis": 1, "keepdims": True}, {}, {"axis": 1, "where": np.array([[True, False]] * 3)}):
        found, right = getattr(onefold, op)(expr("x"), x=x, **keywords), getattr(onefold, op)(x, **keywords)
        assert type(found) is type(right) and np.shape(found) == np.shape(right) and str(found) == str(right)
    nothing = np.ma.array([1.0, 2], mask=True)
    assert str(getattr(onefold, op)(expr("x * 1"), x=nothing)) == str(getattr(onefold, op)(nothing))
    rows = onefold.var(expr("x * 1"), x=x, axis=1, ddof=1)
    assert str(rows) == str(onefold.var(x, axis=1, ddof=1))


def test_elements_that_are_left_out_do_not_overflow():
    x = array(2**31, 2)
    assert onefold.sum(expr("x * x * x"), x=x, where=array(False, True)) == 8
    assert onefold.sum(expr("x * x * x"), x=np.ma.array(x, mask=[1, 0])) == 8
    with pytest.raises(onefold.OverflowError):
        onefold.sum(expr("x * x * x"), x=x, where=array(True, False))


def test_labels_of_all_arrays_agree():
    pd = pytest.importorskip("pandas")
    s, t = pd.Series([1, 2], index=[1, 2]), pd.Series([1, 2], index=[2, 1])
    where = pd.Series([True, False], index=[2, 1])
    for text, keywords in (("a + x * y", {"a": 1, "x": s, "y": t}), ("x * y + a", {"a": 1, "x": s, "y": t}),
                           ("x * y", {"x": s, "y": 1, "where": where}), ("x * y", {"x": 1, "y": s, "where": where})):
        with pytest.raises(onefold.ShapeError, match="other labels"):
            onefold.sum(expr(text), **keywords)
    assert onefold.sum(expr("a * x"), a=1, x=t, where=where) == 1
    frame = pd.DataFrame({"a": [1, 2], "b": [3, 4]}, index=[1, 2])
    assert onefold.sum(expr("x * y"), x=s, y=frame) == 16  # rows
    with pytest.raises(onefold.ShapeError, match="other labels"):
        onefold.sum(expr("x * y"), x=t, y=frame)


def test_dimensions_of_all_arrays_agree():
    xarray = pytest.importorskip("xarray")
    p, q = xarray.DataArray([1, 2], dims="p"), xarray.DataArray([1, 2], dims="q")
    both = xarray.DataArray([[1, 10], [100, 1000]], dims=("p", "q"))
    for text, keywords in (("a + x * y", {"a": array([1]), "x": p, "y": q}), ("x + 0", {"x": p, "where": q > 1})):
        with pytest.raises(onefold.ShapeError, match="has a dimension"):
            onefold.sum(expr(text), **keywords)
    assert onefold.sum(expr("x * y"), x=p, y=both) == 11 + 2200 and onefold.sum(expr("x * y"), x=q, y=both) == 1 + 20 + 100 + 2000


def test_labels_agree_beside_a_larger_array_without():
    xarray = pytest.importorskip("xarray")
    one, two = (xarray.DataArray([1, 2], dims="p", coords={"p": p}) for p in ([1, 2], [2, 1]))
    plain = xarray.DataArray(np.ones((2, 3)), dims=("p", "q"))
    with pytest.raises(onefold.ShapeError, match="y= has other labels along p than x="):
        onefold.sum(expr("x * y + z"), x=one, y=two, z=plain)
    assert onefold.sum(expr("x * y + z"), x=one, y=one, z=plain) == 21
    with pytest.raises(onefold.ShapeError, match="where= has other labels along p than x="):
        onefold.sum(expr("x * z"), x=one, z=plain, where=two > 1)


@pytest.mark.parametrize("text, said", [
    ("if(x > 1)", "if takes 3 arguments, and 1 is given"), ("if(x > 1, 1, 2, 3)", "if takes 3 arguments, and 4 are given"),
    ("bin(x)", "bin takes 2 arguments"), ("bin(x, 1, 2)", "bin takes 2 arguments"), ("round(x, 2)", "round takes 1 argument,"),
    ("abs() + x", "abs takes 1 argument, and 0 are given"), ("if() + x", "if takes 3"), ("abs(x, 2)", "abs takes 1"),
    ("sqrt(x, x)", "sqrt takes 1"), ("sqrt(x, y + 0)", "sqrt takes 1"), ("floor(x, y)", "floor takes 1"),
    ("x\ud800", "a lone surrogate")])
def test_calls_that_cannot_be_are_refused_at_once(text, said):
    with pytest.raises(onefold.OptionError) as error:
        expr(text)
    assert said in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("x, said", [
    (array("a"), "x= has elements of <U1; expressions need"), (array(None), "of object"), (np.ones(1, "g"), "of longdouble|float128"),
    (np.zeros(1, [("a", "f8")]), "of records"), (array(1j), "complex128 cannot be folded here")])
def test_elements_that_are_no_numbers_are_named(x, said):
    with pytest.raises(onefold.UnsupportedError, match=said):
        onefold.sum(expr("x"), x=x)


def test_moments_take_expressions():
    x = array(1.0, 2.0, 4.0, 9.0)
    for order in (1, 2, 3, 4):
        assert onefold.moment(expr("x / 3"), order, x=x) == onefold.moment(x / 3, order)
        assert onefold.moment(expr("x / 3"), order, x=x, center=np.int64(0)) == onefold.moment(x / 3, order, center=0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        onefold.moment(x, 2, z=x)


def test_the_option_for_the_type_of_answers_is_named():
    with pytest.raises(onefold.OptionError, match="result= rounds the answers"):
        onefold.fold("sum,count", expr("x", x=array(1.0)), dtype="f8")
