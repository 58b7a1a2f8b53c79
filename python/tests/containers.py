"""Code that tests of containers share: random bits, and folds of a file compared with those in
memory."""

import numpy as np
import pytest

import onefold

OPS = "count,sum,min,argmax,count_nan"
TYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "?"]


def numbers(rng, shape, dtype):
    """Random bits: for integers all values, for floats also NaNs, infinities and subnormals."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    raw = rng.integers(0, 256, (int(np.prod(shape)), dtype.itemsize), dtype="u1")
    return raw.view(dtype).reshape(shape)


def same(path, expected, axes=((), None, 0, -1)):
    """Compares each element, and folds along axes, with those of the array in memory."""
    expected = np.asarray(expected)
    native = expected.astype(expected.dtype.newbyteorder("="))
    whole = onefold.fold("max", path, axis=())[0]
    wanted = np.asarray(onefold.fold("max", native, axis=())[0])
    if native.ndim == 0:
        whole = np.asarray(whole).astype(wanted.dtype)
    assert whole.dtype == wanted.dtype and whole.shape == wanted.shape
    assert whole.tobytes() == wanted.tobytes()
    for axis in axes:
        if axis in (0, -1) and native.ndim == 0 or native.size == 0:
            continue
        ops = OPS if native.dtype.kind != "f" else OPS + ",var"
        for nan in ("propagate", "omit"):
            if nan == "omit" and native.dtype.kind == "f" and axis == ():
                continue
            try:
                wanted = onefold.fold(ops, native, axis=axis, nan=nan)
            except onefold.Error as error:
                with pytest.raises(type(error)):
                    onefold.fold(ops, path, axis=axis, nan=nan)
                continue
            for a, b in zip(onefold.fold(ops, path, axis=axis, nan=nan), wanted):
                b = np.asarray(b)
                assert np.asarray(a).astype(b.dtype).tobytes() == b.tobytes(), (path, axis, nan)


def shapes(rng):
    rank = int(rng.integers(1, 5))
    shape = tuple(int(n) for n in rng.integers(1, 14, rank))
    chunk = tuple(int(rng.integers(1, n + 1)) for n in shape)
    return shape, chunk
