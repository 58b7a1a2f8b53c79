"""Calls whose arguments the builtins cannot read themselves.

Modules that the program has not imported are not imported here either, if possible. Each kind of
input has its file: _numbers, _arrays, _frames, _masks; _device has those on a GPU, and _groups segments and groups.
"""

import os
import sys

from . import _columns, _core, _errors, _frames, _labels, _times
from ._arrays import find, folded
from ._found import is_labelled, library_of, on_device, unsupported
from ._masks import absent_from, beside, mask_of, masked, without_freedom
from ._normal import normal
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


def _call_on_tensor(op, args, keywords):
    from . import _tensors

    if "torch" not in sys.modules or not isinstance(args[0], sys.modules["torch"].Tensor):
        return None
    _tensors.see_torch()
    if not keywords and len(args) == 1 and op == op.removeprefix("nan"):
        return _tensors.quickly(op, args[0])
    return _tensors.called(op, (*args, *keywords.values()), tuple(keywords), plans=True)


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
