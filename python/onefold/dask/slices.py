"""Functions of Dask arrays that need all of a slice: chunks are joined along the folded axes, and the slices of each chunk
are folded lazily. For medians and quantiles, and for where= and weights= of folds."""

import functools

from .. import errors
from ..operands import kind_of
from ..operands.elements import along

_beside = ("where", "weights", "fweights")


def refuse_unknown_chunks(op, x):
    if any(extent != extent for extent in x.shape):
        raise errors.make("bad_option", f"{op}: the chunk sizes are unknown; call compute_chunk_sizes() first")


def spread(op, name, array, x):
    """An array that goes with x, broadcast to its shape and with its chunks."""
    import dask.array as da

    try:
        return da.broadcast_to(array, x.shape).rechunk(x.chunks)
    except ValueError:
        raise errors.make("shape_mismatch", f"{op}: the shape {array.shape} of {name}= does not broadcast to the array's "
                           f"{x.shape}") from None


def values(request):
    """The answers as a list of Dask arrays."""
    import dask.array as da
    import numpy

    x, op, rank = request.x, request.called, request.x.ndim
    refuse_unknown_chunks(op, x)
    for name in ("out", "initial", "errors", "progress"):
        if getattr(request, name) is not None:
            raise errors.make("bad_option", f"{op}: {name}= is not available for Dask arrays; leave it out, or call "
                               "x.compute() first")
    given = request.axis if isinstance(request.axis, (tuple, list)) else [request.axis]
    axes = tuple(range(rank)) if request.axis is None else tuple(sorted(errors.axes_of(op, given, x.shape)))
    whole = x.rechunk(dict.fromkeys(axes, -1))
    arrays = {"x": whole}
    for name in _beside:
        if (array := getattr(request, name)) is not None and array is not True:
            array = da.asarray(array)
            arrays[name] = spread(op, name, array if name == "where" else along(op, x.shape, array, request.axis), whole)
    own = request.replace(x=None, kind=None, make=None, read=None, axis=axes, keepdims=True, threads=1, **dict.fromkeys(_beside))
    names = tuple(arrays)
    trial = _answers(own, names, *(numpy.ones_like(a._meta, shape=(1,) * rank) for a in arrays.values()))
    chunks = tuple((1,) if a in axes else c for a, c in enumerate(whole.chunks))
    if len({(v.dtype, type(v)) for v in trial}) == 1:
        joined = da.map_blocks(functools.partial(_stacked, own, names), *arrays.values(), dtype=trial[0].dtype,
                               new_axis=0, chunks=((len(trial),), *chunks), meta=_stack(trial)[(slice(0),) * (rank + 1)])
        found = list(joined)
    else:
        found = [da.map_blocks(functools.partial(_one, own, names, k), *arrays.values(), dtype=v.dtype, chunks=chunks,
                               meta=v[(slice(0),) * rank]) for k, v in enumerate(trial)]
    return found if request.keepdims else [v.squeeze(axes) for v in found]


def _answers(own, names, *blocks):
    """The answers of one chunk, with the folded axes."""
    import numpy

    arrays = dict(zip(names, blocks))
    return [numpy.asanyarray(v) for v in own.run(own.replace(kind=kind_of(arrays["x"]), **arrays))]


def _stack(values):
    import numpy

    return (numpy.ma if isinstance(values[0], numpy.ma.MaskedArray) else numpy).stack(values)


def _stacked(own, names, *blocks):
    return _stack(_answers(own, names, *blocks))


def _one(own, names, k, *blocks):
    return _answers(own, names, *blocks)[k]
