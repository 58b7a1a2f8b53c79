"""Arrays of any library that exports them by DLPack: the answers get the library's type."""

from ... import _core
from .. import views
from ..found import Found, numpy_for, unsupported
from ..kind import Kind
from ..wrap import as_array_of
from .numpy import kind as numpy_kind


class _Dlpack(Kind):
    def owns(self, x):
        return hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__")

    def fold(self, request):
        if not _is_complex(request.x):
            return super().fold(request)
        namespace = request.x.__array_namespace__()
        plain = request.replace(x=_ndarray(request.x), y=_ndarray(request.y), kind=numpy_kind, make=None)
        values = [namespace.asarray(value) for value in numpy_kind.fold(plain)]
        return values if request.make is None else request.make(values)

    def found(self, op, x):
        if getattr(x, "requires_grad", False):
            raise unsupported(op, "the tensor requires grad; fold x.detach(), or see onefold.torch")
        namespace = getattr(x, "__array_namespace__", lambda: None)()
        return Found(views.exported(op, x), as_array_of(op, namespace))

    def like(self, x, answer):
        namespace = getattr(x, "__array_namespace__", lambda: None)()
        if answer.dtype.kind == "c":
            return namespace.asarray(answer) if hasattr(namespace, "asarray") else answer
        return as_array_of("onefold", namespace)(answer, _core.dtype_name(answer.dtype))


def _is_complex(x):
    """Whether x is an array of complex numbers, of a library of the Array API, that lies on the CPU."""
    return "complex" in str(getattr(x, "dtype", "")) and hasattr(x, "__array_namespace__") and x.__dlpack_device__()[0] == 1


def _ndarray(x):
    return numpy_for("onefold", "an array of complex numbers").from_dlpack(x) if _is_complex(x) else x


kind = _Dlpack()
