"""Sums at places of a tensor: index_add, scatter_add, index_put and bincount of torch, exact and as operators.

    answer   each element is the fold of x's element and of all that is added to it, rounded once, in any order
    how      each element has its place in the answer as a label, and sums by labels add them
    types    as torch's; integers that the type cannot hold are the error overflow; bools: torch's own, an "or"
    errors   torch's, before any work
"""

import math
from typing import Optional, Union

import torch

import onefold
from onefold.errors import make

aten = torch.ops.aten
_long_row = 16  # elements of a row that are folded together
_sizes_of_labels = ((torch.int32, 2**31 - 1), (torch.int64, 2**63 - 1))


def _places(x):
    """The place of each element in C order, as a tensor of x's shape."""
    dtype = next(dtype for dtype, most in _sizes_of_labels if x.numel() < most)
    return torch.arange(x.numel(), dtype=dtype, device=x.device).reshape(x.shape)


def _fold_at(op, x, own, at, source, keep=True):
    """x with `op` of each element and of the sources at its place.

    own   the places of x
    at    the place of each element of source, of its shape
    keep  whether x's element is folded, too; otherwise it stays only where no source is
    """
    if at.numel() == 0:
        return x.detach().clone(memory_format=torch.contiguous_format)
    if x.is_complex():
        x, source = x.resolve_conj(), source.resolve_conj()
        return torch.complex(*(_fold_at(op, *parts, keep) for parts in (
            (x.real, own, at, source.real), (x.imag, own, at, source.imag))))
    own, at, groups = own.reshape(-1), at.reshape(-1), own.numel()
    if not keep:  # the last group takes what is replaced
        taken = torch.zeros(groups, dtype=torch.bool, device=x.device).index_fill(0, at.long(), True)
        own, groups = own.masked_fill(taken, groups), groups + 1
    labels, terms = torch.cat([own, at]), torch.cat([x.detach().reshape(-1), source.detach().reshape(-1)])
    result = None if x.is_floating_point() else str(x.dtype).removeprefix("torch.")
    try:
        return onefold.fold_by(op, labels, terms, groups=groups, result=result)[0][:x.numel()].reshape(x.shape)
    except onefold.OverflowError:
        raise make("overflow", f"an exact sum overflows {x.dtype}; convert the tensors to torch.int64") from None


def _fold_rows(op, x, index, source):
    """The same of rows along the first axis: those of one place are copied one after another, and folded as segments."""
    labels, order = torch.sort(torch.cat([torch.arange(len(x), dtype=index.dtype, device=x.device), index]))
    offsets = torch.searchsorted(labels, torch.arange(len(x) + 1, dtype=index.dtype, device=x.device))
    return onefold.fold_segments(op, torch.cat([x, source])[order], offsets)[0]


def _check_range(index, n, dim, error, lowest=0):
    """Raises torch's error if an index along dim is not in lowest..n - 1."""
    if index.numel() == 0:
        return
    low, high = torch.stack(torch.aminmax(index)).tolist()
    if low < lowest or high >= n:
        raise error(f"index {low if low < lowest else high} is out of bounds for dimension {dim} with size {n}")


def _check_dim(x, dim):
    n = max(x.ndim, 1)
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")


def _check_devices(name, x, **others):
    for what, other in others.items():
        if other.device != x.device:
            raise RuntimeError(f"{name}: Expected all tensors to be on the same device, but the input is on {x.device} and "
                               f"{what} on {other.device}")


def _check_type(name, x):
    if x.element_size() < 2 and x.is_floating_point():
        raise make("unsupported", f"{name}: {x.dtype} is not supported, since torch cannot add such numbers; "
                   "convert it to float32")


def _along(x, own, dim, index):
    """The place in x of each element of index along dim; index has x's rank."""
    first = own[tuple(slice(1 if d == dim else n) for d, n in enumerate(index.shape))]
    return torch.add(first, index.to(own.dtype), alpha=math.prod(x.shape[dim + 1:]))


def added_by_index(x, dim, index, source, *, alpha=1, op="sum", keep=True):
    """torch.index_add, and index_reduce of means; keep: its include_self. Products with alpha are rounded before."""
    _check_devices("index_add_()", x, index=index, source=source)
    _check_type("index_add", x)
    if index.ndim > 1:
        raise IndexError(f"index_add_(): Index is supposed to be a vector, but got dim: {index.ndim}")
    if index.dtype not in (torch.int32, torch.int64):
        raise RuntimeError(f"index_add_(): Expected dtype int32/int64 for index but got: {index.dtype}")
    _check_dim(x, dim)
    if not (x.ndim > 0 and x.ndim == source.ndim and index.ndim == 1 and len(index) == source.shape[dim]):
        aten.index_add(x.to("meta"), dim, index.to("meta"), source.to("meta"), alpha=alpha)  # says what is wrong, if anything
    if x.dtype != source.dtype:
        raise RuntimeError(f"index_add_(): self ({x.dtype}) and source ({source.dtype}) must have the same scalar type")
    dim, shape = dim % max(x.ndim, 1), list(x.shape)
    shape[dim:dim + 1] = list(source.shape[dim:dim + 1])
    if source.ndim != x.ndim or shape != list(source.shape):
        raise RuntimeError("source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape "
                           f"= {list(x.shape)} source.shape = {list(source.shape)}")
    if source.numel():
        _check_range(index, x.shape[dim] if x.ndim else 1, dim, IndexError)
    if alpha != 1:
        source = source * alpha
    if x.dtype == torch.bool:
        return torch.index_add(x, dim, index, source)
    if x.ndim == 0:
        return _fold_at(op, x, _places(x), index.reshape(-1), source.reshape(-1), keep)
    if source.numel() and 2 * index.numel() <= x.shape[dim]:  # the other places stay as they are
        rows, index = index.reshape(-1).unique(return_inverse=True)
        folded = added_by_index(x.index_select(dim, rows), dim, index, source, op=op, keep=keep)
        return x.detach().clone(memory_format=torch.contiguous_format).index_copy_(dim, rows.long(), folded)
    if keep and x.is_floating_point() and x.numel() >= _long_row * x.shape[dim] and source.numel():
        return _fold_rows(op, x.detach().movedim(dim, 0), index.reshape(-1), source.detach().movedim(dim, 0)).movedim(0, dim).contiguous()
    index = index.reshape([-1 if d == dim else 1 for d in range(x.ndim)]).expand(source.shape)
    own = _places(x)
    return _fold_at(op, x, own, _along(x, own, dim, index), source, keep)


def scattered(x, dim, index, source, op="sum", keep=True):
    """torch.scatter_add and scatter_reduce of sums and means; keep: its include_self."""
    _check_devices("scatter()", x, index=index, source=source)
    _check_type("scatter_add", x)
    _check_dim(x, dim)
    aten.scatter_add(x.to("meta"), dim, index.to("meta"), source.to("meta"))  # says what is wrong with shapes
    if x.dtype != source.dtype:
        raise RuntimeError(f"scatter(): Expected self.dtype to be equal to src.dtype, and they are {x.dtype} and {source.dtype}")
    shape, dim = x.shape, dim % max(x.ndim, 1)
    if index.numel() == 0:
        return x.detach().clone(memory_format=torch.contiguous_format)
    if x.ndim < 2:  # 0-d tensors are as 1-d ones
        x, index, source = x.reshape(-1), index.reshape(-1), source.reshape(-1)
    _check_range(index, x.shape[dim], dim, RuntimeError)
    if x.dtype == torch.bool:
        return torch.scatter_add(x, dim, index, source).reshape(shape)
    own, source = _places(x), source[tuple(map(slice, index.shape))]
    return _fold_at(op, x, own, _along(x, own, dim, index), source, keep).reshape(shape)


def put_by_indices(x, indices, values):
    """torch.index_put with accumulate=True."""
    if x.dtype != values.dtype:
        raise RuntimeError("Index put requires the source and destination dtypes match, got "
                           f"{x.dtype} for the destination and {values.dtype} for the source.")
    dim = 0
    for index in indices:
        if index is not None and index.dtype not in (torch.bool, torch.uint8):
            _check_range(index, x.shape[dim] if dim < x.ndim else 1, dim, IndexError, -x.shape[dim] if dim < x.ndim else -1)
        dim += 1 if index is None or index.dtype not in (torch.bool, torch.uint8) else index.ndim
    if len(indices) == 1 and x.ndim > 1 and (index := indices[0]) is not None and index.dtype in (torch.int32, torch.int64) and (
            values.shape == index.shape + x.shape[1:]):
        return added_by_index(x, 0, torch.where(index < 0, index + x.shape[0], index).reshape(-1), values.reshape(-1, *x.shape[1:]))
    own = _places(x)
    at = aten.index(own, indices)
    try:
        values = values.to(x.device).expand(at.shape)
    except RuntimeError:
        raise RuntimeError(f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing result "
                           f"of shape {list(at.shape)}") from None
    return _fold_at("sum", x, own, at, values)


def put_at(x, index, source):
    """torch.Tensor.put with accumulate=True: index counts in C order."""
    if index.numel() != source.numel():
        raise IndexError("put_(): Expected source and index to have the same number of elements, but got source.numel() = "
                         f"{source.numel()}, index.numel() = {index.numel()}")
    return put_by_indices(x.reshape(-1), [index.reshape(-1)], source.reshape(-1)).reshape(x.shape)


def weights_counted(x, weights=None, minlength=0):
    """torch.bincount: float32 weights have sums of float32, others of float64."""
    whole = not (x.is_floating_point() or x.is_complex() or x.dtype == torch.bool)
    low, high = torch.stack(torch.aminmax(x)).tolist() if whole and x.ndim == 1 and x.numel() else (0, -1)
    if not whole or x.ndim != 1 or low < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if weights is None:
        return torch.bincount(x, minlength=minlength)
    _check_devices("bincount", x, weights=weights)
    if weights.shape != x.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input Weights shape: "
                           f"{list(weights.shape)}, and input shape: {list(x.shape)}")
    if weights.is_complex():
        raise make("unsupported", f"bincount: weights of {weights.dtype} are not supported; pass real and imaginary parts "
                   "separately")
    weights, groups = weights.detach(), max(high + 1, minlength)
    if x.numel() == 0:
        return weights.new_zeros(groups, dtype=weights.dtype if weights.dtype == torch.float32 else torch.float64)
    if weights.dtype != torch.float32 and weights.dtype not in (torch.int64, torch.uint64):
        weights = weights.double()
    result = None if weights.is_floating_point() else "f64"  # 64-bit integers, of which doubles do not hold all
    return onefold.fold_by("sum", x.long(), weights, groups=groups, result=result)[0]


@torch.library.custom_op("onefold::index_add", mutates_args=())
def index_add(input: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor, *,
              alpha: Union[int, float, bool] = 1) -> torch.Tensor:
    """torch.index_add with every element rounded once, as an operator with gradients."""
    return added_by_index(input.detach(), dim, index, source.detach(), alpha=alpha)


@torch.library.custom_op("onefold::scatter_add", mutates_args=())
def scatter_add(input: torch.Tensor, dim: int, index: torch.Tensor, src: torch.Tensor) -> torch.Tensor:
    """torch.scatter_add with every element rounded once, as an operator with gradients."""
    return scattered(input.detach(), dim, index, src.detach())


@torch.library.custom_op("onefold::bincount", mutates_args=())
def bincount(input: torch.Tensor, weights: Optional[torch.Tensor] = None, minlength: int = 0) -> torch.Tensor:
    """torch.bincount with the sum of each bin's weights rounded once, as an operator with gradients of the weights."""
    return weights_counted(input, weights, minlength)


for _each in (index_add, scatter_add):
    _each.register_fake(lambda x, *rest, **others: torch.empty_like(x, memory_format=torch.contiguous_format))


@bincount.register_fake
def _(x, weights=None, minlength=0):
    dtype = torch.int64 if weights is None else weights.dtype if weights.dtype == torch.float32 else torch.float64
    return x.new_empty(torch.library.get_ctx().new_dynamic_size(), dtype=dtype)


def _keep_index_add(ctx, inputs, keyword_only_inputs, output):
    _, ctx.dim, index, source = inputs
    ctx.alpha, ctx.shape = keyword_only_inputs["alpha"], source.shape
    ctx.save_for_backward(index)


def _index_add_backward(ctx, grad):
    index, = ctx.saved_tensors
    of_source = grad.index_select(ctx.dim, index).reshape(ctx.shape)
    return grad, None, None, of_source if ctx.alpha == 1 else of_source * ctx.alpha


def _keep_scatter(ctx, inputs, output):
    _, ctx.dim, index, source = inputs
    ctx.shape = source.shape
    ctx.save_for_backward(index)


def _scatter_backward(ctx, grad):
    index, = ctx.saved_tensors
    of_used = grad.gather(ctx.dim, index)
    if of_used.shape != ctx.shape:  # elements of the source that no index uses
        padding = [k for n, used in zip(reversed(ctx.shape), reversed(of_used.shape)) for k in (0, n - used)]
        of_used = torch.nn.functional.pad(of_used, padding)
    return grad, None, None, of_used


def _keep_bins(ctx, inputs, output):
    ctx.type = None if inputs[1] is None else inputs[1].dtype
    ctx.save_for_backward(inputs[0])


def _bincount_backward(ctx, grad):
    x, = ctx.saved_tensors
    return None, None if ctx.type is None else grad[x.long()].to(ctx.type), None


index_add.register_autograd(_index_add_backward, setup_context=_keep_index_add)
scatter_add.register_autograd(_scatter_backward, setup_context=_keep_scatter)
bincount.register_autograd(_bincount_backward, setup_context=_keep_bins)
