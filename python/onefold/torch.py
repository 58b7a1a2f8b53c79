"""The ops as custom operators of torch, which torch.compile(fullgraph=True) keeps in its graph.

    import onefold.torch
    y = torch.ops.onefold.var(x, 1.0, "propagate")      # or onefold.torch.var(x, ddof=1)

They fold whole tensors where these are. sum, mean, var and norm2 have gradients, which are rounded as
torch's are; of the others torch says that no formula is registered.
"""

import functools
import math
import operator

import onefold
import torch
from onefold import _core, _errors, _fold, _frames, _ops
from onefold._frameworks import torch_types


def _dtype(row, x):
    name = next(short for short, long in torch_types.items()
                if getattr(torch, long, None) is x.dtype)
    return getattr(torch, torch_types[row.types[name]])


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
    name, op = row.name, getattr(onefold, row.name)

    def fold(x: torch.Tensor, ddof: float, nan: str) -> torch.Tensor:
        keywords = {"ddof": ddof} if row.uses_ddof else {}
        return op(x.detach(), nan=nan, **keywords)

    custom = torch.library.custom_op(f"onefold::{name}", fold, mutates_args=())
    custom.register_fake(lambda x, ddof, nan: x.new_empty((), dtype=_dtype(row, x)))

    if name in _gradients:
        custom.register_autograd(functools.partial(_backward, name), setup_context=_keep)

    def call(x, *, ddof=0.0, nan="propagate"):
        return custom(x, float(ddof), nan)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{row.idea} of a whole tensor, exact, as an operator that torch.compile keeps."
    return call


_operators = {name: _register(row) for name, row in _ops.ops.items() if row.inputs == 1}


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
    """The groups that share x out, the index where the local part begins, and what is wrong here alone."""
    from torch.distributed.tensor import DTensor, Replicate, Shard
    from torch.distributed.tensor._utils import compute_local_shape_and_global_offset as where_is

    def refuse(why):
        raise _errors.make("bad_option", f"{ops}: {why}")

    if not isinstance(x, DTensor):
        refuse(f"a {type(x).__name__} is no DTensor; onefold.gather takes tensors")
    if x.device_mesh.get_coordinate() is None:
        refuse("this process is not in the mesh of the DTensor")
    # Others are partial sums, or shards in an order of their own (of FSDP over tensor parallelism).
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
    if any(dim != 0 for dim in dims) and _frames.places_in(ops):
        refuse("parts that answer with an index are whole rows, and this DTensor is sharded along axis "
               f"{max(dims)}; redistribute it to Shard(0)")
    first = offset[0] * math.prod(x.shape[dim] for dim in folded - {0}) if dims else 0
    groups = [x.device_mesh.get_group(k) for k, p in enumerate(x.placements) if p.is_shard()]
    return groups, first, wrong


def gather(ops, x, *, axis=None, nan="propagate"):
    """The State of a DTensor, or the States along axis, on every process of its mesh: equal bytes.

    x   sharded along axes that are folded, or replicated; all processes of its mesh call this
    """
    ops = _fold._names_of(ops)
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
    for group in groups:  # to the end, so that nobody waits for one that has left
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
    return list(_operators)
