"""rms_norm and layer_norm: each answer is the exact value, rounded once."""

from fractions import Fraction
from math import isqrt

import numpy as np
import pandas as pd
import pytest

import onefold

rng = np.random.default_rng(1)
BITS = 1400


def root(square):
    """A number below the root of a fraction by less than 2^-BITS of it, and whether it is the root."""
    wide = (square.numerator << 2 * BITS + 2200) // square.denominator
    r = Fraction(isqrt(wide), 1 << BITS + 1100)
    return r, r * r == square


def nearest(dtype, value, is_exact):
    """The number of the type nearest to a fraction; if that is not exact, it is not a tie."""
    first = dtype.type(float(value))
    around = {first, np.nextafter(first, dtype.type(-np.inf)), np.nextafter(first, dtype.type(np.inf))}
    return min(around, key=lambda c: (abs(Fraction(float(c)) - value), int(np.array(c).view(f"u{dtype.itemsize}")) & 1 if is_exact else 0))


def expected(x, w, b, eps, centred):
    numbers = [Fraction(float(v)) for v in x]
    mean = sum(numbers) / len(x) if centred else 0
    square = sum((v - mean) ** 2 for v in numbers) / len(x) + Fraction(eps)
    r, is_exact = root(square)
    return [nearest(x.dtype, (v - mean) * Fraction(float(one)) / r + Fraction(float(more)), is_exact)
            for v, one, more in zip(numbers, w, b)]


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_answers_are_exact_values_rounded_once(dtype):
    for kind in range(12):
        n = 2 + kind % 5
        x = (rng.normal(kind, 1, n) if kind % 3 else rng.integers(-4, 5, n) + 0.5).astype(dtype)
        w, b = rng.normal(size=n).astype(dtype), rng.normal(size=n).astype(dtype)
        eps = (1e-5, 0.25, 1e-12)[kind % 3]
        assert onefold.rms_norm(x, weight=w, eps=eps).tolist() == expected(x, w, 0 * b, eps, False)
        assert onefold.layer_norm(x, weight=w, bias=b, eps=eps).tolist() == expected(x, w, b, eps, True)


def test_slices_have_the_same_bits_in_any_batch():
    x, w = rng.normal(3, 1, (40, 5, 6)).astype("f4"), rng.normal(size=(5, 6)).astype("f4")
    whole = onefold.layer_norm(x, (1, 2), weight=w)
    assert all((onefold.layer_norm(row, None, weight=w) == part).all() for row, part in zip(x, whole))
    columns = onefold.rms_norm(x, 0)
    assert (columns[:, 2, 3] == onefold.rms_norm(x[:, 2, 3].copy())).all()
    assert (onefold.rms_norm(x, 0, threads=1) == columns).all()


def test_it_takes_what_other_functions_take():
    assert onefold.rms_norm([3, 4], eps=0).tolist() == [3 / 12.5**0.5, 4 / 12.5**0.5]
    assert isinstance(onefold.layer_norm(pd.Series([1.0, 2.0])), pd.Series)
    assert onefold.layer_norm(np.zeros((2, 0))).shape == (2, 0)
    assert np.isnan(onefold.layer_norm(np.array([1.0, np.inf]))).all()
    assert onefold.layer_norm(np.array([2.0, 2.0]), bias=np.array([3.0, 4.0])).tolist() == [3, 4]


@pytest.mark.parametrize("call, error, words", [
    (lambda x: onefold.rms_norm(x, weight=np.ones(3, "f4")), onefold.DTypeError, "weight is of type f32"),
    (lambda x: onefold.layer_norm(x, bias=np.ones(2)), onefold.ShapeError, r"bias has shape \(2,\)"),
    (lambda x: onefold.rms_norm(x, eps=-1.0), onefold.OptionError, "eps"),
    (lambda x: onefold.layer_norm(x, 2), onefold.AxisError, "axis 2"),
    (lambda x: onefold.rms_norm(["x.npy", "y.npy"]), onefold.UnsupportedError, "files")])
def test_what_is_wrong_is_said(call, error, words):
    with pytest.raises(error, match=words):
        call(np.ones((2, 3)))
