"""Weighted quantiles, means of the middle, modes and histograms against their definitions in fractions."""

import bisect
import warnings
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import onefold

NUMBERS = ["i1", "u1", "i2", "i4", "i8", "u8", "f2", "f4", "f8"]


def by_weight(numbers, weights, q, averages):
    """The weighted quantile by sums of fractions."""
    pairs = sorted((float(x), Fraction(w)) for x, w in zip(numbers, weights) if w > 0)
    wanted, below = Fraction(q) * sum(w for _, w in pairs), 0
    for k, (x, w) in enumerate(pairs):
        below += w
        if below >= wanted:
            tie = averages and below == wanted > 0 and k + 1 < len(pairs)
            return float((Fraction(x) + Fraction(pairs[k + 1][0])) / 2) if tie else x
    raise AssertionError("no weight")


def weights_of(rng, kind, n):
    return [rng.random(n), rng.integers(0, 4, n), rng.integers(0, 5, n) * 0.1, np.exp(rng.normal(0, 100, n)),
            rng.integers(0, 2, n) * 5e-324 + rng.random(n) * 1e300, rng.random(n).astype("f4"),
            rng.integers(0, 2**63, n).astype("u8") * 2][kind]


@pytest.mark.parametrize("kind", range(7))
def test_weighted_quantiles_compare_sums_of_weights_exactly(kind):
    rng = np.random.default_rng(kind)
    for _ in range(150):
        n = int(rng.integers(1, 30))
        x, w = rng.integers(-5, 6, n) / 2.0, weights_of(rng, kind, n)
        if not (w > 0).any():
            continue
        for q in ("0", "0.1", "0.25", "0.5", "0.3333", "1"):
            for method in ("inverted_cdf", "averaged_inverted_cdf"):
                assert onefold.quantile(x, float(q), weights=w, method=method) == by_weight(
                    x, w.tolist(), q, method[0] == "a"), (q, method, x, w)


def test_weighted_quantiles_are_right_where_sums_of_floats_misplace_ties():
    for k in range(1, 10):  # k / 10 of the weight is exactly that of k elements
        assert onefold.quantile(np.arange(10), k / 10, weights=np.full(10, 0.1), method="inverted_cdf") == k - 1
    for n in (10, 30, 60, 70):
        x, w = np.arange(float(n)), np.full(n, 0.1)
        assert onefold.median(x, weights=w) == onefold.median(x) == (n - 1) / 2
        assert onefold.quantile(x, 0.5, weights=w, method="inverted_cdf") == n // 2 - 1
    misplaced = [n for n in range(2, 200, 2) if np.quantile(np.arange(n), 0.5, weights=np.full(n, 0.1), method="inverted_cdf")
                 != n // 2 - 1]
    assert misplaced


def test_integer_weights_repeat_elements_for_every_method():
    rng = np.random.default_rng(3)
    for method in ("linear", "lower", "nearest", "midpoint", "hazen", "weibull", "median_unbiased", "inverted_cdf",
                   "averaged_inverted_cdf", "closest_observation"):
        for _ in range(60):
            n = int(rng.integers(1, 20))
            x, w = rng.normal(size=n), rng.integers(0, 4, n)
            if w.any():
                same = onefold.quantile(np.repeat(x, w), [0.1, 0.5, 0.77], method=method)
                assert (onefold.quantile(x, [0.1, 0.5, 0.77], fweights=w, method=method) == same).all()


def test_weights_lie_along_axes_and_leave_out_masked_elements():
    rng = np.random.default_rng(4)
    x, w, mask = rng.normal(size=(7, 30)), rng.random((7, 30)), rng.random((7, 30)) < 0.7
    rows = onefold.quantile(x, 0.3, axis=1, weights=w, method="inverted_cdf")
    assert (rows == np.quantile(x, 0.3, axis=1, weights=w, method="inverted_cdf")).all()
    columns = onefold.quantile(x, 0.3, axis=0, weights=w[:, 0], method="inverted_cdf", keepdims=True)
    assert (columns[0] == [onefold.quantile(x[:, k], 0.3, weights=w[:, 0], method="inverted_cdf") for k in range(30)]).all()
    some = onefold.quantile(x, 0.3, weights=w, where=mask, method="inverted_cdf")
    assert some == onefold.quantile(x[mask], 0.3, weights=w[mask], method="inverted_cdf")
    assert onefold.median(np.array([1.0, np.nan]), weights=[1, 0]) == 1
    assert np.isnan(onefold.median(np.array([1.0, np.nan]), weights=[1, 1]))
    assert onefold.median(np.array([1.0, np.nan]), weights=[1, 1], nan="omit") == 1
    assert np.isnan(onefold.median([1.0, 2.0], weights=[0, 0]))
    pandas = pytest.importorskip("pandas")
    assert onefold.median(pandas.Series([1, 2, 3.0]), weights=pandas.Series([1, 1, 5])) == 3
    with pytest.raises(onefold.ShapeError, match="weights="):
        onefold.median(pandas.Series([1, 2, 3.0]), weights=pandas.Series([1, 1, 5], index=[3, 4, 5]))


@pytest.mark.parametrize(("weights", "message"), [
    ({"weights": [1, -2]}, "the weight of element 1 of a slice is -2;"),
    ({"weights": [np.inf, 1]}, "is inf;"), ({"weights": [1, np.nan]}, "is nan;"),
    ({"weights": [1, 1], "method": "linear"}, 'use the method "inverted_cdf"'),
    ({"fweights": [0.5, 1]}, "fweights are of type f64"),
    ({"fweights": [2**58, 2**58]}, "sum of fweights is 2.59 or more"),
    ({"weights": [1, 1], "fweights": [1, 1]}, "leave one of them out")])
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(onefold.OptionError, match=message):
        onefold.quantile([1.0, 2.0], 0.5, **{"method": "inverted_cdf", **weights})


@pytest.mark.parametrize("dtype", NUMBERS)
def test_means_of_the_middle_are_rounded_once(dtype):
    rng = np.random.default_rng(5)
    for n in (1, 2, 5, 10, 99, 1000, 3000):
        x = (rng.normal(size=n) * 40).astype("i8").astype(dtype) if dtype[0] != "f" else rng.normal(size=n).astype(dtype)
        order = sorted(Fraction(v) for v in x.tolist())
        for p in ("0", "0.1", "0.25", "0.49"):
            k = int(Fraction(p) * n)
            stay = order[k:n - k]
            kept = [stay[0]] * k + stay + [stay[-1]] * k
            for function, numbers in ((onefold.trimmed_mean, stay), (onefold.winsorized_mean, kept)):
                right = sum(numbers) / len(numbers)
                value = function(x, p)
                if dtype in ("f2", "f4"):  # no rounding of another type lies between
                    assert abs(Fraction(float(value)) - right) <= Fraction(float(np.spacing(abs(value)))) / 2
                else:
                    assert value == float(right)


def test_modes_and_numbers_of_values_are_those_of_a_count():
    rng = np.random.default_rng(6)
    for dtype in [*NUMBERS, "?"]:
        for n in (1, 3, 40, 500, 3000):
            for width in (2, 50, 10**6):
                x = rng.integers(0, width, n).astype("u4").astype(dtype) if dtype[0] != "f" else (
                    rng.integers(-width, width, n) % 9999 / 8).astype(dtype)
                counts = Counter(x.tolist())
                most = max(counts.values())
                assert onefold.mode(x) == min(v for v, c in counts.items() if c == most)
                assert onefold.mode(x).dtype == x.dtype
                assert onefold.nunique(x) == len(counts)
    x = rng.integers(0, 9, (5, 40))
    assert (onefold.nunique(x, axis=1) == [len(set(row)) for row in x.tolist()]).all()


def test_nan_is_one_value_and_so_is_zero():
    x = [np.nan, 1.0, np.nan, -0.0, 0.0, -np.nan]
    assert onefold.nunique(x) == 3 and onefold.nunique(x, nan="omit") == 2
    assert np.isnan(onefold.mode(x)) and not np.signbit(onefold.mode([-0.0, -0.0, 1.0]))
    assert onefold.mode(x, nan="omit") == 0
    for function in (onefold.mode, onefold.nunique):
        with pytest.raises(onefold.NanError):
            function(x, nan="raise")
    assert onefold.nunique([]) == 0 and np.isnan(onefold.trimmed_mean([], 0.1))
    with pytest.raises(onefold.EmptyError):
        onefold.mode([])
    with pytest.raises(onefold.OptionError, match="below 0.5"):
        onefold.trimmed_mean([1, 2, 3], 0.5)


def bins_of(numbers, edges):
    counts = [0] * (len(edges) - 1)
    for v in numbers:
        if v == v and abs(v) != float("inf") and edges[0] <= Fraction(v) <= edges[-1]:
            counts[min(bisect.bisect_right(edges, Fraction(v)) - 1, len(counts) - 1)] += 1
    return counts


@pytest.mark.parametrize("dtype", [*NUMBERS, "?"])
def test_histograms_compare_elements_with_the_edges_exactly(dtype):
    rng = np.random.default_rng(7)
    for _ in range(150):
        n, count = int(rng.integers(1, 60)), int(rng.integers(1, 25))
        if dtype[0] == "f":
            scale = [1, 10.0**rng.integers(-3, 3)][int(rng.integers(0, 2))]
            x = ((rng.integers(-20, 21, n) / 10 if rng.random() < 0.6 else rng.normal(size=n)) * scale).astype(dtype)
        elif dtype == "?":
            x = rng.integers(0, 2, n).astype(dtype)
        else:
            ends = np.iinfo(dtype)
            x = rng.integers(ends.min, ends.max, n, dtype=dtype, endpoint=True) if rng.random() < 0.5 else (
                rng.integers(0, 100, n).astype(dtype))
        if rng.random() < 0.3:
            edges = np.sort(rng.choice([-2, -1, -0.5, 0, 0.1, 0.2, 0.3, 1, 5, 100, 1e10, 300], int(rng.integers(2, 8)),
                                       replace=False))
            counts, said = onefold.histogram(x, edges)
            exact = [Fraction(v) for v in edges]
        else:
            ends = (-1.0, float(rng.choice([0.1, 0.3, 1, 2.5]))) if rng.random() < 0.5 else None
            counts, said = onefold.histogram(x, count, ends)
            low, high = map(Fraction, ends or (x.min().item(), x.max().item()))
            if low == high:
                low, high = low - Fraction(1, 2), high + Fraction(1, 2)
            exact = [low + k * (high - low) / count for k in range(count + 1)]
        assert counts.tolist() == bins_of(x.tolist(), exact), (x, said)
        assert said.tolist() == [float(edge) for edge in exact]


def test_weights_densities_and_pairs_of_histograms():
    rng = np.random.default_rng(8)
    x, y, w = rng.random(500) * 10, rng.random(500), rng.random(500)
    sums, edges = onefold.histogram(x, 7, weights=w)
    places = np.minimum(np.searchsorted(edges, x, "right") - 1, 6)
    assert (sums == [onefold.sum(w[places == k]) for k in range(7)]).all()
    counts = onefold.histogram(x, 7)[0]
    assert counts.dtype == np.int64 and counts.sum() == 500
    assert np.allclose(onefold.histogram(x, 7, density=True)[0], np.histogram(x, 7, density=True)[0])
    for ours, theirs in zip(onefold.histogram2d(x, y, [3, 4]), np.histogram2d(x, y, [3, 4])):
        assert np.allclose(ours, theirs)
    assert np.allclose(onefold.histogram2d(x, y, 5, weights=w)[0], np.histogram2d(x, y, 5, weights=w)[0])
    assert onefold.histogram(np.ma.array([1, 2, 3], mask=[0, 0, 1]), 2)[0].tolist() == [1, 1]
    assert onefold.histogram([], 3)[0].tolist() == [0, 0, 0]
    assert onefold.histogram([1.0, np.nan], 2)[0].tolist() == [0, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert onefold.histogram(x, "sturges")[0].size == np.histogram(x, "sturges")[0].size


def test_edges_are_the_numbers_that_are_given():
    big = 2**53
    x = np.array([big, big + 1, big + 2])
    assert onefold.histogram(x, [big - 1, big + 1, big + 2])[0].tolist() == [1, 2]
    assert onefold.histogram2d(x, x, [[big, big + 1, big + 2], 1])[0].tolist() == [[1], [2]]
    assert onefold.histogram([-np.inf, 0, 1, np.inf], [-np.inf, 1, np.inf])[0].tolist() == [2, 2]
    assert onefold.histogram([1.0, 2], np.array(2))[0].tolist() == [1, 1]
    assert onefold.histogram2d([1.0, 2], [1.0, 2], np.array([2, 3]))[0].shape == (2, 3)
    assert onefold.histogram([0, 5e-324], 1, density=True)[0].tolist() == [np.inf]


@pytest.mark.parametrize(("arguments", "message"), [
    (([1.0], 2, (Fraction(1, 7), 2)), "which cannot be represented exactly"), (([1.0], 3, (0, 10**400)), "which cannot be represented exactly"),
    (([1.0], []), "must be a list of two or more edges"), (([1.0], 2, np.ma.array([0, 2], mask=[0, 1])), "must be a finite number"),
    (([1.0], "auto", 3), "is not a pair"),
    (([1, 2], 0), "bins=0 is not between"), (([1, 2], [1]), "must be a list of two or more edges"), (([1, 2], [2, 1]), "edges must not decrease"),
    (([1, 2], 2, (2, 1)), "ends at 1, which is below its beginning 2"), (([1, np.inf], 2), "must be a finite number"),
    (([1, 2], 2.5), "neither a number of bins nor a list of edges"), (([1, 2], "x"), "not a valid estimator")])
def test_bad_bins_are_refused(arguments, message):
    with pytest.raises(onefold.OptionError, match=message):
        onefold.histogram(*arguments)


def test_misuse_of_histograms_is_one_line():
    for call in (lambda: onefold.histogram([1.0], threads=1.5), lambda: onefold.histogram([1.0], threads=-1),
                 lambda: onefold.histogram2d([1.0], [1.0], 2, [(0, 1)]), lambda: onefold.histogram2d([1.0], [1.0], 2, 5),
                 lambda: onefold.trimmed_mean("x.csv", 0.1), lambda: onefold.histogram(np.array(["a"]), 3)):
        with pytest.raises(onefold.Error) as caught:
            call()
        assert "\n" not in str(caught.value)


def test_no_quantile_of_several_axes_has_the_shape_of_numpys():
    x = np.zeros((3, 4), "f4")
    assert onefold.quantile(x, [], axis=0).shape == np.quantile(x, [], axis=0).shape
    assert onefold.quantile(x, [], axis=0).dtype == np.float32
    assert onefold.quantile([0.0, 1.0], np.float32(0.1)) == onefold.quantile([0.0, 1.0], 0.1)
    for q in (True, "0_1"):
        with pytest.raises(onefold.OptionError, match="is not a number from 0 to 1"):
            onefold.quantile([1.0], q)


def test_places_of_quantiles_need_no_float():
    x = np.array([2**53 + 3, 5, 2**53 + 1, 2**53 + 2])
    for kind in ("i8", "u8"):
        for method in ("lower", "higher", "nearest", "inverted_cdf"):
            ranks = np.argsort(np.argsort(x))
            q = [0, 0.2, 0.5, 0.9, 1]
            assert onefold.argquantile(x.astype(kind), q, method=method).tolist() == onefold.argquantile(ranks, q, method=method).tolist()
    assert onefold.argquantile(x, 1, offsets=[0, 2, 4]).tolist() == [0, 1]
    assert onefold.argquantile(x, 1, by=np.array([1, 1, 0, 0]))[1].tolist() == [3, 0]
    assert onefold.argquantile(np.stack([x, x[::-1]]), 1, axis=1, where=np.array([False, True, True, True])).tolist() == [3, 3]


def test_places_of_quantiles_leave_out_nulls_and_masks():
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    values = [9, 3, None, 1, 2, None]
    masked = np.ma.array([9, 3, 0, 1, 2, 50], mask=[0, 0, 1, 0, 0, 1])
    for x in (pa.array(values), pl.Series(values), masked, masked.astype("f8"), masked + 2**60):
        assert onefold.argquantile(x, [0, 0.5, 1]).tolist() == [3, 4, 0]
        assert onefold.argquantile(x, 1, where=[False, *[True] * 5]) == 1
        assert onefold.argquantile(x, 1, offsets=[0, 3, 6]).tolist() == [0, 1]
        assert onefold.argquantile(x, 1, by=[0, 1, 0, 1, 0, 1])[1].tolist() == [0, 1]
    with pytest.raises(onefold.EmptyError, match="argquantile"):
        onefold.argquantile(np.ma.array([1, 2], mask=True), 0)


def test_more_bins_than_memory_holds_are_refused(monkeypatch):
    monkeypatch.setattr("onefold._core.available_memory", lambda: 2**32)
    for call in (lambda: onefold.histogram([1.0, 2.0], 10**9), lambda: onefold.histogram2d([1.0], [2.0], 10**5)):
        with pytest.raises(onefold.OutOfMemoryError, match="GiB are available; pass fewer bins"):
            call()
    assert onefold.histogram([1.0, 2.0], 1000)[0].sum() == 2
