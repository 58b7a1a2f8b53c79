"""Arrays of any library that exports them by DLPack: the answers get the library's type."""

from .. import _views
from .._found import Found, unsupported
from .._kind import Kind
from .._wrap import as_array_of


class _Dlpack(Kind):
    def owns(self, x):
        return hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__")

    def found(self, op, x):
        if getattr(x, "requires_grad", False):
            raise unsupported(op, "the tensor requires grad; fold x.detach(), or see onefold.torch")
        namespace = getattr(x, "__array_namespace__", lambda: None)()
        return Found(_views.exported(op, x), as_array_of(op, namespace))


kind = _Dlpack()
