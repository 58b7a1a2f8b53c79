"""Buffers of Python: memoryview, bytearray, array.array. Their answers are Python's numbers."""

from ..found import Found, numpy_for
from ..kind import Kind
from ..wrap import as_python
from .numpy import found


class _Buffers(Kind):
    def owns(self, x):
        if hasattr(x, "__array_namespace__"):  # a library's array, whose answers must be of that library
            return False
        try:
            memoryview(x)  # ValueError: it is released
        except (TypeError, BufferError):
            return False
        return True

    def found(self, op, x):
        view = memoryview(x)
        if view.format[:1] not in (">", "!"):
            return Found(view, as_python)
        numpy = numpy_for(op, "a big-endian buffer")
        return Found(found(op, numpy.asarray(view)).array, as_python)


kind = _Buffers()
