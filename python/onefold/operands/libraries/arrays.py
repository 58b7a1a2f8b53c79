"""Objects with __array__ or NumPy's array interface; and the error for everything else."""

from ..found import converted, numpy_for, type_name, unsupported
from ..kind import Kind
from .numpy import found


class _Arrays(Kind):
    def owns(self, x):
        return True  # the last kind that is asked

    def found(self, op, x):
        if not any(hasattr(x, name) for name in ("__array_interface__", "__array_struct__", "__array__")):
            raise unsupported(op, f"a {type_name(x)} cannot be folded; pass an array, a buffer, a sequence of numbers or the "
                                  "path of a file")
        numpy = numpy_for(op, f"a {type_name(x)}")
        return found(op, converted(op, x, lambda: numpy.asarray(x)))


kind = _Arrays()
