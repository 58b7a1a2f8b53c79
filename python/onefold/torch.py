"""The ops as custom operators of torch, which torch.compile(fullgraph=True) keeps in its graph.

    import onefold.torch
    y = torch.ops.onefold.var(x, 1.0, "propagate")      # or onefold.torch.var(x, ddof=1)

They fold whole tensors where these are. sum, mean, var and norm2 have gradients, which are rounded as
torch's are; of the others torch says that no formula is registered.
"""

import functools

import onefold
import torch
from onefold import _core, _errors
from onefold._device import _torch_types


def _dtype(row, x):
    name = next(short for short, long in _torch_types.items()
                if getattr(torch, long, None) is x.dtype)
    return getattr(torch, _torch_types[row[5][name]])


def _of_var(x, y, ddof):
    n = x.numel() - ddof
    return (x - _operators["mean"](x)) * (2 / n if n > 0 else float("nan"))


# What the gradient of an answer y is multiplied by.
_gradients = {
    "sum": lambda x, y, ddof: torch.ones_like(x),
    "mean": lambda x, y, ddof: torch.full_like(x, 1 / max(x.numel(), 1)),
    "var": _of_var,
    # At zero, where there is none, 0: as torch.linalg.vector_norm has it.
    "norm2": lambda x, y, ddof: torch.where(y == 0, torch.zeros_like(x), x / y)}


def _keep(ctx, inputs, output):
    x, ctx.ddof, ctx.nan = inputs
    ctx.save_for_backward(x, output)


def _backward(name, ctx, grad):
    if ctx.nan != "propagate":
        raise _errors.make(
            "unsupported", f"{name}: there is a gradient for nan='propagate' only; fold x.detach()")
    x, y = ctx.saved_tensors
    return grad * _gradients[name](x, y, ctx.ddof), None, None


def _register(row):
    name, op = row[0], getattr(onefold, row[0])
    takes_ddof = row[4]

    def fold(x: torch.Tensor, ddof: float, nan: str) -> torch.Tensor:
        keywords = {"ddof": ddof} if takes_ddof else {}
        return op(x.detach(), nan=nan, **keywords)

    custom = torch.library.custom_op(f"onefold::{name}", fold, mutates_args=())
    custom.register_fake(lambda x, ddof, nan: x.new_empty((), dtype=_dtype(row, x)))

    if name in _gradients:
        custom.register_autograd(functools.partial(_backward, name), setup_context=_keep)

    def call(x, *, ddof=0.0, nan="propagate"):
        return custom(x, float(ddof), nan)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{row[1]} of a whole tensor, exact, as an operator that torch.compile keeps."
    return call


_operators = {row[0]: _register(row) for row in _core.op_table() if row[2] == 1}


def all_reduce(state, group=None):
    """The state of all processes of a group of torch.distributed, on each of them: equal bytes.

    state   a State or States, or a function that gives one (where it fails, all processes raise)
    group   of any backend that adds int64: gloo, nccl, mpi; None: the default group
    """
    import torch.distributed as dist
    from onefold import _ranks

    where = torch.device("cuda", torch.cuda.current_device()) \
        if dist.get_backend(group) == "nccl" else torch.device("cpu")

    def gather(thing):
        things = [None] * dist.get_world_size(group)
        dist.all_gather_object(things, thing, group=group)
        return things

    def add(words):
        tensor = torch.frombuffer(bytearray(words), dtype=torch.int64).to(where)
        dist.all_reduce(tensor, op=dist.ReduceOp.SUM, group=group)
        return tensor.cpu().numpy().tobytes()

    return _ranks.merge(state, gather, add)


def _shards(ops, x, axis):
    """The group of each dimension of the mesh that shards x, and where the local part begins."""
    from torch.distributed.tensor._utils import compute_local_shape_and_global_offset as where_is

    ranks = [p.dim for p in x.placements if p.is_shard()]
    if any(p.is_partial() for p in x.placements):
        raise _errors.make("bad_option", f"{ops}: the DTensor is a partial sum; redistribute it first")
    axes = range(x.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
    kept = [dim for dim in ranks if dim not in {a % x.ndim for a in axes if -x.ndim <= a < x.ndim}]
    if kept:
        raise _errors.make(
            "bad_option", f"{ops}: the DTensor is sharded along axis {kept[0]}, which is kept; fold "
            "x.to_local(), for each process has answers of its own")
    if any(dim != 0 for dim in ranks) and {"argmin", "argmax"} & set(ops.split(",")):
        raise _errors.make(
            "bad_option", f"{ops}: parts that answer with an index are whole rows, and this DTensor is "
            f"sharded along axis {max(ranks)}; redistribute it to Shard(0)")
    first = 0
    if ranks:
        _, offset = where_is(x.shape, x.device_mesh, x.placements)
        folded = {a % x.ndim for a in axes}
        first = offset[0]
        for dim in folded - {0}:
            first *= x.shape[dim]
    groups = [x.device_mesh.get_group(k) for k, p in enumerate(x.placements) if p.is_shard()]
    return groups, first


def gather(ops, x, *, axis=None, nan="propagate"):
    """The State of a DTensor, or the States along axis, on every process of its mesh: equal bytes.

    x   sharded along axes that are folded, or replicated; all processes of its mesh call this
    """
    ops = ops if isinstance(ops, str) else ",".join(ops)
    groups, first = _shards(ops, x, axis)
    state = lambda: onefold.gather(ops, x.to_local(), axis=axis, first=first, nan=nan)  # noqa: E731
    for group in groups or [None]:
        state = all_reduce(state, group) if groups else state()
    return state


def __getattr__(name):
    if name in _operators:
        return _operators[name]
    raise AttributeError(f"module 'onefold.torch' has no attribute {name!r}")


def __dir__():
    return list(_operators)
