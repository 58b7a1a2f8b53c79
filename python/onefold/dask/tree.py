"""Trees of tasks over the chunks of a Dask array: what each chunk is reduced to, and how these results merge."""

import math

import onefold
from onefold import _core, _ops, errors

# The op that combines the answers of chunks.
merges = {op.name: op.merged_by for op in _ops.ops.values() if op.merged_by}
# The op whose value is the element at the index.
places = {op.name: op.index_of for op in _ops.ops.values() if op.index_of}
shortest = 64  # a slice of a chunk with fewer elements is not worth a State, which takes 50 to 100 bytes


def type_of(op, dtype):
    """The answer's type in NumPy."""
    try:
        name = "bf16" if dtype.name == "bfloat16" else _core.dtype_name(dtype.name)
    except (errors.Error, TypeError):
        raise errors.make(
            "unsupported", f"{op}: a Dask array of {dtype} cannot be folded; convert it to numbers") from None
    return numpys(_ops.ops[op].types[name])


def numpys(name):
    """NumPy's type with a name such as "f64"."""
    import numpy

    from onefold.operands.wrap import long_names

    return numpy.dtype(long_names[name])


def _nothing(op):
    return errors.make("empty_input", f"{op}: there is nothing to fold, and {op} of no elements is undefined")


# Chunks whose answers can be combined.

def fold_chunk(op, axes, nan, block):
    if 0 in (block.shape[a] for a in axes) and _ops.ops[op].needs_element:
        return None  # nothing to fold here
    return getattr(_core, op)(block, axis=axes, keepdims=True, nan=nan, threads=1)


def merge_chunks(op, nan, parts):
    import numpy

    parts = [numpy.asarray(p) for p in parts if p is not None]
    if len(parts) < 2:
        return parts[0] if parts else None
    nan = "omit" if nan == "omit" else "propagate"
    stacked = numpy.stack(parts)
    merged = getattr(_core, merges[op])(stacked, axis=0, nan=nan, threads=1)
    return numpy.asarray(merged, stacked.dtype)


def last_chunk(op, dtype, value):
    if value is None:
        raise _nothing(op)
    return _rounded(merges[op], value, dtype)


def _rounded(op, value, dtype):
    """The exact values, rounded to a type by an op whose answer to one element is the element."""
    import numpy

    value = numpy.asanyarray(value)
    if value.dtype == dtype:
        return value
    return numpy.asarray(_core.fold_array(op, value[None], None, {"axis": 0, "result": dtype, "threads": 1})[0])


# Chunks that combine pairs (value, index in the whole slice); None: no elements.

def place_chunk(op, axes, nan, extents, starts, block):
    import numpy

    if 0 in (block.shape[a] for a in axes):
        return None
    block, there = native(block), None
    if nan == "omit" and block.dtype.kind not in "biu":
        there = _core.count(block, axis=axes, keepdims=True, nan="omit", threads=1) > 0
        if not there.all():  # for slices of only NaN any index is right
            block = numpy.where(there, block, numpy.zeros((), block.dtype))
    keywords = {"axis": axes, "nan": nan, "threads": 1, "keepdims": True}
    value, place = map(numpy.asarray, _core.fold_array(f"{places[op]},{op}", block, None, keywords))
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


def merge_places(op, nan, parts):
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


def last_place(op, dtype, found):
    if found is None or (found[2] is not None and not found[2].all()):
        raise _nothing(op)
    return _rounded("max", found[1].astype("i8", copy=False), dtype)


# Chunks that merge States.

def merge_states(parts):
    states = type(parts[0])()
    for part in parts:
        states |= part
    return states


def last_state(op, ddof, dtype, empty_nan, states):
    return states.answer(op, ddof=ddof, dtype=dtype, empty_nan=empty_nan)


def whole_chunk(op, axes, ddof, dtype, nan, block):
    keywords = {} if ddof is None else {"ddof": ddof}
    return getattr(_core, op)(
        block, axis=axes, keepdims=True, nan=nan, threads=1, dtype=dtype, **keywords)


def in_parts(numbers, split_every):
    """Groups of neighbouring numbers, each with as many as split_every says."""
    return [numbers[i:i + split_every] for i in range(0, len(numbers), split_every)]


class Tree:
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
                groups, keys = in_parts(keys, split_every), []
                for i, group in enumerate(groups):
                    keys.append((f"{name}-merge", level, i, *place))
                    self.dsk[keys[-1]] = (merge, list(group))
            self.roots[place] = keys[0]


def answer_array(x, tree, op, last, axes, dtype, keepdims, extent=1):
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


def number_of_parts(ops, split_every, axes):
    from dask import config

    if split_every is None or split_every is False:
        split_every = config.get("split_every", 8)
    if isinstance(split_every, dict):  # Dask allows dicts here
        return max(2, math.prod(
            errors.integer(ops, "split_every", split_every.get(a, 2)) for a in axes))
    split_every = errors.integer(ops, "split_every", split_every)
    if split_every < 2:
        raise errors.make("bad_option", f"{ops}: split_every={split_every} must be 2 or more")
    return split_every


def axes_of(ops, x, axis):
    if axis is None:
        return tuple(range(x.ndim))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    return tuple(sorted(errors.axes_of(ops, axes, x.shape)))


def chunk_starts(op, x, axes):
    """The index at which each chunk begins, along each axis."""
    import itertools

    for a in axes:
        if any(c != c for c in x.chunks[a]) and len(x.chunks[a]) > 1:
            raise errors.make(
                "bad_option", f"{op}: the chunk sizes are unknown; call "
                "compute_chunk_sizes() first")
    return [list(itertools.accumulate(c, initial=0)) for c in x.chunks]


def native(block):
    return block if block.dtype.isnative else block.astype(block.dtype.newbyteorder("="))


def state_chunk(ops, axes, nan, block):
    return onefold.gather(ops, block, axis=axes, keepdims=True, nan=nan, threads=1)
