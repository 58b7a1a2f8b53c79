"""The ops as custom operators of torch, which torch.compile(fullgraph=True) keeps in its graph.

    import onefold.torch
    y = onefold.torch.var(x, axis=-1, ddof=1)      # torch.ops.onefold.var, in a graph
    z = onefold.torch.mse(x, target, axis=0)
    s = onefold.torch.fold_segments("sum", x, offsets)
    c = onefold.torch.matmul(a, b)
    p = onefold.torch.softmax(x, axis=-1)          # and logsumexp, log_softmax
    h = onefold.torch.rms_norm(x, (4096,), weight) # and layer_norm: as torch.nn.functional has them
    a = onefold.torch.index_add(x, 0, index, source) # and scatter_add, bincount(x, weights)
    n = onefold.torch.norm2_of(gradients)          # of many tensors; clip_grad_norm_ clips by it
    with onefold.torch.exact():                    # torch's own reductions, exact
        logits = model(batch)

They fold tensors on the device that holds them. sum, mean, var, norm2, mse, dot, matmul, softmax and norms of rows have gradients, along
axes and with masks, rounded as torch's are; for the others torch reports that no formula is registered.
"""

import functools
import math
import operator
import threading
from collections.abc import Sequence
from typing import Optional

import onefold
import torch
from onefold import _chunks, _core, _errors, _fold, _ops
from onefold._exact import exact  # noqa: F401
from onefold._frameworks import dtype_of
from onefold._torch_norms import clip_grad_norm_, norm2_of  # noqa: F401
from onefold._torch_rows import folded, layer_norm, log_softmax, logsumexp, rms_norm, softmax  # noqa: F401
from onefold._torch_rows import folded_shape as _shape
from onefold._torch_scatter import bincount, index_add, scatter_add  # noqa: F401
from onefold._wrap import long_names


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
        raise _errors.make(
            "unsupported", f"{name}: there is a gradient for nan='propagate' only; fold x.detach()")
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
    """One op of x[offsets[i]:offsets[i + 1]] along the first axis, for each i, as an operator; y: the second array."""
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


def _product_over(x, y, shape, batch):
    """x @ y.mT, summed over the leading axes along which an operand of this shape was repeated: one exact product."""
    repeated = [d - len(batch) for d in range(len(batch))
                if d < len(batch) - len(shape) + 2 or shape[d - len(batch) - 2] != batch[d]]
    places = tuple(range(-1 - len(repeated), -1))
    x, y = (t.expand(*batch, *t.shape[-2:]).movedim([d - 2 for d in repeated], places).flatten(-1 - len(repeated))
            for t in (x, y))
    return matmul(x, y.mT).reshape(shape)


def _matmul_backward(ctx, grad):
    a, b = ctx.saved_tensors
    rows, columns = (a[None] if a.ndim == 1 else a), (b[:, None] if b.ndim == 1 else b)
    grad = grad[..., None] if b.ndim == 1 else grad
    grad = grad[..., None, :] if a.ndim == 1 else grad
    batch = grad.shape[:-2]
    of_a = _product_over(grad, columns, rows.shape, batch).reshape(a.shape) if ctx.needs_input_grad[0] else None
    of_b = _product_over(rows.mT, grad.mT, columns.shape, batch).reshape(b.shape) if ctx.needs_input_grad[1] else None
    return of_a, of_b


matmul.register_autograd(
    _matmul_backward, setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs))


_of_thread = threading.local()
_most_kept = 4096  # bytes: the frame of a small state


def _memory(where, n, ranks):
    """Tensors for a gather of n bytes of each rank: what is sent and got, on the host, pinned for a GPU, and the same
    on the device (on the CPU the same tensors). Small ones are kept by each thread: they are half of a small gather's time."""
    kept = _of_thread.__dict__.setdefault("kept", {})
    if (where, n, ranks) in kept:
        return kept[where, n, ranks]
    on_gpu = where.type == "cuda"
    host = [torch.empty(size, dtype=torch.uint8, pin_memory=on_gpu) for size in (n, n * ranks)]
    memory = *host, *(torch.empty_like(t, device=where) if on_gpu else t for t in host)
    if n <= _most_kept:
        kept[where, n, ranks] = memory
    return memory


def all_reduce(state, group=None):
    """The state of all processes of a group of torch.distributed, on each of them: equal bytes.

    state   a State or States, or a function that returns one (if it fails, all processes raise)
    group   of any backend that adds int64: gloo, nccl, mpi; None: the default group
    """
    import torch.distributed as dist
    from onefold import _ranks

    where = torch.device("cuda", torch.cuda.current_device()) \
        if dist.get_backend(group) == "nccl" else torch.device("cpu")

    ranks = dist.get_world_size(group)

    def gather(data):
        sent, got, mine, every = _memory(where, len(data), ranks)
        sent.copy_(torch.frombuffer(bytearray(data), dtype=torch.uint8))
        mine.copy_(sent, non_blocking=True)
        dist.all_gather_into_tensor(every, mine, group=group)
        got.copy_(every, non_blocking=True)
        if where.type == "cuda":
            torch.cuda.current_stream().synchronize()
        everyone = got.numpy().tobytes()
        return [everyone[k:k + len(data)] for k in range(0, len(everyone), len(data))]

    def add(words):
        tensor = torch.frombuffer(bytearray(words), dtype=torch.int64).to(where)
        dist.all_reduce(tensor, op=dist.ReduceOp.SUM, group=group)
        return tensor.cpu().numpy().tobytes()

    # Without its connections the others get an error instead of waiting.
    return _ranks.merge(state, gather, add, ranks, lambda: dist.destroy_process_group(group))


def _shards(ops, x, axis):
    """The groups over which x is divided, the index where the local part begins, and this
    process's error, if any."""
    from torch.distributed.tensor import DTensor, Replicate, Shard
    from torch.distributed.tensor._utils import compute_local_shape_and_global_offset as where_is

    def refuse(why):
        raise _errors.make("bad_option", f"{ops}: {why}")

    if not isinstance(x, DTensor):
        refuse(f"a {type(x).__name__} is no DTensor; onefold.gather takes tensors")
    if x.device_mesh.get_coordinate() is None:
        refuse("this process is not in the mesh of the DTensor")
    # Other placements are partial sums, or shards in another order (FSDP over tensor parallelism).
    other = [p for p in x.placements if type(p) not in (Shard, Replicate)]
    if other:
        refuse(f"the DTensor is placed by {other[0]}; redistribute it to Shard or Replicate first")
    shape, offset = where_is(x.shape, x.device_mesh, x.placements)
    local, wrong = tuple(x.to_local().shape), None
    if tuple(shape) != local:
        wrong = f"the local part has shape {local}, and torch cuts this DTensor to {tuple(shape)}; redistribute it"
    dims = [p.dim for p in x.placements if p.is_shard()]
    axes = range(x.ndim) if axis is None else [axis] if hasattr(axis, "__index__") else axis
    folded = {operator.index(a) % max(x.ndim, 1) for a in axes}
    kept = [dim for dim in dims if dim not in folded]
    if kept:
        refuse(f"the DTensor is sharded along axis {kept[0]}, which is kept; fold x.to_local(), for each "
               "process has answers of its own")
    if any(dim != 0 for dim in dims) and _chunks.has_places(ops):
        refuse("parts that answer with an index are whole rows, and this DTensor is sharded along axis "
               f"{max(dims)}; redistribute it to Shard(0)")
    first = offset[0] * math.prod(x.shape[dim] for dim in folded - {0}) if dims else 0
    groups = [x.device_mesh.get_group(k) for k, p in enumerate(x.placements) if p.is_shard()]
    return groups, first, wrong


def gather(ops, x, *, axis=None, nan="propagate"):
    """The State of a DTensor, or the States along axis, on every process of its mesh: equal bytes.

    x   sharded along axes that are folded, or replicated; all processes of its mesh call this
    """
    ops = _fold.names_of(ops)
    groups, first, wrong = _shards(ops, x, axis)
    state, error = None, None

    def mine():
        if error is not None:
            raise error
        if wrong is not None:
            raise _errors.make("bad_option", f"{ops}: {wrong}")
        return onefold.gather(ops, x.to_local(), axis=axis, first=first, nan=nan) \
            if state is None else state

    if not groups:
        return mine()
    for group in groups:  # every group, so that no process waits for one that has left
        try:
            state = all_reduce(mine, group)
        except _errors.Error as e:
            error = e
    return mine()


def __getattr__(name):
    if name in _operators:
        return _operators[name]
    raise AttributeError(f"module 'onefold.torch' has no attribute {name!r}")


def __dir__():
    return [*_operators, "all_reduce", "bincount", "clip_grad_norm_", "exact", "fold_by", "fold_segments", "gather",
            "index_add", "layer_norm", "log_softmax", "logsumexp", "matmul", "norm2_of", "rms_norm", "scatter_add", "softmax"]
