"""Fast paths for most calls with torch's tensors on a device, which take a few microseconds.

A whole tensor without keywords needs no plan. For other calls plans are kept, since programs fold tensors of
a few shapes again and again.
"""

import atexit
import math
import sys

from . import _core, _ops
from ._frameworks import find_nvrtc, torch_names, torch_types

_rows = {}  # (op, torch.dtype) -> what `quickly` needs, or None: the general path takes such calls
_scratch = {}  # bytes on the device for statuses that nobody reads
_plans = {}  # request -> a plan and the answers' (shape, type), or None: the general path takes such calls
atexit.register(_plans.clear)  # before nanobind counts what was not freed
_most_plans = 1024
_scratch_bytes = 2**16
_not_planned = ("where", "weights", "fweights", "out", "initial", "errors")


def _row(op, dtype):
    """The numbers of the op and of the type, and the answer's type if it differs."""
    torch = sys.modules["torch"]
    name = torch_names(torch).get(dtype)
    facts = _ops.ops.get(op)
    if name is None or facts is None or facts.inputs != 1 or facts.fits[name] <= 2**32:
        return None
    answer = getattr(torch, torch_types[facts.types[name]])
    return list(_ops.ops).index(op), _core.dtypes.index(name), None if answer is dtype else answer


def quickly(op, x):
    """The answer of one op of a torch tensor, if the call has only the usual arguments; otherwise None.

    Each line takes a share of 8 us; most of these are torch's new_empty.
    """
    index = x.get_device()
    if index < 0:
        return None
    dtype = x.dtype
    try:
        row = _rows[op, dtype]
    except KeyError:
        row = _rows[op, dtype] = _row(op, dtype)
    if row is None or not x.is_contiguous() or x.requires_grad:
        return None
    n = x.numel()
    if not 0 < n < 2**32:
        return None
    scratch = _scratch.get(index) or _scratch_of(index, x)
    if scratch is None:
        return None
    op, number, other = row
    answer = x.new_empty(()) if other is None else x.new_empty((), dtype=other)
    _core.fold_device_run(op, x.data_ptr(), number, n, index, answer.data_ptr(), scratch[0], scratch[1](index))
    return answer


def _scratch_of(index, x):
    """The address of the bytes, the function that returns the current stream, and the bytes'
    tensor."""
    torch = sys.modules["torch"]
    find_nvrtc()
    with torch.cuda.device(index):
        if torch.cuda.is_current_stream_capturing():
            return None  # memory allocated while a graph is captured belongs to the graph
    made = x.new_empty(_scratch_bytes, dtype=torch.uint8)
    # By the device's number, without making a device object: 1 us less.
    stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
        lambda index: torch.cuda.current_stream(index).cuda_stream)
    _scratch[index] = made.data_ptr(), stream, made
    return _scratch[index]


def planned(ops, given, keywords, plan):
    """The answers to `ops` of one or two tensors, as a list, by a kept plan; None: use the general path.

    plan  makes a plan for these arguments
    """
    x, torch = given[0], sys.modules["torch"]
    index = x.get_device()
    if index < 0:
        return None
    scratch = _scratch.get(index) or _scratch_of(index, x)
    if scratch is None:
        return None
    stream = scratch[1](index)
    asked = [ops, index, stream]
    for tensor in given:
        if (type(tensor) is not torch.Tensor or tensor.get_device() != index or tensor.requires_grad
                or tensor.layout is not torch.strided or tensor.is_neg()):
            return None
        asked += tensor.dtype, tensor.shape, tensor.stride()
    for name, value in keywords.items():
        if value is not None:
            if name in _not_planned or (type(value) is tuple and any(type(one) is not int for one in value)):
                return None
            asked += name, type(value), value
    asked = tuple(asked)
    try:
        kept = _plans[asked]
    except KeyError:
        if len(_plans) >= _most_plans:
            _plans.clear()
        kept = _plans[asked] = _kept(plan())
    except TypeError:  # a list of axes cannot be a key
        return None
    if kept is None:
        return None
    run_at, answers, places = kept
    made = [x.new_empty(shape, dtype=dtype) for shape, dtype in answers]
    run_at(x.data_ptr(), given[1].data_ptr() if len(given) == 2 else 0, [a.data_ptr() for a in made],
           [scratch[0] + place for place in places])
    return made


def _kept(plan):
    torch, shape = sys.modules["torch"], plan.shape
    n = math.prod(shape)
    if any(may_fail for _, _, may_fail, _ in plan.ops) or not 0 < n * len(plan.ops) <= _scratch_bytes:
        return None
    types = [getattr(torch, torch_types[name]) for _, name, _, _ in plan.ops]
    return plan.run_at, [(shape, dtype) for dtype in types], [n * k for k in range(len(types))]


def see_torch():
    """Tells _core about torch's tensor type, so that calls without options come here directly."""
    _core.set_tensor_type(sys.modules["torch"].Tensor, quickly)
