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
_plans = {}  # request -> a _Kept, or None: the general path takes such calls
tensor_type = None  # torch.Tensor, once the program has imported torch and a tensor was given
atexit.register(_plans.clear)  # before nanobind counts what was not freed
_most_plans = 1024
_not_planned = ("fweights", "out", "initial", "errors")
_planned = ("ops", "x", "y", "offsets", "axis", "keepdims", "ddof", "correction", "nan", "result", "threads", "where",
            "weights")


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
    if row is None or not x.is_contiguous() or x.requires_grad or x.is_neg():
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
    global tensor_type
    torch = sys.modules["torch"]
    tensor_type = torch.Tensor
    find_nvrtc()
    # By the device's number, without making a device object: 1 us less.
    stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
        lambda index: torch.cuda.current_stream(index).cuda_stream)
    _stream[:] = stream, torch.Tensor, torch.strided
    return _stream


class _Kept:
    """A plan, and what a call of it needs.

    second   whether the second argument is an array, too
    beside   the places of where= and weights= among the arguments, the latter 0 if there are none; None: neither
    """

    __slots__ = "run_at", "shape", "types", "second", "make", "beside"

    def __init__(self, run_at, shape, types, second, make, beside=None):
        self.run_at, self.shape, self.second, self.make, self.beside = run_at, shape, second, make, beside
        torch = sys.modules["torch"]
        self.types = [getattr(torch, torch_types[name]) for name in types]

    def run(self, args, outs):
        y = args[1].data_ptr() if self.second else 0
        if self.beside is None:
            return self.run_at(args[0].data_ptr(), y, outs)
        mask, weights = (args[k].data_ptr() if k else 0 for k in self.beside)
        return self.run_at(args[0].data_ptr(), y, mask, weights, outs)


def called(op, args, names, plans=False):
    """The answer of a call of the builtin `op`, by a kept plan; None: use the general path.

    names  of the last of the arguments
    plans  makes a plan if none is kept: for arguments that the builtin has checked
    """
    kept = _kept(_request(op, names, args), _plan_call if plans else _no_plan, op, args, names)
    if kept is None:
        return None
    x, shape = args[0], kept.shape
    answer = x.new_empty(shape, dtype=kept.types[0])
    kept.run(args, [answer.data_ptr()])
    return answer


def folded(keywords):
    """What `onefold.fold` returns for its arguments, by a kept plan; None: use the general path."""
    (ops, *given), names = _given(keywords)
    kept = _kept(_request(ops, names, given), _plan_fold, ops, given, names)
    if kept is None:
        return None
    x, shape = given[0], kept.shape
    made = [x.new_empty(shape, dtype=dtype) for dtype in kept.types]
    kept.run(given, [a.data_ptr() for a in made])
    return kept.make(*made)


def folded_segments(keywords):
    """Does the same for `onefold.fold_segments` with errors="defer"."""
    if keywords["errors"] != "defer":
        return None
    (ops, *given), names = _given(keywords)
    kept = _kept(_request(ops, names, given), _plan_segments, ops, given, names)
    if kept is None:
        return None
    x, shape, n = given[0], kept.shape, len(kept.types)
    made = [x.new_empty(shape, dtype=dtype) for dtype in kept.types]
    status = x.new_empty(shape if n == 1 else (n, *shape), dtype=sys.modules["torch"].uint8)
    each = [status] if n == 1 else status.unbind()
    y = given[2].data_ptr() if kept.second else 0
    kept.run_at(x.data_ptr(), y, given[1].data_ptr(), [a.data_ptr() for a in made], [a.data_ptr() for a in each])
    return kept.make(*zip(made, each))


def _given(keywords):
    """The values that are given, and their names."""
    names, values = [], []
    for name, value in keywords.items():
        if value is not None:
            names.append(name)
            values.append(value)
    return values, tuple(names)


def _request(ops, names, args):
    """A key of the kept plans, or None if tensors among the arguments are unusual ones."""
    x = args[0]
    index = x.get_device()
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


def _kept(asked, make, ops, args, names):
    """The kept plan of a request. If there is none, the plan that make(ops, args, names) makes is kept."""
    if asked is None:
        return None
    try:
        return _plans[asked]
    except KeyError:
        pass
    except TypeError:  # a list of axes cannot be a key
        return None
    kept = make(ops, args, names)
    if kept is not _wrong:
        if len(_plans) >= _most_plans:
            _plans.clear()
        _plans[asked] = kept
        return kept


_wrong = object()  # instead of a plan: the general path takes the call, and reports what is wrong with it


def _no_plan(ops, args, names):
    return _wrong


def _plan_call(op, args, names):
    from . import _device, _normal

    if any(name in _not_planned for name in names):
        return _wrong
    count = len(args) - len(names)
    try:
        base, x, y, keywords = _normal.normal(op, args[:count], dict(zip(names, args[count:])))
        data = 1 if y is None else 2
        beside = _beside(args, names, data, count)
        if beside is _wrong or (y is not None and _is_converted(x, y)):
            return _wrong
        return _keep(_device.plan(base, args[:data], keywords), y is not None, beside)
    except Exception:
        return _wrong


def _plan_fold(ops, args, names):
    from . import _answers, _device

    data = 1 + ("y" in names)
    beside = _beside(args, names[1:], data)
    if any(name not in _planned for name in names) or beside is _wrong or (data == 2 and _is_converted(*args[:2])):
        return _wrong
    try:
        ops = _answers._names_of(ops)
        plan = _device.plan(ops, args[:data], dict(zip(names[1 + data:], args[data:])))
        return _keep(plan, data == 2, beside, _answers._type_of(tuple(ops.split(","))))
    except Exception:
        return _wrong


def _plan_segments(ops, args, names):
    from . import _answers, _device

    data = 2 + ("y" in names)
    if any(name not in (*_planned, "errors") for name in names) or _beside(args, names[1:], data) is not None:
        return _wrong
    if data == 3 and _is_converted(args[0], args[2]):
        return _wrong
    keywords = dict(zip(names[1 + data:], args[data:]))
    try:
        ops = _answers._names_of(ops)
        one, count, plan = _device.plan_segments(ops, (args[0], *args[2:data]), args[1], keywords)
    except Exception:
        return _wrong
    shape = count, *one.shape
    if math.prod(shape) == 0:
        return None
    types = [name for _, name, _, _ in one.ops]
    return _Kept(plan.run_at, shape, types, data == 3, _answers._type_of(tuple(ops.split(","))))


def _is_converted(x, y):
    """Whether one of a pair is converted first, so that a plan reads a copy."""
    return x.dtype is not y.dtype


def _beside(args, names, data, unnamed=0):
    """The places of where= and weights= among the arguments, of which the first ones are data; None: there are none.

    unnamed  how many of the arguments have no name
    returns  `_wrong`, too: other arguments are tensors, since the key of a plan does not have their values; or the
             weights would be converted first
    """
    places = [0, 0]
    for k, one in enumerate(args):
        if (type(one) is tensor_type) == (k < data):
            continue
        name = names[k - unnamed] if k >= unnamed else None
        x = args[0]
        if k < data or name not in ("where", "weights"):
            return _wrong
        if name == "weights" and (one.ndim not in (0, x.ndim) or one.dtype is not x.dtype or not x.is_floating_point()):
            return _wrong
        places[name == "weights"] = k
    return tuple(places) if any(places) else None


def _keep(plan, second, beside, make=None):
    """What a call needs, or None: if an answer may fail, it needs a status."""
    if any(may_fail for _, _, may_fail, _ in plan.ops) or math.prod(plan.shape) == 0:
        return None
    run_at = plan.run_at if beside is None else plan.run_beside
    return _Kept(run_at, plan.shape, [name for _, name, _, _ in plan.ops], second, make, beside)


def see_torch():
    """Tells _core about torch's tensor type, so that calls without options come here directly."""
    _core.set_tensor_type(sys.modules["torch"].Tensor, quickly, called)
