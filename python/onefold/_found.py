"""The result of converting an array of another kind, and code that all conversions share."""

from . import _errors


def unsupported(op, text):
    return _errors.make("unsupported", f"{op}: {text}")


def numpy_for(op, what):
    """Imports NumPy, which few calls need."""
    try:
        import numpy
    except ModuleNotFoundError:
        raise unsupported(op, f"{what} needs NumPy, which is not installed: pip install numpy") \
            from None
    return numpy


def type_name(x):
    return f"{type(x).__module__}.{type(x).__qualname__}"


def library_of(x):
    return type(x).__module__.partition(".")[0]


def is_pandas(x):
    """Whether x is data of pandas: a Series, an Index, an array or a frame; no groups or windows."""
    return library_of(x) == "pandas" and hasattr(type(x), "__array__")


def on_device(x):
    """Whether x is in the memory of a GPU."""
    known = getattr(x, "is_cuda", None)  # torch's __dlpack_device__ takes 50 times as long
    if isinstance(known, bool):
        return known
    if hasattr(x, "__dlpack_device__"):
        return int(x.__dlpack_device__()[0]) in (2, 13)  # DLPack's numbers for CUDA
    return hasattr(x, "__cuda_array_interface__")


def is_labelled(x):
    """Whether x is an array or a variable of xarray."""
    return library_of(x) == "xarray" and hasattr(x, "dims") and hasattr(x, "dtype")


class Found:
    """An array as _core takes it, and how its answers are returned.

    array  an ndarray, a buffer or a View
    wrap   converts an answer from NumPy's or Python's object; for a View, to its type
    mask   of the array's shape, True for elements that count; None: all count
    """

    __slots__ = ("array", "wrap", "mask")

    def __init__(self, array, wrap, mask=None):
        self.array, self.wrap, self.mask = array, wrap, mask


def as_is(value, dtype=None):
    return value


def as_python(value, dtype=None):
    """Converts NumPy's scalars to Python's numbers; arrays stay as they are."""
    return value.item() if hasattr(value, "item") and not getattr(value, "shape", ()) else value
