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
_stream = []  # what returns the current stream of a device, by its number; torch.Tensor, torch.strided
_plans = {}  # request -> a plan and the answers' (shape, type), or None: the general path takes such calls
atexit.register(_plans.clear)  # before nanobind counts what was not freed
_most_plans = 1024
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
    op, number, other = row
    stream = (_stream or _find_stream())[0](index)
    answer = x.new_empty(()) if other is None else x.new_empty((), dtype=other)
    _core.fold_device_run(op, x.data_ptr(), number, n, index, answer.data_ptr(), stream)
    return answer


def _find_stream():
    torch = sys.modules["torch"]
    find_nvrtc()
    # By the device's number, without making a device object: 1 us less.
    stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
        lambda index: torch.cuda.current_stream(index).cuda_stream)
    _stream[:] = stream, torch.Tensor, torch.strided
    return _stream


def called(op, args, names, plans=False):
    """The answer of a call of the builtin `op`, by a kept plan; None: use the general path.

    names  of the last of the arguments
    plans  makes a plan if none is kept: for arguments that the builtin has checked
    """
    for name in names:
        if name in _not_planned:
            return None
    asked = _request(op, names, args)
    if asked is None:
        return None
    try:
        kept = _plans[asked]
    except KeyError:
        kept = _plan_call(op, args, names) if plans else _wrong
        if kept is _wrong:
            return None
        _keep(asked, kept)
    except TypeError:  # a list of axes cannot be a key
        return None
    if kept is None:
        return None
    return _run(kept, *(one for one in args if type(one) is type(args[0])))[0]


_wrong = object()  # instead of a plan: the general path reports what is wrong with the call


def _plan_call(op, args, names):
    from . import _convert, _device

    count = len(args) - len(names)
    try:
        base, x, y, keywords = _convert.normal(op, args[:count], dict(zip(names, args[count:])))
        # The key has no values of tensors, so one that says something else than the data is not planned.
        if any(type(one) is type(x) for one in args[1 if y is None else 2:]):
            return _wrong
        return _kept(_device.plan(base, [x] if y is None else [x, y], keywords))
    except Exception:
        return _wrong


def _request(ops, names, args):
    """A key of the kept plans, or None if tensors among the arguments are unusual ones."""
    x = args[0]
    index = x.get_device()
    if index < 0:
        return None
    stream, tensor, strided = _stream or _find_stream()
    asked = [ops, names, index, stream(index)]
    for one in args:
        kind = type(one)
        if kind is tensor:
            if one.get_device() != index or one.requires_grad or one.layout is not strided or one.is_neg():
                return None
            asked += one.dtype, one.shape, one.stride()
        elif kind is tuple and any(type(each) is not int for each in one):
            return None
        else:
            asked += kind, one
    return tuple(asked)


def planned(ops, given, keywords, plan):
    """The answers to `ops` of one or two tensors, as a list, by a kept plan; None: use the general path.

    plan  makes a plan for these arguments
    """
    named = {name: value for name, value in keywords.items() if value is not None}
    if any(name in named for name in _not_planned) or any(type(x) is not type(given[0]) for x in given):
        return None
    asked = _request(ops, tuple(named), (*given, *named.values()))
    if asked is None:
        return None
    try:
        kept = _plans[asked]
    except KeyError:
        kept = _keep(asked, _kept(plan()))
    except TypeError:
        return None
    return None if kept is None else _run(kept, *given)


def _keep(asked, kept):
    if len(_plans) >= _most_plans:
        _plans.clear()
    _plans[asked] = kept
    return kept


def _run(kept, x, y=None):
    run_at, shape, types = kept
    made = [x.new_empty(shape, dtype=dtype) for dtype in types]
    run_at(x.data_ptr(), 0 if y is None else y.data_ptr(), [a.data_ptr() for a in made])
    return made


def _kept(plan):
    """What `planned` needs. No answer may fail, so none needs a status."""
    if any(may_fail for _, _, may_fail, _ in plan.ops) or math.prod(plan.shape) == 0:
        return None
    torch = sys.modules["torch"]
    return plan.run_at, plan.shape, [getattr(torch, torch_types[name]) for _, name, _, _ in plan.ops]


def see_torch():
    """Tells _core about torch's tensor type, so that calls without options come here directly."""
    _core.set_tensor_type(sys.modules["torch"].Tensor, quickly, called)
