"""Columns that come in chunks, as Arrow's do: each chunk is gathered, and the states are merged."""

from .. import _core, _ops
from .._keywords import keywords_of


def are_whole(request):
    """Whether one answer of all rows is wanted, of x alone. Otherwise the column is folded as an array is."""
    axis = request.axis
    if type(axis) is tuple and len(axis) == 1:
        axis = axis[0]
    return (request.keepdims is None or request.keepdims is False) and (
        axis is None or (type(axis) is int and axis in (0, -1))) and (
        request.y is request.where is request.weights is request.fweights is request.out is request.errors is None)


def has_places(ops):
    """Whether an answer to one of these ops depends on the index of an element."""
    return any(_ops.ops[name].uses_index for name in ops.split(",") if name in _ops.ops)


def gather(ops, chunks, nan, first, threads):
    """The State of a column; first: the index of its first element."""
    state, at = _core.State(), first
    for chunk in chunks:
        state |= _core.gather_array(ops, chunk.view, None, nan, at, threads, _mask(chunk))
        if at is not None:
            at += chunk.rows
    return state


def _mask(chunk):
    return chunk if chunk.nulls else None


def fold(request, chunks):
    """The answers of a column, as a list."""
    ops = request.ops
    if len(chunks) == 1:
        return _core.fold_array(ops, chunks[0].view, None, keywords_of(request, axis=None, where=_mask(chunks[0]), own_mask=True))
    state = gather(ops, chunks, request.nan, 0 if has_places(ops) else None, request.threads)
    some = any(chunk.rows for chunk in chunks) or bool(request.empty_nan)
    return [_answer(state, name, request, some) for name in ops.split(",")]


def _answer(state, name, request, empty_nan):
    result = request.result
    op = _ops.ops[name]
    if result is None and request.wide and not op.is_element and "f" in op.types[state.dtype]:
        result = "f64"
    more = {"ddof": request.ddof, "correction": request.correction} if op.uses_ddof else {}
    return state.answer(name, dtype=result, empty_nan=empty_nan, initial=request.initial, **more)
