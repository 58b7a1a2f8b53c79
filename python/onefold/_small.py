"""Floats of 8 bits and less, and integers of 4 bits and less: they are folded as the float32, int8 or uint8 that each of them equals.

The types are those of ml_dtypes, which JAX has, too, with an element in a byte, and torch's float8. `_small` in test_small.py widens
each of the 256 bytes of each type.
"""

import functools
import sys

_floats = ("float8_", "float6_", "float4_")
_integers = {"int1": "int8", "int2": "int8", "int4": "int8", "uint1": "uint8", "uint2": "uint8", "uint4": "uint8"}


def wide_name(dtype):
    """The long name of the type that holds all numbers of a small one; None: dtype is no small type of a byte an element."""
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
    if library in ("jax", "jaxlib"):  # XLA's own conversion may take subnormal numbers for 0
        import numpy

        return sys.modules["jax"].device_put(widened(numpy.asarray(x)), x.sharding)
    if library == "torch" or "torch" in sys.modules and isinstance(x, sys.modules["torch"].Tensor):
        return x.to(getattr(sys.modules["torch"], name))
    import numpy

    return numpy.asarray(_table(dtype).take(numpy.asarray(x).view("u1"), mode="clip"))
