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
from onefold import _core, _ops, errors
from onefold.dask import masks
from onefold.dask.groups import fold_by  # noqa: F401
from onefold.dask.tree import (
    Tree,
    answer_array,
    axes_of,
    chunk_starts,
    fold_chunk,
    last_chunk,
    last_place,
    last_state,
    merge_chunks,
    merge_places,
    merge_states,
    merges,
    native,
    number_of_parts,
    numpys,
    place_chunk,
    places,
    shortest,
    state_chunk,
    type_of,
    whole_chunk,
)


def fold(ops, x, /, *, axis=None, keepdims=False, ddof=None, nan="propagate", dtype=None,
         split_every=None):
    """Several lazy answers of one pass over a Dask array, as a named tuple.

    split_every  how many chunks are merged at once: an int, or a dict of them by axis
    dtype        the exact values are rounded to this type instead
    """
    import dask.array as da
    import numpy
    from dask.base import tokenize

    ops = onefold.reduce.fold.names_of(ops)
    names = ops.split(",")
    if not isinstance(x, da.Array):
        raise errors.make("type_mismatch", f"{ops}: x is a {type(x).__name__}, but must be a Dask array")
    # Reports errors before any lazy work is made.
    _core.gather_array(ops, memoryview(b""), None, nan, None, None, keepdims=keepdims)
    _core.fold_array("var", memoryview(b"0"), None, {"ddof": ddof})
    if dtype is not None:
        dtype = numpys(_core.dtype_name(dtype, ops))
    axes = axes_of(ops, x, axis)
    split_every = number_of_parts(ops, split_every, axes)
    types = [type_of(name, x.dtype) for name in names]
    if dtype is not None:
        for name in names:  # an answer of that type may not exist
            _core.fold_array(name, numpy.zeros(1, native(x).dtype), None, {"result": dtype})
        types = [dtype] * len(names)
    token = tokenize(x.name, axes, nan, split_every)
    masked = masks.is_masked(x)
    if masked and places.keys() & set(names):
        raise errors.make("unsupported", f"{ops}: argmin and argmax of a masked Dask array are not supported; "
                           "call x.compute() first")
    if masked:
        numbers = masks.numbers_of(x, axes)
        if x.dtype.kind in "biu" and any(_ops.ops[name].needs_element for name in names):
            x = masks.with_elements(x, numbers)
    # If a mask selects nothing of a chunk's slice, that has no least value to merge.
    merged = {name for name in merges if not (masked and _ops.ops[name].needs_element)}
    by_state = [name for name in names if name not in merged and name not in places]
    longest = math.prod(max(x.chunks[a], default=0) for a in axes)
    whole = (len(axes) < x.ndim and longest < shortest
             and not any(n != n for n in x.shape))
    if by_state and not whole:
        chunk = functools.partial(state_chunk, ",".join(by_state), axes, nan)
        states = Tree(f"onefold-states-{tokenize(token, by_state)}", x, axes, split_every,
                       lambda block: chunk, merge_states)
    answers = []
    for name, t in zip(names, types):
        if name in merged:
            chunk = functools.partial(fold_chunk, name, axes, nan)
            tree = Tree(f"onefold-{name}s-{token}", x, axes, split_every, lambda block: chunk,
                         functools.partial(merge_chunks, name, nan))
            last = functools.partial(last_chunk, name, t)
        elif name in places:
            starts = chunk_starts(name, x, axes)
            extents = dict(zip(range(x.ndim), x.shape))

            def at(block, name=name):
                return functools.partial(place_chunk, name, axes, nan, extents,
                                         [s[k] for s, k in zip(starts, block)])

            tree = Tree(f"onefold-{name}s-{token}", x, axes, split_every, at,
                         functools.partial(merge_places, name, nan))
            last = functools.partial(last_place, name, t)
        elif whole:
            y = x.rechunk({a: -1 for a in axes})
            chunk = functools.partial(whole_chunk, name, axes, ddof if _ops.ops[name].uses_ddof else None,
                                      t, nan)
            tree = Tree(f"onefold-{name}s-{tokenize(token, ddof, t)}", y, axes, split_every,
                         lambda block: chunk, None)
            answers.append(answer_array(y, tree, name, numpy.asarray, axes, t, keepdims))
            continue
        else:
            tree, last = states, functools.partial(last_state, name, ddof, t, masked)
        answers.append(answer_array(x, tree, name, last, axes, t, keepdims))
    if masked:
        answers = [masks.masked(name, answer, numbers, axes, keepdims, ddof) for name, answer in zip(names, answers)]
    return onefold.reduce.fold.type_of(tuple(names))(*answers)


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


__all__ = [name for name in __dir__() if name not in ("sum", "min", "max", "any", "all")]  # which Python has
