"""Frames of pandas, Polars and PyArrow column by column, as tables in files are.

Each column is folded as it is alone, so its answer does not depend on the columns beside it.
"""

import operator
from collections import Counter

from .. import errors, files
from . import kind_of, rational_numbers, times
from .found import library_of, numpy_for, type_name, unsupported
from .masks import as_ndarray
from .numbers import common_type


def refuse_one_name(names, chosen):
    """The error for two columns of one name, which a dict cannot distinguish."""
    count = Counter(names)
    for name in chosen:
        if count[name] > 1:
            raise errors.make("bad_option", f"two columns are called {errors.shown(name)}; rename one")


def named(names, columns, what="columns="):
    """Returns the names that `columns`, a list of names or one str, selects; `what` is the keyword."""
    if not isinstance(columns, (str, list, tuple)):
        raise errors.make("type_mismatch", f"{what} is a {type_name(columns)}, but must be a list of names")
    chosen = [columns] if isinstance(columns, str) else list(columns)
    for name in chosen:
        if not isinstance(name, (str, int)) or name not in names:
            raise errors.make("bad_option", f"{what}{errors.shown(columns)}: there is no column "
                               f"{errors.shown(name)}; there are "
                               + ", ".join(map(str, names[:20])) + (", ..." if len(names) > 20 else ""))
    if not chosen:
        raise errors.make("bad_option", f"{what}[] is an empty list of columns; pass at least one name")
    refuse_one_name(names, chosen)
    return chosen


def kinds_with(ops):
    """The types of columns for which all of these ops exist, beside numbers: "M" dates, "m" durations, "rational"."""
    return (*times.kinds_with(ops), *(["rational"] if rational_numbers.takes(ops) else []))


def folded_of(op, kind, frame, more=(), keys=()):
    """The names of the columns that are folded if none are named. A warning lists the others.

    more  the types of columns that count as numbers, see kinds_with()
    keys  names of columns that are neither
    """
    names = kind.names(frame)
    types = [(name, held) for name, held in zip(names, kind.types(frame)) if name not in keys]
    chosen = [name for name, held in types if held == "number" or held in more]
    refuse_one_name(names, chosen)
    other = [str(name) for name, held in types if held == "other" or held == "rational" and held not in more]
    if not chosen and other:
        raise unsupported(op, "no column holds bools, integers or floats; fold() takes complex numbers only if columns= names "
                          "them; columns of other types: " + ", ".join(other))
    if not chosen:
        raise unsupported(op, "no column holds numbers")
    nothing = [str(name) for name, held in types if held not in ("number", "other", "rational", *more)]
    files.warn([f"{subject} left out: " + ", ".join(left_out) for left_out, subject in (
        (nothing, "a column without numbers is" if len(nothing) == 1 else "columns without numbers are"),
        (other, "a column of an unsupported type is" if len(other) == 1 else
         "columns of unsupported types are")) if left_out])
    return chosen


def fold(request, columns):
    """The answers of a frame's columns under their names, as tables of files have them, in a Series if the frame is of
    pandas and no columns are named."""
    kind, ops, x, make = request.kind, request.ops, request.x, request.make
    is_pandas = library_of(x) == "pandas"
    axes, keepdims = axes_of(request.axis), request.keepdims
    if axes == {1} and columns is None and has_numbers_only(x):
        values = request.run(request.replace(x=of_one_type(ops, kind, x)))
        return values if make is None else make(values, None)
    if axes not in (None, {0}) or not (keepdims is None or keepdims is False):
        raise unsupported(ops, "the columns of a frame have different types, so they are reduced one by one, along axis 0 "
                               "and without keepdims; for another axis, pass the frame's values as an array")
    all_names = kind.names(x)
    names = folded_of(ops, kind, x, kinds_with(ops)) if columns is None else named(all_names, columns)
    beside = {name: _columns_beside(ops, f"{name}=", request, given) for name in ("where", "weights", "fweights")
              if (given := getattr(request, name)) is not None and given is not True}
    place = {name: k for k, name in enumerate(all_names)}
    values = [request.run(request.replace(
        kind=kind_of(x[name]), x=x[name], axis=None, **{what: arrays[place[name]] for what, arrays in beside.items()}))
        for name in names]
    if make is not None and is_pandas and columns is None:
        return make([kind.series(x, names, of_op) for of_op in zip(*values)], None)
    return files.only({name: v if make is None else make(v, None) for name, v in zip(names, values)}, columns)


def axes_of(axis):
    """The axes of a frame as a set of 0 and 1; None: no axis is named."""
    if axis is None:
        return None
    try:
        axes = [operator.index(a) for a in (axis if isinstance(axis, (tuple, list)) else [axis])]
    except TypeError:
        return {type_name(axis)}  # no axis of a frame
    return {a % 2 if -2 <= a < 2 else a for a in axes}


def has_numbers_only(x):
    """Whether x is a frame of pandas whose columns are all numbers."""
    return library_of(x) == "pandas" and getattr(x, "ndim", 0) == 2 and set(kind_of(x).types(x)) == {"number"}


def of_one_type(op, kind, frame):
    """A frame of pandas of several types of numbers in NumPy's common type of them, for what goes along rows."""
    arrays = [as_ndarray(op, f"column {name}", frame.iloc[:, k]) for k, name in enumerate(kind.names(frame))]
    return frame.astype(common_type(op, arrays, "the columns to one type"))


def _columns_beside(op, name, request, given):
    """Splits weights or a mask, one per element or one per row, into one array for each column."""
    frame = request.x
    numpy, shape = numpy_for(op, name), tuple(frame.shape)
    array = as_ndarray(op, name, request.kind.agreeing(op, name, frame, given, 0))
    if array.ndim == 1 and len(array) == shape[0]:
        if library_of(frame) == "pandas":
            request.kind.check_square(op, name, frame, array)
        array = array[:, None]
    try:
        return list(numpy.broadcast_to(array, shape).T)
    except ValueError:
        raise errors.make("shape_mismatch", f"{op}: {name} has shape {array.shape}, which does not broadcast to the "
                           f"shape {shape} of the frame") from None
