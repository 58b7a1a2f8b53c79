"""onefold.numpy has NumPy's names, signatures and warnings."""

import inspect
import warnings

import numpy as np
import pytest

import onefold
import onefold.numpy as onp


def test_names_and_signatures_are_those_of_numpy():
    for name, function in onp.functions.items():
        theirs = inspect.signature(getattr(np, name)).parameters
        assert list(inspect.signature(function).parameters) == list(theirs), name


@pytest.mark.parametrize("call, text", [
    (lambda: onp.mean([]), "Mean of empty slice"), (lambda: onp.nanmean([np.nan]), "Mean of empty"),
    (lambda: onp.var([1.0], ddof=1), "Degrees of freedom"),
    (lambda: onp.nanmin([np.nan]), "All-NaN slice"), (lambda: onp.nanstd([np.nan]), "Degrees of")])
def test_it_warns_as_numpy_does(call, text):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert np.isnan(call())
    assert any(w.category is RuntimeWarning and text in str(w.message) for w in seen)


def test_what_is_not_ours_goes_to_numpy():
    assert onp.sum([1j, 2]) == 1j + 2
    assert onp.sum(np.array([1, "a"], object)[:1]) == 1
    assert onp.nanmax([1, 2], initial=5) == 5
    with pytest.raises(ValueError, match="initial"):
        onp.max([1, 2], where=[True, False])
    with pytest.raises(np.exceptions.AxisError):
        onp.sum(np.eye(2), axis=2)
    with pytest.raises(ValueError, match="All-NaN"):
        onp.nanargmax([np.nan])


def test_masks_and_first_elements_are_ours():
    x = np.array([[1e16, 1.0, -1e16, 5.0]] * 2)
    where = [[True, True, True, False]] * 2
    assert onp.sum(x, axis=1, where=where).tolist() == [1, 1]
    assert onp.mean(x, where=where) == 2 / 6 and onp.sum(x[0, :3], initial=2) == 3
    assert onp.max(x, axis=0, where=where, initial=2).tolist() == [1e16, 2, 2, 2]
    assert onp.max(np.array([1, 2]), initial=5) == 5
    with pytest.warns(RuntimeWarning, match="empty slice"):
        assert np.isnan(onp.mean(x, axis=0, where=where)[3])


def test_answers_are_exact():
    assert onp.sum([1e16, 1.0, -1e16]) == 1 and onp.var(np.full(9, 0.1)) == 0
    out = np.zeros(2)
    assert onp.mean(np.ones((3, 2)), 0, None, out) is out and out.tolist() == [1, 1]


def outcome(function, *args, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            answer = function(*args, **keywords)
        except (ValueError, TypeError, IndexError) as error:
            return "error" if not isinstance(error, TypeError) else type(error)
    return np.shape(answer), np.asarray(answer).dtype, np.array2string(np.asarray(answer))


@pytest.mark.parametrize("name", sorted(onp.functions))
def test_of_nothing_it_gives_what_numpy_gives(name):
    for shape in [(0,), (0, 0), (0, 3), (3, 0), (2, 0, 3), (0, 2, 0), (1, 1), ()]:
        for axis in [None, 0, 1, -1, (0, 1), (), (0, 0), 3]:
            if isinstance(axis, tuple) and "arg" in name:
                continue  # which is no axis of NumPy's there
            for dtype in ("f4", "i2", "?"):
                for keepdims in (False, True):
                    args = np.zeros(shape, dtype), *([0.25] if "quantile" in name or "percentile" in name else [])
                    ours = outcome(getattr(onp, name), *args, axis, keepdims=keepdims)
                    theirs = outcome(getattr(np, name), *args, axis, keepdims=keepdims)
                    assert ours == theirs, (shape, axis, dtype, keepdims)


BIG = [1e16, 1.0, -1e16]


def exactly(call):
    """The answer of a call that gives no InexactWarning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", onefold.InexactWarning)
        return call()


def test_memory_maps_and_plain_subclasses_are_ours(tmp_path):
    np.save(tmp_path / "x.npy", BIG)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    plain = np.array(BIG).view(type("Plain", (np.ndarray,), {}))
    for x in (mapped, plain):
        for name, right in [("sum", 1), ("nansum", 1), ("mean", 1 / 3), ("nanmean", 1 / 3), ("max", 1e16), ("argmin", 2)]:
            ours, theirs = exactly(lambda: getattr(onp, name)(x)), getattr(np, name)(x)  # noqa: B023
            assert float(ours) == right and type(ours) is type(theirs), name
            rows = x[None]
            if name != "argmin":  # NumPy makes a memory map of that
                assert type(getattr(onp, name)(rows, axis=1)) is type(getattr(np, name)(rows, axis=1)), name


def test_masked_arrays_are_masked_as_numpys():
    x = np.ma.array([BIG, [4, 5, 6], [7, 8, 9]], mask=[[0, 0, 0], [0, 1, 1], [1, 1, 1]])
    assert exactly(lambda: onp.sum(x)) == 5
    for name in ("sum", "mean", "var", "std", "min", "max", "argmin", "argmax"):
        for keywords in ({"axis": 1}, {"axis": 1, "keepdims": True}, {"axis": 0}):
            ours = exactly(lambda: getattr(onp, name)(x, **keywords))  # noqa: B023
            theirs = getattr(np, name)(x, **keywords)
            assert type(ours) is type(theirs) and np.ma.getmaskarray(ours).tolist() == np.ma.getmaskarray(theirs).tolist()
    assert exactly(lambda: onp.sum(x, axis=1)).tolist() == [1, 4, None]
    for ddof in (0, 1, 2):
        ours, theirs = onp.var(x, axis=1, ddof=ddof), np.var(x, axis=1, ddof=ddof)
        assert np.ma.getmaskarray(ours).tolist() == np.ma.getmaskarray(theirs).tolist()
    assert onp.sum(x[2]) is np.ma.masked


class Unit(np.ndarray):
    """A subclass whose answers know where they come from."""

    def __array_finalize__(self, parent):
        self.unit = getattr(parent, "unit", None)


@pytest.mark.parametrize("x", [
    np.array(BIG).view(Unit), np.array([1j, 2], "G"), np.array(BIG, "g"), np.array([1, 2], "m8[s]"),
    np.ma.array(BIG).astype("c16")])
def test_what_numpy_may_round_is_said(x):
    for name in ("sum", "nansum"):
        with pytest.warns(onefold.InexactWarning, match=f"^{name}: NumPy, not Onefold, reduces this") as seen:
            getattr(onp, name)(x)
        assert seen[0].filename == __file__
    assert exactly(lambda: getattr(onp, "max")(x)) is not None  # which rounds nothing
    assert exactly(lambda: onp.sum(np.array([], object))) == 0 and exactly(lambda: onp.sum(2j)) == 2j


def test_masks_of_numbers_are_those_of_numpy():
    x = np.array([*BIG, 4])
    for where in ([1, 1, 1, 0], [True, 1, 1, 0]):
        assert exactly(lambda: onp.sum(x, where=where)) == exactly(lambda: onp.nansum(x, where=where)) == 1  # noqa: B023
        assert exactly(lambda: onp.nanmean(x, where=where)) == 1 / 3  # noqa: B023
        assert exactly(lambda: onp.nanvar(np.array([1.0, 2, 3, 9]), where=where)) == 2 / 3  # noqa: B023
    assert onp.nansum(x, initial=2) == 7 and onp.sum(x, where=0) == 0
    with pytest.raises(TypeError), warnings.catch_warnings():  # NumPy's own
        warnings.simplefilter("ignore")
        onp.sum(x, where=np.array([1, 1, 1, 0]))


def test_sums_of_an_integer_dtype_do_not_wrap():
    for x, dtype in (([2**62, 2**62], np.int64), ([-1], np.uint64), ([100, 100], np.int8)):
        with pytest.raises(OverflowError):
            onp.sum(np.array(x), dtype=dtype)
    assert onp.sum(np.array([-1, 3]), dtype=np.uint64) == 2 and onp.sum([1.5, 2.5], dtype=int) == 3
    assert onp.sum([1, 2], dtype="i8").dtype == np.int64 and onp.nansum([1, 2], dtype="u8").dtype == np.uint64
    assert onp.sum([1, 2], dtype=np.int8).dtype == np.int8 and onp.sum([True, True], dtype=bool)
    assert onp.nansum([np.nan, 1.5, 2.5], dtype=int) == 3
    for x in ([np.nan], [2.0**63], [-1e300]):
        with pytest.raises(OverflowError, match="is not a value of int64"):
            onp.sum(x, dtype=np.int64)


def test_out_is_rounded_to_once():
    x = np.array([1, 2**-24, 2**-60])
    for name in ("sum", "nansum"):
        out = np.zeros((), "f4")
        assert exactly(lambda: getattr(onp, name)(x, out=out)) is out and out == 1 + 2**-23  # noqa: B023
    out = np.zeros((), "f4")
    assert onp.mean(x * 3, out=out) == np.float32(1 + 2**-23)
    with pytest.raises(OverflowError):
        onp.sum(np.array([300]), out=np.zeros((), "i1"))
    with pytest.raises(TypeError):
        onp.mean(x, out=np.zeros((), "i4"))
    wide = np.zeros(())
    assert onp.sum(np.array([1, 2**-24], "f4"), out=wide) == 1 + 2**-24


def test_quantiles_are_exact_and_typed_as_numpys():
    x = np.array([[5e-324, 0.0, 1.0], [3.0, np.nan, 2.0]], "f4")
    assert onp.median(np.array([1e308, 1.7e308])) == 1.35e308  # NumPy adds them first: infinity
    with pytest.warns(RuntimeWarning, match="All-NaN"):
        assert np.isnan(onp.nanmedian(np.array([np.nan])))
    assert onp.nanpercentile(x, 50, axis=1).tolist() == [0, 2.5] and np.isnan(onp.percentile(x, 50, axis=1)[1])
    assert onp.percentile(np.arange(5), 33.3) == 1.332
    for q, dtype in ((0.5, "f4"), ([0.5], "f8"), (np.float64(0.5), "f8")):
        assert onp.nanquantile(x, q).dtype == np.nanquantile(x, q).dtype == dtype
    assert onp.quantile(np.array([1, 2, 4], "i2"), 0.5, method="lower").dtype == np.int16
    for x_of, q, method in (("f4", [0.25, 0.5], "inverted_cdf"), ("f4", [0, 1], "linear"), ("i8", 0, "linear")):
        arguments = np.array([4, 2], x_of), q
        ours, theirs = onp.quantile(*arguments, method=method), np.quantile(*arguments, method=method)
        assert ours.dtype == theirs.dtype and (ours == theirs).all()
    w = np.full(20, 0.1)
    assert onp.quantile(np.arange(20), 0.25, weights=w, method="inverted_cdf") == 4
    assert onp.median([[1, 2], [3, 4]], axis=(0, 1), keepdims=True).tolist() == [[2.5]]
    for bad in (lambda: onp.quantile([1.0], 2), lambda: onp.quantile([1.0], 0.5, method="no")):
        with pytest.raises(ValueError, match="range|valid"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            bad()
    with pytest.raises(np.exceptions.AxisError):
        onp.median(x, axis=2)
