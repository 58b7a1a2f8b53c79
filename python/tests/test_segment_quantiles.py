"""Quantiles of segments: those of each slice."""

import numpy as np
import pytest

import onefold

OFFSETS = [2, 5, 5, 6, 40, 100]


def alone(x, q, axis=0, where=None, **keywords):
    """The quantiles of each slice."""
    values = [onefold.quantile(x[a:b], q, axis, where=None if where is None else where[a:b], **keywords)
              for a, b in zip(OFFSETS, OFFSETS[1:])]
    return np.stack(values, axis=np.ndim(q))


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "u1", "bool", "u8"])
def test_segments_have_the_quantiles_of_their_slices(dtype):
    rng = np.random.default_rng(1)
    for shape in ((103,), (103, 3), (103, 2, 2)):
        x = (10 * rng.normal(size=shape)).astype("i8").astype(dtype)
        for where in (None, rng.random(shape) < 0.5, np.zeros(shape, bool), rng.random((103,) + (1,) * (len(shape) - 1)) < 0.5):
            spread = None if where is None else np.broadcast_to(where, shape)
            for q in (0.5, [0, 0.1, 0.9]):
                for method in ("linear", "hazen", "inverted_cdf"):
                    ours = onefold.quantile(x, q, offsets=OFFSETS, where=where, method=method)
                    np.testing.assert_array_equal(ours, alone(x, q, where=spread, method=method))
    np.testing.assert_array_equal(onefold.median(x, offsets=np.int32(OFFSETS)), alone(x, 0.5))


def test_nan_and_nothing():
    x = np.array([1, np.nan, 3, 4, 5])
    np.testing.assert_array_equal(onefold.median(x, offsets=[0, 0, 3, 5]), [np.nan, np.nan, 4.5])
    np.testing.assert_array_equal(onefold.median(x, offsets=[0, 0, 3, 5], nan="omit"), [np.nan, 2, 4.5])
    assert onefold.median(x, offsets=[0]).shape == (0,)
    assert onefold.median([], offsets=[0, 0]).tolist() != onefold.median([1.0], offsets=[0, 1]).tolist()
    with pytest.raises(onefold.NanError):
        onefold.median(x, offsets=[0, 3], nan="raise")


@pytest.mark.parametrize("keywords, error, words", [
    ({"offsets": [0, 3, 2]}, onefold.OptionError, "median: offset 2 is 2; it must be 3..5"),
    ({"offsets": [0, 9]}, onefold.OptionError, "median: offset 1 is 9"),
    ({"offsets": [0.5, 2]}, onefold.DTypeError, "must be integers"),
    ({"offsets": [0, 2], "axis": 0}, onefold.OptionError, "axis= is not available for quantiles of segments"),
    ({"offsets": [0, 2], "weights": [1, 2]}, onefold.ShapeError, r"median: the shape \(2,\) of the weights"),
    ({"offsets": [0, 2], "weights": [1, -1, 1, 1, 1]}, onefold.OptionError, "the weight of element 1 of a slice is -1"),
    ({"offsets": [0, 2], "by": [1] * 5}, onefold.OptionError, "by= is not available"),
    ({"offsets": [0, 2], "where": [True, False]}, onefold.ShapeError, r"median: the shape \(2,\) of the mask"),
    ({"offsets": []}, (onefold.ShapeError, onefold.DTypeError), "offsets")])
def test_what_is_wrong_is_said(keywords, error, words):
    with pytest.raises(error, match=words):
        onefold.median(np.arange(5.0), **keywords)
