"""The ops as custom operators of torch, which torch.compile(fullgraph=True) keeps in its graph.

    import onefold.torch
    y = onefold.torch.var(x, axis=-1, ddof=1)      # torch.ops.onefold.var, in a graph
    z = onefold.torch.mse(x, target, axis=0)
    s = onefold.torch.fold_segments("sum", x, offsets)
    c = onefold.torch.matmul(a, b)                 # and addmm(c, a, b, alpha=, beta=); matmul_workspace(memory)
    p = onefold.torch.softmax(x, axis=-1)          # and logsumexp, log_softmax
    l = onefold.torch.logsumexp_of_shards(x)       # of a vocabulary that processes share
    h = onefold.torch.rms_norm(x, (4096,), weight) # and layer_norm: as torch.nn.functional has them
    a = onefold.torch.index_add(x, 0, index, source) # and scatter_add, bincount(x, weights)
    n = onefold.torch.norm2_of(gradients)          # of many tensors; clip_grad_norm_ clips by it
    with onefold.torch.exact():                    # torch's own reductions, exact
        logits = model(batch)

They fold tensors on the device that holds them. sum, mean, var, norm2, mse, dot, matmul, addmm, softmax and norms of rows have gradients, along
axes and with masks, rounded as torch's are; for the others torch reports that no formula is registered.
"""

import contextlib
import functools
import math
import operator
from collections.abc import Sequence
from typing import Optional

import torch

import onefold
from onefold import _core, _ops, errors
from onefold.operands.frameworks import dtype_of
from onefold.operands.wrap import long_names
from onefold.torch.exact_mode import exact  # noqa: F401
from onefold.torch.norms import clip_grad_norm_, norm2_of  # noqa: F401
from onefold.torch.ranks import all_reduce, gather  # noqa: F401
from onefold.torch.rows import (  # noqa: F401
    folded,
    folded_shape as _shape,
    layer_norm,
    log_softmax,
    logsumexp,
    logsumexp_of_shards,
    rms_norm,
    softmax,
)
from onefold.torch.scatter import bincount, index_add, scatter_add  # noqa: F401


@contextlib.contextmanager
def matmul_workspace(memory):
    """Products of matrices within it use memory, a contiguous CUDA tensor, where otherwise Onefold allocates and keeps up to
    1.1 GiB for each stream: with less memory in smaller blocks. The calling thread's products do, not those of backward(), which
    has threads of its own; and it must not serve two streams at the same time."""
    if not isinstance(memory, torch.Tensor) or not memory.is_cuda or not memory.is_contiguous():
        given = f"a tensor on {memory.device}" if isinstance(memory, torch.Tensor) and not memory.is_cuda else type(memory).__name__
        raise errors.make("bad_option", f"matmul_workspace: pass a contiguous CUDA tensor, not {given}")
    lent = _core.MatmulWorkspace(memory.get_device(), memory.data_ptr(), memory.numel() * memory.element_size())
    try:
        yield
    finally:
        del lent


def _dtype(row, x):
    return getattr(torch, long_names[row.types[dtype_of(x)]])


class _Slices:
    """What a gradient needs to know of a request: the elements, their number in a slice, and the answers,
    broadcast to the elements.

    y  the second array, or the answers
    """

    def __init__(self, x, y, axis, keepdims, ddof, where):
        self.x, self.y, self.axis, self.ddof, self.where = x, y, axis, ddof or 0, where
        self.answers = _shape(x, axis, True)

    def spread(self, answers):
        return answers.reshape(self.answers)

    @property
    def n(self):
        if self.where is None:
            return max(math.prod(self.x.shape[d] for d in folded(self.x, self.axis)), 1)
        there = self.where.expand(self.x.shape)
        for d in folded(self.x, self.axis):  # one by one, since torch's sum over an empty list of axes sums all
            there = there.sum(d, keepdim=True)
        return there.clamp(min=1).to(self.x.dtype)

    @property
    def mean(self):
        return _operators["mean"](self.x, axis=self.axis, keepdims=True, where=self.where)


def _of_var(s, grad):
    n = s.n - s.ddof
    scale = torch.where(n > 0, 2 / n, float("nan")) if isinstance(n, torch.Tensor) else (
        2 / n if n > 0 else float("nan"))
    return (grad * (s.x - s.mean) * scale,)


def _of_norm2(s, grad):
    y = s.spread(s.y)
    # At zero there is no gradient; 0 is given, as by torch.linalg.vector_norm.
    return (grad * torch.where(y == 0, torch.zeros_like(s.x), s.x / y),)


def _of_mse(s, grad):
    mine = grad * (s.x - s.y) * (2 / s.n)
    return mine, -mine


# For each op: the gradients of its arrays, from the answers' gradient, broadcast to the elements.
_gradients = {
    "sum": lambda s, grad: (grad.expand(s.x.shape),),
    "mean": lambda s, grad: ((grad / s.n).expand(s.x.shape),),
    "var": _of_var,
    "norm2": _of_norm2,
    "mse": _of_mse,
    "dot": lambda s, grad: (grad * s.y, grad * s.x)}


def _keep(inputs, ctx, given, output):
    arrays, (ctx.axis, ctx.keepdims, ctx.ddof, ctx.nan, where) = given[:inputs], given[inputs:]
    ctx.save_for_backward(*arrays, *([output] if inputs == 1 else []), where)


def _backward(name, ctx, grad):
    if ctx.nan != "propagate":
        raise errors.make(
            "unsupported", f"{name}: gradients need nan='propagate'; use x.detach() otherwise")
    x, y, where = ctx.saved_tensors
    slices = _Slices(x, y, ctx.axis, ctx.keepdims, ctx.ddof, where)
    grads = _gradients[name](slices, slices.spread(grad))
    if where is not None:
        grads = [torch.where(where, g, torch.zeros((), dtype=g.dtype, device=g.device)) for g in grads]
    return (*grads, None, None, None, None, None)


def _register(row):
    name = row.name

    def fold(arrays, axis, keepdims, ddof, nan, where):
        keywords = {"ddof": ddof} if row.uses_ddof else {}
        return onefold.fold(name, *(x.detach() for x in arrays), axis=axis, keepdims=keepdims, nan=nan, where=where,
                            **keywords)[0]

    def of_one(x: torch.Tensor, axis: Sequence[int] | None = None, keepdims: bool = False, ddof: float | None = None,
               nan: str = "propagate", where: torch.Tensor | None = None) -> torch.Tensor:
        return fold([x], axis, keepdims, ddof, nan, where)

    def of_two(x: torch.Tensor, y: torch.Tensor, axis: Sequence[int] | None = None, keepdims: bool = False,
               ddof: float | None = None, nan: str = "propagate", where: torch.Tensor | None = None) -> torch.Tensor:
        return fold([x, y], axis, keepdims, ddof, nan, where)

    custom = torch.library.custom_op(f"onefold::{name}", of_one if row.inputs == 1 else of_two, mutates_args=())

    def fake(x, axis=None, keepdims=False, *rest, **others):
        return x.new_empty(_shape(x, axis, keepdims), dtype=_dtype(row, x))

    custom.register_fake(fake if row.inputs == 1 else lambda x, y, *rest, **others: fake(x, *rest, **others))
    if name in _gradients:
        custom.register_autograd(
            functools.partial(_backward, name), setup_context=lambda ctx, inputs, output: _keep(
                row.inputs, ctx, inputs, output))

    def call(x, *y, axis=None, keepdims=False, ddof=None, nan="propagate", where=None):
        axis = [operator.index(axis)] if hasattr(axis, "__index__") else axis
        return custom(x, *y, axis, keepdims, None if ddof is None else float(ddof), nan, where)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{row.idea} along axes, exact, as an operator that torch.compile keeps."
    return call


_operators = {name: _register(row) for name, row in _ops.ops.items()}


@torch.library.custom_op("onefold::fold_segments", mutates_args=())
def fold_segments(op: str, x: torch.Tensor, offsets: torch.Tensor, ddof: float | None = None,
                  nan: str = "propagate", y: Optional[torch.Tensor] = None) -> torch.Tensor:
    """Computes op over each segment x[offsets[i]:offsets[i + 1]] of the first axis, as a torch operator; y: the second array."""
    keywords = {"ddof": ddof} if _ops.ops[op].uses_ddof else {}
    y = None if y is None else y.detach()
    return onefold.fold_segments(op, x.detach(), offsets, y=y, nan=nan, **keywords)[0]


@fold_segments.register_fake
def _(op, x, offsets, ddof=None, nan="propagate", y=None):
    return x.new_empty((offsets.shape[0] - 1, *x.shape[1:]), dtype=_dtype(_ops.ops[op], x))


@torch.library.custom_op("onefold::fold_by", mutates_args=())
def fold_by(op: str, labels: torch.Tensor, x: torch.Tensor, groups: int, ddof: float | None = None,
            nan: str = "propagate") -> torch.Tensor:
    """One op of the elements x[i] of each group labels[i], below groups, as an operator."""
    keywords = {"ddof": ddof} if _ops.ops[op].uses_ddof else {}
    return onefold.fold_by(op, labels, x.detach(), groups=groups, nan=nan, **keywords)[0]


@fold_by.register_fake
def _(op, labels, x, groups, ddof=None, nan="propagate"):
    return x.new_empty((groups,), dtype=_dtype(_ops.ops[op], x))


@torch.library.custom_op("onefold::matmul", mutates_args=())
def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """torch.matmul with every entry rounded once, as an operator with gradients."""
    return onefold.matmul(a.detach(), b.detach())


@matmul.register_fake
def _(a, b):
    common = torch.promote_types(a.dtype, b.dtype)
    a, b = a.to(common), b.to(common)
    return a.new_empty(torch.matmul(a, b).shape, dtype=_dtype(_ops.ops["dot"], a))


@torch.library.custom_op("onefold::addmm", mutates_args=())
def _addmm(c: torch.Tensor, a: torch.Tensor, b: torch.Tensor, alpha: float, beta: float) -> torch.Tensor:
    return onefold.addmm(c.detach(), a.detach(), b.detach(), alpha=alpha, beta=beta).contiguous()


@_addmm.register_fake
def _(c, a, b, alpha, beta):
    common = functools.reduce(torch.promote_types, (c.dtype, a.dtype, b.dtype))
    c, a, b = (x.to(common) for x in (c, a, b))
    return a.new_empty(torch.matmul(a, b).shape, dtype=_dtype(_ops.ops["dot"], a))


def addmm(c, a, b, *, alpha=1, beta=1):
    """beta c + alpha a @ b with every entry rounded once, for matrices, batches and vectors, as an operator with gradients."""
    for name, v in (("alpha", alpha), ("beta", beta)):
        if isinstance(v, int) and int(float(v)) != v:
            raise errors.make("bad_option", f"addmm: {name}={v} is an integer that float64 cannot hold, but this operator "
                                             "converts it; "
                               "call onefold.addmm")
    return _addmm(c, a, b, alpha, beta)


def _product_over(x, y, shape, batch, alpha=1):
    """alpha x @ y.mT, summed over the leading axes along which an operand of this shape was repeated: one exact product."""
    repeated = [d - len(batch) for d in range(len(batch))
                if d < len(batch) - len(shape) + 2 or shape[d - len(batch) - 2] != batch[d]]
    places = tuple(range(-1 - len(repeated), -1))
    x, y = (t.expand(*batch, *t.shape[-2:]).movedim([d - 2 for d in repeated], places).flatten(-1 - len(repeated))
            for t in (x, y))
    product = matmul(x, y.mT) if alpha == 1 else addmm(x.new_zeros(()), x, y.mT, alpha=alpha, beta=0)
    return product.reshape(shape)


def _of_factors(grad, a, b, needed, alpha=1):
    """The gradients of a and b, where they are needed, in alpha a @ b."""
    rows, columns = (a[None] if a.ndim == 1 else a), (b[:, None] if b.ndim == 1 else b)
    grad = grad[..., None] if b.ndim == 1 else grad
    grad = grad[..., None, :] if a.ndim == 1 else grad
    batch = grad.shape[:-2]
    of_a = _product_over(grad, columns, rows.shape, batch, alpha).reshape(a.shape) if needed[0] else None
    of_b = _product_over(rows.mT, grad.mT, columns.shape, batch, alpha).reshape(b.shape) if needed[1] else None
    return of_a, of_b


matmul.register_autograd(
    lambda ctx, grad: _of_factors(grad, *ctx.saved_tensors, ctx.needs_input_grad),
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs))


def _addmm_backward(ctx, grad):
    a, b = ctx.saved_tensors
    of_c = None
    if ctx.needs_input_grad[0]:
        rank = grad.ndim - len(ctx.shape)
        repeated = [d for d in range(grad.ndim) if d < rank or ctx.shape[d - rank] != grad.shape[d]]
        of_c = (_operators["sum"](grad, axis=repeated) if repeated else grad).reshape(ctx.shape) * ctx.beta
    return of_c, *_of_factors(grad, a, b, ctx.needs_input_grad[1:], ctx.alpha), None, None


def _keep_addmm(ctx, inputs, output):
    c, a, b, ctx.alpha, ctx.beta = inputs
    ctx.shape = c.shape
    ctx.save_for_backward(a, b)


_addmm.register_autograd(_addmm_backward, setup_context=_keep_addmm)


def __getattr__(name):
    if name in _operators:
        return _operators[name]
    raise AttributeError(f"module 'onefold.torch' has no attribute {name!r}")


def __dir__():
    return [*_operators, "addmm", "all_reduce", "bincount", "clip_grad_norm_", "exact", "fold_by", "fold_segments", "gather",
            "index_add", "layer_norm", "log_softmax", "logsumexp", "logsumexp_of_shards", "matmul", "norm2_of", "rms_norm",
            "scatter_add", "softmax"]


__all__ = [name for name in __dir__() if name not in ("sum", "min", "max", "any", "all")]  # which Python has
