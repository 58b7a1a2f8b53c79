"""Masks: where=, and those of arrays that bring one."""

from . import _core, _errors


def taken(op, found, where):
    """The mask of all elements that are there, or None."""
    mask = found.mask
    if where is not None and where is not True:
        import numpy

        if isinstance(found.array, _core.View):
            raise _errors.make("bad_option", f"{op}: where= takes arrays of NumPy, not tensors")
        where = numpy.asarray(where)
        if where.dtype != bool:
            raise _errors.make("type_mismatch", f"{op}: where= is {where.dtype}, and must be bool")
        array = numpy.asarray(found.array)
        try:
            where = numpy.broadcast_to(where, array.shape)
        except ValueError:
            raise _errors.make(
                "shape_mismatch",
                f"{op}: where= of shape {where.shape} does not broadcast to {array.shape}"
            ) from None
        mask = where if mask is None else mask & where
    return mask


def refuse_axes(op, array, keywords):
    """Masks are applied to all axes only: to some, the engine would have to see the mask."""
    axis = keywords.get("axis")
    if axis is None and not keywords.get("keepdims"):
        return
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    if axis is not None and len({a % max(array.ndim, 1) for a in axes}) == array.ndim and not (
            keywords.get("keepdims")):
        return
    raise _errors.make(
        "bad_option",
        f"{op}: a mask (where=, masked arrays, nulls) is honoured over all axes only, without "
        "keepdims=; fold the slices one by one")


def masked(op, arrays, mask, keywords, call):
    """Folds what a mask leaves; indices are those of the whole array."""
    import numpy

    refuse_axes(op, numpy.asarray(arrays[0]), keywords)
    keywords = {**keywords, "axis": None}
    values = call([numpy.asarray(a)[mask] for a in arrays], keywords)
    names = op.split(",")
    places = [name.removeprefix("nan") in ("argmin", "argmax") for name in names]
    if any(places):
        where = numpy.flatnonzero(mask)
        values = [where[int(v)] if place else v for v, place in zip(values, places)]
    return values


def put(op, out, value):
    import numpy

    value = numpy.asarray(value)
    if not isinstance(out, numpy.ndarray) or out.dtype != value.dtype:
        raise _errors.make(
            "type_mismatch", f"{op}: the answer is {value.dtype}; out must be an ndarray of that")
    if out.shape != value.shape:
        raise _errors.make(
            "shape_mismatch", f"{op}: the answer has shape {value.shape} and out {out.shape}")
    out[...] = value
    return out
