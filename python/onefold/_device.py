"""Tensors of torch, CuPy, JAX and others: folded where they are, on their current stream.

A device folds arrays of any strides, whole or along axes. Nothing is copied; nothing is waited for but
a status, and that only where an answer of this type may have none: an integer sum that could overflow,
nan="raise".
"""

import functools
import os
import sys

from . import _core, _errors, _ops
from ._found import on_device, type_name
from ._frameworks import Waiting, framework_of, jax_type, torch_types


@functools.cache
def _find_nvrtc():
    """NVRTC of pip's nvidia packages, where nobody has named another one."""
    if "ONEFOLD_NVRTC" in os.environ:
        return
    import glob
    import importlib.util

    spec = importlib.util.find_spec("nvidia")
    for folder in (spec.submodule_search_locations if spec else ()):
        for pattern in ("cu13/lib", "cuda_nvrtc/lib"):
            found = [f for f in sorted(glob.glob(os.path.join(folder, pattern, "libnvrtc.so.*")))
                     if "alt" not in f]
            if found:
                os.environ["ONEFOLD_NVRTC"] = found[0]
                return


def _name_of(result):
    if result is None:
        return None
    return _core.dtype_name(str(result).removeprefix("torch."))


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
        _find_nvrtc()
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


def answer_type(op, dtype, result):
    """The type of the answer to `op`."""
    return result or _ops.ops[op].types[dtype]


def _where_it_is(f):
    """f(ops, given, ...) with the device of a tensor as torch's current one, as its calls want it."""
    @functools.wraps(f)
    def wrapped(ops, given, *rest):
        torch = sys.modules.get("torch")
        index = given[0].device.index if torch and isinstance(given[0], torch.Tensor) else None
        if index is None or index == torch.cuda.current_device():
            return f(ops, given, *rest)
        with torch.cuda.device(index):
            return f(ops, given, *rest)
    return wrapped


@_where_it_is
def fold(ops, given, keywords):
    """The answers to `ops` of arrays on a device, as a list."""
    keywords = dict(keywords)
    errors = keywords.pop("errors", None)
    if errors not in (None, "raise", "defer"):
        raise _errors.make("bad_option", f"{ops}: errors={errors!r} is not 'raise' or 'defer'")
    axis, keepdims = keywords.pop("axis", None), keywords.pop("keepdims", False)
    nan, result = keywords.pop("nan", None) or "propagate", _name_of(keywords.pop("result", None))
    ddof, correction = keywords.pop("ddof", None), keywords.pop("correction", None)
    where = keywords.pop("where", None)
    keywords.pop("threads", None)
    rest = [name for name, value in keywords.items() if value is not None and value is not False]
    if rest:
        raise _errors.make("bad_option", f"{ops}: {rest[0]}= is not available on a device")
    x = given[0]
    if len(given) == 2 and not all(on_device(a) for a in given):
        raise _errors.make("bad_option", f"{ops}: one array is on a device, and the other is not")
    _find_nvrtc()
    framework = framework_of(ops, x)
    views = [framework.view(a) for a in given]
    if len(views) == 2 and (views[0].device != views[1].device):
        raise _errors.make("bad_option", f"{ops}: the arrays are on different devices")
    mask = _mask_of(ops, where, framework, views[0])

    def planned(result):
        return _core.plan_fold(ops, views[0], views[1] if len(views) == 2 else None, framework.stream,
                               nan, ddof, correction, result, axis, keepdims, mask)

    plan = planned(result)
    names, types, may_fail, _ = zip(*plan.ops)
    waiting = isinstance(framework, Waiting)
    if plan.shape and waiting:
        raise _errors.make(
            "no_backend",
            f"{ops}: axis= and keepdims= on a device are for torch and CuPy; bring the array to the "
            "CPU")
    if not plan.shape and 0 in views[0].shape:
        return _of_nothing(ops, types, views, framework, ddof, correction, nan, result)
    if waiting:
        if errors == "defer":
            raise _errors.make(
                "bad_option", f"{ops}: errors='defer' is for torch and CuPy; this answer is waited for")
        if framework.library in ("jax", "jaxlib") and result is None and len(names) > 1:
            return [fold(name, given, {"nan": nan, "ddof": ddof, "correction": correction,
                                       "where": where})[0]
                    for name in names]
        if framework.library in ("jax", "jaxlib") and result is None and types[0][0] == "f":
            plan = planned(jax_type(types[0]))  # else it would be rounded twice
        return [framework.put(v, t) for v, t in zip(plan.values(), types)]
    if errors != "defer" and any(may_fail) and framework.capturing():
        raise _errors.make(
            "bad_option",
            f"{ops}: a status would have to be read while a graph is captured; errors='defer' "
            "gives it as a tensor")
    outs = [framework.empty(t, plan.shape) for t in types]
    status = [framework.empty("u8", plan.shape) for _ in types]
    if 0 not in plan.shape:
        plan.run([p for _, p in outs], [p for _, p in status])
    if errors == "defer":
        return [(value, state) for (value, _), (state, _) in zip(outs, status)]
    return [_settled(framework, op, nan, value, state) if op[2] and 0 not in plan.shape else value
            for op, (value, _), (state, _) in zip(plan.ops, outs, status)]


def _settled(framework, op, nan, value, state):
    """Answers whose statuses are read: NaN for those of nothing but NaN that a policy leaves out."""
    name, dtype, _, nan_when_empty = op
    if nan == "omit" and nan_when_empty:
        if state.ndim == 0 and int(state) == 3:
            return framework.put(float("nan"), dtype)
        if state.ndim != 0:
            value[state == 3] = float("nan")
            state = state * (state != 3)
    _core.raise_status(name, int(state.max()))
    return value


def fold_by(ops, keys, x, groups, keywords):
    """The answers to `ops` of each group, on the device; waited for."""
    if groups is None:
        raise _errors.make(
            "no_backend", f"{ops}: on a device groups are folded by labels; say how many by groups=, or "
            "bring the arrays to the CPU")
    if not (on_device(x) and on_device(keys)):
        raise _errors.make("bad_option", f"{ops}: one array is on a device, and the other is not")
    return _fold_by(ops, (x, keys), groups, keywords)


@_where_it_is
def _fold_by(ops, given, groups, keywords):
    _find_nvrtc()
    framework = framework_of(ops, given[0])
    if isinstance(framework, Waiting):
        raise _errors.make(
            "no_backend", f"{ops}: labels on a device are for torch and CuPy; bring the arrays to the CPU")
    x, labels = (framework.view(a) for a in given)
    if x.device != labels.device:
        raise _errors.make("bad_option", f"{ops}: the arrays are on different devices")
    if framework.capturing():
        raise _errors.make(
            "bad_option", f"{ops}: labels are looked at before they are used, and a graph is captured")
    nan, ddof, correction = (keywords[name] for name in ("nan", "ddof", "correction"))
    result = _name_of(keywords["result"])
    plan = _core.plan_fold(ops, x, None, framework.stream, nan, ddof, correction, result)
    outs = [framework.empty(op[1], (groups,)) for op in plan.ops]
    status = [framework.empty("u8", (groups,)) for _ in plan.ops]
    _core.fold_by_on_device(ops, labels, x, groups, plan, [p for _, p in outs], [p for _, p in status],
                            framework.stream, nan, ddof, correction, result)
    return [_settled(framework, op, nan, value, state) if groups != 0 else value
            for op, (value, _), (state, _) in zip(plan.ops, outs, status)]


@_where_it_is
def gather(ops, given, nan, first, threads, where, axis, keepdims):
    """A State, or States, of arrays on a device; it is waited for."""
    if not all(on_device(a) for a in given):
        raise _errors.make("bad_option", f"{ops}: one array is on a device, and the other is not")
    _find_nvrtc()
    framework = framework_of(ops, given[0])
    views = [framework.view(a) for a in given]
    return _core.gather_array(
        ops, views[0], views[1] if len(views) == 2 else None, nan, first, threads,
        _mask_of(ops, where, framework, views[0]), axis, keepdims, framework.stream)


def _mask_of(ops, where, framework, x):
    """where= as a view of the device; None: everything is there."""
    if where is None or where is True:
        return None
    if not (hasattr(where, "__dlpack__") or hasattr(where, "__cuda_array_interface__")):
        raise _errors.make(
            "bad_option", f"{ops}: where= is a {type_name(where)}; beside an array on a device it is "
            "a bool array there")
    mask = framework.view(where)
    if mask.device != x.device:
        raise _errors.make("bad_option", f"{ops}: the array and where= are on different devices")
    if mask.dtype != "bool":
        raise _errors.make("type_mismatch", f"{ops}: where= is {mask.dtype}, and must be bool")
    return mask


def _of_nothing(ops, types, views, framework, ddof, correction, nan, result):
    empties = [_core.View.at(0, v.dtype, [0], None, -1, None) for v in views]
    values = _core.fold_array(
        ops, empties[0], empties[1] if len(empties) == 2 else None,
        {"ddof": ddof, "correction": correction, "nan": nan, "result": result})
    return [framework.put(v, t) for v, t in zip(values, types)]


def call(op, args, keywords):
    """The answer to one op, written into out=."""
    keywords = dict(keywords)
    out = keywords.pop("out")
    x = args[0]
    framework = _writer_of(op, x, out)
    answer = fold(op, list(args), keywords)[0]
    value, *status = answer if isinstance(answer, tuple) else (answer,)  # errors="defer"
    if value.dtype != out.dtype:
        raise _errors.make(
            "type_mismatch", f"{op}: the answer is {value.dtype} and out is {out.dtype}; they must agree")
    if value.shape != out.shape:
        raise _errors.make("shape_mismatch", f"{op}: the answer has shape {tuple(value.shape)} and out "
                           f"{tuple(out.shape)}; they must agree")
    framework.copy(out, value)
    return (out, *status) if status else out


def _writer_of(op, x, out):
    """The framework that writes into `out`, an array beside x with a place for each element."""
    if type(out) is not type(x) or out.device != x.device:
        raise _errors.make("bad_option", f"{op}: out is a {type_name(out)} of "
                           f"{getattr(out, 'device', 'the CPU')}; it must be where the array is")
    framework = framework_of(op, out)
    if isinstance(framework, Waiting):
        raise _errors.make("bad_option", f"{op}: out= on a device is for torch and CuPy")
    steps = out.stride() if callable(getattr(out, "stride", None)) else out.strides
    if any(step == 0 and extent > 1 for step, extent in zip(steps, out.shape)):
        raise _errors.make("bad_option", f"{op}: elements of out overlap each other")
    return framework
