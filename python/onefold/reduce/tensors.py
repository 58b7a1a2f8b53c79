"""Kept plans for calls with torch's tensors on a device, since programs fold tensors of a few shapes again and again.

A kept plan takes a few microseconds. The first call of its kind goes the way of all tensors, which makes the plan.
"""

import atexit
import math
import sys

from ..operands.frameworks import find_nvrtc
from ..operands.wrap import long_names

current_stream = []  # what returns the current stream of a device, by its number; torch.Tensor, torch.strided
_plans = {}  # key of a call -> a _Kept
tensor_type = None  # torch.Tensor, once the program has imported torch and a tensor was given
atexit.register(_plans.clear)  # before nanobind counts what was not freed
_most_plans = 1024


def see_torch():
    """Finds what plans of torch's tensors need, and tensor_type, in a program that has imported torch."""
    global tensor_type
    torch = sys.modules["torch"]
    tensor_type = torch.Tensor
    find_nvrtc()
    # By the device's number, without making a device object: 1 us less.
    stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
        lambda index: torch.cuda.current_stream(index).cuda_stream)
    current_stream[:] = stream, torch.Tensor, torch.strided
    return current_stream


class _Kept:
    """A plan, and what a call of it needs.

    second   whether the second argument is an array, too
    beside   the places of where= and weights= among the arguments, the latter 0 if there are none; None: neither
    """

    __slots__ = "run_at", "shape", "types", "second", "beside"

    def __init__(self, run_at, shape, ops, second, beside=None):
        self.run_at, self.shape, self.second, self.beside = run_at, shape, second, beside
        torch = sys.modules["torch"]
        self.types = [getattr(torch, long_names[name]) for _, name, _, _ in ops]

    def run(self, args, outs):
        y = args[1].data_ptr() if self.second else 0
        if self.beside is None:
            return self.run_at(args[0].data_ptr(), y, outs)
        mask, weights = (args[k].data_ptr() if k else 0 for k in self.beside)
        return self.run_at(args[0].data_ptr(), y, mask, weights, outs)


class Call:
    """The arguments of a call with tensors, without those that are None; and the key of the plan for such calls.

    names  of the last of the arguments
    make   makes the answer of a list of answers
    """

    __slots__ = "args", "names", "key", "make"

    def __init__(self, ops, args, names, make=None):
        self.args, self.names, self.make = args, names, make
        self.key = _key(ops, names, args)

    def kept(self):
        """The kept plan, or None."""
        try:
            return _plans.get(self.key)
        except TypeError:  # a list of axes cannot be a key
            return None


def called(op, args, names):
    """The answer of a call of the builtin `op`, whose arguments nobody has checked yet; None: no plan is kept for it."""
    kept = Call(op, args, names).kept()
    return None if kept is None else answer_of(kept, args)


def answer_of(kept, args):
    """The answer of one op, by a kept plan."""
    answer = args[0].new_empty(kept.shape, dtype=kept.types[0])
    kept.run(args, [answer.data_ptr()])
    return answer


def call_of(ops, keywords, parameters, make):
    """The Call of onefold.fold or fold_segments with these arguments, in the order of the parameters."""
    names = tuple([name for name in parameters if keywords[name] is not None])
    return Call(ops, [keywords[name] for name in names], names, make)


def folded(kept, call):
    """What `onefold.fold` returns, by a kept plan."""
    x, shape = call.args[0], kept.shape
    made = [x.new_empty(shape, dtype=dtype) for dtype in kept.types]
    kept.run(call.args, [a.data_ptr() for a in made])
    return call.make(*made)


def folded_segments(kept, call):
    """What `onefold.fold_segments` returns with errors="defer", by a kept plan."""
    x, offsets = call.args[:2]
    y = call.args[2] if kept.second else None
    shape, n = kept.shape, len(kept.types)
    made = [x.new_empty(shape, dtype=dtype) for dtype in kept.types]
    status = x.new_empty(shape if n == 1 else (n, *shape), dtype=sys.modules["torch"].uint8)
    each = [status] if n == 1 else status.unbind()
    kept.run_at(x.data_ptr(), 0 if y is None else y.data_ptr(), offsets.data_ptr(), [a.data_ptr() for a in made],
                [a.data_ptr() for a in each])
    return call.make(*zip(made, each))


def _key(ops, names, args):
    """A key of the kept plans, or None if tensors among the arguments are unusual ones."""
    x = args[0]
    index = x.get_device()
    if index < 0:
        return None
    stream, tensor, strided = current_stream or see_torch()
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


def keep(call, given, plan):
    """Keeps the plan of a call, unless an answer may fail and needs a status, or the plan reads a converted copy.

    given  the request as the caller made it
    """
    if call.key is None or any(v is not None for v in (
            given.fweights, given.out, given.initial, given.errors, given.empty_nan)):
        return
    if any(may_fail for _, _, may_fail, _ in plan.ops) or math.prod(plan.shape) == 0:
        return
    if not _reads_originals(given, call.args, 1 if given.y is None else 2):
        return
    places = [next((k for k, one in enumerate(call.args) if one is array), 0) if type(array) is tensor_type else 0
              for array in (given.where, given.weights)]
    beside = tuple(places) if any(places) else None
    run_at = plan.run_at if beside is None else plan.run_beside
    _keep(call, _Kept(run_at, plan.shape, plan.ops, given.y is not None, beside))


def keep_segments(call, given, one, count, plan):
    """Like keep(), for segments; one: the plan of a single segment."""
    shape = count, *one.shape
    if call.key is None or math.prod(shape) == 0 or given.fweights is not None or given.initial is not None or any(
            type(array) is tensor_type for array in (given.where, given.weights)):
        return
    if _reads_originals(given, call.args, 2 if given.y is None else 3):
        _keep(call, _Kept(plan.run_at, shape, one.ops, given.y is not None))


def keep_windows(call, given, plan, shape, planned):
    """Like keep(), for windows of a rule whose answers cannot fail; plan: a fold along their axis."""
    if call.key is not None and math.prod(shape) != 0 and _reads_originals(given, call.args, 1):
        _keep(call, _Kept(planned.run_at, shape, plan.ops, False))


def _reads_originals(given, args, data):
    """Whether the arrays are folded as they are. data: how many arguments come before those beside the elements."""
    x, y, weights = given.x, given.y, given.weights
    if any(type(one) is not tensor_type for one in args[:data]):
        return False
    if any(type(one) is tensor_type and one is not given.where and one is not weights for one in args[data:]):
        return False  # the key of a plan does not have its values
    if y is not None and y.dtype is not x.dtype:
        return False
    return weights is None or (weights.ndim in (0, x.ndim) and weights.dtype is x.dtype and x.is_floating_point())


def _keep(call, kept):
    if len(_plans) >= _most_plans:
        _plans.clear()
    try:
        _plans[call.key] = kept
    except TypeError:  # a list of axes cannot be a key
        pass
