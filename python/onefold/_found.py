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


def on_device(x):
    """Whether a GPU has its memory."""
    known = getattr(x, "is_cuda", None)  # torch's __dlpack_device__ takes 50 times as long
    if isinstance(known, bool):
        return known
    if hasattr(x, "__dlpack_device__"):
        return int(x.__dlpack_device__()[0]) in (2, 13)  # DLPack's numbers for CUDA
    return hasattr(x, "__cuda_array_interface__")


def is_labelled(x):
    """An array of xarray, or a variable of it."""
    return library_of(x) == "xarray" and hasattr(x, "dims") and not hasattr(x, "data_vars")


class Found:
    """An array as _core takes it, and what its answers are to be.

    array  an ndarray, a buffer or a View
    wrap   makes the answer's object of NumPy's or Python's, and for a View of its type
    mask   True where an element is there, of the array's shape; None: everywhere
    """

    __slots__ = ("array", "wrap", "mask")

    def __init__(self, array, wrap, mask=None):
        self.array, self.wrap, self.mask = array, wrap, mask


def as_is(value, dtype=None):
    return value


def as_python(value, dtype=None):
    """Python's number for a scalar of NumPy; arrays as they are."""
    return value.item() if hasattr(value, "item") and not getattr(value, "shape", ()) else value
