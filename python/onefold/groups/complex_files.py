"""Files of complex numbers that are folded in memory: products, weights, keys and nan=, which folds in pieces do not have."""

import os
import sys

from .. import _core, _ops, errors, files
from ..operands import complex_numbers, kind_of
from . import grouping

_reading = ("format", "dtype", "shape", "offset", "memory")
_types = {"f32": "complex64", "f64": "complex128"}  # by the type of a part, which result= of files is


def takes(request):
    """Whether one of the files is of complex numbers, and the ops have answers of those."""
    op, result = request.called, request.result
    return (not request.initial and (result is None or _core.dtype_name(result, op) in _types)
            and complex_numbers.have_answers(request.ops) and files.hold_complex(op, files.paths_of_both(request), _how(request)))


def _how(request):
    return {name: request.reading[name] for name in _reading if name in request.reading}


def fold(request):
    """The answer of the arrays in memory."""
    op, ops, result, how = request.called, request.ops.split(","), request.result, _how(request)
    paths = files.paths_of_both(request)
    x, y = paths if len(paths) == 2 and any(_ops.ops[name].inputs == 2 for name in ops) else (paths, None)
    given = {name: getattr(request, name) for name in ("where", "weights", "fweights")}
    arrays = {name: files.load(op, a, {}) if files.is_path(a) else a for name, a in given.items()}
    if result is not None and set(ops) <= {"sum", "mean", "average", "dot"}:
        result = _types[_core.dtype_name(result, op)]
    x, y = files.load(op, x, how), None if y is None else files.load(op, y, how)
    memory = request.replace(kind=kind_of(x), x=x, y=y, reading={}, result=result, **arrays)
    if "by" in request.reading:
        return _by_keys(memory, paths[0], request.reading)
    memory.make = lambda values: request.make([*map(_number, values)])
    return memory.kind.fold(memory)


def _number(value):
    """A real number as Python's, as files have it."""
    return value.item() if isinstance(value, sys.modules["numpy"].generic) and value.dtype.kind != "c" else value


def _by_keys(request, path, reading):
    """The keys, and the answers of each column of x, by names, as those of real numbers of files are."""
    op, x, by = request.called, request.x, reading["by"]
    for name in ("sort", "top"):
        if name in reading:
            raise errors.make("bad_option", f"{op}: {name}= is not supported for complex numbers, whose keys are always in "
                                             "ascending order; leave it out")
    keys, of = {}, {}
    for one in by.split(",") if isinstance(by, str) else [by] if files.is_path(by) else by:
        name = _name_of(one)
        if name in keys:
            raise errors.make("bad_option", f"{op}: by= names {name} twice, as {os.fsdecode(of[name])!r} and "
                               f"{os.fsdecode(one)!r}; leave one of them out")
        of[name] = one
        keys[name] = _texts(files.load(op, one, {}))
    columns = {_name_of(path): x} if x.ndim == 1 else {str(k): x[:, k] for k in range(x.shape[1])}
    answers = {}
    for name, column in columns.items():
        found, answers[name] = grouping.fold_groups(keys, request.replace(x=column), None, True, "raise")
    return files.only(found, by), answers


def _texts(keys):
    """Keys of text as objects, as files have them."""
    if keys.dtype.kind == "S":
        keys = sys.modules["numpy"].char.decode(keys, "utf-8", "surrogateescape")
    return keys.astype(object) if keys.dtype.kind == "U" else keys


def _name_of(path):
    """The name of an array: "keys" for "folder/keys.npy", "x" for "a.npz:x"."""
    return os.path.basename(os.fsdecode(path)).rpartition(":")[2].removesuffix(".npy")
