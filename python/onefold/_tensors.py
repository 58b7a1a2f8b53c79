"""The shortest way of whole tensors of torch on a device: most calls, which take a few microseconds."""

import sys

from . import _core, _ops
from ._frameworks import find_nvrtc, torch_types

_torch_rows = {}  # (op, torch.dtype) -> (number of the type, type of the answer, may it fail)
_scratch = {}  # a device's byte for statuses that nobody reads


def _torch_row(op, dtype):
    torch = sys.modules["torch"]
    found = _torch_rows.get((op, dtype))
    if found is None:
        name = next((short for short, long in torch_types.items()
                     if getattr(torch, long, None) is dtype), None)
        if name is None or op not in _ops.ops or _ops.ops[op].inputs != 1:
            return None
        answer = _ops.ops[op].types[name]
        fails = _ops.ops[op].fits[name] <= 2**32
        found = (_core.dtypes.index(name), getattr(torch, torch_types[answer]), fails)
        _torch_rows[op, dtype] = found
    return found


def quickly(op, x):
    """The answer of one op of a torch tensor, where the call is as most are; else None."""
    row = _torch_row(op, x.dtype)
    if row is None or row[2] or not x.is_contiguous() or x.requires_grad:
        return None
    n, device = x.numel(), x.device
    if not 0 < n < 2**32:
        return None
    torch, index = sys.modules["torch"], device.index
    if not _scratch:
        find_nvrtc()
    scratch = _scratch.get(index)
    if scratch is None:
        with torch.cuda.device(index):
            if torch.cuda.is_current_stream_capturing():
                return None  # what a graph allocates is the graph's
        made = torch.empty(1, dtype=torch.uint8, device=device)
        scratch = _scratch[index] = (made, made.data_ptr())
    answer = torch.empty((), dtype=row[1], device=device)
    _core.fold_device_run(op, x.data_ptr(), row[0], n, index, answer.data_ptr(), scratch[1],
                          _stream_of(torch, index))
    return answer


def _stream_of(torch, index):
    # Of a device by number, without an object for it: 1 us less.
    raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    return raw(index) if raw else torch.cuda.current_stream(index).cuda_stream


def _quickly_or_not(op, x):
    return quickly(op, x) if x.is_cuda else None


def see_torch():
    """From now on _core knows torch's tensors, and calls without options come here at once."""
    _core.set_tensor_type(sys.modules["torch"].Tensor, _quickly_or_not)
