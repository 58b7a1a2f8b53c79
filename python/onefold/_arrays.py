"""Arrays: ndarrays and their subclasses, buffers, tensors by DLPack, objects with __array__."""

import sys

from . import _core, _errors, _frames, _labels, _ops
from ._found import (
    Found, as_bfloat16, as_is, as_python, converted, is_labelled, library_of, numpy_for, on_device, type_name,
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
    from . import _frameworks

    view = _frameworks.exported(op, x)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        return Found(view, _frameworks.torch_answer)
    if library_of(x) in ("jax", "jaxlib"):
        return Found(view, _frameworks.jax_answer, type_of=_frameworks.jax_type)
    namespace = getattr(x, "__array_namespace__", lambda: None)()

    def made(value, dtype):
        if dtype == "bf16" and getattr(value, "dtype", None) == "uint16":
            value = as_bfloat16(op, value)
        if not hasattr(namespace, "asarray"):
            return as_python(value)
        name = _frameworks.torch_types[dtype]
        if not hasattr(namespace, name):
            raise unsupported(op, f"{namespace.__name__} has no {name} for the answer; ask for another type")
        return namespace.asarray(value, dtype=getattr(namespace, name))

    return Found(view, made)


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


def folded(found, ops, keywords, fold):
    """The answers of fold(ops, keywords), a list, as the kind of numbers or arrays that the input was."""
    if not isinstance(found.array, _core.View):
        return [found.wrap(value) for value in fold(ops, keywords)]
    names = ops.split(",")
    types = answer_types(names, found.array.dtype, keywords)
    return [found.wrap(value, t) for value, t in zip(rounded_once(names, types, found.type_of, keywords, fold), types)]


def answer_types(names, dtype, keywords):
    """The types of the answers to ops of elements of a type, with the keywords of fold."""
    result = keywords.get("result")
    if result is not None:
        return [_core.dtype_name(result, ",".join(names))] * len(names)
    types = [_ops.ops[name].types[dtype] for name in names]
    wide = keywords.get("wide")
    return ["f64" if wide and "f" in t and not _ops.ops[name].is_element else t for name, t in zip(names, types)]


def rounded_once(names, types, type_of, keywords, fold):
    """The answers of fold(ops, keywords) for a library that has type_of(t) for a type t: JAX may lack f64, and answers
    in f64 would then be rounded twice."""
    kept = [type_of(t) if "f" in t else t for t in types]
    if kept == types:
        return fold(",".join(names), keywords)
    return [fold(name, keywords if k == t else {**keywords, "result": k})[0] for name, k, t in zip(names, kept, types)]


def shape_of(op, x):
    """The shape of an array of any kind, on a device, too."""
    shape = converted(op, x, lambda: getattr(x, "shape", None))
    if shape is not None:
        return tuple(shape)
    try:
        return memoryview(x).shape
    except (TypeError, ValueError, BufferError):
        pass
    if on_device(x):
        return tuple(x.__cuda_array_interface__["shape"])
    return tuple(find(op, x).array.shape)


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
        array = sequence(op, x)
        return Found(array if isinstance(array, memoryview) else _ndarray(op, sys.modules["numpy"], array).array, as_python)
    if type(x) is Found:
        return x
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
        return Found(_ndarray(op, numpy, converted(op, x, lambda: numpy.asarray(x))).array, as_is)
    raise unsupported(
        op, f"a {type_name(x)} cannot be folded; arrays, buffers, sequences of numbers and paths "
        "of files can")
