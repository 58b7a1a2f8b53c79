"""Arrays of JAX (jaxlib has their type), on the host or on a device; each answer is an array of JAX."""

import sys

from ... import _core
from .. import views
from ..found import Found, on_device
from ..kind import Kind
from ..small import widened
from ..wrap import as_jax, jax_type


class _Jax(Kind):
    has_devices = True

    def owns(self, x):
        return hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__")

    def on_device(self, x):
        return on_device(x)

    def found(self, op, x):
        if on_device(x):
            return Found(x, there=True)
        return Found(views.exported(op, widened(x) if x.dtype.itemsize == 1 else x), as_jax, type_of=jax_type)

    def type_of(self, dtype):
        return jax_type(dtype)

    def like(self, x, answer):
        if answer.dtype.kind == "c":
            return sys.modules["jax"].numpy.asarray(answer)
        return as_jax(answer, _core.dtype_name(answer.dtype))


kind = _Jax()
