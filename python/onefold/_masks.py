"""Masks: where=, and those of arrays that bring one."""

from . import _errors
from ._found import numpy_for, on_device, unsupported
from ._numbers import sequence


def as_bools(op, where):
    """where= as an ndarray; None: everything is there."""
    if where is None or where is True:
        return None
    if on_device(where):
        raise _errors.make("bad_option", f"{op}: where= is on a device, and the array is not")
    if isinstance(where, (list, tuple)):
        where = memoryview(sequence(op, where))
        if where.format == "?":
            return where
    if hasattr(where, "__dlpack__") and not hasattr(where, "__array__"):
        where = numpy_for(op, "this where=").from_dlpack(where)
    where = unmasked(op, "where=", where)
    if where.dtype != bool:
        raise _errors.make("type_mismatch", f"{op}: where= is {where.dtype}, and must be bool")
    return where


def unmasked(op, name, x):
    """What stands beside the array, as an ndarray: a mask of its own would be lost."""
    numpy = numpy_for(op, f"this {name}" if name == "where=" else name)
    if isinstance(x, numpy.ma.MaskedArray) and numpy.ma.is_masked(x):
        raise unsupported(op, f"{name} has a mask, which would be lost; pass what it holds as an "
                          "ndarray")
    return numpy.asarray(x)


def joined(op, masks):
    """The mask of what all of them take; None: everything."""
    masks = [mask for mask in masks if mask is not None]
    if len(masks) < 2:
        return masks[0] if masks else None
    try:
        mask = masks[0]
        for more in masks[1:]:
            mask = numpy_for(op, "where= of an array with a mask").logical_and(mask, more)
        return mask
    except ValueError:
        shapes = " and ".join(str(mask.shape) for mask in masks)
        raise _errors.make(
            "shape_mismatch", f"{op}: masks of shapes {shapes} do not broadcast") from None


def put(op, out, value):
    import numpy

    value = numpy.asarray(value)
    if not isinstance(out, numpy.ndarray) or out.dtype != value.dtype:
        raise _errors.make(
            "type_mismatch", f"{op}: the answer is {value.dtype}; out must be an ndarray of that")
    if out.shape != value.shape:
        raise _errors.make(
            "shape_mismatch", f"{op}: the answer has shape {value.shape} and out {out.shape}")
    if not out.flags.writeable:
        raise _errors.make("bad_option", f"{op}: out is read-only")
    out[...] = value
    return out
