"""Turns what is neither an ndarray nor a buffer into one, and answers into what was given.

Nothing is imported that the program has not imported itself, where that can be helped.
"""

import sys

from . import _core, _errors

_cpu, _cuda = (1, 3), (2, 13)  # device types of DLPack


def unsupported(op, text):
    return _errors.make("unsupported", f"{op}: {text}")


def type_name(x):
    return f"{type(x).__module__}.{type(x).__qualname__}"


def refuse_where(op, where):
    if where is not None:
        raise _errors.make("bad_option", f"{op}: where= is not available for files")


class Found:
    """An array as _core takes it, and what its answers are to be.

    array  an ndarray, a buffer or a View
    wrap   makes the answer's object of NumPy's or Python's, and for a View of its type
    mask   True where an element is there, of the array's shape; None: everywhere
    """

    __slots__ = ("array", "wrap", "mask")

    def __init__(self, array, wrap, mask=None):
        self.array, self.wrap, self.mask = array, wrap, mask


def _as_is(value, dtype=None):
    return value


def as_python(value, dtype=None):
    """Python's number for a scalar of NumPy; arrays as they are."""
    return value.item() if hasattr(value, "item") and not getattr(value, "shape", ()) else value


def _pack(op, numbers):
    """A flat sequence of Python's numbers as a buffer, each exactly what it was; or None."""
    from array import array

    kinds = {type(v) for v in numbers}
    if kinds == {bool}:
        return memoryview(bytes(numbers)).cast("?")
    if kinds <= {bool, int}:
        low, high = min(numbers), max(numbers)
        if -(2**63) <= low and high < 2**63:
            return array("q", numbers)
        if low >= 0 and high < 2**64:
            return array("Q", numbers)
        raise unsupported(op, "an integer of the sequence does not fit 64 bits")
    if kinds <= {bool, int, float}:
        try:
            packed = array("d", numbers)
        except OverflowError:
            raise unsupported(op, "an integer of the sequence is not exact in float64") from None
        if kinds != {float} and any(a != b for a, b in zip(packed, numbers) if b == b):
            raise unsupported(op, "an integer of the sequence is not exact in float64")
        return packed
    return None


def _sequence(op, x):
    from array import array

    numbers = list(x)
    packed = _pack(op, numbers) if numbers else array("d")
    if packed is not None:
        return packed
    import numpy

    flat = numbers
    while flat and isinstance(flat[0], (list, tuple)):
        flat = [v for part in flat if isinstance(part, (list, tuple)) for v in part]
    if flat and all(isinstance(v, (bool, int, float)) for v in flat):
        _pack(op, flat)  # refuses integers that would change
    try:
        return numpy.asarray(numbers)
    except ValueError as e:
        raise unsupported(op, f"a sequence that is no array: {e}") from None


def _ndarray(op, numpy, x):
    if isinstance(x, numpy.ma.MaskedArray):
        mask = numpy.ma.getmask(x)
        taken = None if mask is numpy.ma.nomask else ~numpy.asarray(mask)
        return Found(_ndarray(op, numpy, numpy.asarray(x.data)).array, _as_is, taken)
    if type(x) is not numpy.ndarray and not isinstance(x, (numpy.matrix, numpy.memmap)):
        for name in ("unit", "units", "mask"):
            if hasattr(x, name):
                raise unsupported(
                    op, f"a {type_name(x)} would lose its {name}; pass what it holds as an ndarray")
    if not x.dtype.isnative:
        x = x.astype(x.dtype.newbyteorder("="))
    return Found(numpy.asarray(x), _as_is)


def _dlpack(op, x, device_type):
    """A tensor of the CPU: its own type comes back."""
    if getattr(x, "requires_grad", False):
        raise unsupported(op, "the tensor requires grad; fold x.detach()")
    try:
        capsule = x.__dlpack__(max_version=(1, 1))
    except TypeError:
        capsule = x.__dlpack__()  # from before DLPack 1.0
    view = _core.View.from_dlpack(capsule)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        from ._device import torch_answer

        return Found(view, torch_answer)
    if type(x).__module__.partition(".")[0] in ("jax", "jaxlib"):
        from ._device import jax_answer

        return Found(view, jax_answer)
    asarray = getattr(getattr(x, "__array_namespace__", lambda: None)(), "asarray", None)
    return Found(view, as_python if asarray is None else _maker(asarray, x))


def _maker(asarray, x):
    from ._device import _torch_types as names

    namespace = x.__array_namespace__()
    return lambda value, dtype: asarray(value, dtype=getattr(namespace, names[dtype], None))


def _wrapped(found, op, value, result):
    if not isinstance(found.array, _core.View):
        return found.wrap(value)
    from ._device import answer_type

    result = None if result is None else _core.dtype_name(str(result).removeprefix("torch."))
    return found.wrap(value, answer_type(op, found.array.dtype, result))


def _frame(op, x):
    """What pandas, Polars and PyArrow hold: their nulls are omitted."""
    library = type(x).__module__.partition(".")[0]
    if library == "pandas":
        if x.ndim == 1 and getattr(x.dtype, "na_value", None) is not None and not isinstance(
                x.dtype, sys.modules["numpy"].dtype):
            taken = ~x.isna().to_numpy()
            numpy_dtype = getattr(x.dtype, "numpy_dtype", None)
            if numpy_dtype is None or numpy_dtype.kind not in "biuf":
                raise unsupported(op, f"a {type_name(x)} of {x.dtype} cannot be folded")
            fill = False if numpy_dtype.kind == "b" else 0
            array = x.fillna(fill).to_numpy(dtype=numpy_dtype)
            return Found(array, as_python, None if taken.all() else taken)
        array = x.to_numpy()
        if array.dtype == object or (x.ndim == 2 and array.dtype.kind == "f" and any(
                d.kind in "iu" and d.itemsize == 8 for d in x.dtypes)):
            raise unsupported(
                op, f"a {type_name(x)} of several types has none that is exact; fold its columns")
        return Found(array, as_python if array.ndim == 1 else _as_is)
    import numpy

    if library == "polars":
        if not hasattr(x, "is_null"):
            raise unsupported(op, "a polars.DataFrame is folded column by column")
        if not x.dtype.is_numeric() and str(x.dtype) != "Boolean":
            raise unsupported(op, f"a polars.Series of {x.dtype} cannot be folded")
        taken = None
        if x.null_count():
            taken = x.is_not_null().to_numpy()
            x = x.fill_null(False if str(x.dtype) == "Boolean" else 0)
        return Found(numpy.asarray(x.to_numpy()), as_python, taken)
    # pyarrow: Array, ChunkedArray
    pa = sys.modules["pyarrow"]
    if not (pa.types.is_integer(x.type) or pa.types.is_floating(x.type)
            or pa.types.is_boolean(x.type)):
        raise unsupported(op, f"a {type_name(x)} of {x.type} cannot be folded")
    taken = None
    if x.null_count:
        taken = numpy.asarray(x.is_valid().to_numpy(zero_copy_only=False)
                              if isinstance(x, pa.Array) else x.is_valid().to_numpy())
        x = x.fill_null(False if pa.types.is_boolean(x.type) else 0)
    array = x.to_numpy(zero_copy_only=False) if isinstance(x, pa.Array) else x.to_numpy()
    return Found(array, as_python, taken)


def find(op, x):
    """The Found of any array; None for one on a device, which _device folds."""
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        if isinstance(x, numpy.ndarray):
            return _ndarray(op, numpy, x)
        if isinstance(x, numpy.generic):
            return _ndarray(op, numpy, numpy.asarray(x))
    if isinstance(x, (bool, int, float)):
        packed = memoryview(_pack(op, [x]))
        return Found(packed.cast("B").cast(packed.format, ()), as_python)
    if isinstance(x, (list, tuple, range)):
        return Found(_sequence(op, x), as_python)
    library = type(x).__module__.partition(".")[0]
    if library in ("pandas", "polars", "pyarrow") and library in sys.modules:
        if library != "pyarrow" or hasattr(x, "null_count"):
            return _frame(op, x)
    if _is_labelled(x):
        return find(op, x.data)
    if library == "dask":
        raise unsupported(op, "a Dask array is folded by onefold.dask")
    for name in ("units", "unit"):
        if hasattr(x, name) and library not in ("torch", "jax", "jaxlib"):
            raise unsupported(op, f"a {type_name(x)} would lose its {name}; pass what it holds")
    if hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
        device_type = int(x.__dlpack_device__()[0])
        if device_type in _cuda:
            return None
        return _dlpack(op, x, device_type)
    if hasattr(x, "__cuda_array_interface__"):
        return None
    if hasattr(x, "__array_interface__") or hasattr(x, "__array__"):
        import numpy

        return Found(_ndarray(op, numpy, numpy.asarray(x)).array, _as_is)
    raise unsupported(
        op, f"a {type_name(x)} cannot be folded; arrays, buffers, sequences of numbers and paths "
        "of files can")


def arrays_of(op):
    return next((inputs for name, _, inputs, *_ in _core.op_table() if name == op), 1)


def _taken(op, found, where):
    """The mask of all elements that are there, or None."""
    mask = found.mask
    if where is not None and where is not True:
        import numpy

        if isinstance(found.array, _core.View):
            raise _errors.make("bad_option", f"{op}: where= takes arrays of NumPy, not tensors")
        where = numpy.asarray(where)
        if where.dtype != bool:
            raise _errors.make("type_mismatch", f"{op}: where= is {where.dtype}, and must be bool")
        array = numpy.asarray(found.array)
        try:
            where = numpy.broadcast_to(where, array.shape)
        except ValueError:
            raise _errors.make(
                "shape_mismatch",
                f"{op}: where= of shape {where.shape} does not broadcast to {array.shape}"
            ) from None
        mask = where if mask is None else mask & where
    return mask


def _refuse_axes(op, array, keywords):
    """Masks are applied to all axes only: to some, the engine would have to see the mask."""
    axis = keywords.get("axis")
    if axis is None and not keywords.get("keepdims"):
        return
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    if axis is not None and len({a % max(array.ndim, 1) for a in axes}) == array.ndim and not (
            keywords.get("keepdims")):
        return
    raise _errors.make(
        "bad_option",
        f"{op}: a mask (where=, masked arrays, nulls) is honoured over all axes only, without "
        "keepdims=; fold the slices one by one")


def _masked(op, arrays, mask, keywords, call):
    """Folds what a mask leaves; indices are those of the whole array."""
    import numpy

    _refuse_axes(op, numpy.asarray(arrays[0]), keywords)
    keywords = {**keywords, "axis": None}
    values = call([numpy.asarray(a)[mask] for a in arrays], keywords)
    names = op.split(",")
    places = [name.removeprefix("nan") in ("argmin", "argmax") for name in names]
    if any(places):
        where = numpy.flatnonzero(mask)
        values = [where[int(v)] if place else v for v, place in zip(values, places)]
    return values


def call(op, args, keywords):
    """What the builtin `op` does with arguments that it does not know itself."""
    if not keywords and len(args) == 1 and getattr(args[0], "is_cuda", False):
        from . import _device

        if "torch" in sys.modules and isinstance(args[0], sys.modules["torch"].Tensor):
            _device.see_torch()
            if op == op.removeprefix("nan"):
                answer = _device.quickly(op, args[0])
                if answer is not None:
                    return answer
    from ._fold import _is_path, _values

    keywords = {name: value for name, value in keywords.items() if value is not None}
    function, base = getattr(_core, op), op
    if op.startswith("nan"):
        base = op[3:]
    arrays = arrays_of(base)
    if len(args) > arrays and args[arrays] is not None:
        keywords["axis"] = args[arrays]
    args = args[:arrays]
    if type(keywords.get("dtype")).__module__ == "torch":
        keywords["dtype"] = str(keywords["dtype"]).removeprefix("torch.")
    if _is_path(args[0]):
        for name in ("out", "errors"):
            if keywords.pop(name, None) is not None:
                raise _errors.make("bad_option", f"{op}: {name}= is not available for files")
        if base != op:
            keywords["nan"] = "omit"
        keywords["result"] = keywords.pop("dtype", None)
        return _values(base, args[0], args[1] if arrays == 2 else None, keywords)[0]
    inside = getattr(args[0], "data", None) if _is_labelled(args[0]) else args[0]
    if type(inside).__module__.partition(".")[0] == "dask" and arrays == 1:
        return _call_on_dask(op, base, inside, keywords)
    found = [find(op, a) if not _is_known(a) else Found(a, _wrap_of(a)) for a in args]
    if any(f is None for f in found):
        from ._device import call as call_on_device

        if base != op:
            keywords["nan"] = "omit"
        return call_on_device(base, args, keywords)
    if keywords.pop("errors", None) is not None:
        raise _errors.make("bad_option", f"{op}: errors= is for arrays on a device")
    masks = [_taken(op, f, keywords.get("where")) for f in found]
    keywords.pop("where", None)
    masks = [m for m in masks if m is not None]
    if not masks:
        return _wrapped(found[0], base, function(*(f.array for f in found), **keywords),
                        keywords.get("dtype"))
    mask = masks[0] if len(masks) == 1 else masks[0] & masks[1]
    out = keywords.pop("out", None)
    value = _masked(op, [f.array for f in found], mask, keywords,
                    lambda a, k: [function(*a, **k)])[0]
    return found[0].wrap(value) if out is None else _put(op, out, value)


def _is_labelled(x):
    return type(x).__module__.partition(".")[0] == "xarray" and hasattr(x, "dims")


def _call_on_dask(op, base, x, keywords):
    from . import dask

    if base != op:
        keywords["nan"] = "omit"
    keywords.pop("threads", None)
    if "correction" in keywords:
        keywords.setdefault("ddof", keywords.pop("correction"))
    for name in keywords:
        if name not in ("axis", "keepdims", "nan", "ddof", "dtype"):
            raise _errors.make("bad_option", f"{op}: {name}= is not available for Dask arrays")
    return getattr(dask, base)(x, **keywords)


def _put(op, out, value):
    import numpy

    value = numpy.asarray(value)
    if not isinstance(out, numpy.ndarray) or out.dtype != value.dtype:
        raise _errors.make(
            "type_mismatch", f"{op}: the answer is {value.dtype}; out must be an ndarray of that")
    if out.shape != value.shape:
        raise _errors.make(
            "shape_mismatch", f"{op}: the answer has shape {value.shape} and out {out.shape}")
    out[...] = value
    return out


def _is_known(x):
    """Whether _core takes it as it is: where= and the like came with a plain array."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(x, numpy.ndarray):
        return type(x) is numpy.ndarray and x.dtype.isnative
    return isinstance(x, (bytes, bytearray, memoryview))


def _wrap_of(x):
    return as_python if isinstance(x, (bytes, bytearray, memoryview)) else _as_is


def fold(ops, x, y, keywords):
    where = keywords.pop("where", None)
    if where is None:
        values = _core.fold_array(ops, x, y, keywords)
        if values is not None:
            return values
    given = [x] if y is None else [x, y]
    found = [find(ops, a) if not _is_known(a) else Found(a, _wrap_of(a)) for a in given]
    if any(f is None for f in found):
        from ._device import fold as fold_on_device

        return fold_on_device(ops, given, keywords)

    def run(arrays, keywords):
        return _core.fold_array(ops, arrays[0], arrays[1] if y is not None else None, keywords)

    masks = [m for m in (_taken(ops, f, where) for f in found) if m is not None]
    arrays = [f.array for f in found]
    if masks:
        mask = masks[0] if len(masks) == 1 else masks[0] & masks[1]
        values = _masked(ops, arrays, mask, keywords, run)
    else:
        values = run(arrays, keywords)
    return [_wrapped(found[0], op, v, keywords.get("result"))
            for op, v in zip(ops.split(","), values)]


def gather(ops, x, y, nan, first, threads):
    state = _core.gather_array(ops, x, y, nan, first, threads)
    if state is not None:
        return state
    found = [find(ops, a) for a in ([x] if y is None else [x, y])]
    if any(f is None for f in found):
        raise unsupported(ops, "states are gathered of arrays on the CPU")
    if any(f.mask is not None for f in found):
        if "arg" in ops or y is not None:
            raise _errors.make(
                "bad_option", f"{ops}: a state with indices or of two arrays takes no mask")
        found = [Found(f.array[f.mask], f.wrap) for f in found]
    return _core.gather_array(
        ops, found[0].array, found[1].array if y is not None else None, nan, first, threads)
