"""Tensors of torch, on the host or on a device; each answer is a tensor there."""

import sys

from ... import _core
from .. import views
from ..found import Found, unsupported
from ..frameworks import torch_names
from ..kind import Kind
from ..small import widened
from ..wrap import as_torch


class _Torch(Kind):
    by_type = has_devices = True

    def owns(self, x):
        torch = sys.modules.get("torch")
        return torch is not None and isinstance(x, torch.Tensor)

    def on_device(self, x):
        return x.is_cuda

    def found(self, op, x):
        if x.is_cuda:
            return Found(x, there=True)
        if x.requires_grad:
            raise unsupported(op, "the tensor requires grad; fold x.detach(), or see onefold.torch")
        if x.dtype.itemsize == 1:
            x = widened(x)
            if x.dtype not in torch_names(sys.modules["torch"]):  # DLPack has int4 as a byte
                raise unsupported(op, f"a tensor of {x.dtype} cannot be folded; convert it")
        return Found(views.exported(op, x), as_torch)

    def like(self, x, answer):
        if answer.dtype.kind == "c":
            return sys.modules["torch"].from_numpy(sys.modules["numpy"].asarray(answer))
        return as_torch(answer, _core.dtype_name(answer.dtype))


kind = _Torch()
