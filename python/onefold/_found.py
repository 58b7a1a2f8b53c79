"""The result of converting an array of another kind, and code that all conversions share."""

from . import _core, _errors


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
        try:
            return int(x.__dlpack_device__()[0]) in (2, 13)  # DLPack's numbers for CUDA
        except Exception:  # it has no memory, as a tracer of JAX; its conversion reports why
            return False
    return hasattr(x, "__cuda_array_interface__")


def is_labelled(x):
    """Whether x is an array or a variable of xarray."""
    return library_of(x) == "xarray" and hasattr(x, "dims") and hasattr(x, "dtype")


def converted(op, x, convert):
    """convert(), which calls x's own library. What that raises becomes our error."""
    try:
        return convert()
    except (_errors.Error, MemoryError):
        raise
    except Exception as error:
        text = " ".join(str(error).split())
        raise unsupported(op, f"a {type_name(x)} cannot be folded, since its library gives no array: "
                          f"{type(error).__name__}: {text if len(text) <= 300 else text[:300] + '...'}") from error


def as_bfloat16(op, bits):
    """Bits as ml_dtypes' bfloat16, since NumPy has no such type."""
    try:
        import ml_dtypes
    except ModuleNotFoundError:
        raise unsupported(op, "ndarrays of bfloat16 need ml_dtypes, which is not installed: pip install ml_dtypes") \
            from None
    return bits.view(ml_dtypes.bfloat16)


def ndarray_of(op, array):
    """A Found's array as an ndarray of the same memory."""
    if not isinstance(array, _core.View):
        return numpy_for(op, "such an array").asarray(array)
    numpy_for(op, f"an array of {array.dtype}")
    return as_bfloat16(op, array.ndarray()) if array.dtype == "bf16" else array.ndarray()


def part_of(array, index):
    """array[index] of a Found's array."""
    numpy = numpy_for("keys", "such an array")
    if not isinstance(array, _core.View):
        return numpy.asarray(array)[index]
    some = numpy.ascontiguousarray(array.ndarray()[index])  # of bfloat16 the bits
    return _core.View.at(some.ctypes.data, array.dtype, list(some.shape), None, -1, some)


class Found:
    """An array as _core takes it, and how its answers are returned.

    array    an ndarray, a buffer or a View
    wrap     converts an answer from NumPy's or Python's object; for a View, to its type
    mask     of the array's shape, True for elements that count; None: all count
    type_of  the type that x's library has for answers of a type, to which they are rounded at once
    """

    __slots__ = ("array", "wrap", "mask", "type_of")

    def __init__(self, array, wrap, mask=None, type_of=str):
        self.array, self.wrap, self.mask, self.type_of = array, wrap, mask, type_of

    def part(self, index):
        """The Found of array[index]."""
        mask = None if self.mask is None else self.mask[index]
        return Found(part_of(self.array, index), self.wrap, mask, self.type_of)


def as_is(value, dtype=None):
    return value


def as_python(value, dtype=None):
    """Converts NumPy's scalars to Python's numbers; arrays stay as they are."""
    return value.item() if hasattr(value, "item") and not getattr(value, "shape", ()) else value
