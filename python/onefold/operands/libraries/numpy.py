"""NumPy's arrays and scalars, masked arrays, and subclasses that lose nothing as arrays."""

import sys

from .. import rational_numbers
from ..found import Found, type_name, unsupported
from ..kind import Kind
from ..small import widened


class _Numpy(Kind):
    by_type = has_times = has_rationals = True

    def owns(self, x):
        numpy = sys.modules.get("numpy")
        return numpy is not None and isinstance(x, (numpy.ndarray, numpy.generic))

    def found(self, op, x):
        return rational_numbers.found(op, self.rationals(op, x)) if self.is_rationals(x) else found(op, x)

    def is_rationals(self, x):
        return x.dtype == object and x.dtype.names is None and rational_numbers.are_objects(x.ravel())

    def rationals(self, op, x):
        column = rational_numbers.of_objects(op, sys.modules["numpy"].asarray(x).ravel(), x.shape)
        if isinstance(x, sys.modules["numpy"].ma.MaskedArray):
            column.there &= ~sys.modules["numpy"].ma.getmaskarray(x)
        return column

    def is_times(self, x):
        return x.dtype.kind in "mM"

    def times(self, op, x):
        if isinstance(x, sys.modules["numpy"].generic):
            x = sys.modules["numpy"].asarray(x)
        return x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("=")), None


def found(op, x):
    """The Found of an ndarray or a scalar; other kinds make ndarrays of their own, and come here, too."""
    numpy = sys.modules["numpy"]
    if isinstance(x, numpy.generic):
        x = numpy.asarray(x)
    mask, masked = None, isinstance(x, numpy.ma.MaskedArray)
    if masked:
        mask = numpy.ma.getmask(x)
        if x.dtype.names is not None:
            raise unsupported(op, f"an array of records, {x.dtype}, cannot be folded; fold its fields one by one")
        mask = None if mask is numpy.ma.nomask else ~numpy.asarray(mask)
        x = numpy.asarray(x.data)
    if type(x) is not numpy.ndarray and not isinstance(x, (numpy.matrix, numpy.memmap)):
        for name in ("unit", "units", "mask"):
            if hasattr(x, name):
                raise unsupported(
                    op, f"a {type_name(x)} would lose its {name}; pass its data as an ndarray")
    if x.dtype.kind in "mM":
        raise unsupported(op, f"an array of dtype {x.dtype} is not supported here; min, max, mean, ptp, median and some others "
                          "support it")
    if x.dtype.kind == "c" and x.dtype.itemsize <= 16:
        raise unsupported(op, f"an array of dtype {x.dtype} cannot be folded here; sum, mean, var, std, norm2, dot and vecdot support it")
    if not x.dtype.isnative:
        x = x.astype(x.dtype.newbyteorder("="))
    if x.dtype.itemsize == 1 and x.dtype.num >= 256:  # of a library
        x = widened(x)
        if x.dtype.num >= 256:
            raise unsupported(op, f"an array of dtype {x.dtype} cannot be folded")
    return Found(numpy.asarray(x), mask=mask, masked=masked)


kind = _Numpy()
