"""Calls whose arguments the builtins cannot read themselves.

Modules that the program has not imported are not imported here either, if possible. Each kind of
input has its file: _numbers, _arrays, _frames, _masks; _device has those on a GPU, and _groups segments and groups.
"""

import os
import sys

from . import _columns, _core, _errors, _frames, _labels, _ops, _times
from ._arrays import find, folded, shape_of
from ._files import is_path
from ._found import is_labelled, library_of, on_device, unsupported
from ._masks import absent_from, beside, mask_of, masked, without_freedom
from ._weights import paired, weighed


def call(op, args, keywords):
    """Does the work of the builtin `op` for arguments that it cannot read itself."""
    if getattr(args[0], "is_cuda", False):
        answer = _call_on_tensor(op, args, keywords)
        if answer is not None:
            return answer
    base, x, y, keywords = normal(op, args, keywords)
    if getattr(x, "is_cuda", False):  # the checks for other kinds would be half of a call's time
        return _on_device(base, [x] if y is None else [x, y], keywords)[0]
    from . import _files

    if _files.is_path(x):
        for name in ("out", "errors"):
            if keywords.pop(name, None) is not None:
                raise _errors.make("bad_option", f"{op}: {name}= is not available for files")
        return _files.answers(base, _files.both(op, [os.fspath(x)], y), keywords, lambda values, why: values[0])
    if y is None and "out" not in keywords:
        of_columns = _columns.fold(base, x, keywords, lambda values, why: values[0],
                                   lambda column, rest: fold(base, column, None, rest))
        if of_columns is not None:
            return of_columns
    inside = getattr(x, "data", None) if is_labelled(x) else x
    if library_of(inside) == "dask" and y is None:
        answer = _call_on_dask(op, base, inside, keywords)
        return answer if inside is x else _labels.keep(x, answer, keywords.get("axis"), keywords.get("keepdims"))
    try:
        return (fold if base == "average" and y is None else _fold_any)(base, x, y, keywords)[0]
    except _errors.Error as error:
        if base == op:
            raise
        raise _errors.renamed(error, base, op) from None


def normal(op, args, keywords):
    """The op, its arrays (None if there is no second one) and its keywords, as `fold` takes them."""
    keywords = {name: value for name, value in keywords.items() if value is not None}
    base = op.removeprefix("nan")
    if base != op:
        keywords["nan"] = "omit"
    arrays = arrays_of(base)
    if base in ("average", "mean") and ("weights" in keywords or len(args) == 1 and base == "average"):
        base, arrays = _check_average(op, args, keywords), 1
    elif "weights" in keywords:
        _check_weighted(op, args, keywords, arrays)
    if len(args) > arrays and args[arrays] is not None:
        keywords["axis"] = args[arrays]
    x, y = args[0], args[1] if arrays == 2 else None
    if "dim" in keywords:
        keywords["axis"] = _labels.axis_of(op, x, keywords.pop("dim"), keywords.get("axis"))
    if y is not None:
        _check_second(op, x, y, keywords)
    keywords["result"] = keywords.pop("dtype", None)
    if keywords["result"] is not None:
        _core.dtype_name(keywords["result"], op)  # an object that is no dtype is refused here
    return base, x, y, keywords


def _check_second(op, x, y, keywords):
    """Refuses calls of average and dot that mean something else in NumPy."""
    if op == "average" and (type(y) in (bool, int, float) or (getattr(y, "shape", None) == () and shape_of(op, x))
                            or (isinstance(y, tuple) and all(type(n) is int for n in y) and len(shape_of(op, x)) > 1)):
        raise _errors.make("bad_option", f"average: {_errors.shown(y)} in the second place is an axis in NumPy, and weights "
                           "here; say average(x, axis=...) for a mean, or average(x, weights=...)")
    if op == "dot" and keywords.get("axis") is None and not is_path(x) and not is_labelled(x):  # xarray.dot is the sum
        shapes = shape_of(op, x), shape_of(op, y)
        if max(map(len, shapes)) > 1:
            raise _errors.make("shape_mismatch", f"dot: the arrays have shapes {shapes[0]} and {shapes[1]}, of which NumPy "
                               "makes a product of matrices; say vecdot(x, y) for one sum for each row, or "
                               "fold(\"dot\", x, y).dot for the sum of all products")


_beside_weights = ("axis", "dim", "dtype", "out", "keepdims", "nan", "where", "threads", "weights")


def _check_weighted(op, args, keywords, arrays):
    """Refuses arguments that do not go with weights=."""
    if not arrays <= len(args) <= arrays + 1 or (len(args) > arrays and "axis" in keywords):
        raise TypeError(f"{op}() takes {'x' if arrays == 1 else 'x, y'} and an axis beside weights=, "
                        f"and {len(args)} positional arguments were given")
    if len(args) > arrays and not isinstance(args[arrays], (type(None), tuple, list)) and (
            not hasattr(args[arrays], "__index__") or getattr(args[arrays], "shape", ())):
        raise TypeError(f"{op}() got weights twice: its {'second' if arrays == 1 else 'third'} argument beside weights= is "
                        f"an axis, and a {type(args[arrays]).__qualname__} was given")
    for name in keywords:
        if name in ("ddof", "correction") and _ops.ops[op.removeprefix("nan")].uses_ddof:
            raise _errors.make("bad_option", f"{op}: {name}= is a number of elements, and weights= do not count any; "
                               "fweights= of fold() do")
        if name not in _beside_weights and not (name == "nan" and op.startswith("nan")):
            raise TypeError(f"{op}() got an unexpected keyword argument '{name}'")


def _check_average(op, args, keywords):
    """Does the same for average(x, axis, weights=w); without weights it is the mean. Returns the op's name."""
    _check_weighted(op, args, keywords, 1)
    return "average" if "weights" in keywords else "mean"


def _call_on_tensor(op, args, keywords):
    from . import _tensors

    if "torch" not in sys.modules or not isinstance(args[0], sys.modules["torch"].Tensor):
        return None
    _tensors.see_torch()
    if not keywords and len(args) == 1 and op == op.removeprefix("nan"):
        return _tensors.quickly(op, args[0])
    return _tensors.called(op, (*args, *keywords.values()), tuple(keywords), plans=True)


def arrays_of(op):
    return _ops.ops[op].inputs if op in _ops.ops else 1


def _call_on_dask(op, base, x, keywords):
    from . import dask

    keywords = {name: value for name, value in keywords.items() if value is not None}
    keywords.pop("threads", None)
    if "result" in keywords:
        keywords["dtype"] = keywords.pop("result")
    if "correction" in keywords:
        keywords.setdefault("ddof", keywords.pop("correction"))
    for name in keywords:
        if name not in ("axis", "keepdims", "nan", "ddof", "dtype"):
            raise _errors.make("bad_option", f"{op}: {name}= is not available for Dask arrays")
    return getattr(dask, base)(x, **keywords)


def _on_device(ops, given, keywords):
    from . import _device

    if keywords.get("out") is not None:
        return [_device.call(ops, given, keywords)]
    return _device.fold(ops, given, keywords)


def fold(ops, x, y, keywords):
    """The answers to `ops`, as a list, with the keywords of onefold.fold."""
    if getattr(x, "is_cuda", False):
        return _on_device(ops, [x] if y is None else [x, y], keywords)
    weights = keywords.get("weights")
    alike = weights is None or (type(x) is type(weights) and hasattr(x, "dtype") and x.dtype == weights.dtype
                                and x.shape == weights.shape)
    if alike and keywords.get("errors") is None:
        values = _core.fold_array(ops, x, y, keywords)  # None: some argument must be converted
                                                        # first
        if values is not None:
            return values
    return _fold_any(ops, x, y, keywords)


def _fold_any(ops, x, y, keywords):
    """Does the same for all kinds of arguments; all calls that need Python code come here.

    keywords  for a single op, with out= and errors= too
    """
    given = {name: keywords[name] for name in ("where", "weights", "fweights", "out", "errors")
             if keywords.get(name) is not None}
    if y is None and not given and not _times.is_column(x):
        values = _frames.fold(ops, x, keywords)
        if values is not None:
            return values
    if y is None:
        values = _times.fold(ops, x, keywords)
        if values is not None:
            return [_labels.keep(x, v, keywords.get("axis"), keywords.get("keepdims")) for v in values]
    arrays = [x] if y is None else [x, _labels.agreeing(ops, "y", x, y)]
    found = [find(ops, a) for a in arrays]
    if any(f is None for f in found):
        return _on_device(ops, arrays, keywords)
    for name in given.keys() & {"where", "weights", "fweights"}:
        given[name] = _labels.agreeing(ops, f"{name}=", x, given[name], keywords.get("axis"))
    refuse_errors(ops, given)
    if y is not None:
        arrays, found = paired(ops, arrays, found)
    mask, own_mask = mask_of(ops, found, given.get("where"))
    plain = {**keywords, "where": mask, "own_mask": own_mask}
    first = found[0].array
    second = None if y is None else found[1].array
    if "weights" in given:
        first, second, plain["weights"], plain["result"] = weighed(
            ops, first, second, arrays, given["weights"], keywords.get("axis"), keywords.get("result"))
    if "fweights" in given:
        plain["fweights"] = beside(ops, "fweights=", given["fweights"])
    absent = absent_from(ops, arrays, first.shape, mask, keywords)
    if absent is not None and absent.ndim:
        plain["keepdims"], plain["absent"] = True, absent

    def values_of(ops, keywords):
        return _core.fold_array(ops, first, second, keywords)

    if "out" in given:
        return values_of(ops, plain)
    if absent is not None:
        return [without_freedom(op, masked(op, v, absent, keywords), first.shape, mask, keywords)
                for op, v in zip(ops.split(","), values_of(ops, plain))]
    values = folded(found[0], ops, plain, values_of)
    return [_labels.keep(x, v, keywords.get("axis"), keywords.get("keepdims")) for v in values]


def refuse_errors(ops, keywords):
    if keywords.pop("errors", None) is not None:
        raise _errors.make("bad_option", f"{ops}: errors= is for arrays on a device")


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
    where = _labels.agreeing(ops, "where=", x, where)
    found = [find(ops, a) for a in ([x] if y is None else [x, _labels.agreeing(ops, "y", x, y)])]
    if any(f is None for f in found):
        raise unsupported(ops, "states are gathered of arrays on the CPU")
    mask, _ = mask_of(ops, found, where)
    return _core.gather_array(
        ops, found[0].array, found[1].array if y is not None else None, nan, first, threads, mask,
        axis, keepdims)
