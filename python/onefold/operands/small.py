"""Floats of 8 bits and less, and integers of 4 bits and less: they are folded as the float32, int8 or uint8 that each of them equals.

The types are those of ml_dtypes, which JAX has, too, with an element in a byte, and torch's float8. test_small.py compares each of the
256 bytes of each type with its format's definition.
"""

import functools
import sys
import types

from . import chunks
from .types import answer_types
from .wrap import long_names

piece = 1 << 20  # elements of an ndarray that are widened at once, if one answer of all is wanted: 4 MiB of float32

_floats = ("float8_", "float6_", "float4_")
_integers = {"int1": "int8", "int2": "int8", "int4": "int8", "uint1": "uint8", "uint2": "uint8", "uint4": "uint8"}


def wide_name(dtype):
    """The long name of the type that holds all numbers of a small one; None: dtype is not a small type of one byte."""
    if getattr(dtype, "itemsize", 0) != 1:
        return None
    name = str(dtype)
    if name.removeprefix("torch.").startswith(_floats):
        return None if name.endswith("_x2") else "float32"  # x2: two in a byte
    return _integers.get(name)  # torch's have no conversion


@functools.cache
def _table(dtype):
    """The number that each byte stands for."""
    import numpy

    return numpy.arange(256, dtype="u1").view(dtype).astype(wide_name(dtype))


def widened(x):
    """An array of NumPy, JAX or torch of small numbers as one of their wide type; any other array as it is."""
    dtype = getattr(x, "dtype", None)
    if dtype is None or (name := wide_name(dtype)) is None:
        return x
    library = type(x).__module__.partition(".")[0]
    if library in ("jax", "jaxlib"):
        return x.astype(name)
    if library == "torch" or "torch" in sys.modules and isinstance(x, sys.modules["torch"].Tensor):
        return x.to(getattr(sys.modules["torch"], name))
    import numpy

    return numpy.asarray(_table(dtype).take(numpy.asarray(x).view("u1"), mode="clip"))


class _Pieces:
    """The pieces of an ndarray, as the chunks of a column are; each is widened when it is needed."""

    def __init__(self, x):
        self.flat = x.reshape(-1)

    def __len__(self):
        return -(-self.flat.size // piece)

    def __iter__(self):
        for at in range(0, self.flat.size, piece):
            part = widened(self.flat[at:at + piece])
            yield types.SimpleNamespace(view=part, rows=part.size, nulls=False)


def are_long(request):
    """Whether one answer of all elements of a long ndarray of small numbers is wanted."""
    import numpy

    x = request.x
    return type(x) is numpy.ndarray and x.size > piece and wide_name(x.dtype) is not None and request.progress is None and (
        (request.axis is None or x.ndim == 1) and chunks.are_whole(request))


def fold(request):
    """The answers of such a request, as a list."""
    import numpy

    values = chunks.fold(request, _Pieces(request.x))
    names = answer_types(request, {"float32": "f32", "int8": "i8", "uint8": "u8"}[wide_name(request.x.dtype)])
    return [numpy.dtype(long_names[name]).type(value) for name, value in zip(names, values)]
