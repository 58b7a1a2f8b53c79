"""Found: an array as _core takes it, and code that all kinds of input share."""

from .. import _core, _ops, errors
from ..errors import numpy_for, unsupported  # noqa: F401
from .wrap import as_bfloat16, as_is


def type_name(x):
    return f"{type(x).__module__}.{type(x).__qualname__}"


def library_of(x):
    return type(x).__module__.partition(".")[0]


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


def converted(op, x, convert):
    """convert(), which calls x's own library. What that raises becomes our error."""
    try:
        return convert()
    except (errors.Error, MemoryError):
        raise
    except Exception as error:
        raise gives_no_array(op, x, error) from error


def gives_no_array(op, x, error):
    """Returns our error for an exception that x's library has raised."""
    if library_of(x) == "jax" and type(x).__name__.endswith("Tracer"):
        there = op in _ops.ops or op in _ops.traced_too
        return unsupported(op, "the array is traced by JAX; " + (f"call onefold.jax.{op}" if there else "call it outside of the traced function"))
    text = " ".join(str(error).split())
    return unsupported(op, f"a {type_name(x)} cannot be folded, because its library could not make an array of it: "
                       f"{type(error).__name__}: {text if len(text) <= 300 else text[:300] + '...'}")


def dtype_of(array):
    """The element type of an array of any library, or of a Found, as "f64"; its own name for a type that is not folded."""
    if not isinstance(array, memoryview):
        try:
            return _core.dtype_name(array.dtype)
        except errors.Error:
            return str(array.dtype)
    floats = {"d": "f64", "f": "f32", "e": "f16", "?": "bool"}
    letter = array.format[-1]
    return floats.get(letter) or f"{'u' if letter.isupper() else 'i'}{8 * array.itemsize}"


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

    array     an ndarray, a buffer or a View
    wrap      converts an answer from NumPy's or Python's object; for a View, to its type
    mask      of the array's shape, True for elements that count; None: all count
    type_of   the type that x's library has for answers of a type, to which they are rounded at once
    there     whether the array is on a device: `array` is then x itself, for _device
    masked    whether x is one of NumPy's masked arrays, whose answers are such, too
    own_mask  of the first of two arrays: whether either has a mask
    """

    __slots__ = ("array", "wrap", "mask", "type_of", "there", "masked", "own_mask")

    def __init__(self, array, wrap=as_is, mask=None, type_of=str, there=False, masked=False):
        self.array, self.wrap, self.mask, self.type_of, self.there, self.masked = array, wrap, mask, type_of, there, masked

    def part(self, index):
        """The Found of array[index]."""
        mask = None if self.mask is None else self.mask[index]
        return Found(part_of(self.array, index), self.wrap, mask, self.type_of)
