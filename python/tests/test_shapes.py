"""Axes, keepdims, indices and policies of NaN against NumPy itself, over shapes of any kind.

Elements are small whole numbers, so NumPy is exact too: sums and means in f64, all else in any type.
"""

import math

import numpy as np
import pytest

import onefold

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "?"]


def make_array(r):
    """Up to five axes, with steps, backwards, transposed or broadcast; whole numbers, maybe NaN."""
    shape = [int(n) for n in r.integers(0 if r.random() < 0.05 else 1, 8, r.integers(1, 6))]
    if r.random() < 0.1:
        shape[int(r.integers(len(shape)))] = int(r.integers(8, 400))
        shape = shape[:3]
    steps = [int(s) for s in r.choice([1, 1, 1, 2, -1, -2, 3], len(shape))]
    dtype = np.dtype(str(r.choice(DTYPES)))
    low = 0 if dtype.kind in "u?" else -3
    x = r.integers(low, 4, [n * abs(s) for n, s in zip(shape, steps)]).astype(dtype)
    if dtype.kind == "f" and r.random() < 0.5:
        x[r.random(x.shape) < r.choice([0.01, 0.3])] = np.nan
    x = x[tuple(slice(None, None, s) for s in steps)]
    if r.random() < 0.5:
        x = x.transpose(r.permutation(x.ndim))
    if r.random() < 0.15:
        x = np.broadcast_to(x, (int(r.integers(1, 4)), *x.shape))
    return x


def make_axes(r, rank):
    if r.random() < 0.15:
        return None
    axes = tuple(int(a) for a in r.permutation(rank)[: r.integers(1, rank + 1)])
    axes = tuple(a - rank if r.random() < 0.3 else a for a in axes)
    return axes[0] if len(axes) == 1 and r.random() < 0.7 else axes


def with_folded_last(x, axes):
    """Moves the folded axes to the end, as one axis in C order; also returns their number."""
    folded = range(x.ndim) if axes is None else axes if isinstance(axes, tuple) else (axes,)
    folded = sorted(a % x.ndim for a in folded)
    kept = [a for a in range(x.ndim) if a not in folded]
    n = math.prod(x.shape[a] for a in folded)
    return x.transpose(kept + folded).reshape([x.shape[a] for a in kept] + [n]), folded


def by_numpy(op, x, nan):
    """Folds along the last axis by NumPy, in types wide enough to be exact."""
    some = x.shape[-1] > 0
    with np.errstate(all="ignore"):
        left = ~np.isnan(x) if x.dtype.kind == "f" and nan == "omit" else np.ones(x.shape, bool)
        if op == "count":
            return left.sum(-1)
        if op == "count_nan":
            return np.isnan(x).sum(-1) if x.dtype.kind == "f" else np.zeros(x.shape[:-1], int)
        if op in ("any", "all"):
            return getattr(np, op)(x, axis=-1, where=left)
        if op == "count_nonzero":
            return np.count_nonzero((x != 0) & left, axis=-1)
        wide = x.astype("f8") if x.dtype.kind == "f" else x.astype("i8")
        if op in ("sum", "mean"):
            total = np.where(left, wide, 0).sum(-1)
            return total if op == "sum" else np.divide(total, left.sum(-1))
        nothing = ~left.any(-1)
        if not some or op.startswith("arg") and nothing.any():
            return None  # gives an error of its own
        least, greatest = (np.where(left, wide, fill) for fill in (9, -9))
        if op.startswith("arg"):
            return least.argmin(-1) if op == "argmin" else greatest.argmax(-1)
        answers = {"min": least.min(-1), "max": greatest.max(-1), "ptp": greatest.max(-1) - least.min(-1)}
        return np.where(nothing, np.nan, answers[op]) if nothing.any() else answers[op]


OPS = ["sum", "mean", "count", "count_nan", "any", "all", "count_nonzero", "ptp", "min", "argmin",
       "max", "argmax"]


@pytest.mark.parametrize("seed", range(10))
def test_any_shape_folds_as_numpy_folds_it(seed):
    r = np.random.default_rng(seed)
    for _ in range(1000):
        x = make_array(r)
        axes, op = make_axes(r, x.ndim), str(r.choice(OPS))
        nan, keepdims = str(r.choice(["propagate", "omit"])), bool(r.random() < 0.3)
        rows, folded = with_folded_last(x, axes)
        expected = by_numpy(op, rows, nan)
        said = f"{op} of {x.dtype} {x.shape} at {x.strides} over {axes}, {nan}, seed {seed}"
        if expected is None:
            if 0 not in rows.shape[:-1]:
                with pytest.raises(onefold.EmptyError):
                    getattr(onefold.fold(op, x, axis=axes, nan=nan), op)
            continue
        got = getattr(onefold.fold(op, x, axis=axes, nan=nan, keepdims=keepdims), op)
        shape = tuple(1 if a in folded else n for a, n in enumerate(x.shape) if keepdims or a not in folded)
        assert np.shape(got) == shape, said
        if op == "mean" and x.dtype.kind == "f":
            expected = expected.astype(x.dtype)
        np.testing.assert_array_equal(np.reshape(got, np.shape(expected)), expected, said)


@pytest.mark.parametrize("seed", range(2))
def test_a_nan_anywhere_is_found(seed):
    r = np.random.default_rng(seed)
    for _ in range(300):
        x = make_array(r)
        axes, op = make_axes(r, x.ndim), str(r.choice(["sum", "mean", "var", "max", "any", "argmin"]))
        has_nan = x.dtype.kind == "f" and bool(np.isnan(x).any())
        if x.size == 0:
            continue
        if has_nan:
            with pytest.raises(onefold.NanError):
                getattr(onefold.fold(op, x, axis=axes, nan="raise"), op)
        else:
            raised = onefold.fold(op, x, axis=axes, nan="raise")
            assert np.array_equal(getattr(raised, op), getattr(onefold.fold(op, x, axis=axes), op), equal_nan=True)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("shape, axis", [((8, 1000), 0), ((5, 3, 131), 1), ((200, 7), 1),
                                         ((3, 64), 0), ((2, 65, 4), (0, 2))])
def test_counts_of_many_answers_are_those_of_numpy(dtype, shape, axis):
    rng = np.random.default_rng(11)
    x = (rng.integers(0, 2, shape) * rng.integers(0, 2, shape)).astype(dtype)
    x[..., ::9] = 0
    x[..., 1::9] = 1
    for op in ["any", "all", "count_nonzero"]:
        want = getattr(np, op)(x, axis=axis)
        got = getattr(onefold, op)(x, axis=axis)
        assert got.dtype == want.dtype and np.array_equal(got, want), op
    n = x.size // want.size
    assert np.array_equal(onefold.fold("count_zero", x, axis=axis).count_zero, n - want)
    assert (onefold.fold("count", x, axis=axis).count == n).all()
