"""Quantiles of segments of the first axis: offsets= of quantile() and median()."""

from .. import _core, errors
from ..groups.grouping import offsets_of
from ..operands import find
from ..operands.elements import along
from ..operands.found import dtype_of, on_device
from ..operands.masks import as_ndarray, mask_of
from ..reduce.slices import float_type


def of_segments(request, offsets, words, method):
    """The quantiles as a list, or, of a tensor on a device, as one array."""
    op, x = request.ops, request.x
    for name in ("axis", "keepdims", *request.reading):
        value = request.reading.get(name, getattr(request, name, None))
        if value is not None and value is not False:
            raise errors.make("bad_option", f"{op}: {name}= is not available for quantiles of segments; leave it out")
    if on_device(x):
        from .device_quantiles import quantiles_of_segments

        return quantiles_of_segments(request, offsets, words, method)
    found = find(op, x)
    where = request.kind.agreeing(op, "where=", x, request.where)
    mask = mask_of(op, [found], where)
    shape = tuple(found.array.shape)
    weights = {name: along(op, shape, as_ndarray(op, f"{name}=", request.kind.agreeing(op, f"{name}=", x, w)), 0)
               for name in ("weights", "fweights") if (w := getattr(request, name)) is not None}
    dtype = found.type_of(float_type(dtype_of(found.array)))
    values = _core.quantile_segments(op, words, method, found.array, offsets_of(op, "offsets=", offsets),
                                     {"nan": request.nan, "where": mask, "threads": request.threads, "result": dtype,
                                      **weights})
    return [found.wrap(value, dtype) for value in values]
