"""Plans of calls with torch's tensors are kept: an imitation of torch on the simulated driver's device."""

import sys
import types

import numpy as np
import pytest
from test_device import asarray, empty

import onefold
from onefold import _core, operands
from onefold.reduce import convert, tensors

if "torch" in sys.modules:
    pytest.skip("torch itself is here", allow_module_level=True)

STRIDED = object()


class Tensor:
    """The members of torch.Tensor that Onefold uses, for a NumPy array in memory of the device."""

    is_cuda, requires_grad, layout, device = True, False, STRIDED, types.SimpleNamespace(index=0)

    def __init__(self, array):
        self.array, self.dtype, self.shape, self.ndim = array, array.dtype, array.shape, array.ndim

    def get_device(self):
        return 0

    def is_neg(self):
        return False

    def is_contiguous(self):
        return self.array.flags.c_contiguous

    def is_floating_point(self):
        return self.dtype.kind == "f"

    def element_size(self):
        return self.dtype.itemsize

    def numel(self):
        return self.array.size

    def stride(self):
        return tuple(step // self.dtype.itemsize for step in self.array.strides)

    def data_ptr(self):
        return self.array.ctypes.data

    def new_empty(self, shape, dtype=None):
        return Tensor(empty(shape, dtype or self.dtype).array)

    def to(self, dtype):
        assert dtype == self.dtype
        return self

    def unbind(self):
        return [Tensor(part) for part in self.array]

    def max(self):
        return self.array.max()

    def __getitem__(self, key):
        return Tensor(self.array[key])


Tensor.__module__ = "torch"


class Module(types.SimpleNamespace):
    __hash__ = object.__hash__


def tensor(array):
    return Tensor(asarray(array).array)


@pytest.fixture(autouse=True)
def torch(monkeypatch):
    dtypes = {name: np.dtype(name) for name in ("bool", "float32", "float64", "int64", "uint8")}
    monkeypatch.setitem(sys.modules, "torch", Module(
        Tensor=Tensor, strided=STRIDED, _C=types.SimpleNamespace(), **dtypes,
        empty=lambda shape, dtype, device: Tensor(empty(shape, dtype).array),
        cuda=types.SimpleNamespace(current_device=lambda: 0, is_current_stream_capturing=lambda: False,
                                   current_stream=lambda index: types.SimpleNamespace(cuda_stream=0))))
    yield
    for kept in (tensors._plans, tensors.current_stream, convert._rows, convert._told, operands._by_type):
        kept.clear()
    tensors.tensor_type = None


@pytest.fixture
def plans(monkeypatch):
    """The ops of each plan that is made."""
    made, make = [], _core.plan_fold
    monkeypatch.setattr(_core, "plan_fold", lambda ops, *rest: made.append(ops) or make(ops, *rest))
    return made


X, Y = np.random.default_rng(1).normal(0, 30, (2, 6, 5, 4))
F = X.astype("f4")
SOME = np.random.default_rng(2).random(X.shape) < 0.6


def calls(x, y, f, some):
    return [onefold.sum(x, axis=1), onefold.sum(x, axis=(0, 2), keepdims=True), onefold.nansum(x, axis=0),
            onefold.sum(x, axis=0, where=some), onefold.dot(x, y, axis=1), *onefold.fold("sum,mean,max", f, axis=0),
            onefold.sum(x[:, :3], axis=1)]


def agree(ours, theirs):
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    np.testing.assert_array_equal(ours.array, theirs)


def test_a_call_makes_a_plan_and_calls_like_it_use_that(plans):
    for k in range(3):
        x, y = X + k, Y - k
        f = x.astype("f4")
        for ours, theirs in zip(calls(*map(tensor, (x, y, f, SOME))), calls(x, y, f, SOME), strict=True):
            agree(ours, theirs)
        made = len(plans) if k == 0 else made
    assert len(plans) == made == len(tensors._plans) == 7


def test_a_whole_tensor_needs_no_plan_after_the_first(plans):
    for k in range(3):
        agree(onefold.sum(tensor(X + k)), onefold.sum(X + k))
    assert len(plans) <= 1


def test_segments_that_defer_keep_a_plan():
    cuts = np.array([0, 2, 6])
    onefold.sum(tensor(X), axis=[0])  # from the first tensor on
    for k in range(2):
        value, status = onefold.fold_segments("sum,mean,count", tensor(F + k), tensor(cuts), errors="defer").sum
        agree(value, onefold.fold_segments("sum,mean,count", F + k, cuts).sum)
        assert not status.array.any() and len(tensors._plans) == 1


def test_what_a_plan_cannot_repeat_is_not_kept():
    x = tensor(X)
    for _ in range(2):
        agree(onefold.sum(x, axis=[0, 1]), onefold.sum(X, axis=(0, 1)))  # a list may change
        agree(onefold.sum(x, axis=0, errors="defer")[0], onefold.sum(X, axis=0))
    assert not tensors._plans


@pytest.mark.parametrize("call, error, text", [
    (lambda x: onefold.sum(x, axis=7), onefold.AxisError, "axis 7"),
    (lambda x: onefold.sum(x, axes=1), TypeError, "unexpected keyword argument 'axes'"),
    (lambda x: onefold.mean(x, by=x), TypeError, r"argument 'by'; fold\(\"mean\", x, by=...\) takes it"),
    (lambda x: onefold.mean(x, skipna=True), TypeError, "argument 'skipna'; nan=\"omit\" leaves NaN out"),
    (lambda x: onefold.fold("sume", x), onefold.OptionError, "did you mean sum"),
    (lambda x: onefold.fold("sum", x, nan="omitt"), onefold.OptionError, "nan='omitt'"),
    (lambda x: onefold.fold("sum", x, header=True), onefold.OptionError, "header="),
    (lambda x: onefold.fold_segments("sum", x, tensor(X[0, 0]), errors="defer"), onefold.DTypeError, "offsets")])
def test_mistakes_are_told_once_and_never_tried_again(call, error, text, plans):
    onefold.sum(tensor(X), axis=0)
    x, before = tensor(X), len(plans)
    for k in range(2):
        with pytest.raises(error, match=text):
            call(x)
        assert len(plans) <= before + k + 1 and len(tensors._plans) == 1
