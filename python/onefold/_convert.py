"""The way of all calls whose arguments the builtins do not know themselves.

Nothing is imported that the program has not imported itself, where that can be helped. Each kind of
input has its file: _numbers, _arrays, _frames, _masks; _device has those on a GPU.
"""

import functools
import os
import sys

from . import _core, _errors, _frames
from ._arrays import find, wrapped
from ._found import Found, as_is, as_python, is_labelled, library_of, numpy_for, on_device, unsupported
from ._masks import as_bools, joined, put, unmasked
from ._numbers import is_exact


def call(op, args, keywords):
    """What the builtin `op` does with arguments that it does not know itself."""
    if not keywords and len(args) == 1 and getattr(args[0], "is_cuda", False):
        answer = _call_on_tensor(op, args[0])
        if answer is not None:
            return answer
    from ._fold import _is_path

    keywords = {name: value for name, value in keywords.items() if value is not None}
    if "weights" in keywords or (op == "average" and len(args) == 1):
        return _average(args, keywords)
    base = op.removeprefix("nan")
    arrays = arrays_of(base)
    if len(args) > arrays and args[arrays] is not None:
        keywords["axis"] = args[arrays]
    args = args[:arrays]
    if type(keywords.get("dtype")).__module__ == "torch":
        keywords["dtype"] = str(keywords["dtype"]).removeprefix("torch.")
    omit = {} if base == op else {"nan": "omit"}
    if getattr(args[0], "is_cuda", False):  # half of the time of a call is what else it might be
        from ._device import call as call_on_device

        return call_on_device(base, args, {**keywords, **omit})
    if _is_path(args[0]):
        return _call_on_files(op, base, args, {**keywords, **omit})
    inside = getattr(args[0], "data", None) if is_labelled(args[0]) else args[0]
    if library_of(inside) == "dask" and arrays == 1:
        return _call_on_dask(op, base, inside, {**keywords, **omit})
    if arrays == 1 and not {"where", "out", "errors"} & keywords.keys():
        values = _frames.fold(base, args[0], _as_fold({**keywords, **omit}))
        if values is not None:
            return values[0]
    found = [_find(op, a) for a in args]
    if any(f is None for f in found):
        from ._device import call as call_on_device

        return call_on_device(base, args, {**keywords, **omit})
    if keywords.pop("errors", None) is not None:
        raise _errors.make("bad_option", f"{op}: errors= is for arrays on a device")
    return _call_on_found(op, base, found, keywords)


_of_average = ("axis", "dtype", "out", "keepdims", "nan", "where", "threads", "weights")


def _average(args, keywords):
    """average(x, axis, weights=w), as NumPy writes it; without weights the mean."""
    from ._fold import _values

    if not 1 <= len(args) <= 2 or (len(args) == 2 and "axis" in keywords):
        raise TypeError("average() takes x and an axis beside weights=, "
                        f"and {len(args)} positional arguments were given")
    for name in keywords:
        if name not in _of_average:
            raise TypeError(f"average() got an unexpected keyword argument '{name}'")
    if len(args) == 2 and args[1] is not None:
        keywords["axis"] = args[1]
    if "weights" not in keywords:
        return _core.mean(args[0], **keywords)
    out = keywords.pop("out", None)
    x, keywords["weights"] = _weighed(args[0], keywords["weights"], keywords.get("axis"))
    value = _values("average", x, None, _as_fold(keywords))[0]
    return value if out is None else put("average", out, value)


def _weighed(x, weights, axis):
    """Both as arrays of one type, the weights with the dimensions of x."""
    numpy = numpy_for("average", "weights=")
    if not isinstance(x, (numpy.ndarray, list, tuple, range)):
        return x, weights
    x, weights = numpy.asanyarray(x), unmasked("average", "weights=", weights)
    if weights.ndim != x.ndim:
        if axis is None:
            raise _errors.make("shape_mismatch", f"average: the weights have shape {weights.shape} "
                               f"and the array {x.shape}; they agree, or lie along an axis")
        axes = axis if isinstance(axis, (tuple, list)) else (axis,)
        if any(not -x.ndim <= a < x.ndim for a in axes):
            return x, weights  # the fold says it
        axes = [a % x.ndim for a in axes]
        if weights.shape != tuple(x.shape[a] for a in axes):
            raise _errors.make(
                "shape_mismatch", f"average: the weights have shape {weights.shape}, and along "
                f"axis {axis} the array has {tuple(x.shape[a] for a in axes)}")
        weights = weights.transpose(numpy.argsort(axes)).reshape(
            [n if a in axes else 1 for a, n in enumerate(x.shape)])
    return _of_one_type(x, weights)


def _of_one_type(x, weights):
    """The weights in the type of x, else both in a wider one: where nothing is lost."""
    import numpy

    if weights.dtype == x.dtype or x.dtype.kind not in "biuf" or weights.dtype.kind not in "biuf":
        return x, weights
    for t in (x.dtype, weights.dtype, numpy.result_type(x, weights)):
        if is_exact(numpy, x, t) and is_exact(numpy, weights, t):
            return x.astype(t), weights.astype(t)
    return x, weights


def _call_on_tensor(op, x):
    from . import _device

    if "torch" not in sys.modules or not isinstance(x, sys.modules["torch"].Tensor):
        return None
    _device.see_torch()
    return _device.quickly(op, x) if op == op.removeprefix("nan") else None


def _as_fold(keywords):
    """The keywords of fold(), which calls the type of an answer result=."""
    keywords = dict(keywords)
    keywords["result"] = keywords.pop("dtype", None)
    return keywords


def _call_on_files(op, base, args, keywords):
    from ._fold import _values

    for name in ("out", "errors"):
        if keywords.pop(name, None) is not None:
            raise _errors.make("bad_option", f"{op}: {name}= is not available for files")
    return _values(base, args[0], args[1] if len(args) == 2 else None, _as_fold(keywords))[0]


def _call_on_found(op, base, found, keywords):
    mask, empty_nan = _mask_of(op, found, keywords.pop("where", None))
    if mask is None:
        value = getattr(_core, op)(*(f.array for f in found), **keywords)
        return wrapped(found[0], base, value, keywords.get("dtype"))
    out, result = keywords.pop("out", None), keywords.get("dtype")
    if base != op:
        keywords["nan"] = "omit"
    x, y = found[0].array, found[1].array if len(found) == 2 else None
    value = _core.fold_array(base, x, y, {
        **_as_fold(keywords), "where": mask, "empty_nan": empty_nan})[0]
    return wrapped(found[0], base, value, result) if out is None else put(op, out, value)


def _mask_of(op, found, where):
    """The mask of all that is there, and whether an array brought one itself."""
    own = [f.mask for f in found]
    return joined(op, [as_bools(op, where), *own]), any(m is not None for m in own)


@functools.cache
def arrays_of(op):
    return next((inputs for name, _, inputs, *_ in _core.op_table() if name == op), 1)


def _call_on_dask(op, base, x, keywords):
    from . import dask

    keywords.pop("threads", None)
    if "correction" in keywords:
        keywords.setdefault("ddof", keywords.pop("correction"))
    for name in keywords:
        if name not in ("axis", "keepdims", "nan", "ddof", "dtype"):
            raise _errors.make("bad_option", f"{op}: {name}= is not available for Dask arrays")
    return getattr(dask, base)(x, **keywords)


def _is_known(x):
    """Whether _core takes it as it is: where= and the like came with a plain array."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(x, numpy.ndarray):
        return type(x) is numpy.ndarray and x.dtype.isnative
    if numpy is not None and isinstance(x, numpy.bytes_):
        return False  # a text, if Python's bytes are its base
    return isinstance(x, (bytes, bytearray, memoryview))


def _find(op, x):
    if isinstance(x, memoryview) and x.format[:1] in (">", "!"):  # ValueError: it is released
        found = find(op, numpy_for(op, "a big-endian buffer").asarray(x))
        return Found(found.array, as_python)
    if not _is_known(x):
        return find(op, x)
    return Found(x, as_python if isinstance(x, (bytes, bytearray, memoryview)) else as_is)


def find_array(op, x):
    """What is folded of x, on the CPU."""
    return _find(op, x).array


def fold(ops, x, y, keywords):
    where = keywords.pop("where", None)
    for name in ("weights", "fweights"):
        if keywords.get(name) is not None and not _is_known(keywords[name]):
            keywords[name] = unmasked(ops, f"{name}=", keywords[name])
    if where is None:
        values = _core.fold_array(ops, x, y, keywords)
        if values is not None:
            return values
        if y is None:
            values = _frames.fold(ops, x, keywords)
            if values is not None:
                return values
    given = [x] if y is None else [x, y]
    found = [_find(ops, a) for a in given]
    if any(f is None for f in found):
        from ._device import fold as fold_on_device

        return fold_on_device(ops, given, keywords)

    mask, empty_nan = _mask_of(ops, found, where)
    values = _core.fold_array(ops, found[0].array, found[1].array if y is not None else None, {
        **keywords, "where": mask, "empty_nan": empty_nan})
    return [wrapped(found[0], op, v, keywords.get("result"))
            for op, v in zip(ops.split(","), values)]


def fold_segments(ops, x, offsets, keywords):
    found = _find(ops, x)
    if found is None or isinstance(found.array, _core.View):
        raise unsupported(ops, "segments are folded of arrays of NumPy and buffers")
    offsets = unmasked(ops, "offsets", offsets)
    if offsets.dtype.kind not in "iu" or offsets.ndim != 1:
        raise _errors.make(
            "type_mismatch", f"{ops}: offsets are {offsets.dtype} of {offsets.ndim} dimensions, and "
            "must be integers of one")
    mask, empty_nan = _mask_of(ops, [found], keywords.pop("where", None))
    return _core.fold_segments(ops, found.array, offsets.astype("i8", casting="same_kind", copy=False), {
        **keywords, "where": mask, "empty_nan": empty_nan})


def fold_by(ops, keys, x, groups, keywords):
    if groups is not None and (not isinstance(groups, int) or groups < 0):
        raise _errors.make("bad_option", f"{ops}: groups={groups!r} is no number of labels")
    if on_device(x) or on_device(keys):
        from . import _device

        return _device.fold_by(ops, keys, x, groups, keywords)
    found, named = _find(ops, x), _find(ops, keys)
    if any(f is None or isinstance(f.array, _core.View) for f in (found, named)):
        raise unsupported(ops, "groups are folded of arrays of NumPy and buffers")
    if named.mask is not None:
        raise unsupported(ops, "keys with nulls or a mask name no group; leave out those elements")
    return _core.fold_by(ops, *_there(ops, named.array, found), groups, keywords)


def _there(ops, keys, found):
    """The keys and elements that no mask leaves out."""
    if found.mask is not None:
        numpy = numpy_for(ops, "an array with a mask")
        all_keys = numpy.asarray(keys)
        if all_keys.shape == found.mask.shape and all_keys.ndim == 1:  # else the fold says it
            return all_keys[found.mask], found.array[found.mask]
    return keys, found.array


def gather(ops, x, y, nan, first, threads, where, axis, keepdims):
    if isinstance(x, (str, os.PathLike)):
        raise unsupported(ops, f"states of files are gathered by the program (onefold gather {ops} FILE "
                          "--state part.of), or of numpy.load(FILE, mmap_mode='r')")
    if on_device(x) or (y is not None and on_device(y)):
        from . import _device

        return _device.gather(ops, [x] if y is None else [x, y], nan, first, threads, where, axis,
                              keepdims)
    if where is None:
        state = _core.gather_array(ops, x, y, nan, first, threads, None, axis, keepdims)
        if state is None and y is None and axis is None:
            state = _frames.gather(ops, x, nan, first, threads)
        if state is not None:
            return state
    found = [_find(ops, a) for a in ([x] if y is None else [x, y])]
    if any(f is None for f in found):
        raise unsupported(ops, "states are gathered of arrays on the CPU")
    mask, _ = _mask_of(ops, found, where)
    return _core.gather_array(
        ops, found[0].array, found[1].array if y is not None else None, nan, first, threads, mask,
        axis, keepdims)
