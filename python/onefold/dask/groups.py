"""Groups of Dask arrays: a chunk becomes States for each group, and these merge exactly."""

import functools

import onefold
from onefold import _core, _ops, errors
from onefold.dask.tree import Tree, answer_array, axes_of, chunk_starts, native, number_of_parts, places, state_chunk, type_of


def _group_chunk(ops, axis, nan, groups, keys, block):
    """Empty States, and the States of each group; None if the chunk has no element of a group."""
    import numpy

    block = native(block)
    order = numpy.argsort(keys, kind="stable")
    ends = numpy.searchsorted(keys[order], numpy.arange(groups + 1))
    found = [None] * groups
    for group in numpy.flatnonzero(ends[1:] > ends[:-1]):
        rows = order[ends[group]:ends[group + 1]]
        found[group] = state_chunk(ops, (axis,), nan, numpy.take(block, rows, axis))
    return state_chunk(ops, (axis,), nan, numpy.take(block, [], axis)), found


def _merge_groups(parts):
    nothing, merged = parts[0][0], []
    for states in zip(*(found for _, found in parts)):
        there = [s for s in states if s is not None]
        if len(there) > 1:
            total = _core.States()
            for s in there:
                total |= s
            there = [total]
        merged.append(there[0] if there else None)
    return nothing, merged


def _last_groups(op, axis, ddof, dtype, answers):
    import numpy

    nothing, found = answers
    group = next((g for g, states in enumerate(found) if states is None), None)
    if group is not None and _ops.ops[op].needs_element:
        raise errors.make("empty_input", f"{op}[{group}]: there is nothing to fold")
    if not found:
        return nothing.answer(op, ddof=ddof, dtype=dtype).take([], axis)
    return numpy.concatenate([(nothing if s is None else s).answer(op, ddof=ddof, dtype=dtype)
                              for s in found], axis)


def _numbers_of(ops, keys, groups, rows):
    """The keys as NumPy's int64, checked to be numbers of groups."""
    import numpy

    groups = errors.integer(ops, "groups", groups)
    keys = numpy.asarray(keys)
    if keys.dtype.kind not in "biu":
        raise errors.make("type_mismatch", f"{ops}: keys of {keys.dtype} are not group numbers 0, 1, 2, ...; make them with "
                                            "pandas.factorize")
    if keys.shape != (rows,):
        raise errors.make("shape_mismatch", f"{ops}: the keys have shape {keys.shape}, but x has {rows} rows; each "
                           "row needs a key")
    if groups < 0 or (len(keys) and (keys.min() < 0 or keys.max() >= groups)):
        raise errors.make("out_of_range", f"{ops}: a key is not one of the {groups} group numbers; "
                           f"they are 0..{groups - 1}")
    return keys.astype("i8"), groups


def fold_by(ops, keys, x, /, *, groups, axis=0, ddof=None, nan="propagate", dtype=None, split_every=None):
    """Folds x[i] into the group of keys[i], lazily: an answer for each of `groups` groups.

    keys     integers of NumPy, 0 <= key < groups, one for each row of the Dask array x
    axis     the axis of x whose rows have keys; in the answers the groups replace it
    returns  a named tuple of Dask arrays, with the bits of onefold.fold_by for every chunking
    cost     a chunk is sorted by keys and copied, and has States for each of its groups. So a chunk should have few
             groups: some thousands
    """
    import dask.array as da
    import numpy
    from dask.base import tokenize


    ops = onefold.reduce.fold.names_of(ops)
    if not isinstance(x, da.Array):
        raise errors.make("type_mismatch", f"{ops}: x is a {type(x).__name__}, but must be a Dask array")
    if isinstance(x._meta, numpy.ma.MaskedArray):
        raise errors.make("unsupported", f"{ops}: groups of a masked Dask array are not supported; call x.compute() first")
    _core.gather_array(ops, memoryview(b""), None, nan, None, None)
    (axis,) = axes_of(ops, x, axis)
    starts = chunk_starts(ops, x, (axis,))[axis]
    for name in ops.split(","):
        if name in places:
            raise errors.make("unsupported", f"{name}: not supported for groups of a Dask array; call x.compute() first")
    keys, groups = _numbers_of(ops, keys, groups, x.shape[axis])
    split_every = number_of_parts(ops, split_every, (axis,))

    def chunk(block):
        k = block[axis]
        return functools.partial(_group_chunk, ops, axis, nan, groups, keys[starts[k]:starts[k + 1]])

    name = f"onefold-groups-{tokenize(x.name, ops, axis, nan, groups, keys, split_every)}"
    tree = Tree(name, x, (axis,), split_every, chunk, _merge_groups)
    answers = []
    for op in ops.split(","):
        to = numpy.dtype(dtype) if dtype is not None else type_of(op, x.dtype)
        last = functools.partial(_last_groups, op, axis, ddof, to)
        answers.append(answer_array(x, tree, op, last, (axis,), to, True, groups))
    return onefold.reduce.fold.type_of(tuple(ops.split(",")))(*answers)
