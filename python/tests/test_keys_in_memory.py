"""Times, runs, categories and quantiles by keys in memory, judged by Python's integers and fractions."""

import random
import statistics
from fractions import Fraction

import numpy as np
import pytest

import onefold

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
NAT = -2**63


def rounded(q):
    """To the nearest integer, a tie to the even one."""
    return round(q)


def column_of(library, numbers, null, dtype):
    times = np.array(numbers, "i8").view(dtype)
    if library == "numpy":
        return times, [False] * len(numbers)
    if library == "masked":
        return np.ma.array(times, mask=null), null
    if library == "pandas":
        return pd.Series(times), [False] * len(numbers)
    unit = np.datetime_data(times.dtype)[0]
    array = pa.array([None if m else v for v, m in zip(numbers, null)], pa.int64()).cast(
        pa.timestamp(unit) if dtype[0] == "M" else pa.duration(unit))
    return pl.from_arrow(array) if library == "polars" else array, null


@pytest.mark.parametrize("library", ["numpy", "masked", "pandas", "polars", "arrow"])
@pytest.mark.parametrize("dtype", ["M8[us]", "m8[ns]"])
def test_times_by_keys(library, dtype):
    r = random.Random(62)
    ops = ["count", "min", "max", "mean", *(["sum"] if dtype[0] == "m" else [])]
    for n in (1, 3, 8, 30, 30, 30):
        numbers = [NAT if r.random() < 0.1 else r.randrange(-2**50, 2**50) for _ in range(n)]
        x, null = column_of(library, numbers, [r.random() < 0.2 for _ in range(n)], dtype)
        keys, nan = [r.choice(["a", "b", "c", None]) for _ in range(n)], r.choice(["propagate", "omit"])
        where = np.array([r.random() < 0.7 for _ in range(n)])
        found, answers = onefold.fold_by(ops, keys, x, where=where, nan=nan, null_keys="drop")
        for k, key in enumerate(found):
            rows = [i for i in range(n) if keys[i] == key and where[i] and not null[i]]
            held = [numbers[i] for i in rows if numbers[i] != NAT]
            spoilt = nan != "omit" and len(held) < len(rows)
            assert answers.count[k] == (len(held) if nan == "omit" else len(rows))
            right = {"min": min(held, default=NAT), "max": max(held, default=NAT), "sum": sum(held),
                     "mean": rounded(Fraction(sum(held), len(held))) if held else NAT}
            for op in ops[1:]:
                if library == "masked" and not rows:
                    assert np.ma.getmaskarray(getattr(answers, op))[k]
                    continue
                assert int(np.asarray(getattr(answers, op))[k].view("i8")) == (NAT if spoilt else right[op]), op


def test_places_and_labels_of_times():
    days = pd.Series(pd.to_datetime(["2020", "2021", "2022"]))
    keys, (least, most) = onefold.fold_by("argmin,argmax", [3, 3, 5], days)
    assert keys.tolist() == [3, 5] and least.tolist() == [0, 2] and most.tolist() == [1, 2]
    assert onefold.fold_by("min", [0, 2, 0], days, groups=3).min.astype(str).tolist()[1] == "NaT"
    frame = pd.DataFrame({"k": ["a", "b", "a"], "d": days, "x": [1, 2, 3]})
    answers = onefold.fold("max", frame, by="k", where=[True, True, False])[1]
    assert answers["d"].max.astype("M8[Y]").astype(str).tolist() == ["2020", "2021"] and answers["x"].max.tolist() == [1, 2]
    for call, text in (
            (lambda: onefold.fold_by("argmin", [0, 2, 0], days, groups=3), "argmin[1]: there is nothing to fold"),
            (lambda: onefold.fold_by("min", [0, 3, 0], days, groups=3), "min: label 1 is 3; labels of 3 groups are 0..2"),
            (lambda: onefold.fold_by("var", [0, 3, 0], days), "has no var"),
            (lambda: onefold.fold_by("min", ["a", "b"], days), "there are 2 keys, but x has shape (3,)"),
            (lambda: onefold.fold_by("mean", [0, 0, 0], days, weights=[1, 2, 3]), "weights= is not available")):
        with pytest.raises(onefold.Error) as caught:
            call()
        assert text in str(caught.value)


def test_runs_are_keys():
    from pyarrow.compute import run_end_encode

    keys = run_end_encode(pa.array(["a", "a", None, "b"]))
    for k, times in ((keys, 1), (pa.chunked_array([keys, keys]), 2)):
        found, answers = onefold.fold_by("sum", k, [1, 2, 3, 4] * times, null_keys="keep")
        assert found.tolist() == ["a", "b", None] and answers.sum.tolist() == [3 * times, 4 * times, 3 * times]
    assert onefold.fold("sum", pa.table({"k": keys, "x": [1, 2, 3, 4]}), by="k")[1]["x"].sum.tolist() == [3, 4, 3]


def test_categories_of_numbers_are_numbers():
    x = pd.Series(pd.Categorical([10, 30, None, 10]))
    assert onefold.fold("sum,mean,count", x) == (50, 50 / 3, 3) and onefold.median(x) == 10
    assert onefold.fold_by("sum", [1, 2, 1, 1], x)[1].sum.tolist() == [20, 30]
    with pytest.raises(onefold.UnsupportedError):
        onefold.sum(pd.Series(pd.Categorical(["a"])))


def test_keys_of_xarray_go_with_the_first_dimension():
    xr = pytest.importorskip("xarray")
    x = xr.DataArray(np.arange(12.0).reshape(4, 3), dims=("t", "x"))
    keys = xr.DataArray([0, 1, 0, 1], dims="t")
    assert onefold.fold_by("mean", keys, x)[1].mean.tolist() == [[3, 4, 5], [6, 7, 8]]
    with pytest.raises(onefold.ShapeError, match="keys= lies along x, but the rows of x along t; transpose x"):
        onefold.fold_by("mean", xr.DataArray([0, 1, 0], dims="x"), x)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "M8[us]"])
@pytest.mark.parametrize("weigh", [None, "weights", "fweights"])
def test_quantiles_by_keys(dtype, weigh):
    if dtype[0] == "M" and weigh:
        pytest.skip("times do not support weights")
    r = random.Random(62)
    for n in (1, 4, 20, 60):
        keys, null = [r.choice("abc") for _ in range(n)], [r.random() < 0.2 for _ in range(n)]
        x = np.array([r.randrange(-50, 50) for _ in range(n)], "i8")
        x = x.view(dtype) if dtype[0] == "M" else (x / 10).astype(dtype) if dtype[0] == "f" else x
        where = np.array([r.random() < 0.7 for _ in range(n)])
        w = np.array([r.choice([0, 1, 3]) for _ in range(n)])
        given = {weigh: w} if weigh else {}
        column = pa.array(x, mask=np.array(null))
        got = onefold.median(column, by=keys, where=where, **given)
        for frame in (pa.table({"k": keys, "x": column}), pl.DataFrame({"k": keys, "x": pl.from_arrow(column)})):
            again = onefold.median(frame, by="k", columns="x", where=where, **given)
            assert again[0].tolist() == got[0].tolist() and again[1].tobytes() == got[1].tobytes()
        assert got[1].dtype == (dtype if dtype != "i8" else "f8")
        for key, found in zip(*got):
            numbers = x.view("i8") if dtype[0] == "M" else x
            exact = sorted(Fraction(numbers[i].item()) for i in range(n) if keys[i] == key and not null[i] and where[i]
                           for _ in range(w[i] if weigh else 1))
            right = statistics.median(exact) if exact else None
            if right is None:
                assert found != found
            elif dtype[0] == "M":
                assert int(found.view("i8")) == rounded(right)
            else:
                assert found == np.dtype(dtype if dtype != "i8" else "f8").type(float(right))


def test_several_quantiles_and_keys():
    frame = pd.DataFrame({"k": list("aba"), "j": [1, 1, 2], "x": [1.0, 2, 4], "w": [1, 2, 3]})
    keys, found = onefold.quantile(frame, [0, 0.5], by=["k", "j"], columns=["x"])
    assert keys["k"].tolist() == ["a", "a", "b"] and found["x"].tolist() == [[1, 4, 2], [1, 4, 2]]
    keys, found = onefold.quantile(frame["x"], 1, by=(frame["k"], frame["j"]))
    assert [k.tolist() for k in keys] == [["a", "a", "b"], [1, 2, 1]] and found.tolist() == [1, 4, 2]
    assert onefold.median(frame, by="k", columns="x", weights="w")[1].tolist() == [4, 2]
    for call, text in (
            (lambda: onefold.median([1, 2, 3], by=["a", "b"]), "there are 2 keys, but x has shape (3,)"),
            (lambda: onefold.median([1, 2], by=["a", "b"], axis=0), "axis= is not available for quantiles by keys of an array"),
            (lambda: onefold.median([1, 2], by=["a", "b"], sort="k"), "sort= is not available for quantiles by keys of an array"),
            (lambda: onefold.median(frame["x"], by=frame["k"][::-1]), "by= has other labels than x"),
            (lambda: onefold.median(pd.Series(pd.to_datetime(["2020"])), by=[1], weights=[1]), "weighted quantiles of dates and durations are not supported")):
        with pytest.raises(onefold.Error) as caught:
            call()
        assert text in str(caught.value)
