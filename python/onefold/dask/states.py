"""States of logsumexp of Dask arrays: those of chunks, merged along the folded axes and joined along the others."""

import functools
import itertools

import dask
import numpy

from .. import _core
from .._ranks import words_of
from ..operands import kind_of
from .slices import refuse_unknown_chunks, spread
from .tree import axes_of, in_parts, merge_states, number_of_parts


def gather(request, run):
    """The LogsumexpStates of the slices of a Dask array, computed now; run(request) returns those of an array."""
    import dask.array as da

    x, name = request.x, request.ops
    refuse_unknown_chunks(name, x)
    axes = axes_of(name, x, request.axis)
    arrays = [x]
    if request.where is not None and request.where is not True:
        arrays.append(spread(name, "where", da.asarray(request.where), x))
    own = request.replace(x=None, kind=None, where=None, axis=axes, keepdims=True, threads=1)
    of_chunk, merged = dask.delayed(functools.partial(_of_chunk, run, own)), dask.delayed(merge_states)
    blocks, parts = [a.to_delayed() for a in arrays], {}
    for place in itertools.product(*map(range, x.numblocks)):
        kept = tuple(0 if a in axes else k for a, k in enumerate(place))
        parts.setdefault(kept, []).append(of_chunk(*(b[place] for b in blocks)))
    several = number_of_parts(name, None, axes)
    for kept, states in parts.items():
        while len(states) > 1:
            states = [merged(group) for group in in_parts(states, several)]
        parts[kept] = states[0]
    return _joined(request, axes, dict(zip(parts, dask.compute(*parts.values()))))


def _of_chunk(run, own, block, where=None):
    return run(own.replace(kind=kind_of(block), x=block, where=where))


def _joined(request, axes, parts):
    """The states of all slices, of those of each block of kept axes."""
    x = request.x
    each = _core.LogsumexpStates.words_each
    words = numpy.empty([*(1 if a in axes else n for a, n in enumerate(x.shape)), each], "<u8")
    ends = [[0, *itertools.accumulate([1] if a in axes else chunks)] for a, chunks in enumerate(x.chunks)]
    for place, states in parts.items():
        own = numpy.frombuffer(words_of(states), "<u8")
        words[tuple(slice(*ends[a][k:k + 2]) for a, k in enumerate(place))] = own.reshape([*states.shape, each])
    shape = words.shape[:-1] if request.keepdims else [n for a, n in enumerate(x.shape) if a not in axes]
    policy = {} if request.nan is None else {"nan": request.nan}
    return _core.logsumexp_states(request.ops, words.tobytes(), states.dtype, list(shape), policy)
