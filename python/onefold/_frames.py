"""Columns of pandas, Polars, PyArrow and other libraries with Arrow's interface: nulls are omitted.

A column with the Arrow C data interface is folded chunk by chunk, without a copy. pandas gives NumPy
arrays instead: its Arrow data would have nulls where a float column has NaN.
"""

import sys

from . import _core, _ops
from ._found import Found, as_is, as_python, is_pandas, library_of, type_name, unsupported


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
            **keywords, "axis": None, "where": _mask(chunks[0]), "own_mask": True})
    names = ops.split(",")
    first = 0 if places_in(ops) else None
    state = _gather(ops, chunks, keywords.get("nan"), first, keywords.get("threads"))
    some = any(chunk.rows for chunk in chunks) or bool(keywords.get("empty_nan"))
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
    if is_pandas(x):
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
    if x.ndim == 1 and getattr(x.dtype, "na_value", None) is not None and not isinstance(
            x.dtype, sys.modules["numpy"].dtype):
        there = ~sys.modules["numpy"].asarray(x.isna())
        numpy_dtype = getattr(x.dtype, "numpy_dtype", None)
        if numpy_dtype is None or numpy_dtype.kind not in "biuf":
            raise unsupported(op, f"a {type_name(x)} of {x.dtype} cannot be folded")
        fill = False if numpy_dtype.kind == "b" else 0
        array = x.fillna(fill).to_numpy(dtype=numpy_dtype)
        return Found(array, as_python, None if there.all() else there)
    if x.ndim == 2 and not is_array(x):
        raise unsupported(op, f"a {type_name(x)} of several types, or with nulls, is no array of numbers; fold its columns"
                          if "number" in kinds_of(x) else "no column holds numbers")
    array = x.to_numpy()
    if array.dtype.kind in "mM":
        raise unsupported(op, f"a {type_name(x)} of {array.dtype} has no meaning here; min, max, mean, ptp, median and "
                          "others fold one")
    if array.dtype == object:
        raise unsupported(op, f"a {type_name(x)} of {x.dtype} cannot be folded")
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    return Found(array, as_python if array.ndim == 1 else as_is)


def is_frame(x):
    """Whether x has named columns: a frame of pandas or Polars, a table or a batch of Arrow."""
    library = library_of(x)
    return (is_pandas(x) and x.ndim == 2 and hasattr(x, "dtypes")
            or library == "polars" and hasattr(x, "get_columns")
            or library == "pyarrow" and hasattr(x, "schema") and hasattr(x, "num_columns"))


def is_array(frame):
    """Whether a frame is folded as one array: all columns have one type of NumPy's numbers."""
    if library_of(frame) != "pandas":
        return False
    types = set(frame.dtypes)
    return len(types) == 1 and isinstance(*types, sys.modules["numpy"].dtype) and _kind_of_pandas(*types) == "number"


def kinds_of(frame):
    """What each column of a frame holds: "number", "M" dates, "m" durations; "other": numbers of a type that is not folded;
    "nothing" of these."""
    library = library_of(frame)
    if library == "pandas":
        return [_kind_of_pandas(dtype) for dtype in frame.dtypes]
    return [_kind_of_polars(t) for t in frame.dtypes] if library == "polars" else [
        _kind_of_arrow(t) for t in frame.schema.types]


def _kind_of_pandas(dtype):
    kind, numpy_dtype = getattr(dtype, "kind", "O"), getattr(dtype, "numpy_dtype", dtype)
    if kind in "mM":
        return kind
    if kind in "biuf" and isinstance(numpy_dtype, sys.modules["numpy"].dtype) and numpy_dtype.itemsize <= 8:
        return "number"
    return "other" if kind in "biufc" or str(dtype).startswith(("object", "decimal")) else "nothing"


_polars_numbers = ("Boolean", *(f"{kind}{bits}" for kind in ("Int", "UInt", "Float") for bits in (8, 16, 32, 64)))


def _kind_of_polars(dtype):
    name = str(dtype).partition("(")[0]
    if name in _polars_numbers:
        return "number"
    return {"Date": "M", "Datetime": "M", "Duration": "m"}.get(
        name, "other" if dtype.is_numeric() or name == "Object" else "nothing")


def _kind_of_arrow(dtype):
    from pyarrow import types

    if types.is_boolean(dtype) or types.is_integer(dtype) or types.is_floating(dtype):
        return "number"
    if types.is_date(dtype) or types.is_timestamp(dtype):
        return "M"
    encoded = types.is_dictionary(dtype) or types.is_run_end_encoded(dtype)
    return "m" if types.is_duration(dtype) else "other" if types.is_decimal(dtype) or (
        encoded and _kind_of_arrow(dtype.value_type) in ("number", "other")) else "nothing"
