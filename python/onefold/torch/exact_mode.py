"""Makes torch's own reductions exact in an unchanged model: `with onefold.torch.exact():`.

The mode is below torch's autograd, so gradients are torch's formulas, with exact sums in them. Operations that
torch does in one kernel (softmax, layer norm) are split into steps by torch's own decompositions.
"""

import contextlib
import functools
import math

import torch
from torch._subclasses import FakeTensor
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode_stack

import onefold
from onefold.torch import rows as _torch_rows, scatter

aten = torch.ops.aten
_taken_apart = [getattr(aten, name) for name in (
    "_softmax_backward_data", "_log_softmax_backward_data", "logsumexp",
    "native_layer_norm", "native_layer_norm_backward", "native_group_norm", "native_group_norm_backward",
    "native_batch_norm", "_native_batch_norm_legit", "_fused_rms_norm", "_fused_rms_norm_backward", "_safe_softmax",
    "nll_loss_forward", "mse_loss", "l1_loss", "binary_cross_entropy")]


def _axes(x, dim):
    """None for all axes; torch also accepts an empty list for that."""
    if dim is None or (not isinstance(dim, int) and len(dim) == 0) or x.ndim == 0:
        return None
    return dim


def _fold(op, x, dim, keepdim, dtype=None, **keywords):
    x = x.detach() if dtype is None else x.detach().to(dtype)
    return getattr(onefold, op)(x, axis=_axes(x, dim), keepdims=keepdim, **keywords)


def _sum(x, dim=None, keepdim=False, *, dtype=None):
    return _fold("sum", x, dim, keepdim, dtype)


def _nansum(x, dim=None, keepdim=False, *, dtype=None):
    return _fold("sum", x, dim, keepdim, dtype, nan="omit")


def _mean(x, dim=None, keepdim=False, *, dtype=None):
    return _fold("mean", x, dim, keepdim, dtype)


def _spread(op, and_mean=False):
    def spread(x, dim=None, unbiased=True, keepdim=False, *, correction=None):
        if isinstance(dim, bool):  # var(x, unbiased)
            dim, unbiased = None, dim
        ddof = int(unbiased) if correction is None else correction
        axes = _axes(x, dim)
        if ddof >= math.prod(x.shape[d] for d in _torch_rows.folded(x, (axes,) if isinstance(axes, int) else axes)):
            return NotImplemented  # torch divides by 0
        answer = _fold(op, x, dim, keepdim, ddof=ddof)
        return (answer, _fold("mean", x, dim, keepdim)) if and_mean else answer
    return spread


def _cumsum(x, dim, *, dtype=None):
    if x.ndim == 0:
        return NotImplemented
    return onefold.cumsum(x.detach() if dtype is None else x.detach().to(dtype), dim)


def _soft(op):
    def soft(x, dim, half_to_float=False):
        if x.ndim == 0:
            return NotImplemented
        x = x.detach()
        return getattr(onefold, op)(x.float() if half_to_float else x, axis=dim).contiguous()
    return soft


def _norms_of_rows(op):
    """layer_norm with the mean and 1 / sqrt(var + eps) of each row, rms_norm with 1 / sqrt(mean square + eps)."""
    centred = op == "layer_norm"

    def norm(x, shape, weight, *rest):
        factors, eps = [weight, *rest[:-1]], rest[-1]
        types = (x.dtype, torch.float32) if x.element_size() < 4 else (x.dtype,)
        if not shape or list(x.shape[-len(shape):]) != list(shape) or any(
                f is not None and f.dtype not in types for f in factors) or eps is not None and not eps >= 0:
            own = aten.native_layer_norm if centred else aten._fused_rms_norm
            return own(x, shape, weight, *rest)  # torch says what is wrong, or what it is
        x, dim = x.detach(), tuple(range(x.ndim - len(shape), x.ndim))
        eps = _torch_rows.default_eps(x) if eps is None else eps
        given = {k: f if f is None else f.detach() for k, f in zip(("weight", "bias"), factors)}
        y = getattr(onefold, op)(x, dim, eps=eps, **given)
        wide = x.float() if x.element_size() < 4 else x
        mean = [_fold("mean", wide, dim, True)] if centred else []
        square = _fold("var", wide, dim, True) if centred else _fold("rms", wide, dim, True) ** 2
        return (y, *mean, (square + eps).rsqrt())
    return norm


def _logsumexp(x, dim, keepdim=False):
    if x.ndim == 0 or len(dim) == 0:
        return NotImplemented
    return onefold.logsumexp(x.detach(), axis=tuple(dim), keepdims=keepdim)


def _of_prims(op):
    """The same ops under the names that torch's decompositions use."""
    def prim(x, dims, correction=None, *, output_dtype=None):
        ddof = {} if correction is None else {"ddof": correction}
        return _fold(op, x, dims, False, output_dtype, **ddof) if len(dims) else NotImplemented
    return prim


def _extreme(op):
    def extreme(x, dim=(), keepdim=False):
        return _fold(op, x, dim, keepdim)
    return extreme


_norms = {0: "count_nonzero", 1: "norm1", 2: "norm2", float("inf"): "norminf"}


def _norm(x, ord=None, dim=None, keepdim=False, *, dtype=None):
    ord = 2 if ord is None else ord
    if ord not in _norms:
        return NotImplemented
    answer = _fold(_norms[ord], x, dim, keepdim, dtype)
    return answer.to(x.dtype if dtype is None else dtype)


def _here(added):
    """Wraps `added`, so that it writes the answer into its first argument."""
    def here(x, *args, **keywords):
        answer = added(x, *args, **keywords)
        return answer if answer is NotImplemented else x.copy_(answer)
    return here


def _scatter_add(x, dim, index, source):
    return scatter.scattered(x, dim, index, source)


def _scatter_reduce(x, dim, index, source, reduce, *, include_self=True):
    if reduce not in ("sum", "mean"):
        return NotImplemented
    return scatter.scattered(x, dim, index, source, reduce, include_self)


def _index_reduce(x, dim, index, source, reduce, *, include_self=True):
    if reduce != "mean":
        return NotImplemented
    return scatter.added_by_index(x, dim, index, source, op="mean", keep=include_self)


def _scatter(x, dim, index, source, *, reduce=None):
    if reduce != "add":
        return NotImplemented
    if not isinstance(source, torch.Tensor):
        source = x.new_full((), source).expand(index.shape)
    return scatter.scattered(x, dim, index, source)


def _index_put(x, indices, values, accumulate=False, unsafe=False):
    if not accumulate or all(index is None for index in indices):  # without indices torch says what is wrong
        return NotImplemented
    return scatter.put_by_indices(x, indices, values)


def _put(x, index, source, accumulate=False):
    return scatter.put_at(x, index, source) if accumulate else NotImplemented


def _embedding_backward(gradient, indices, words, padding, by_frequency):
    if by_frequency:
        return NotImplemented
    labels = indices.reshape(-1)
    rows = gradient.detach().reshape(labels.numel(), -1)
    if padding >= 0:
        rows = rows.masked_fill((labels == padding)[:, None], 0)
    return scatter.added_by_index(rows.new_zeros(words, rows.shape[1]), 0, labels, rows)


def _segment_reduce(x, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None):
    cuts = lengths if offsets is None else offsets
    if reduce not in ("sum", "mean") or cuts is None or cuts.ndim != 1 or axis != 0 or (
            initial is not None and reduce == "mean"):
        return NotImplemented
    if offsets is None:
        offsets = torch.nn.functional.pad(lengths.cumsum(0), (1, 0))
    return onefold.fold_segments(reduce, x.detach(), offsets.detach(), initial=initial)[0]


def _are_factors(a, b, ranks):
    """Whether torch multiplies these; else it says what is wrong."""
    batches = ranks != (3, 3) or a.shape[0] == b.shape[0]
    return (a.ndim, b.ndim) == ranks and batches and a.shape[-1] == b.shape[-2:][0] and a.dtype == b.dtype and a.device == b.device


def _product(*ranks):
    fold = onefold.vecdot if ranks[1] == 1 else onefold.matmul
    return lambda a, b: fold(a.detach(), b.detach()) if _are_factors(a, b, ranks) else NotImplemented


def _sum_with_product(*ranks, of_batches=False):
    def added(c, a, b, *, beta=1, alpha=1):
        if not _are_factors(a, b, ranks) or c.dtype != a.dtype or c.device != a.device:
            return NotImplemented
        if of_batches:  # sums over the batch, too
            a, b = a.movedim(0, 1).flatten(1), b.flatten(0, 1)
        shape = (*a.shape[:-1], *b.shape[-1:] * (b.ndim > 1))
        if c.ndim > len(shape) or any(n not in (1, m) for n, m in zip(reversed(c.shape), reversed(shape))):
            return NotImplemented
        return onefold.addmm(c.detach(), a.detach(), b.detach(), alpha=alpha, beta=beta)
    return added


_products = {"mm": _product(2, 2), "bmm": _product(3, 3), "mv": _product(2, 1), "dot": _product(1, 1)}
_sums_with_products = {
    "addmm": _sum_with_product(2, 2), "baddbmm": _sum_with_product(3, 3), "addmv": _sum_with_product(2, 1),
    "addbmm": _sum_with_product(3, 3, of_batches=True)}
_adds = {
    "index_add": scatter.added_by_index, "index_reduce": _index_reduce, "scatter_add": _scatter_add,
    "scatter_reduce": _scatter_reduce, "scatter": _scatter, "index_put": _index_put, "put": _put}
_with_places = {
    **{getattr(aten, name): add for name, add in _adds.items()},
    **{getattr(aten, f"{name}_"): _here(add) for name, add in _adds.items()},
    aten._index_put_impl_: _here(_index_put), aten._unsafe_index_put: _index_put,
    aten.bincount: scatter.weights_counted}

_exactly = {
    aten.sum: _sum, aten.nansum: _nansum, aten.mean: _mean, aten.var: _spread("var"), aten.std: _spread("std"),
    aten._softmax: _soft("softmax"), aten._log_softmax: _soft("log_softmax"), aten.logsumexp: _logsumexp,
    aten.native_layer_norm: _norms_of_rows("layer_norm"), aten._fused_rms_norm: _norms_of_rows("rms_norm"),
    aten.cumsum: _cumsum, aten.amax: _extreme("max"), aten.amin: _extreme("min"), aten.linalg_vector_norm: _norm, aten.norm: _norm,
    aten.segment_reduce: _segment_reduce, aten.embedding_dense_backward: _embedding_backward,
    **_with_places,
    **{getattr(aten, name): add for name, add in _sums_with_products.items()},
    **{getattr(aten, f"{name}_"): _here(add) for name, add in _sums_with_products.items()},
    **{getattr(aten, name): fold for name, fold in _products.items()},
    aten.var_mean: _spread("var", True), aten.std_mean: _spread("std", True),
    **{getattr(torch.ops.prims, op): _of_prims(op) for op in ("sum", "var")}}

_floats = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


def _is_ours(x, dtype=None):
    """Whether to fold x: a float tensor with elements. torch's integer sums are exact, and its own
    errors are raised if there are no elements."""
    return (dtype or x.dtype) in _floats and not x.is_complex() and x.numel() and x.device.type in ("cpu", "cuda")


def _is_plain(x):
    """Whether an argument is not a tensor, or is one with memory and strides."""
    return not isinstance(x, torch.Tensor) or x.layout is torch.strided and not x.is_nested and not isinstance(x, FakeTensor)


def _linear(x, weight, bias=None):
    """linear with its bias as one addmm; torch's has a product and a sum unless the input has 2 axes or is contiguous with 3."""
    entered = any(isinstance(mode, exact) for mode in _get_current_dispatch_mode_stack())
    if not entered or bias is None or bias.ndim > 1 or x.ndim < 1 or weight.ndim != 2 or not all(map(_is_plain, (x, weight, bias))):
        return aten.linear.default.decompose(x, weight, bias)
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    return torch.addmm(bias, rows, weight.t()).reshape(*x.shape[:-1], weight.shape[0])


@functools.cache
def _linears():
    """Makes torch's linear _linear, since modes below autograd see only what linear is made of. For good: torch crashes if
    other threads call a kernel of Python's that is removed."""
    library = torch.library.Library("aten", "IMPL")  # noqa: TOR901
    for key in ("AutogradCPU", "AutogradCUDA"):
        library.impl("linear", _linear, key)
    return library


class exact(TorchDispatchMode):
    """Within this context torch's reductions of floats are exact and rounded once, so they are the same in any batch.

    exact        sum, nansum, mean, var, std, amax, amin, vector norms of order 0, 1, 2 and inf, cumsum, index_add,
                 scatter_add, index_put and put that accumulate, sums and means of scatter_reduce and index_reduce,
                 bincount of weights, segment_reduce of sums and means along the first axis, products of matrices
                 and vectors, with what addmm and its kin add to them, so linear with its bias, softmax, log_softmax, logsumexp,
                 layer_norm, rms_norm where torch has one kernel for it (a GPU), gradients of embeddings and of gather, take,
                 index_select and x[index]
    made of it   group and batch norms, rms_norm on the CPU, attention, losses: their sums are
                 exact, the steps between are torch's
    as torch's   everything else: convolutions, scatter of other reductions, integers, embedding bags
    cost         docs/matmul.md for products, docs/gpu.md for sums
    """

    def __init__(self):
        super().__init__()
        self._left = []  # what __exit__ must undo
        _linears()

    def __enter__(self):
        # Attention by torch's single steps, not by one kernel.
        with contextlib.ExitStack() as attention:
            attention.enter_context(torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH))
            attention.callback(torch.backends.mha.set_fastpath_enabled, torch.backends.mha.get_fastpath_enabled())
            torch.backends.mha.set_fastpath_enabled(False)
            self._left.append(attention.pop_all())
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        self._left.pop().close()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        keywords = dict(kwargs or {})
        out = keywords.pop("out", None)
        ours, dtype = _exactly.get(func.overloadpacket), keywords.get("dtype")
        if ours is not None and args and all(map(_is_plain, args)):
            folded = args[1 if func.overloadpacket is aten.bincount and len(args) > 1 else 0]
            if out is not None and out.dtype != (dtype or folded.dtype):
                return func(*args, **kwargs)  # torch says what is wrong, or folds in the type of out
            if folded is not None and _is_ours(folded, dtype):
                answer = ours(*args, **keywords)
                if answer is not NotImplemented:
                    return answer if out is None else out.resize_(answer.shape).copy_(answer)
        parts_of = _parts_of(func)
        if parts_of is None:
            return func(*args, **kwargs or {})
        super().__enter__()  # these ops are called again
        try:
            parts = parts_of(*args, **kwargs or {})
        finally:
            super().__exit__(None, None, None)
        return func(*args, **kwargs or {}) if parts is NotImplemented else parts


@functools.cache
def _parts_of(func):
    """What calls the ops that an op is made of; None: it is made of no others."""
    key = torch._C.DispatchKey.CompositeImplicitAutograd
    try:
        made = func in _parts or key in func.py_kernels or torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), key)
    except RuntimeError:
        return None  # of prim, which has no kernels
    return _parts.get(func, func.decompose) if made else None


_parts = {
    **torch._decomp.get_decompositions(_taken_apart), aten.linear.default: _linear,
    aten._foreach_norm.Scalar: lambda tensors, ord=2, dtype=None: [
        torch.linalg.vector_norm(x, ord, dtype=dtype) for x in tensors]}
