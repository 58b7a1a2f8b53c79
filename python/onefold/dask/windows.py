"""Windows and scans of Dask arrays: each chunk of answers is folded from the elements that its windows have.

    windows  a chunk of answers reads its own elements and those of its neighbours that its windows reach
    scans    of sums and extremes a chunk gets a few numbers whose fold is that of all chunks before, exactly; of other ops
             chunks are joined along the axis
"""

import functools
import itertools

import numpy

from .. import _core, errors
from ..operands import kind_of
from ..windows.rule import Rule
from .tree import type_of


def without_empty(x):
    """The array without chunks that have no elements; those of unknown size stay."""
    chunks = tuple(tuple(n for n in along if n != 0) or (0,) for along in x.chunks)
    return x if chunks == x.chunks or any(n != n for along in chunks for n in along) else x.rechunk(chunks)


def fold(request, rule, of_array):
    """The answers of each window as a list of Dask arrays; of_array(request, rule) returns those of one array."""
    x, axis = request.x, (request.axis or 0) % request.x.ndim
    if any(extent != extent for extent in x.shape):
        raise errors.make("bad_option", f"{request.called}: the chunk sizes are unknown; call "
                           "compute_chunk_sizes() first")
    x = without_empty(x)
    arrays = [x, *(_beside(x, name, getattr(request, name)) for name in ("y", "where"))]
    own = request.replace(x=None, y=None, where=None, kind=None, axis=axis)
    # Types, and errors before any lazy work is made.
    alike = [None if a is None else numpy.ones_like(a._meta, shape=(1,) * x.ndim) for a in arrays]
    one = Rule(begin=numpy.zeros(1, "i8"), end=numpy.ones(1, "i8"), least=rule.least, labels=None)
    types = _answers(own, one, of_array, arrays=(True, arrays[1] is not None, arrays[2] is not None),
                     *[a for a in alike if a is not None])
    if rule.is_scan():
        if own.ops == "sum" or (own.ops in ("min", "max") and own.nan != "omit"):
            if arrays[2] is None and not rule.least and not rule.ahead:
                return _carried(own, of_array, x, types[0])
        arrays = [a if a is None else a.rechunk({axis: -1}) for a in arrays]
    return _windowed(own, rule, of_array, arrays, types)


def _beside(x, name, other):
    """`other` as a Dask array with x's chunks."""
    import dask.array as da

    if other is None:
        return None
    if tuple(other.shape) != tuple(x.shape):
        raise errors.make("shape_mismatch", f"{name} has shape {tuple(other.shape)}, but x has shape "
                           f"{tuple(x.shape)}; they must be equal")
    return da.asarray(other).rechunk(x.chunks)


def _answers(request, rule, of_array, *blocks, arrays):
    """The answers of some windows of a block, as a tuple. arrays: which of x, y and where the blocks are."""
    x, y, where = (next(found) if there else None for found in [iter(blocks)] for there in arrays)
    return tuple(of_array(request.replace(x=x, y=y, where=where, kind=kind_of(x)), rule))


def _answer(k, request, rule, of_array, *blocks, arrays):
    return _answers(request, rule, of_array, *blocks, arrays=arrays)[k]


def _taken(k, answers):
    return answers[k]


def _windowed(request, rule, of_array, arrays, types):
    import dask.array as da

    x, axis = arrays[0], request.axis
    begin, end = rule.borders(x.shape[axis])
    _check_borders(request.called, begin, end, x.shape[axis])
    ends = itertools.accumulate(x.chunks[axis])
    if rule.labels is None:  # windows have no places; each chunk gets its share
        firsts = numpy.linspace(0, len(begin), len(x.chunks[axis]) + 1).astype("i8").tolist()
    else:
        firsts = [0, *(-(-e // rule.labels) for e in ends)]
    there = tuple(a is not None for a in arrays)
    parts = [[] for _ in types]
    for a, b in itertools.pairwise(firsts):
        if a == b and len(begin):
            continue
        low = int(begin[a:b].min(initial=x.shape[axis]))
        high = max(low, int(end[a:b].max(initial=0)))
        if x.numblocks[axis] == 1:
            low, high = 0, x.shape[axis]
        reach = (slice(None),) * axis + (slice(low, high),)
        blocks = [c[reach].rechunk({axis: -1}) for c in arrays if c is not None]
        # An empty window may lie anywhere.
        borders = [numpy.clip(border[a:b] - low, 0, high - low) for border in (begin, end)]
        own = Rule(begin=borders[0], end=borders[1], least=rule.least, labels=None)
        if x.numblocks[axis] == 1 and rule.begin is None:
            own = rule  # quicker than a list
        chunks = (*blocks[0].chunks[:axis], (b - a,), *blocks[0].chunks[axis + 1:])
        if len(types) == 1:
            call = functools.partial(_answer, 0, request, own, of_array, arrays=there)
            parts[0].append(da.map_blocks(call, *blocks, chunks=chunks, meta=types[0]))
            continue
        call = functools.partial(_answers, request, own, of_array, arrays=there)
        answers = da.map_blocks(call, *blocks, chunks=chunks, meta=numpy.empty((0,) * x.ndim, object))
        for k, like in enumerate(types):
            parts[k].append(da.map_blocks(functools.partial(_taken, k), answers, chunks=chunks, meta=like))
        if not len(begin):
            break
    return [da.concatenate(part, axis) for part in parts]


def _check_borders(called, begin, end, n):
    wrong = numpy.flatnonzero((begin < 0) | (begin > end) | (end > n))
    if len(wrong):
        i = int(wrong[0])
        raise errors.make("bad_option", f"{called}: window {i} is {begin[i]}..{end[i]} of {n} elements; a window "
                           "must not end before it begins, and must lie within its axis")


def _carried(request, of_array, x, like):
    """A scan, of which each chunk begins with numbers that stand for the chunks before."""
    import dask.array as da

    axis = request.axis
    request = request.replace(result=request.result or type_of(request.ops, x.dtype).name)
    carry = functools.partial(_carry_sum if request.ops == "sum" else _carry_extreme, request.ops, axis, request.nan)
    answer = functools.partial(_behind, request, of_array)
    parts, before = [], None
    for a, b in itertools.pairwise([0, *itertools.accumulate(x.chunks[axis])]):
        block = x[(slice(None),) * axis + (slice(a, b),)]
        given = [block] if before is None else [before, block]
        parts.append(da.map_blocks(answer, *given, chunks=block.chunks, meta=like))
        # How many numbers there are is known when they are.
        chunks = (*block.chunks[:axis], (1,), *block.chunks[axis + 1:])
        before = da.map_blocks(carry, *given, chunks=chunks, meta=x._meta)
    return [da.concatenate(parts, axis)]


def _joined(axis, *blocks):
    """Blocks behind each other, in a type that holds any of their sums but for its range."""
    if len(blocks) == 1:
        return blocks[0]
    return numpy.ma.concatenate(blocks, axis) if any(map(numpy.ma.isMaskedArray, blocks)) else numpy.concatenate(blocks, axis)


def _behind(request, of_array, *blocks):
    block = _joined(request.axis, *blocks)
    value = of_array(request.replace(x=block, kind=kind_of(block)), Rule())[0]
    return value if len(blocks) == 1 else value[(slice(None),) * request.axis + (slice(blocks[0].shape[request.axis], None),)]


def _carry_extreme(op, axis, nan, *blocks):
    block = _joined(axis, *blocks)
    if block.shape[axis] == 0:
        return block
    return getattr(_core, op)(block, axis=axis, keepdims=True, nan=nan, threads=1)


def _carry_sum(op, axis, nan, *blocks):
    """Numbers along the axis whose sum is exactly that of the blocks, with the same sign if it is zero."""
    block = _joined(axis, *blocks)
    block = numpy.ma.filled(block, 0 if block.dtype.kind in "biu" else -0.0)
    sum_of = functools.partial(_core.sum, axis=axis, keepdims=True, nan=nan, threads=1)
    if block.dtype.kind in "biu":
        return numpy.asarray(sum_of(block))
    if block.shape[axis] == 0:
        return block
    block = block.astype("f8", copy=False)
    most, finite = numpy.finfo("f8").max, numpy.isfinite(block).all(axis, keepdims=True)
    numbers, rest = [], block
    while True:
        s = numpy.asarray(sum_of(rest))
        s = numpy.where(finite, numpy.clip(s, -most, most), s)  # it may be beyond f64, and later ones within it
        ended = (s == 0) | ~numpy.isfinite(s)
        numbers.append(numpy.where(ended, -0.0, s) if numbers else s)
        if ended.all():
            unknown = numpy.isnan(numbers[0])
            if nan == "omit" and unknown.any():  # of infinities of both signs, which no policy omits
                numbers[0] = numpy.where(unknown, numpy.inf, numbers[0])
                numbers.append(numpy.where(unknown, -numpy.inf, -0.0))
            return numpy.concatenate(numbers, axis)
        rest = numpy.concatenate([block, *(numpy.where(numpy.isfinite(t), -t, -0.0) for t in numbers)], axis)
