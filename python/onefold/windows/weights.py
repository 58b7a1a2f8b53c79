"""Windows whose elements weigh by their place in the window: sums and means, each the exact one of its products."""

import functools

from .. import errors
from ..operands.found import ndarray_of, numpy_for, unsupported
from ..operands.masks import mask_of
from ..operands.numbers import is_exact
from ..reduce.fold import fold as fold_arrays

_ops = {"sum": "dot", "mean": "average"}  # with the weights as second array


def weights_of(win_type, width):
    """The weights of a window's elements, the oldest element's first."""
    numpy = numpy_for("rolling", "weights of a window")
    if isinstance(win_type, (str, tuple)):
        try:
            from scipy.signal import get_window
        except ImportError:
            raise unsupported("rolling", f"win_type={errors.shown(win_type)} is a name of scipy.signal, and scipy is not "
                              "installed; pass the weights") from None
        try:
            win_type = get_window(win_type, width, False)
        except (ValueError, TypeError) as error:
            raise errors.make("bad_option", f"rolling: win_type={errors.shown(win_type)}: {error}") from None
    weights = numpy.asarray(win_type)
    if numpy.ma.is_masked(win_type):
        raise errors.make("unsupported", "rolling: win_type= has a mask, which would be lost; pass the weights as an ndarray")
    if weights.dtype.kind not in "iuf":
        raise errors.make("type_mismatch", f"rolling: win_type= has type {weights.dtype}, but weights must be numbers")
    if weights.dtype.kind in "iu":
        weights = _exactly("rolling", numpy, weights, numpy.dtype("f8"))
    if not numpy.isfinite(weights).all():
        raise errors.make("bad_option", "rolling: win_type= has a weight that is NaN or infinite; pass finite weights")
    if weights.shape != (width,):
        raise errors.make("shape_mismatch", f"rolling: win_type= has shape {weights.shape}, but a window has {width} "
                                             "elements; "
                           "each needs a weight")
    return weights


def _exactly(called, numpy, a, dtype):
    """The array in a type that holds its numbers."""
    if not is_exact(numpy, a, dtype):
        raise errors.make("type_mismatch", f"{called}: no common type holds both these {a.dtype} elements and the weights exactly: {dtype} "
                           "cannot hold every value")
    return a.astype(dtype, copy=False)


def fold_array(request, rule, weights):
    """The answers of each window of an array, as a list; fewer than rule.least elements have none."""
    kind, x, axis = request.kind, request.x, request.axis or 0
    numpy = numpy_for(request.called, "weights of a window")
    names = request.ops.split(",")
    for name in names:
        if name not in _ops:
            raise unsupported(request.called, f"windows with weights support sum and mean, not {name}")
    if rule.begin is not None:
        raise unsupported(request.called, "windows with weights are not supported for Dask arrays; call x.compute() first")
    found = kind.found(request.called, x)
    if found.there:
        raise unsupported(request.called, "windows with weights are supported on the host only; copy the array there")
    where = None if request.where is None else kind.agreeing(request.called, "where=", x, request.where, axis)
    there = mask_of(request.called, [found], where)
    a = ndarray_of(request.called, found.array)
    shape, a = a.shape, numpy.moveaxis(a, axis, -1)
    a = _exactly(request.called, numpy, a, numpy.result_type(a, weights))
    there = numpy.ones(a.shape, "?") if there is None else numpy.moveaxis(numpy.broadcast_to(there, shape), axis, -1)
    if request.nan == "omit":
        there = there & ~numpy.isnan(a)
    a = numpy.where(there, a, a.dtype.type(-0.0))  # whose products add nothing
    width = len(weights)
    if not a.shape[-1]:
        nothing = numpy.empty((*a.shape, width), a.dtype)
        values = fold_arrays(",".join(_ops[name] for name in names), nothing, nothing, axis=-1, result=request.result)
        return [kind.of_windows(x, found.wrap(numpy.moveaxis(value, -1, axis), None), axis, rule.labels) for value in values]
    around = [(0, 0)] * (a.ndim - 1) + [(width - 1 - rule.ahead, rule.ahead)]
    windows, masks = (numpy.lib.stride_tricks.sliding_window_view(numpy.pad(b, around), width, -1)[..., ::rule.step, :]
                      for b in (a, there))
    weights = numpy.broadcast_to(_exactly(request.called, numpy, weights, a.dtype), windows.shape)
    nan = "propagate" if request.nan == "omit" else request.nan
    folded = functools.partial(fold_arrays, ",".join(_ops[name] for name in names), axis=-1, nan=nan, result=request.result,
                               threads=request.threads)
    values = [numpy.asarray(value) for value in folded(windows, weights)]
    upto = numpy.cumsum(numpy.pad(there, [*around[:-1], (width - rule.ahead, rule.ahead)]), -1)  # its first window ends at width
    counts = (upto[..., width:] - upto[..., :-width])[..., ::rule.step]
    some = (counts < width) & (counts >= rule.least)
    if some.any():  # what is not there weighs nothing
        own = numpy.where(masks[some], weights[some], a.dtype.type(0))
        for value, part in zip(values, folded(windows[some], own)):
            value[some] = part
        for name, value in zip(names, values):
            value[counts == 0] = 0 if name == "sum" else numpy.nan
    few = counts < rule.least
    answers = []
    for value in values:
        value[few] = numpy.nan
        answers.append(kind.of_windows(x, found.wrap(numpy.moveaxis(value, -1, axis), None), axis, rule.labels))
    return answers
