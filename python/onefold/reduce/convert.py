"""Calls of builtins, such as sum(x), whose arguments _core cannot read itself."""

import sys

from .. import _core, _ops, errors
from ..operands import expr, kind_of
from ..operands.frameworks import torch_names
from ..operands.wrap import long_names
from . import run, tensors
from .request import of_call

_rows = {}  # (op, torch.dtype) -> what `quickly` needs, or None: an answer may fail, or it is an op of two arrays
_told = []  # not empty: _core knows torch's tensors, and calls `quickly` and `tensors.called` first


def call(op, args, keywords):
    """Does the work of the builtin `op`."""
    if type(args[0]) is expr.Expr:
        args, keywords = expr.bound(op, args, keywords)
    request = of_call(kind_of(args[0]), op, args, keywords, run.fold_converted)
    torch = sys.modules.get("torch")
    if torch is not None and type(args[0]) is torch.Tensor and args[0].is_cuda:
        if not _told:
            tensors.see_torch()
            _core.set_tensor_type(torch.Tensor, quickly, tensors.called)
            _told.append(True)
        request.call = tensors.Call(op, (*args, *keywords.values()), tuple(keywords))
    if request.ops == "average" and request.y is None:
        request.run = run.fold
    try:
        return request.kind.fold(request)
    except errors.Error as error:
        if request.ops == op:
            raise
        raise errors.renamed(error, request.ops, op) from None


def _row(op, dtype):
    """The numbers of the op and of the type, and the answer's type if it differs."""
    torch = sys.modules["torch"]
    name = torch_names(torch).get(dtype)
    facts = _ops.ops.get(op)
    if name is None or facts is None or facts.inputs != 1 or facts.fits[name] <= 2**32:
        return None
    answer = getattr(torch, long_names[facts.types[name]])
    return list(_ops.ops).index(op), _core.dtypes.index(name), None if answer is dtype else answer


def quickly(op, x):
    """The answer of one op of a torch tensor, in a call without other arguments; no plan is needed.

    Each line takes a share of 8 us; most of these are torch's new_empty.
    """
    index = x.get_device()
    if index < 0:
        return call(op, (x,), {})
    dtype = x.dtype
    try:
        row = _rows[op, dtype]
    except KeyError:
        row = _rows[op, dtype] = _row(op, dtype)
    if row is None or not x.is_contiguous() or x.requires_grad or x.is_neg():
        return call(op, (x,), {})
    n = x.numel()
    if not 0 < n < 2**32:
        return call(op, (x,), {})
    op, number, other = row
    stream = (tensors.current_stream or tensors.see_torch())[0](index)
    answer = x.new_empty(()) if other is None else x.new_empty((), dtype=other)
    _core.fold_device_run(op, x.data_ptr(), number, n, index, answer.data_ptr(), stream)
    return answer
