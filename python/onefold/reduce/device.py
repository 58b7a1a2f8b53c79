"""Tensors of torch, CuPy, JAX and others: folded where they are, on their current stream.

A device folds arrays of any strides, whole, along axes, by segments and by labels. Nothing is copied. A call
waits only for statuses, and only if the data can give a bad one: an integer sum that could overflow,
nan="raise", offsets, labels. With errors="defer" it returns the statuses instead.
"""

import contextlib
import math
import sys

from .. import _core, errors
from .._keywords import keywords_of
from ..operands.found import on_device, type_name, unsupported
from ..operands.frameworks import Waiting, dtype_of, find_nvrtc, framework_of, kind_of
from ..operands.small import widened
from ..operands.types import answer_types, rounded_once
from . import tensors


def its_device(x):
    """A context in which torch's current device is x's, which torch's calls need."""
    torch = sys.modules.get("torch")
    index = x.device.index if torch and isinstance(x, torch.Tensor) else None
    return contextlib.nullcontext() if index is None or index == torch.cuda.current_device() else torch.cuda.device(index)


def refuse_hosts(ops, given):
    if not all(on_device(a) for a in given):
        raise errors.make("bad_option", f"{ops}: one array is on a device, but the other is not; copy one of them")


# The statuses of an answer without elements, of a segment whose offsets are wrong, and of a window of too few elements.
_empty_input, _bad_offsets, _too_few = 3, 4, 7


class Fold:
    """A fold on a device: a request, and its arrays as Views for _core.

    views   of x, and of a second array, of elements or of labels
    given   the request
    asked   the request with Views for where= and weights
    cut     an axis, and what lies along it: "segment" or "window"
    """

    cut = 0, "segment"

    def __init__(self, request, given, are_pairs=True):
        """given: one array, or two: pairs of elements, or elements and labels"""
        wide = [widened(a) for a in given]
        if any(w is not a for w, a in zip(wide, given)):
            given, request = wide, request.replace(call=None)  # a kept plan would read the next call's bytes as floats
        self.ops = ops = request.ops
        self.errors = "raise" if request.errors is None else request.errors
        if self.errors not in ("raise", "defer"):
            raise errors.make("bad_option", f"{ops}: errors={self.errors!r} is not 'raise' or 'defer'")
        self.given, self.asked = request, request.replace(threads=None)
        asked = self.asked
        refuse_hosts(ops, given)
        find_nvrtc()
        self.framework = framework_of(ops, given[0])
        if len(given) == 2 and are_pairs:
            given = self.framework.paired(ops, *given)
        if asked.weights is not None:
            given = self._weighed(*given)
        self.views = [self.framework.view(a) for a in given]
        if any(v.device != self.views[0].device for v in self.views):
            raise errors.make("bad_option", f"{ops}: the arrays are on different devices; copy them to one")
        if asked.where is True:
            asked.where = None
        for name in ("where", "weights", "fweights"):
            if (array := getattr(asked, name)) is not None:
                setattr(asked, name, self.beside(name, array))
        if asked.where is not None and asked.where.dtype != "bool":
            raise errors.make("type_mismatch", f"{ops}: where= is {asked.where.dtype}, but must be bool")

    def beside(self, name, array):
        if not on_device(array):
            raise errors.make(
                "bad_option", f"{self.ops}: {name}= is a {type_name(array)}; it must be an "
                "array on the same device")
        view = self.framework.view(array)
        if view.device != self.views[0].device:
            raise errors.make(
                "bad_option", f"{self.ops}: the array and {name}= are on different devices; copy them to one")
        return view

    def _weighed(self, x, *second):
        from ..operands.elements import along

        asked, weights = self.asked, self.asked.weights
        if on_device(weights):  # otherwise beside() reports the error
            weights = along(self.ops, tuple(x.shape), weights, asked.axis)
            if kind_of(x) != "f" and dtype_of(x) != dtype_of(weights) and asked.result is None:
                asked.result = "f64"  # as numpy.average does
            x, weights, *second = self.framework.alike(self.ops, x, weights, *second)
        asked.weights = weights
        return [x, *second]

    def fold(self):
        """The answers, as a list. The plan of a call with torch's tensors is kept for the next one."""
        x, y = self.views[0], self.views[1] if len(self.views) == 2 else None
        if isinstance(self.framework, Waiting):
            return self._from_host(lambda one: _core.fold_array(one.ops, x, y, keywords_of(one)))
        plan = self._plan(keywords_of(self.asked), y)
        if self.given.call is not None:
            tensors.keep(self.given.call, self.given, plan)
        return self._run(plan, plan.shape, plan.run, any(op[2] for op in plan.ops))

    def fold_segments(self, offsets):
        cuts = self.beside("offsets", offsets)
        x, keywords = self.views[0], keywords_of(self.asked, y=self.views[1] if len(self.views) == 2 else None)
        if isinstance(self.framework, Waiting):
            return self._from_host(lambda one: _core.fold_segments(one.ops, x, cuts, keywords_of(one, y=keywords["y"])))
        if cuts.dtype not in ("i32", "i64"):
            raise errors.make("type_mismatch",
                               f"{self.ops}: the offsets are of {cuts.dtype}; they must be of i32 or i64")
        one = self._plan({**keywords, "axis": 0}, keywords["y"])
        count = max(math.prod(cuts.shape) - 1, 0)
        plan = _core.plan_segments(self.ops, x, cuts, count, one, self.framework.stream, keywords)
        if self.given.call is not None:
            tensors.keep_segments(self.given.call, self.given, one, count, plan)
        return self._run(one, (count, *one.shape), plan.run, True)

    def fold_by(self, groups):
        x, labels = self.views
        if isinstance(self.framework, Waiting):
            return self._from_host(lambda one: _core.fold_by(one.ops, labels, x, groups, keywords_of(one)))
        defer = self.errors == "defer"
        if self.framework.capturing() and not defer:
            raise errors.make("bad_option", f"{self.ops}: labels cannot be checked while a graph is captured; "
                               "pass errors='defer' to get a status instead")
        keywords = keywords_of(self.asked)
        plan = self._plan(keywords)
        return self._run(
            plan, (groups,), lambda *places: _core.fold_by_on_device(
                self.ops, labels, x, groups, plan, *places, self.framework.stream, keywords, defer),
            True)  # since any group may be empty

    def parts_of(self, rule):
        """A Rule as _core takes it."""
        parts = rule.parts(rule.least)
        if not rule.is_there():
            return parts
        if self.framework.capturing():
            raise errors.make("bad_option", f"{self.ops}: window=(begin, end) is not supported while a graph is captured; "
                                             "pass a number of elements")
        lists = [self.beside(name, self.framework.dense(a)) for name, a in (("begin", rule.begin), ("end", rule.end))]
        return (*parts[:4], *lists, rule.anew)

    def fold_windows(self, rule):
        x, keywords = self.views[0], keywords_of(self.asked)
        y = self.views[1] if len(self.views) == 2 else None
        if isinstance(self.framework, Waiting):
            raise unsupported(self.ops, f"windows of a {type_name(self.given.x)} are supported on the CPU only; copy "
                              "the array there")
        plan = self._plan(keywords, y)
        n, shape = x.shape[self.asked.axis], list(x.shape)
        shape[self.asked.axis] = rule.windows(n)
        may_lack = rule.least or rule.fewest(n) == 0
        may_fail = rule.is_there() or any(op[2] or (may_lack and "f" not in op[1]) for op in plan.ops)
        self.cut = self.asked.axis, "window"
        planned = _core.plan_windows(self.ops, x, y, self.parts_of(rule), plan, shape, self.framework.stream, keywords)
        if self.given.call is not None and not may_fail:
            tensors.keep_windows(self.given.call, self.given, plan, tuple(shape), planned)
        return self._run(plan, tuple(shape), planned.run, may_fail, told=False)

    def _plan(self, keywords, y=None):
        return _core.plan_fold(self.ops, self.views[0], y, self.framework.stream, keywords)

    def _run(self, plan, shape, queue, may_fail, told=True):
        """Allocates answers of this shape; queue(outs, statuses) lets the device write them.

        told  statuses are written even if no answer may fail
        """
        framework, defer = self.framework, self.errors == "defer"
        if may_fail and not defer and framework.capturing():
            raise errors.make(
                "bad_option",
                f"{self.ops}: errors cannot be raised while a graph is captured; pass errors='defer' to get a status tensor "
                "instead")
        outs = [framework.empty(op[1], shape) for op in plan.ops]
        n = math.prod(shape)
        if not (told or may_fail or defer):
            if n:
                queue([p for _, p in outs], [])
            return [value for value, _ in outs]
        status, place = framework.empty("u8", (len(outs), *shape))
        if n:
            queue([p for _, p in outs], [place + k * n for k in range(len(outs))])
        answers = [value for value, _ in outs]
        if defer:
            return [(value, status[k]) for k, value in enumerate(answers)]
        if n and may_fail and int(status.max()) != 0:
            for op, value, state in zip(plan.ops, answers, status):
                self._settle(op, value, state)
        return answers

    def _settle(self, op, value, state):
        """Sets answers to NaN if their slices have only omitted NaN, and raises errors."""
        name, _, _, nan_when_empty = op
        omits = self.asked.nan == "omit" and nan_when_empty and 0 not in self.views[0].shape
        if omits:
            value[state == _empty_input] = float("nan")
            state = state * (state != _empty_input)
        self.refuse(name, state, int(state.max()))

    def refuse(self, name, state, worst):
        """Raises the error of the worst status of an op's answers, if it is one."""
        if worst == _bad_offsets:
            axis, cut = self.cut
            first = state.reshape(-1).tolist().index(_bad_offsets)
            which = first // math.prod(state.shape[axis + 1:]) % state.shape[axis]
            n = self.views[0].shape[axis]
            raise errors.make("bad_option", f"{name}: the offsets of segment {which} decrease, or lie outside the first "
                                             f"axis, which has {n} "
                               "elements" if cut == "segment" else
                               f"{name}: window {which} ends before it begins, or lies outside its axis, which has {n} "
                               "elements")
        if worst == _too_few:
            raise unsupported(name, f"a {type_name(self.given.x)} of integers has no NaN for windows with too few elements; "
                              "pass min_periods=0, or floats")
        if worst != 0:
            _core.raise_status(name, worst)

    def _from_host(self, fold):
        """Calls fold(request), which waits, and returns its answers as the framework's arrays."""
        if self.errors == "defer":
            raise errors.make("bad_option", f"{self.ops}: errors='defer' is supported for torch and CuPy "
                               "only")
        types = answer_types(self.asked, self.views[0].dtype)
        values = rounded_once(self.asked, types, self.framework.type_of, fold)
        return [self.framework.put(v, t) for v, t in zip(values, types)]


def fold(request):
    """The answers to a request for arrays on a device, as a list."""
    if "torch" in sys.modules and tensors.tensor_type is None:
        tensors.see_torch()
    given = [request.x] if request.y is None else [request.x, request.y]
    with its_device(request.x):
        return Fold(request, given).fold() if request.out is None else [_written(request, given)]


def fold_windows(request, rule):
    """The answers of each window, as a list."""
    given = [request.x] if request.y is None else [request.x, request.y]
    refuse_hosts(request.ops, given)
    with its_device(request.x):
        return Fold(request, given).fold_windows(rule)


def fold_segments(ops, given, offsets, request):
    """The answers of each segment; given are the arrays, one or two."""
    with its_device(given[0]):
        for name in ("weights", "fweights"):
            if on_device(weights := getattr(request, name)):
                from ..operands.elements import along

                request = request.replace(call=None, **{name: along(ops, tuple(given[0].shape), weights, 0)})
        return Fold(request, given).fold_segments(offsets)


def fold_by(ops, given, groups, request):
    """The answers of each of so many groups, on the device; given are the elements and the labels."""
    refuse_hosts(ops, given)
    with its_device(given[0]):
        return Fold(request, given, are_pairs=False).fold_by(groups)


def numbered(ops, keys, by_name, null_keys):
    """The distinct keys in ascending order, for each element the number of its key, and which rows are kept, or None
    for all: a hash table on the device numbers the keys.

    by_name    whether keys= was written, without which floats are refused: they may be meant as values
    null_keys  what becomes of NaN
    """
    if kind_of(keys) == "f" and not by_name:
        raise errors.make("bad_option", f"{ops}: the keys are {dtype_of(keys)}; did you swap keys and values? If not, "
                           "pass keys=")
    find_nvrtc()
    framework = framework_of(ops, keys)
    view = framework.view(keys)
    n = math.prod(view.shape)  # of other shapes than (n,) number_keys raises an error
    with its_device(keys):
        if isinstance(framework, Waiting):
            found = _core.number_keys(ops, view, 0, framework.stream)
            names, numbers = framework.host_memory(view.dtype, found.size), framework.host_memory("i32", n)
            found.write_keys(names.ctypes.data)
            found.copy_labels(numbers.ctypes.data)
            names, numbers = framework.put(names, view.dtype), framework.put(numbers, "i32")
        else:
            numbers, place = framework.empty("i32", (n,))
            found = _core.number_keys(ops, view, place, framework.stream)
            names, place = framework.empty(view.dtype, (found.size,))
            found.write_keys(place)
    if not found.has_nan or null_keys == "keep":
        return names, numbers, None
    if null_keys == "raise":
        raise errors.make("bad_option", f"{ops}: some keys are NaN; null_keys=\"drop\" leaves those rows out, \"keep\" "
                           "makes a group of them")
    there = numbers != found.size - 1
    return names[:-1], numbers[there], there


def numbered_together(ops, columns, null_keys, by_name=True):
    """numbered() of keys of one or several columns: the distinct rows as a list of columns."""
    if not columns:
        raise errors.make("bad_option", f"{ops}: the keys have no columns; pass at least one")
    if len({tuple(c.shape) for c in columns}) > 1:
        raise errors.make("shape_mismatch", f"{ops}: the columns of keys have shapes {[tuple(c.shape) for c in columns]}; they "
                           "must agree")
    if len(columns) == 1:
        keys, numbers, there = numbered(ops, columns[0], by_name, null_keys)
        return [keys], numbers, there
    framework = framework_of(ops, columns[0])
    if isinstance(framework, Waiting):
        raise unsupported(ops, f"several key columns of a {type_name(columns[0])} are supported on the CPU only; copy them there")
    there = None
    for column in columns if null_keys == "drop" else []:
        if kind_of(column) == "f":
            there = column == column if there is None else there & (column == column)
    if there is not None:
        columns = [column[there] for column in columns]
    nulls = "raise" if null_keys == "raise" else "keep"
    keys, numbers, _ = numbered(ops, columns[0], True, nulls)
    keys = [keys]
    for column in columns[1:]:
        more, codes, _ = numbered(ops, column, True, nulls)
        rows, numbers, _ = numbered(ops, framework.cast(numbers, "i64") * len(more) + codes, True, nulls)
        keys = [k[rows // max(len(more), 1)] for k in keys] + [more[rows % max(len(more), 1)]]
    return keys, numbers, there


def beside(ops, columns):
    """The answers of columns side by side, as one array; or with their statuses, as pairs."""
    if isinstance(columns[0], tuple):  # errors="defer"
        return tuple(beside(ops, part) for part in zip(*columns))
    return framework_of(ops, columns[0]).stack(columns, 1)


def broadcast(ops, given, axis):
    """Two arrays with this axis last, with one shape, in a type that holds the elements of both."""
    if any(map(on_device, given)):
        refuse_hosts(ops, given)
    framework = framework_of(ops, given[0])
    return framework.broadcast(*framework.alike(ops, *given), axis)


def gather(ops, given, request):
    """A State, or States, of arrays on a device; the call waits."""
    with its_device(given[0]):
        f = Fold(request.replace(axis=None, keepdims=None, nan=None, first=None), given)
        return _core.gather_array(
            ops, f.views[0], f.views[1] if len(f.views) == 2 else None, request.nan, request.first, request.threads,
            f.asked.where, request.axis, request.keepdims, f.framework.stream)


def _written(request, given):
    """The answer to one op, which is written into out=."""
    op, out = request.ops, request.out
    framework = _writer_of(op, request.x, out)
    answer = Fold(request.replace(out=None, call=None), given).fold()[0]
    value, *status = answer if isinstance(answer, tuple) else (answer,)  # errors="defer"
    if value.dtype != out.dtype:
        raise errors.make(
            "type_mismatch", f"{op}: the answer is {value.dtype} and out is {out.dtype}; they must agree")
    if value.shape != out.shape:
        raise errors.make("shape_mismatch", f"{op}: the answer has shape {tuple(value.shape)} and out "
                           f"{tuple(out.shape)}; they must agree")
    framework.copy(out, value)
    return (out, *status) if status else out


def _writer_of(op, x, out):
    """The framework that writes into `out`, an array on x's device with room for each answer."""
    if type(out) is not type(x) or out.device != x.device:
        raise errors.make("bad_option", f"{op}: out is a {type_name(out)} on "
                           f"{getattr(out, 'device', 'the CPU')}; it must be of x's type and on its device")
    framework = framework_of(op, out)
    if isinstance(framework, Waiting):
        raise errors.make("bad_option", f"{op}: out= on a device needs torch or CuPy; leave it out")
    steps = out.stride() if callable(getattr(out, "stride", None)) else out.strides
    if any(step == 0 and extent > 1 for step, extent in zip(steps, out.shape)):
        raise errors.make("bad_option", f"{op}: elements of out overlap each other; pass an array with memory for each of them")
    return framework
