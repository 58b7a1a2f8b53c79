"""Answers have the labels of pandas and xarray, and arrays of different labels are not paired by
index."""

import numpy as np
import pytest

import onefold

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
xr = pytest.importorskip("xarray")

FRAME = pd.DataFrame({"a": [1.0, 2, 4], "b": [1.5, 2, 4]}, index=list("xyz"))
SEVERAL = pd.DataFrame({"a": [1, 2, 2**53 + 1], "b": [1.5, 2, 4]})
GRID = xr.DataArray(
    np.arange(24.0).reshape(3, 4, 2), dims=("t", "x", "y"), name="v", attrs={"units": "m"},
    coords={"t": [10, 20, 30], "lat": ("x", [1.0, 2, 3, 4]), "area": (("t", "x"), np.ones((3, 4))), "run": 7})


@pytest.mark.parametrize("axis", [0, 1, -1, (0,), [1]])
def test_a_frame_gives_series(axis):
    number = (axis if isinstance(axis, int) else axis[0]) % 2
    for op in ("sum", "min", "max", "mean", "median"):
        pd.testing.assert_series_equal(getattr(onefold, op)(FRAME, axis=axis), getattr(FRAME, op)(axis=number))
    low, high = onefold.fold("min,max", FRAME, axis=axis)
    pd.testing.assert_series_equal(high, FRAME.max(axis=number))
    pd.testing.assert_frame_equal(onefold.quantile(FRAME, [0.25, 0.5], axis=axis), FRAME.quantile([0.25, 0.5], axis=number))
    assert onefold.sum(FRAME) == 14.5 and onefold.sum(FRAME["a"]) == 7
    assert onefold.sum(FRAME, axis=axis, keepdims=True).shape == ((1, 2) if number == 0 else (3, 1))


def test_columns_of_several_types_give_series_of_what_each_was():
    sums = onefold.sum(SEVERAL)
    assert sums.to_dict() == {"a": 2**53 + 4, "b": 7.5} and sums.dtype == object
    pd.testing.assert_series_equal(onefold.mean(SEVERAL), pd.Series({"a": (2**53 + 4) / 3, "b": 2.5}))
    pd.testing.assert_series_equal(onefold.median(SEVERAL), pd.Series({"a": 2.0, "b": 2.0}))
    pd.testing.assert_frame_equal(onefold.quantile(SEVERAL, [0, 0.5]), pd.DataFrame({"a": [1.0, 2], "b": [1.5, 2]}, index=[0, 0.5]))
    described = onefold.describe(SEVERAL)
    assert described["a"].max == 2**53 + 1 and described["b"].mean == 2.5
    assert onefold.median(pl.from_pandas(SEVERAL)) == {"a": 2.0, "b": 2.0} == onefold.median(SEVERAL, columns=["a", "b"])
    assert onefold.describe(pl.from_pandas(SEVERAL))["b"] == described["b"]
    empty = onefold.describe(pd.DataFrame({"a": [1, 2], "b": [np.nan, np.nan]}), nan="omit")
    assert empty["a"].min == 1 and empty["b"].argmin is None and "empty_input" in str(empty["b"])


@pytest.mark.parametrize("dim", ["t", "x", ("t", "y"), ["y"], ...])
@pytest.mark.parametrize("keepdims", [False, True])
def test_arrays_of_xarray_keep_their_coordinates(dim, keepdims):
    for op in ("sum", "mean", "max", "std"):
        want = getattr(GRID, op)(dim, keepdims=keepdims)
        got = getattr(onefold, op)(GRID, dim=dim, keepdims=keepdims)
        xr.testing.assert_allclose(got, want, rtol=1e-15)
        assert got.name == want.name and got.attrs == want.attrs and got.coords.keys() == want.coords.keys()
        chunked = getattr(onefold, op)(GRID.chunk(x=2), dim=dim, keepdims=keepdims)
        assert chunked.chunks is not None and chunked.compute().identical(got)
    low, high = onefold.fold("min,max", GRID, dim=dim, keepdims=keepdims)
    assert low.identical(GRID.min(dim, keepdims=keepdims)) and high.identical(GRID.max(dim, keepdims=keepdims))
    assert onefold.fold("min", GRID.variable, dim=dim)[0].identical(GRID.variable.min(dim))
    assert onefold.median(GRID, dim=dim, keepdims=keepdims).coords.keys() == want.coords.keys()
    assert onefold.describe(GRID, dim=dim).mean.identical(onefold.mean(GRID, dim=dim))


def test_quantiles_of_xarray_have_a_dimension():
    got, want = onefold.quantile(GRID, [0.25, 0.5], dim=("t", "y")), GRID.quantile([0.25, 0.5], dim=("t", "y"))
    np.testing.assert_array_equal(got, want)
    assert got.dims == want.dims and got["quantile"].values.tolist() == [0.25, 0.5] and "lat" in got.coords
    assert "min     0.0\n" in str(onefold.describe(GRID))


def test_what_stands_beside_goes_by_its_labels():
    weights = xr.DataArray([1.0, 2, 3], dims="t", coords={"t": [10, 20, 30]})
    xr.testing.assert_allclose(onefold.average(GRID, weights=weights, dim="t"), GRID.weighted(weights).mean("t"), rtol=1e-15)
    there = (GRID > 5).transpose("y", "x", "t")
    assert onefold.sum(GRID, where=there).item() == GRID.where(GRID > 5).sum().item()
    assert onefold.dot(GRID, GRID.transpose("y", "t", "x")).item() == (GRID**2).sum().item()
    assert onefold.gather("dot", GRID, GRID.transpose("y", "t", "x")).dot == (GRID**2).sum().item()
    assert onefold.median(GRID, where=there).item() == 14.5
    rows = pd.Series([True, False, True], index=list("xyz"))
    assert onefold.sum(FRAME, where=rows) == 10.5 == onefold.sum(FRAME, where=rows.to_numpy()[:, None])
    for call in [
            lambda: onefold.average(GRID, weights=weights.assign_coords(t=[1, 2, 3]), dim="t"),
            lambda: onefold.sum(GRID, where=there.assign_coords(t=[1, 2, 3])),
            lambda: onefold.dot(FRAME["a"], FRAME["b"][::-1]), lambda: onefold.corr(FRAME, FRAME[["b", "a"]]),
            lambda: onefold.gather("dot", FRAME["a"], FRAME["b"][::-1]), lambda: onefold.sum(FRAME, where=rows[::-1]),
            lambda: onefold.sum(FRAME["a"], where=rows[::-1]), lambda: onefold.average(FRAME["a"], weights=FRAME["b"][::-1]),
            lambda: onefold.fold_by("sum", pd.Series([1, 2, 1]), FRAME["a"]), lambda: onefold.median(FRAME["a"], where=rows[::-1])]:
        with pytest.raises(onefold.ShapeError, match="has other labels"):
            call()
    with pytest.raises(onefold.ShapeError, match="y has a dimension 'q' that x lacks; x has t, x, y"):
        onefold.dot(GRID, GRID.rename(t="q"))


@pytest.mark.parametrize("call, text", [
    (lambda: onefold.sum(GRID, dim="q"), "sum: there is no dimension 'q'; there are t, x, y"),
    (lambda: onefold.median(GRID, dim=["t", "q"]), "median: there is no dimension 'q'"),
    (lambda: onefold.sum(FRAME, dim="a"), "dim='a' names dimensions of xarray, but a pandas.DataFrame has none; pass axis="),
    (lambda: onefold.fold("sum", [1], dim=0), "dim=0 names dimensions of xarray, but a builtins.list has none"),
    (lambda: onefold.sum(np.ones(3), dim=0), "but a numpy.ndarray has none; pass axis="),
    (lambda: onefold.sum(GRID.to_dataset(name="a"), dim="t"), "Dataset is several arrays; x.map(onefold.mean, dim=...)"),
    (lambda: onefold.fold("sum,max", GRID.to_dataset(name="a")), "Dataset is several arrays; x.map(onefold.mean, dim=...)"),
    (lambda: onefold.mean(GRID.groupby("t")), "DataArrayGroupBy is several arrays; x.map(onefold.mean) folds"),
    (lambda: onefold.fold("mean", GRID.groupby("t")), "DataArrayGroupBy is several arrays; x.map(onefold.mean) folds"),
    (lambda: onefold.median(GRID.groupby("t"), dim="t"), "DataArrayGroupBy is several arrays; x.map(onefold.mean) folds"),
    (lambda: onefold.gather("sum", GRID.groupby("t")), "DataArrayGroupBy is several arrays; x.map(onefold.mean) folds"),
    (lambda: onefold.sum(GRID.to_dataset(name="a").groupby("t")), "DatasetGroupBy is several arrays"),
    (lambda: onefold.sum(GRID.rolling(t=2)), "DataArrayRolling is not an array; pass the array from which it was made"),
    (lambda: onefold.mean(GRID.weighted(GRID)), "DataArrayWeighted is not an array; pass the array from which it was made (and weights=)"),
    (lambda: onefold.sum(GRID, 0, dim="t"), "dim='t' and axis=0 both choose the axis; pass only one of them")])
def test_dimensions_that_are_not_there_are_named(call, text):
    with pytest.raises(onefold.Error) as caught:
        call()
    assert text in str(caught.value) and "\n" not in str(caught.value)


def test_a_series_goes_with_the_rows_of_a_square_frame():
    for n in (2, 3):
        frame, rows = pd.DataFrame(np.ones((n, 2))), pd.Series([True] + [False] * (n - 1))
        assert onefold.sum(frame, axis=0, where=rows).tolist() == [1, 1]
        assert onefold.fold("sum", frame, axis=0, fweights=rows.astype(int)).sum.tolist() == [1, 1]
        assert onefold.median(frame, axis=0, where=rows).tolist() == [1, 1]
        assert onefold.gather("sum", frame, where=rows, axis=0).sum.tolist() == [1, 1]
        assert onefold.fold("mse", frame, rows.astype(float), axis=1).mse.tolist() == [0] + [1] * (n - 1)
        assert onefold.fold_segments("sum", frame, [0, n], where=rows).sum.tolist() == [[1, 1]]
        assert onefold.fold_segments("sum", frame, [0, n], fweights=rows.astype(int)).sum.tolist() == [[1, 1]]
    frame = pd.DataFrame([[1.0, 2], [4, 8]], index=["x", "y"], columns=["a", "b"])
    assert onefold.sum(frame, axis=0, where=pd.Series([True, False], ["a", "b"])).to_dict() == {"a": 5, "b": 0}
    assert onefold.sum(frame, axis=0, where=pd.Series([True, False], ["x", "y"])).to_dict() == {"a": 1, "b": 2}
    assert onefold.average(frame, axis=1, weights=pd.Series([1, 0], ["a", "b"])).to_dict() == {"x": 1, "y": 4}
    for axis, labels in ((0, ["a", "b"]), (1, ["x", "y"]), ((1,), ["x", "y"])):
        with pytest.raises(onefold.ShapeError, match="has other labels than x"):
            onefold.average(frame, axis=axis, weights=pd.Series([1, 0], labels))


def test_vecdot_pairs_labels_as_dot_does():
    x, y = pd.Series([1, 2], index=[0, 1]), pd.Series([10, 20], index=[1, 0])
    with pytest.raises(onefold.ShapeError, match="other labels"):
        onefold.vecdot(x, y)
    assert onefold.vecdot(x, y.to_numpy()) == 50
    a = xr.DataArray([[1.0, 2.0], [3.0, 4.0]], dims=("y", "x"))
    assert list(onefold.vecdot(a, a.T)) == [5, 25] == list(xr.dot(a, a.T, dim="x"))


@pytest.mark.parametrize("option", [{"fweights": np.array([1, 3])}, {"where": np.array([True, False])},
                                    {"where": [True, False]}])
def test_what_may_go_with_rows_or_columns_of_a_square_frame_is_refused(option):
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    (name, value), = option.items()
    with pytest.raises(onefold.ShapeError, match=f"{name}= of 2 elements could apply to the rows or to the columns"):
        onefold.fold("sum,count", frame, axis=0, **option)
    rows = onefold.fold("sum", frame, axis=0, **{name: pd.Series(value)}).sum
    assert rows.tolist() == ([7, 15] if name == "fweights" else [1, 3])
    assert onefold.fold("sum", frame, axis=0, **{name: np.ones((2, 2), np.asarray(value).dtype)}).sum.tolist() == [3, 7]


def test_an_index_is_folded_as_a_series():
    for values in ([1, 2, 4], [1.0, 2.5]):
        index, series = pd.Index(values), pd.Series(values)
        for op in ("sum", "mean", "max", "any", "argmax", "median", "logsumexp"):
            answer = getattr(onefold, op)(index)
            assert answer == getattr(onefold, op)(series) and type(answer) in (bool, int, float), op
