"""Reductions of Dask arrays: the same bits for every chunking, split_every and scheduler.

    import onefold.dask
    onefold.dask.mean(x).compute()
    onefold.dask.fold("mean,var", x, axis=0)    # several lazy answers of one pass
    onefold.dask.fold_by("mean", month, x, groups=12)   # of groups of rows

Each chunk is reduced to partial results that merge exactly, and only these are moved: values, if values
merge (counts, extremes, indices), otherwise States of its slices. If slices are short, States would be as
large as the chunk; then the array is rechunked so that no slice is cut.
"""

import functools
import math

import onefold
from onefold import _core, _dask_masks, _errors, _ops
from onefold._dask_groups import fold_by, native, state_chunk

# The op that combines the answers of chunks.
_merges = {op.name: op.merged_by for op in _ops.ops.values() if op.merged_by}
# The op whose value is the element at the index.
_places = {op.name: op.index_of for op in _ops.ops.values() if op.index_of}
_shortest = 64  # a slice of a chunk with fewer elements is not worth a State, which takes 50 to 100 bytes


def _type_of(op, dtype):
    """The answer's type in NumPy."""
    try:
        name = "bf16" if dtype.name == "bfloat16" else _core.dtype_name(dtype.name)
    except (_errors.Error, TypeError):
        raise _errors.make(
            "unsupported", f"{op}: a Dask array of {dtype} cannot be folded; convert it to numbers") from None
    return _numpys(_ops.ops[op].types[name])


def _numpys(name):
    """NumPy's type with a name such as "f64"."""
    import numpy

    from ._wrap import long_names

    return numpy.dtype(long_names[name])


def _nothing(op):
    return _errors.make("empty_input", f"{op}: there is nothing to fold, and {op} of no elements is undefined")


# Chunks whose answers can be combined.

def _fold_chunk(op, axes, nan, block):
    if 0 in (block.shape[a] for a in axes) and _ops.ops[op].needs_element:
        return None  # nothing to fold here
    return getattr(_core, op)(block, axis=axes, keepdims=True, nan=nan, threads=1)


def _merge_chunks(op, nan, parts):
    import numpy

    parts = [numpy.asarray(p) for p in parts if p is not None]
    if len(parts) < 2:
        return parts[0] if parts else None
    nan = "omit" if nan == "omit" else "propagate"
    stacked = numpy.stack(parts)
    merged = getattr(_core, _merges[op])(stacked, axis=0, nan=nan, threads=1)
    return numpy.asarray(merged, stacked.dtype)


def _last_chunk(op, dtype, value):
    if value is None:
        raise _nothing(op)
    return _rounded(_merges[op], value, dtype)


def _rounded(op, value, dtype):
    """The exact values, rounded to a type by an op whose answer to one element is the element."""
    import numpy

    value = numpy.asanyarray(value)
    if value.dtype == dtype:
        return value
    return numpy.asarray(_core.fold_array(op, value[None], None, {"axis": 0, "result": dtype, "threads": 1})[0])


# Chunks that combine pairs (value, index in the whole slice); None: no elements.

def _place_chunk(op, axes, nan, extents, starts, block):
    import numpy

    if 0 in (block.shape[a] for a in axes):
        return None
    block, there = native(block), None
    if nan == "omit" and block.dtype.kind not in "biu":
        there = _core.count(block, axis=axes, keepdims=True, nan="omit", threads=1) > 0
        if not there.all():  # for slices of only NaN any index is right
            block = numpy.where(there, block, numpy.zeros((), block.dtype))
    keywords = {"axis": axes, "nan": nan, "threads": 1, "keepdims": True}
    value, place = map(numpy.asarray, _core.fold_array(f"{_places[op]},{op}", block, None, keywords))
    index = numpy.zeros_like(place)
    inside = numpy.unravel_index(place, [block.shape[a] for a in axes]) if axes else ()
    for a, k in zip(axes, inside):
        index = index * extents[a] + k + starts[a]
    return value, index, there


def _before(op, a, b):
    """Where, in the op's order, `a` comes before `b`: NaN first, and -0 below +0."""
    import numpy

    if a.dtype.kind not in "biu":
        a, b = a.astype("f8"), b.astype("f8")
        same = (a == b) & (numpy.signbit(a) != numpy.signbit(b))
        less = numpy.where(same, numpy.signbit(a), a < b)
        more = numpy.where(same, numpy.signbit(b), a > b)
        there = ~numpy.isnan(a) & numpy.isnan(b)
        back = numpy.isnan(a) & ~numpy.isnan(b)
        return numpy.where(back, True, numpy.where(there, False, less if op == "argmin" else more))
    return a < b if op == "argmin" else a > b


def _merge_places(op, nan, parts):
    import numpy

    parts = [p for p in parts if p is not None]
    if not parts:
        return None
    value, index, there = parts[0]
    for v, i, t in parts[1:]:
        first = _before(op, v, value)
        first |= ~first & ~_before(op, value, v) & (i < index)
        if there is not None:
            first = t & (first | ~there)
            there = there | t
        value, index = numpy.where(first, v, value), numpy.where(first, i, index)
    return value, index, there


def _last_place(op, dtype, found):
    if found is None or (found[2] is not None and not found[2].all()):
        raise _nothing(op)
    return _rounded("max", found[1].astype("i8", copy=False), dtype)


# Chunks that merge States.

def _merge_states(parts):
    states = type(parts[0])()
    for part in parts:
        states |= part
    return states


def _last_state(op, ddof, dtype, empty_nan, states):
    return states.answer(op, ddof=ddof, dtype=dtype, empty_nan=empty_nan)


def _whole_chunk(op, axes, ddof, dtype, nan, block):
    keywords = {} if ddof is None else {"ddof": ddof}
    return getattr(_core, op)(
        block, axis=axes, keepdims=True, nan=nan, threads=1, dtype=dtype, **keywords)


def _group(numbers, split_every):
    """Groups of neighbouring numbers, each with as many as split_every says."""
    return [numbers[i:i + split_every] for i in range(0, len(numbers), split_every)]


class _Tree:
    """The tasks of one pass, which gather each chunk and merge the results."""

    def __init__(self, name, x, axes, split_every, chunk, merge):
        import itertools

        self.dsk, self.name, self.roots = {}, name, {}
        kept = [range(1) if a in axes else range(n) for a, n in enumerate(x.numblocks)]
        for place in itertools.product(*kept):
            keys = []
            blocks = [range(x.numblocks[a]) if a in axes else (k,) for a, k in enumerate(place)]
            for block in itertools.product(*blocks):
                keys.append((name, *block))
                self.dsk[keys[-1]] = (chunk(block), (x.name, *block))
            level = 0
            while len(keys) > 1:
                level += 1
                groups, keys = _group(keys, split_every), []
                for i, group in enumerate(groups):
                    keys.append((f"{name}-merge", level, i, *place))
                    self.dsk[keys[-1]] = (merge, list(group))
            self.roots[place] = keys[0]


def _array(x, tree, op, last, axes, dtype, keepdims, extent=1):
    """The Dask array of the answers that `last` computes from the tree's roots.

    extent  of a folded axis that is kept
    """
    import dask.array as da
    import numpy
    from dask.base import tokenize
    from dask.highlevelgraph import HighLevelGraph

    # These names follow Dask's own, for its dashboards.
    name = f"{op}-aggregate-{tokenize(tree.name, last, keepdims)}"
    gone = () if keepdims else axes
    dsk = {(name, *(k for a, k in enumerate(place) if a not in gone)): (_last, last, gone, key)
           for place, key in tree.roots.items()}
    layers = {**x.dask.layers, tree.name: tree.dsk, name: dsk}
    needs = {**x.dask.dependencies, tree.name: set(x.__dask_layers__()), name: {tree.name}}
    chunks = tuple((extent,) if a in axes else c for a, c in enumerate(x.chunks) if a not in gone)
    return da.Array(HighLevelGraph(layers, needs), name, chunks,
                    meta=numpy.empty((0,) * len(chunks), dtype))


def _last(last, gone, value):
    value = last(value)
    return value.squeeze(gone)[()] if gone else value[()]


def _number_of_parts(ops, split_every, axes):
    from dask import config

    if split_every is None or split_every is False:
        split_every = config.get("split_every", 8)
    if isinstance(split_every, dict):  # Dask allows dicts here
        return max(2, math.prod(
            _errors.integer(ops, "split_every", split_every.get(a, 2)) for a in axes))
    split_every = _errors.integer(ops, "split_every", split_every)
    if split_every < 2:
        raise _errors.make("bad_option", f"{ops}: split_every={split_every} must be 2 or more")
    return split_every


def _axes_of(ops, x, axis):
    if axis is None:
        return tuple(range(x.ndim))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    return tuple(sorted(_errors.axes_of(ops, axes, x.shape)))


def _starts(op, x, axes):
    """The index at which each chunk begins, along each axis."""
    import itertools

    for a in axes:
        if any(c != c for c in x.chunks[a]) and len(x.chunks[a]) > 1:
            raise _errors.make(
                "bad_option", f"{op}: the chunk sizes are unknown; call "
                "compute_chunk_sizes() first")
    return [list(itertools.accumulate(c, initial=0)) for c in x.chunks]


def fold(ops, x, /, *, axis=None, keepdims=False, ddof=None, nan="propagate", dtype=None,
         split_every=None):
    """Several lazy answers of one pass over a Dask array, as a named tuple.

    split_every  how many chunks are merged at once: an int, or a dict of them by axis
    dtype        the exact values are rounded to this type instead
    """
    import dask.array as da
    import numpy
    from dask.base import tokenize

    ops = onefold._fold.names_of(ops)
    names = ops.split(",")
    if not isinstance(x, da.Array):
        raise _errors.make("type_mismatch", f"{ops}: x is a {type(x).__name__}, but must be a Dask array")
    # Reports errors before any lazy work is made.
    _core.gather_array(ops, memoryview(b""), None, nan, None, None, keepdims=keepdims)
    _core.fold_array("var", memoryview(b"0"), None, {"ddof": ddof})
    if dtype is not None:
        dtype = _numpys(_core.dtype_name(dtype, ops))
    axes = _axes_of(ops, x, axis)
    split_every = _number_of_parts(ops, split_every, axes)
    types = [_type_of(name, x.dtype) for name in names]
    if dtype is not None:
        for name in names:  # an answer of that type may not exist
            _core.fold_array(name, numpy.zeros(1, native(x).dtype), None, {"result": dtype})
        types = [dtype] * len(names)
    token = tokenize(x.name, axes, nan, split_every)
    masked = _dask_masks.is_masked(x)
    if masked and _places.keys() & set(names):
        raise _errors.make("unsupported", f"{ops}: argmin and argmax of a masked Dask array are not supported; "
                           "call x.compute() first")
    if masked:
        numbers = _dask_masks.numbers_of(x, axes)
        if x.dtype.kind in "biu" and any(_ops.ops[name].needs_element for name in names):
            x = _dask_masks.with_elements(x, numbers)
    # If a mask selects nothing of a chunk's slice, that has no least value to merge.
    merged = {name for name in _merges if not (masked and _ops.ops[name].needs_element)}
    by_state = [name for name in names if name not in merged and name not in _places]
    longest = math.prod(max(x.chunks[a], default=0) for a in axes)
    whole = (len(axes) < x.ndim and longest < _shortest
             and not any(n != n for n in x.shape))
    if by_state and not whole:
        chunk = functools.partial(state_chunk, ",".join(by_state), axes, nan)
        states = _Tree(f"onefold-states-{tokenize(token, by_state)}", x, axes, split_every,
                       lambda block: chunk, _merge_states)
    answers = []
    for name, t in zip(names, types):
        if name in merged:
            chunk = functools.partial(_fold_chunk, name, axes, nan)
            tree = _Tree(f"onefold-{name}s-{token}", x, axes, split_every, lambda block: chunk,
                         functools.partial(_merge_chunks, name, nan))
            last = functools.partial(_last_chunk, name, t)
        elif name in _places:
            starts = _starts(name, x, axes)
            extents = dict(zip(range(x.ndim), x.shape))

            def at(block, name=name):
                return functools.partial(_place_chunk, name, axes, nan, extents,
                                         [s[k] for s, k in zip(starts, block)])

            tree = _Tree(f"onefold-{name}s-{token}", x, axes, split_every, at,
                         functools.partial(_merge_places, name, nan))
            last = functools.partial(_last_place, name, t)
        elif whole:
            y = x.rechunk({a: -1 for a in axes})
            chunk = functools.partial(_whole_chunk, name, axes, ddof if _ops.ops[name].uses_ddof else None,
                                      t, nan)
            tree = _Tree(f"onefold-{name}s-{tokenize(token, ddof, t)}", y, axes, split_every,
                         lambda block: chunk, None)
            answers.append(_array(y, tree, name, numpy.asarray, axes, t, keepdims))
            continue
        else:
            tree, last = states, functools.partial(_last_state, name, ddof, t, masked)
        answers.append(_array(x, tree, name, last, axes, t, keepdims))
    if masked:
        answers = [_dask_masks.masked(name, answer, numbers, axes, keepdims, ddof) for name, answer in zip(names, answers)]
    return onefold._fold.type_of(tuple(names))(*answers)


def _reduction(name, **fixed):
    def reduction(x, /, axis=None, *, keepdims=False, nan="propagate", split_every=None, ddof=None,
                  dtype=None):
        keywords = {"nan": nan, **fixed}
        return fold(name, x, axis=axis, keepdims=keepdims, ddof=ddof, split_every=split_every,
                    dtype=dtype, **keywords)[0]

    reduction.__name__ = reduction.__qualname__ = name
    reduction.__doc__ = f"{name} of a Dask array, lazily: exact, the same bits for every chunking."
    return reduction


_reductions = {name: _reduction(name) for name, op in _ops.ops.items() if op.inputs == 1}
_reductions.update({f"nan{name}": _reduction(name, nan="omit") for name in (
    "sum", "mean", "var", "std", "min", "max", "argmin", "argmax")})


def __getattr__(name):  # not as globals, since the functions above use Python's any() and max()
    if name in _reductions:
        return _reductions[name]
    raise AttributeError(f"module 'onefold.dask' has no attribute {name!r}")


def __dir__():
    return ["fold", "fold_by", *_reductions]
