"""Functions of slices of tensors as operators of torch with gradients: logsumexp, softmax, rms_norm and their kin.

Gradients are torch's formulas, of which sums and softmax are exact.
"""

import functools
import math
from operator import index
from typing import Optional

import torch

import onefold
from onefold.errors import make
from onefold.operands.found import unsupported
from onefold.operands.frameworks import dtype_of


def _float_of(x):
    return x.dtype if x.dtype.is_floating_point else torch.float64


def folded(x, axis):
    return set(range(x.ndim)) if axis is None else {a % max(x.ndim, 1) for a in axis}


def folded_shape(x, axis, keepdims):
    axes = folded(x, axis)
    return [1 if d in axes else n for d, n in enumerate(x.shape) if keepdims or d not in axes]


def _over(op, arrays, axes, keepdims=True):
    """An op along axes, as an operator."""
    return getattr(torch.ops.onefold, op)(*arrays, axes, keepdims)


@torch.library.custom_op("onefold::logsumexp", mutates_args=())
def logsumexp(x: torch.Tensor, axis: int = -1, keepdims: bool = False) -> torch.Tensor:
    """torch.logsumexp, rounded once, as an operator with gradients."""
    return onefold.logsumexp(x.detach(), axis=axis, keepdims=keepdims)


@logsumexp.register_fake
def _(x, axis=-1, keepdims=False):
    return x.new_empty(folded_shape(x, [axis], keepdims), dtype=_float_of(x))


@torch.library.custom_op("onefold::softmax", mutates_args=())
def softmax(x: torch.Tensor, axis: int = -1) -> torch.Tensor:
    """torch.softmax with every element rounded once, as an operator with gradients."""
    return onefold.softmax(x.detach(), axis=axis).contiguous()


@torch.library.custom_op("onefold::log_softmax", mutates_args=())
def log_softmax(x: torch.Tensor, axis: int = -1) -> torch.Tensor:
    """torch.log_softmax with every element rounded once, as an operator with gradients."""
    return onefold.log_softmax(x.detach(), axis=axis).contiguous()


def _of_states(x, dim, group):
    """The states of slices of which each process has a part, the same on each: a function that answers them in a type."""
    import torch.distributed as dist

    from onefold import _core
    from onefold.reduce import device_rows
    from onefold.torch.ranks import all_reduce

    if x.is_cuda:
        with torch.cuda.device(x.device):
            words = device_rows.logsumexp_words(x, dim)
            every = words.new_empty([dist.get_world_size(group), *words.shape])
            dist.all_gather_into_tensor(every, words, group=group)
        return lambda dtype: device_rows.logsumexp_of_words(every, dtype)
    import numpy

    from onefold._ranks import words_of

    states = all_reduce(onefold.gather_logsumexp(x, axis=dim), group)
    words = words_of(states)

    def answers(dtype):
        own = _core.logsumexp_states("logsumexp_of_shards", words, dtype_of(torch.empty(0, dtype=dtype)), list(states.shape), {})
        return torch.tensor(numpy.asarray(own.answer("logsumexp"), "f8"), dtype=dtype)

    return answers


class _OfShards(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim, group, dtype):
        answers, of_gradient = _of_states(x.detach(), dim, group), torch.promote_types(x.dtype, torch.float32)
        wide = answers(of_gradient)
        ctx.dim = dim
        ctx.save_for_backward(x, wide)
        return wide if dtype == of_gradient else answers(dtype)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        x, wide = ctx.saved_tensors
        share = torch.exp(x.to(wide.dtype) - wide.unsqueeze(ctx.dim))
        return (share * grad.unsqueeze(ctx.dim)).to(x.dtype), None, None, None


def logsumexp_of_shards(x, dim=-1, *, dtype=None, group=None):
    """The logsumexp of slices of which each process of a group has a part, rounded once: on each the bits of the whole slices.

    x        this process's part, of float16, bfloat16, float32 or float64; all dimensions but dim are those of the others
    dtype    of the answer, which holds x's elements; by default x's
    group    of torch.distributed; None: the default group
    returns  a tensor without dim. On a GPU the call does not wait, and an answer that the states leave open is NaN (of float64
             about one in 2^30); on the CPU that is a StateError
    gradient e^(x - L) of this process's elements, L rounded to float32 (of float64: to float64); no second one
    """
    name, dtype = "logsumexp_of_shards", x.dtype if dtype is None else dtype
    if not x.is_floating_point():
        raise unsupported(name, f"the tensor has type {x.dtype}, but must hold floats")
    if not dtype.is_floating_point or torch.promote_types(x.dtype, dtype) != dtype:
        raise make("bad_option", f"{name}: dtype={dtype} cannot hold the elements, which are {x.dtype}")
    return _OfShards.apply(x, dim, group, dtype)


for _each in (softmax, log_softmax):
    _each.register_fake(lambda x, axis=-1: x.new_empty(x.shape, dtype=_float_of(x)))


def _keep_row(ctx, inputs, output):
    ctx.axis, ctx.keepdims = inputs[1], inputs[-1] is True
    ctx.save_for_backward(inputs[0])


def _logsumexp_backward(ctx, grad):
    x, = ctx.saved_tensors
    return (grad if ctx.keepdims else grad.unsqueeze(ctx.axis)) * softmax(x, ctx.axis), None, None


def _softmax_backward(ctx, grad):
    x, = ctx.saved_tensors
    y = softmax(x, ctx.axis)
    return y * (grad - _over("dot", [y, grad], [ctx.axis])), None


def _log_softmax_backward(ctx, grad):
    x, = ctx.saved_tensors
    return grad - softmax(x, ctx.axis) * _over("sum", [grad], [ctx.axis]), None


logsumexp.register_autograd(_logsumexp_backward, setup_context=_keep_row)
softmax.register_autograd(_softmax_backward, setup_context=_keep_row)
log_softmax.register_autograd(_log_softmax_backward, setup_context=_keep_row)


def _norm(name, operator, x, shape, factors, eps):
    """Calls an operator with what is checked; factors: by name, or None."""
    from ..reduce.layer_norm import eps_of

    for what, given in {"input": x, **factors}.items():
        if not isinstance(given, torch.Tensor) and (given is not None or what == "input"):
            raise unsupported(name, f"the {what} is a {type(given).__name__}, but must be a tensor of torch")
    try:
        shape = [index(n) for n in (shape if hasattr(shape, "__iter__") else [shape])]
    except TypeError:
        raise make("bad_option", f"{name}: normalized_shape is {shape!r}; pass the extents of the last axes") from None
    if not shape or list(x.shape[-len(shape):]) != shape:
        raise make("shape_mismatch", f"{name}: normalized_shape is {tuple(shape)}, but the tensor has shape "
                   f"{tuple(x.shape)}; pass the extents of its last axes")
    return operator(x, shape, *factors.values(), eps_of(name, eps))


def default_eps(x):
    """torch's: that of the type in which rms_norm computes."""
    return torch.finfo(torch.float32 if x.element_size() < 4 else _float_of(x)).eps


def _axes(shape):
    return tuple(range(-len(shape), 0))


@torch.library.custom_op("onefold::rms_norm", mutates_args=())
def _rms_norm(x: torch.Tensor, shape: list[int], weight: Optional[torch.Tensor], eps: float) -> torch.Tensor:
    weight = None if weight is None else weight.detach()
    return onefold.rms_norm(x.detach(), _axes(shape), weight=weight, eps=eps)


@torch.library.custom_op("onefold::layer_norm", mutates_args=())
def _layer_norm(x: torch.Tensor, shape: list[int], weight: Optional[torch.Tensor], bias: Optional[torch.Tensor],
                eps: float) -> torch.Tensor:
    weight, bias = (None if f is None else f.detach() for f in (weight, bias))
    return onefold.layer_norm(x.detach(), _axes(shape), weight=weight, bias=bias, eps=eps)


for _each in (_rms_norm, _layer_norm):
    _each.register_fake(lambda x, *_: torch.empty_like(x, memory_format=torch.contiguous_format, dtype=_float_of(x)))


def rms_norm(input, normalized_shape, weight=None, eps=None):
    """torch.nn.functional.rms_norm with every element rounded once, as an operator with gradients."""
    eps = default_eps(input) if eps is None and isinstance(input, torch.Tensor) else eps
    return _norm("rms_norm", _rms_norm, input, normalized_shape, {"weight": weight}, eps)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """torch.nn.functional.layer_norm with every element rounded once, as an operator with gradients."""
    return _norm("layer_norm", _layer_norm, input, normalized_shape, {"weight": weight, "bias": bias}, eps)


def _computed(x):
    """In the type in which gradients are computed: at least float32."""
    return x.float() if x.element_size() < 4 else x


def _keep_norm(ctx, inputs, output):
    x, ctx.shape, weight, *bias, ctx.eps = inputs
    ctx.save_for_backward(x, weight)
    ctx.bias_type = bias[0].dtype if bias and bias[0] is not None else None


def _norm_backward(centred, ctx, grad):
    x, weight = ctx.saved_tensors
    axes, n, leading = _axes(ctx.shape), math.prod(ctx.shape), list(range(x.ndim - len(ctx.shape)))
    wide, g = _computed(x), _computed(grad)
    unscaled = (_layer_norm(wide, ctx.shape, None, None, ctx.eps) if centred
                else _rms_norm(wide, ctx.shape, None, ctx.eps))
    square = torch.ops.onefold.var(wide, axes, True) if centred else _over("dot", [wide, wide], axes) / n
    scaled = g if weight is None else g * _computed(weight)
    inner = scaled - unscaled * (_over("dot", [scaled, unscaled], axes) / n)
    if centred:
        inner = inner - _over("mean", [scaled], axes)
    of_x = ((square + ctx.eps).rsqrt() * inner).to(x.dtype)
    of_weight = None
    if weight is not None and ctx.needs_input_grad[2]:
        of_weight = _over("dot", [g, unscaled], leading, False) if leading else g * unscaled
        of_weight = of_weight.to(weight.dtype)
    if not centred:
        return of_x, None, of_weight, None
    of_bias = None
    if ctx.bias_type is not None and ctx.needs_input_grad[3]:
        of_bias = (_over("sum", [g], leading, False) if leading else g).to(ctx.bias_type)
    return of_x, None, of_weight, of_bias, None


_rms_norm.register_autograd(functools.partial(_norm_backward, False), setup_context=_keep_norm)
_layer_norm.register_autograd(functools.partial(_norm_backward, True), setup_context=_keep_norm)
