"""logsumexp, logmeanexp, softmax, log_softmax: each answer is the exact value, rounded once."""

import decimal
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr

import onefold

rng = np.random.default_rng(1)
MORE = decimal.Context(prec=400, Emin=-10**6, Emax=10**6)


def nearest(dtype, value):
    """The number of the type that is nearest to a Decimal, which is halfway between no two."""
    with np.errstate(all="ignore"):
        first = dtype.type(float(value))
        around = [np.nextafter(first, dtype.type(-np.inf)), first, np.nextafter(first, dtype.type(np.inf))]
    return min((c for c in around if np.isfinite(c)), key=lambda c: abs(MORE.subtract(Decimal(float(c)), value)))


def rows(dtype):
    for length in (2, 3, 10, 40):
        for scale in (1e-6, 1, 30):
            yield rng.normal(0, scale, length).astype(dtype)
    yield np.array([0, -700 if dtype == "f8" else -90], dtype)
    yield np.full(5, -np.log(5)).astype(dtype)
    yield np.array([3, 3 - 2.0**-8, 3 - 2.0**-7], dtype)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_answers_are_exact_values_rounded_once(dtype):
    with decimal.localcontext(MORE):
        for x in rows(dtype):
            numbers = [Decimal(float(v)) for v in x]
            powers = [v.exp() for v in numbers]
            log = sum(powers).ln()
            same = len(set(numbers)) == 1
            assert onefold.logsumexp(x) == nearest(x.dtype, log), x
            assert onefold.logmeanexp(x) == nearest(x.dtype, numbers[0] if same else log - Decimal(len(x)).ln()), x
            assert onefold.softmax(x).tolist() == [nearest(x.dtype, p / sum(powers)) for p in powers], x
            assert onefold.log_softmax(x).tolist() == [nearest(x.dtype, v - log) for v in numbers], x


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_answers_with_weights_are_exact_values_rounded_once(dtype):
    with decimal.localcontext(MORE):
        for x in rows(dtype):
            weights = rng.uniform(0.1, 3, len(x)) * 10.0 ** rng.integers(-3, 3)
            terms = sum(Decimal(w) * Decimal(float(v)).exp() for v, w in zip(x, weights))
            mean = terms / sum(map(Decimal, weights))
            equal = len(set(x)) == 1
            assert onefold.logsumexp(x, weights=weights) == nearest(x.dtype, terms.ln()), (x, weights)
            assert onefold.logmeanexp(x, weights=weights) == (x[0] if equal else nearest(x.dtype, mean.ln())), (x, weights)


def test_weights_broadcast_and_go_with_masks():
    x = rng.normal(0, 3, (3, 4)).astype("f4")
    w = rng.uniform(0, 2, (3, 4))
    mask = rng.random((3, 4)) < 0.6
    rows = [onefold.logsumexp(x[k], weights=w[k]) for k in range(3)]
    assert onefold.logsumexp(x, 1, weights=w).tolist() == rows
    assert onefold.logsumexp(x.T, 0, weights=w.T).tolist() == rows
    assert onefold.logsumexp(x, 1, weights=w[0])[0] == rows[0]
    assert onefold.logsumexp(x, 0, weights=w[:, 0])[0] == onefold.logsumexp(x[:, 0], weights=w[:, 0])
    assert onefold.logsumexp(x, where=mask, weights=w) == onefold.logsumexp(x[mask], weights=w[mask])
    counts = rng.integers(0, 4, x.shape)
    for function in (onefold.logsumexp, onefold.logmeanexp):
        assert np.array_equal(function(x, 1, weights=np.ones(4, bool)), function(x, 1))
        assert function(x, weights=counts) == function(np.repeat(x.ravel(), counts.ravel()))
    hidden = np.ma.array([1.0, 5, 2], mask=[0, 1, 0])
    assert onefold.logsumexp(hidden, weights=[1, 7, 3]) == onefold.logsumexp([1, 2], weights=[1, 3])
    named = pd.Series([1.0, 2], index=list("ab"))
    assert onefold.logsumexp(named, weights=pd.Series([1, 3], index=list("ab"))) == onefold.logsumexp([1.0, 2], weights=[1, 3])
    with pytest.raises(onefold.ShapeError, match="labels"):
        onefold.logsumexp(named, weights=pd.Series([1, 3], index=list("ba")))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_a_row_has_the_same_bits_in_any_batch_and_order(dtype):
    x = rng.normal(0, 3, (7, 300)).astype(dtype)
    whole, soft = onefold.logsumexp(x, 1), onefold.softmax(x, axis=1)
    assert whole.dtype == soft.dtype == x.dtype and soft.shape == x.shape
    for k in range(7):
        assert onefold.logsumexp(x[k]) == onefold.logsumexp(x[k, ::-1]) == whole[k]
        assert np.array_equal(onefold.softmax(x[k]), soft[k])
        assert np.array_equal(onefold.softmax(x[k, ::-1])[::-1], soft[k])
    assert np.array_equal(onefold.logsumexp(np.asfortranarray(x), -1), whole)
    assert np.array_equal(onefold.softmax(x.T, 0).T, soft)


def test_axes_masks_and_shapes_are_as_those_of_other_functions():
    x = rng.normal(0, 3, (3, 4, 5))
    mask = rng.random((4, 5)) < 0.6
    assert onefold.logsumexp(x, (0, 2)).shape == (4,) and onefold.logsumexp(x, 1, keepdims=True).shape == (3, 1, 5)
    assert onefold.logsumexp(x, (0, 2))[1] == onefold.logsumexp(x[:, 1].copy())
    assert onefold.logsumexp(x, (1, 2), where=mask).tolist() == [onefold.logsumexp(part[mask]) for part in x]
    assert onefold.logmeanexp(x, where=False, nan="omit") != onefold.logmeanexp(x)
    assert onefold.logsumexp(x, where=False) == -np.inf
    assert np.array_equal(onefold.softmax(x, (0, 2))[:, 1], onefold.softmax(x[:, 1].copy()))
    assert type(onefold.logsumexp([1, 2])) is float and onefold.logsumexp([1, 2]) == onefold.logsumexp([1.0, 2.0])
    assert type(onefold.softmax(3)) is float and type(onefold.log_softmax(np.float32(2))) is np.float32
    holes = np.array([1, np.nan, 2])
    assert np.isnan(onefold.logsumexp(holes)) and np.isnan(onefold.softmax(holes)).all()
    assert onefold.logsumexp(holes, nan="omit") == onefold.logsumexp([1, 2])
    with pytest.raises(onefold.NanError):
        onefold.logsumexp(holes, nan="raise")


def test_labels_stay():
    s = pd.Series([1.0, 2.0, 4.0], index=list("abc"))
    assert onefold.softmax(s).index.tolist() == list("abc") and onefold.softmax(s).sum() == pytest.approx(1)
    frame = pd.DataFrame({"a": [1.0, 2], "b": [3.0, 4]}, index=[7, 8])
    assert onefold.logsumexp(frame, axis=1).index.tolist() == [7, 8]
    assert onefold.log_softmax(frame, 1).columns.tolist() == ["a", "b"]
    grid = xr.DataArray(np.arange(6.0).reshape(2, 3), dims=("t", "y"))
    assert onefold.logsumexp(grid, dim="t").dims == ("y",) and onefold.softmax(grid, 0).dims == ("t", "y")
    assert onefold.softmax(pl.Series("p", [1.0, 2.0])).name == "p"
    hidden = np.ma.array([1.0, 5, 2], mask=[0, 1, 0])
    assert onefold.logsumexp(hidden) == onefold.logsumexp([1, 2])


def test_tensors_of_torch_on_the_host():
    torch = pytest.importorskip("torch")
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
    assert torch.equal(onefold.logsumexp(x, 1), torch.from_numpy(onefold.logsumexp(x.numpy(), 1)))
    half = x.to(torch.bfloat16)
    assert torch.equal(onefold.logsumexp(half, 1, weights=half), onefold.logsumexp(half, 1, weights=[[1, 2], [3, 5]]))
    assert onefold.softmax(half, 1).dtype == torch.bfloat16
    assert onefold.softmax(half, 1).float().numpy() == pytest.approx(torch.softmax(x, 1).numpy(), rel=0.01)


@pytest.mark.parametrize("call, error, words", [
    (lambda: onefold.logsumexp(["x.npy", "y.npy"]), onefold.UnsupportedError, "2 files were given"),
    (lambda: onefold.softmax([1.0], axis=3), onefold.AxisError, "axis 3"),
    (lambda: onefold.logsumexp([1.0, 2], weights=[1, -0.5]), onefold.OptionError, "element 1 of a slice is -0.5"),
    (lambda: onefold.logmeanexp([1.0, 2], weights=[np.nan, 1]), onefold.OptionError, "element 0 of a slice is nan"),
    (lambda: onefold.logsumexp([1.0, 2], weights=[1, 2, 3]), onefold.ShapeError, "of the weights does not broadcast"),
    (lambda: onefold.logsumexp([2**60]), onefold.DTypeError, "2^53"),
    (lambda: onefold.softmax(np.ma.array([1.0, 2], mask=[0, 1])), onefold.UnsupportedError, "mask"),
    (lambda: onefold.softmax(pd.DataFrame({"a": [1], "b": ["x"]})), onefold.UnsupportedError, "to_numpy"),
    (lambda: onefold.softmax(pl.DataFrame({"a": [1.0], "b": [2.0]})), onefold.UnsupportedError, "to_numpy"),
    (lambda: onefold.logsumexp(np.array(["2020"], "M8[Y]")), onefold.UnsupportedError, "dates")])
def test_what_is_not_there_is_refused(call, error, words):
    with pytest.raises(error, match=words.replace("^", r"\^")):
        call()
