"""Reductions of Dask arrays: the same bits for every chunking, split_every and scheduler.

    import onefold.dask
    onefold.dask.mean(x).compute()              # all axes: states of chunks, merged exactly
    onefold.dask.mean(x, axis=0).compute()      # some: each slice is folded whole

Over all axes a chunk becomes a State of some kB, so nothing is moved but those. Over some axes the
array is rechunked so that no slice is cut: a merge of a State for each slice would move more.
"""

import functools

import onefold
from onefold import _core, _errors


def _type_of(op, dtype):
    import numpy

    row = next(r for r in _core.op_table() if r[0] == op)
    names = {numpy.dtype(n).str: n for n in (
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
        "float32", "float64")}
    name = "bf16" if dtype.name == "bfloat16" else _core.dtype_name(names.get(dtype.str, ""))
    return numpy.dtype({"bool": "bool"}.get(row[5][name]) or {
        "i": "int", "u": "uint", "f": "float", "b": "bfloat"}[row[5][name][0]] + "".join(
            c for c in row[5][name] if c.isdigit()))


def _merge(states):
    merged = onefold.State()
    for state in states:
        merged |= state
    return merged


def _answer(state, op, dtype, ddof, nan):
    import numpy

    return numpy.asarray(state.answer(op, ddof=ddof), dtype)


def _gather(ops, block, first, nan):
    return onefold.gather(ops, block, first=first, nan=nan, threads=1)


def _state(ops, x, nan, split_every):
    """A delayed State of the whole array."""
    from dask import delayed

    places = any(name in ("argmin", "argmax") for name in ops.split(","))
    if places and x.ndim > 1:
        # Blocks of whole rows, so that each is a run of the array in C order.
        x = x.rechunk({axis: -1 for axis in range(1, x.ndim)})
    gather = delayed(_gather, pure=True)
    parts, first = [], 0
    for block in x.to_delayed().ravel():
        parts.append(gather(ops, block, first if places else None, nan))
        if places:
            row = 1
            for extent in x.shape[1:]:
                row *= extent
            first += x.chunks[0][len(parts) - 1] * row if x.ndim else 1
    merge = delayed(_merge, pure=True)
    while len(parts) > 1:
        parts = [merge(parts[i:i + split_every]) for i in range(0, len(parts), split_every)]
    return parts[0]


def fold(ops, x, /, *, axis=None, keepdims=False, ddof=None, nan="propagate", split_every=8):
    """Several lazy answers of one pass over a Dask array, as a named tuple."""
    import dask.array as da
    from dask import delayed

    ops = onefold._fold._names_of(ops)
    names = ops.split(",")
    if not isinstance(x, da.Array):
        raise _errors.make("type_mismatch", f"{ops}: a {type(x).__name__} is no Dask array")
    if split_every is None:
        split_every = 8
    if split_every < 2:
        raise _errors.make("bad_option", f"{ops}: split_every={split_every} is not 2 or more")
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    for a in axes:
        if not -x.ndim <= a < x.ndim:
            raise _errors.make("bad_axis", f"{ops}: axis {a} is out of range for shape {x.shape}")
    axes = tuple(sorted(a % x.ndim for a in axes))
    types = [_type_of(name, x.dtype) for name in names]
    make = onefold._fold._type_of(tuple(names))
    if len(axes) == x.ndim and not (0 in x.shape):
        state = _state(ops, x, nan, split_every)
        answers = [da.from_delayed(delayed(_answer, pure=True)(state, name, t, ddof, nan), (), t)
                   for name, t in zip(names, types)]
        if keepdims:
            answers = [a.reshape((1,) * x.ndim) for a in answers]
        return make(*answers)
    whole = x.rechunk({a: -1 for a in axes})
    answers = []
    for name, t in zip(names, types):
        block = functools.partial(_block, name, axes, ddof, nan)
        kept = whole.map_blocks(
            block, dtype=t, chunks=tuple((1,) * len(c) if i in axes else c
                                         for i, c in enumerate(whole.chunks)),
            meta=whole._meta.astype(t))
        answers.append(kept if keepdims else da.squeeze(kept, axis=axes))
    return make(*answers)


def _block(name, axes, ddof, nan, block):
    keywords = {} if ddof is None else {"ddof": ddof}
    return getattr(_core, name)(block, axis=axes, keepdims=True, nan=nan, threads=1, **keywords)


def _reduction(name):
    def reduction(x, /, axis=None, *, keepdims=False, nan="propagate", split_every=8, ddof=None):
        return fold(name, x, axis=axis, keepdims=keepdims, ddof=ddof, nan=nan,
                    split_every=split_every)[0]

    reduction.__name__ = reduction.__qualname__ = name
    reduction.__doc__ = f"{name} of a Dask array, lazily: exact, the same bits for every chunking."
    return reduction


_reductions = {row[0]: _reduction(row[0]) for row in _core.op_table() if row[2] == 1}


def __getattr__(name):  # not globals: the functions above use any() and max() of Python
    if name in _reductions:
        return _reductions[name]
    raise AttributeError(f"module 'onefold.dask' has no attribute {name!r}")


def __dir__():
    return ["fold", *_reductions]
