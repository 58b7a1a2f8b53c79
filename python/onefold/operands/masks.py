"""Arrays that go with another one: where=, weights, keys, and the masks of masked arrays."""

import sys

from .. import _core, _ops, errors
from . import find
from .found import dtype_of, ndarray_of, numpy_for, unsupported


def beside(op, name, x):
    """An array that goes with another one (where=, weights=, keys, ...), converted for _core,
    without a mask. What is converted already is returned."""
    if isinstance(x, _core.View):
        return x
    found = find(f"{op}: {name}", x)
    if found.there:
        raise errors.make("bad_option", f"{op}: {name} is on a device, but the array is not; copy one of them")
    if found.mask is not None and not found.mask.all():
        raise unsupported(op, f"{name} has a mask or nulls, which would be lost; pass its data as "
                          "an ndarray")
    return found.array


def as_ndarray(op, name, x):
    """Like beside(), as an ndarray."""
    return ndarray_of(f"{op}: {name}", beside(op, name, x))


def is_masked(x):
    """Whether x is one of NumPy's masked arrays."""
    return "numpy" in sys.modules and isinstance(x, sys.modules["numpy"].ma.MaskedArray)


def bools(op, where):
    """Converts a mask of bools for _core; raises type_mismatch for other types."""
    array = beside(op, "where=", where)
    dtype = dtype_of(array) if isinstance(array, memoryview) else str(array.dtype)
    if dtype != "bool":
        raise errors.make("type_mismatch", f"{op}: where= is {dtype}, but must be bool")
    return array


def mask_of(op, found, where):
    """Returns the mask of the elements that count, or None if all do."""
    own = [f.mask for f in found if f.mask is not None]
    if where is None or where is True:
        masks = own
    elif not own:
        return bools(op, where)
    else:
        bools(op, where)
        masks = [as_ndarray(op, "where=", where), *own]
    try:
        mask = masks[0] if masks else None
        for more in masks[1:]:
            mask = numpy_for(op, "where= of an array with a mask").logical_and(mask, more)
        return mask
    except ValueError:
        shapes = " and ".join(str(mask.shape) for mask in masks)
        raise errors.make(
            "shape_mismatch", f"{op}: masks of shapes {shapes} do not broadcast") from None


def absent_from(shape, mask, request):
    """Which answers of a masked array have no element, since it masks them all, with the folded axes; nomask: none."""
    numpy = sys.modules["numpy"]
    if mask is None or request.initial is not None:
        return numpy.ma.nomask
    try:
        mask = numpy.broadcast_to(mask, shape)
        absent = ~_core.fold_array("any", mask, None, {"axis": request.axis, "keepdims": True})[0]
    except (ValueError, errors.Error):
        return numpy.ma.nomask  # the fold reports the error
    return absent if absent.any() else numpy.ma.nomask


def without_axes(value, request):
    """Reshapes a value that has one element along each folded axis to the requested shape."""
    axis = request.axis
    if not request.keepdims:
        value = value.reshape(()) if axis is None else value.squeeze(tuple(axis) if isinstance(axis, list) else axis)
    return value[()]


def masked(op, value, absent, request):
    """Masks answers without elements, as numpy.ma does. Counts stay plain arrays."""
    numpy = sys.modules["numpy"]
    if not op.startswith("count"):
        if not value.ndim and absent is not numpy.ma.nomask:  # a single answer
            return numpy.ma.masked
        value = numpy.ma.array(value, mask=absent) if value.ndim else value
    return value if absent is numpy.ma.nomask else without_axes(value, request)


def without_freedom(op, value, shape, mask, request):
    """Masks answers of a masked array that have no more elements than ddof, as its var() does."""
    free = request.ddof or request.correction
    if not free or mask is None or not _ops.ops[op].uses_ddof:
        return value
    numpy = sys.modules["numpy"]
    lacking = _core.fold_array("sum", numpy.broadcast_to(mask, shape), None, {
        "axis": request.axis, "keepdims": request.keepdims})[0] <= free
    if not numpy.any(lacking):
        return value
    return numpy.ma.array(value, mask=numpy.ma.getmaskarray(value) | lacking) if numpy.ndim(value) else numpy.ma.masked
