"""Answers in the type of x's library: the last step of a call."""

import sys

from .. import _core, errors

# Our names of types, and those of NumPy, torch and the Array API.
long_names = {"bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
              "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "f16": "float16",
              "bf16": "bfloat16", "f32": "float32", "f64": "float64"}


def as_is(value, dtype=None):
    return value


def as_python(value, dtype=None):
    """Converts NumPy's scalars to Python's numbers; arrays stay as they are."""
    return value.item() if hasattr(value, "item") and not getattr(value, "shape", ()) else value


def as_bfloat16(op, bits):
    """Bits as ml_dtypes' bfloat16, since NumPy has no such type."""
    try:
        import ml_dtypes
    except ModuleNotFoundError:
        raise errors.make("unsupported", f"{op}: ndarrays of bfloat16 need ml_dtypes, which is not installed: "
                           "pip install ml_dtypes") from None
    return bits.view(ml_dtypes.bfloat16)


def as_torch(value, dtype):
    """NumPy's or Python's answer as a torch tensor on the CPU, of the type `dtype`."""
    torch = sys.modules["torch"]
    wanted = getattr(torch, long_names[dtype])
    if not hasattr(value, "dtype"):
        return torch.tensor(value, dtype=wanted)
    import numpy

    if dtype == "bf16":
        return torch.from_numpy(numpy.asarray(value).view("int16")).view(wanted)
    return torch.from_numpy(numpy.asarray(value))


def jax_type(dtype):
    """JAX's type for `dtype`: without jax_enable_x64 it has no 64-bit types."""
    canonical = sys.modules["jax"].dtypes.canonicalize_dtype(long_names[dtype])
    return _core.dtype_name(canonical.name)


def as_jax(value, dtype):
    import numpy

    jax = sys.modules["jax"]
    canonical = long_names[jax_type(dtype)]
    if dtype == "bf16" and getattr(value, "dtype", None) == "uint16":
        value = as_bfloat16("onefold", value)
    if dtype[0] in "iu":
        info = numpy.iinfo(canonical)
        if numpy.any((numpy.asarray(value) < info.min) | (numpy.asarray(value) > info.max)):
            raise errors.make(
                "overflow", f"the exact value does not fit JAX's {canonical}; set jax_enable_x64")
    return jax.numpy.asarray(value, dtype=canonical)


def as_array_of(op, namespace):
    """A function that makes answers arrays of a namespace of the Array API; None: Python's numbers."""
    def wrap(value, dtype):
        if dtype == "bf16" and getattr(value, "dtype", None) == "uint16":
            value = as_bfloat16(op, value)
        if not hasattr(namespace, "asarray"):
            return as_python(value)
        name = long_names[dtype]
        if not hasattr(namespace, name):
            raise errors.make("unsupported", f"{op}: {namespace.__name__} has no {name} for the answer; request another type")
        return namespace.asarray(value, dtype=getattr(namespace, name))

    return wrap


def stacked(values, axis=0):
    """Arrays of one shape as one array of their library, along a new axis."""
    numpy = errors.numpy_for("quantile", "an answer for each q")
    if not values:
        return numpy.empty(0)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(values[0], torch.Tensor):
        return torch.stack(values, axis)
    if any(isinstance(value, numpy.ma.MaskedArray) for value in values):
        return numpy.ma.stack(values, axis=axis)
    namespace = getattr(values[0], "__array_namespace__", lambda: numpy)()
    return namespace.stack(values, axis=axis)
