"""Columns of pandas, Polars, PyArrow and other libraries with Arrow's interface: nulls are omitted.

A column with the Arrow C data interface is folded chunk by chunk, without a copy. pandas gives NumPy
arrays instead: its Arrow data would have nulls where a float column has NaN.
"""

import sys
from collections import Counter

from . import _core, _errors, _ops
from ._found import Found, as_is, as_python, library_of, type_name, unsupported


def _chunks(op, x):
    """The chunks of an Arrow column; None: `x` is no such column."""
    if library_of(x) in ("pandas", "xarray"):
        return None
    if hasattr(x, "__arrow_c_stream__"):
        return _core.arrow_stream(op, x.__arrow_c_stream__())
    if hasattr(x, "__arrow_c_array__"):
        return _core.arrow_array(op, *x.__arrow_c_array__())
    return None


def places_in(op):
    return any(_ops.ops[name].uses_index for name in op.split(",") if name in _ops.ops)


def _gather(ops, chunks, nan, first, threads):
    state, at = _core.State(), first
    for chunk in chunks:
        state |= _core.gather_array(ops, chunk.view, None, nan, at, threads, _mask(chunk))
        if at is not None:
            at += chunk.rows
    return state


def _mask(chunk):
    return chunk if chunk.nulls else None


def _is_whole(keywords):
    """Whether one answer of all rows is wanted; otherwise the path for arrays folds it or reports the error."""
    axis, keepdims = keywords.get("axis"), keywords.get("keepdims")
    if type(axis) is tuple and len(axis) == 1:
        axis = axis[0]
    return (keepdims is None or keepdims is False) and (
        axis is None or (type(axis) is int and axis in (0, -1)))


def fold(ops, x, keywords):
    """The answers of an Arrow column; None: `x` is no such column, or the keywords need an array."""
    if not _is_whole(keywords):
        return None
    chunks = _chunks(ops, x)
    if chunks is None:
        return None
    if len(chunks) == 1:
        return _core.fold_array(ops, chunks[0].view, None, {
            **keywords, "axis": None, "where": _mask(chunks[0]), "empty_nan": True})
    names = ops.split(",")
    first = 0 if places_in(ops) else None
    state = _gather(ops, chunks, keywords.get("nan"), first, keywords.get("threads"))
    some = any(chunk.rows for chunk in chunks)
    return [_answer(state, name, keywords, some) for name in names]


def _answer(state, name, keywords, empty_nan):
    result = keywords.get("result")
    op = _ops.ops[name]
    if (result is None and keywords.get("wide") and not op.is_element
            and "f" in op.types[state.dtype]):
        result = "f64"
    more = {k: keywords.get(k) for k in ("ddof", "correction")} if op.uses_ddof else {}
    more["initial"] = keywords.get("initial")
    return state.answer(name, dtype=result, empty_nan=empty_nan, **more)


def gather(ops, x, nan, first, threads):
    """The State of an Arrow column; None: `x` is no such column."""
    chunks = _chunks(ops, x)
    if chunks is None:
        return None
    places = places_in(ops)
    return _gather(ops, chunks, nan, (first or 0) if places else first, threads)


def found(op, x):
    """The Found of a column or frame, for folds that need an array; None: `x` is neither."""
    if library_of(x) == "pandas":
        return _pandas(op, x)
    chunks = _chunks(op, x)
    if chunks is None:
        return None
    import numpy

    pieces = [chunk.expanded() for chunk in chunks]
    mask = None
    if any(chunk.nulls for chunk in chunks):
        mask = numpy.concatenate([
            numpy.ones(len(piece), bool) if there is None else there for piece, there in pieces])
    return Found(numpy.concatenate([piece for piece, _ in pieces]), as_python, mask)


def _pandas(op, x):
    if not hasattr(x, "to_numpy") or not hasattr(x, "ndim"):
        return None
    if x.ndim == 1 and getattr(x.dtype, "na_value", None) is not None and not isinstance(
            x.dtype, sys.modules["numpy"].dtype):
        there = ~sys.modules["numpy"].asarray(x.isna())
        numpy_dtype = getattr(x.dtype, "numpy_dtype", None)
        if numpy_dtype is None or numpy_dtype.kind not in "biuf":
            raise unsupported(op, f"a {type_name(x)} of {x.dtype} cannot be folded")
        fill = False if numpy_dtype.kind == "b" else 0
        array = x.fillna(fill).to_numpy(dtype=numpy_dtype)
        return Found(array, as_python, None if there.all() else there)
    array = x.to_numpy()
    if array.dtype.kind in "mM":
        raise unsupported(op, f"a {type_name(x)} of {array.dtype} has no meaning here; min, max, mean, ptp, median and "
                          "others fold one")
    if array.ndim == 2 and not any(getattr(d, "kind", "O") in "biuf" for d in x.dtypes):
        raise unsupported(op, "no column holds numbers")
    if array.ndim == 1 and array.dtype == object:
        raise unsupported(op, f"a {type_name(x)} of {x.dtype} cannot be folded")
    if array.dtype == object or (x.ndim == 2 and array.dtype.kind == "f" and any(
            d.kind in "iu" and d.itemsize == 8 for d in x.dtypes)):
        raise unsupported(
            op, f"a {type_name(x)} of several types, or with nulls, is no array "
            "of numbers; fold its columns")
    return Found(array, as_python if array.ndim == 1 else as_is)


def refuse_one_name(names, chosen):
    """The error for two columns of one name, which a dict cannot distinguish."""
    count = Counter(names)
    for name in chosen:
        if count[name] > 1:
            raise _errors.make("bad_option", f"two columns are called {_errors.shown(name)}; rename one")


def columns_of(x, columns=None, times=""):
    """The names of the columns that hold numbers, their arrays, and the names of all others; None: `x` is no frame, or
    it is an array of numbers.

    columns  only the columns with these names: a list, or one str
    times    pandas' kinds of times that count as numbers: "M" dates, "m" durations
    """
    library = library_of(x)
    if library == "pandas" and getattr(x, "ndim", 0) == 2 and hasattr(x, "dtypes"):
        names, kinds = list(x.columns), [getattr(d, "kind", "O") for d in x.dtypes]
        wide = any(d.kind in "iu" and d.itemsize == 8 for d in x.dtypes if hasattr(d, "itemsize"))
        if columns is None and all(hasattr(d, "str") and k in "biuf" for d, k in zip(x.dtypes, kinds)) and (
                len(set(x.dtypes)) == 1 or not ("f" in kinds and wide)):
            return None
        numbers = [k in "biuf" + times for k in kinds]
    elif library == "polars" and hasattr(x, "get_columns"):
        names = list(x.columns)
        kinds = {"Date": "M", "Datetime": "M", "Duration": "m"}
        numbers = [d.is_numeric() or str(d) == "Boolean" or kinds.get(str(d).partition("(")[0], "-") in times
                   for d in x.dtypes]
    elif library == "pyarrow" and hasattr(x, "schema") and hasattr(x, "num_columns"):
        from pyarrow import types

        names = list(x.schema.names)
        numbers = [types.is_integer(t) or types.is_floating(t) or types.is_boolean(t)
                   or ("M" in times and (types.is_date(t) or types.is_timestamp(t)))
                   or ("m" in times and types.is_duration(t)) for t in x.schema.types]
    else:
        return None
    if columns is None:
        if library == "pandas" and len(names) == 1 and kinds[0] not in times:
            return None
        chosen = [name for name, is_number in zip(names, numbers) if is_number]
        refuse_one_name(names, chosen)
        return chosen, [x[name] for name in chosen], [n for n, is_number in zip(names, numbers) if not is_number]
    if not isinstance(columns, (str, list, tuple)):
        raise _errors.make("type_mismatch", f"columns= is a {type_name(columns)}, and must be a list of names")
    chosen = [columns] if isinstance(columns, str) else list(columns)
    for name in chosen:
        if not isinstance(name, (str, int)) or name not in names:
            raise _errors.make("bad_option", f"columns={_errors.shown(columns)}: there is no column "
                               f"{_errors.shown(name)}; there are "
                               + ", ".join(map(str, names[:20])) + (", ..." if len(names) > 20 else ""))
    if not chosen:
        raise _errors.make("bad_option", "columns=[] names no column")
    refuse_one_name(names, chosen)
    return chosen, [x[name] for name in chosen], []
