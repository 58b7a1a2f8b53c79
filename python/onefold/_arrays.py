"""Arrays: ndarrays and their subclasses, buffers, tensors by DLPack, objects with __array__."""

import sys

from . import _core, _errors, _frames, _labels
from ._found import (
    Found, as_is, as_python, is_labelled, library_of, numpy_for, on_device, type_name,
    unsupported)
from ._numbers import sequence


def _ndarray(op, numpy, x):
    if isinstance(x, numpy.ma.MaskedArray):
        mask = numpy.ma.getmask(x)
        if x.dtype.names is not None:
            raise unsupported(op, f"an array of records, {x.dtype}; fold its fields one by one")
        taken = None if mask is numpy.ma.nomask else ~numpy.asarray(mask)
        return Found(_ndarray(op, numpy, numpy.asarray(x.data)).array, as_is, taken)
    if type(x) is not numpy.ndarray and not isinstance(x, (numpy.matrix, numpy.memmap)):
        for name in ("unit", "units", "mask"):
            if hasattr(x, name):
                raise unsupported(
                    op, f"a {type_name(x)} would lose its {name}; pass what it holds as an ndarray")
    if x.dtype.kind in "mM":
        raise unsupported(op, f"an array of dtype {x.dtype} has no meaning here; min, max, mean, ptp, median and others "
                          "fold it")
    if not x.dtype.isnative:
        x = x.astype(x.dtype.newbyteorder("="))
    return Found(numpy.asarray(x), as_is)


def _dlpack(op, x):
    """Converts a tensor on the CPU; its answers get the tensor's type."""
    if getattr(x, "requires_grad", False):
        raise unsupported(op, "the tensor requires grad; fold x.detach(), or see onefold.torch")
    try:
        capsule = x.__dlpack__(max_version=(1, 1))
    except TypeError:
        capsule = x.__dlpack__()  # from before DLPack 1.0
    view = _core.View.from_dlpack(capsule)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        from ._frameworks import torch_answer

        return Found(view, torch_answer)
    if library_of(x) in ("jax", "jaxlib"):
        from ._frameworks import jax_answer

        return Found(view, jax_answer)
    asarray = getattr(getattr(x, "__array_namespace__", lambda: None)(), "asarray", None)
    return Found(view, as_python if asarray is None else _maker(asarray, x))


def _maker(asarray, x):
    from ._frameworks import torch_types as names

    namespace = x.__array_namespace__()
    return lambda value, dtype: asarray(value, dtype=getattr(namespace, names[dtype], None))


def _buffer(op, x):
    """The Found of a buffer. If it belongs to a library's array, whose answers must be of that library: None."""
    if hasattr(x, "__array_namespace__"):
        return None
    try:
        view = memoryview(x)  # ValueError: it is released
    except (TypeError, BufferError):
        return None
    if view.format[:1] not in (">", "!"):
        return Found(view, as_python)
    numpy = numpy_for(op, "a big-endian buffer")
    return Found(_ndarray(op, numpy, numpy.asarray(view)).array, as_python)


def dtype_of(array):
    """The element type of a Found's array, as "f64"; NumPy's name for a type that is not folded."""
    if not isinstance(array, memoryview):
        try:
            return _core.dtype_name(str(array.dtype))
        except _errors.Error:
            return str(array.dtype)
    floats = {"d": "f64", "f": "f32", "e": "f16", "?": "bool"}
    letter = array.format[-1]
    return floats.get(letter) or f"{'u' if letter.isupper() else 'i'}{8 * array.itemsize}"


def wrapped(found, op, value, result):
    """An answer, as the kind of number or array that the input was."""
    if not isinstance(found.array, _core.View):
        return found.wrap(value)
    from ._device import answer_type

    result = None if result is None else _core.dtype_name(str(result).removeprefix("torch."))
    return found.wrap(value, answer_type(op, found.array.dtype, result))


def find(op, x):
    """The Found of any array; None for an array on a device, which _device folds.

    op  how an error message begins; for an array that goes with another one, with its name
    """
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        if isinstance(x, numpy.ndarray):
            return _ndarray(op, numpy, x)
        if isinstance(x, numpy.generic):
            return _ndarray(op, numpy, numpy.asarray(x))
    if isinstance(x, (bool, int, float, list, tuple, range)):
        return Found(sequence(op, x), as_python)
    found = _buffer(op, x)
    if found is not None:
        return found
    library = library_of(x)
    found = _frames.found(op, x)
    if found is not None:
        return found
    if is_labelled(x):
        return find(op, x.data)
    if library == "xarray":
        raise _labels.no_array(op, x)
    if library == "dask":
        raise unsupported(op, "a Dask array is folded by onefold.dask")
    for name in ("units", "unit"):
        if hasattr(x, name) and library not in ("torch", "jax", "jaxlib"):
            raise unsupported(op, f"a {type_name(x)} would lose its {name}; pass what it holds")
    if on_device(x):
        return None
    if hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
        return _dlpack(op, x)
    if any(hasattr(x, f"__array_{name}__") for name in ("interface", "struct")) or hasattr(
            x, "__array__"):
        numpy = numpy_for(op, f"a {type_name(x)}")
        return Found(_ndarray(op, numpy, numpy.asarray(x)).array, as_is)
    raise unsupported(
        op, f"a {type_name(x)} cannot be folded; arrays, buffers, sequences of numbers and paths "
        "of files can")
