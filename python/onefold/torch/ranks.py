"""States of processes of torch.distributed, and of DTensors."""

import math
import operator
import threading

import torch

import onefold
from onefold import errors
from onefold.operands import chunks
from onefold.reduce import fold

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


def shards(ops, x, axis):
    """The groups over which x is divided, the index where the local part begins, and this
    process's error, if any."""
    from torch.distributed.tensor import DTensor, Replicate, Shard
    from torch.distributed.tensor._utils import compute_local_shape_and_global_offset as where_is

    def refuse(why):
        raise errors.make("bad_option", f"{ops}: {why}")

    if not isinstance(x, DTensor):
        refuse(f"a {type(x).__name__} is not a DTensor; onefold.gather takes tensors")
    if x.device_mesh.get_coordinate() is None:
        refuse("this process is not part of the DTensor's mesh")
    # Other placements are partial sums, or shards in another order (FSDP over tensor parallelism).
    other = [p for p in x.placements if type(p) not in (Shard, Replicate)]
    if other:
        refuse(f"the DTensor has the placement {other[0]}; redistribute it to Shard or Replicate first")
    shape, offset = where_is(x.shape, x.device_mesh, x.placements)
    local, wrong = tuple(x.to_local().shape), None
    if tuple(shape) != local:
        wrong = f"the local part has shape {local}, but torch would split this DTensor into {tuple(shape)}; redistribute it"
    dims = [p.dim for p in x.placements if p.is_shard()]
    axes = range(x.ndim) if axis is None else [axis] if hasattr(axis, "__index__") else axis
    folded = {operator.index(a) % max(x.ndim, 1) for a in axes}
    kept = [dim for dim in dims if dim not in folded]
    if kept:
        refuse(f"the DTensor is sharded along axis {kept[0]}, which is kept, so each process has "
               "its own result; fold x.to_local()")
    if any(dim != 0 for dim in dims) and chunks.has_places(ops):
        refuse("ops that return an index need whole rows on each process, but this DTensor is sharded along axis "
               f"{max(dims)}; redistribute it to Shard(0)")
    first = offset[0] * math.prod(x.shape[dim] for dim in folded - {0}) if dims else 0
    groups = [x.device_mesh.get_group(k) for k, p in enumerate(x.placements) if p.is_shard()]
    return groups, first, wrong


def gather(ops, x, *, axis=None, nan="propagate"):
    """The State of a DTensor, or the States along axis, on every process of its mesh: equal bytes.

    x   sharded along axes that are folded, or replicated; all processes of its mesh call this
    """
    ops = fold.names_of(ops)
    groups, first, wrong = shards(ops, x, axis)
    state, error = None, None

    def mine():
        if error is not None:
            raise error
        if wrong is not None:
            raise errors.make("bad_option", f"{ops}: {wrong}")
        return onefold.gather(ops, x.to_local(), axis=axis, first=first, nan=nan) \
            if state is None else state

    if not groups:
        return mine()
    for group in groups:  # every group, so that no process waits for one that has left
        try:
            state = all_reduce(mine, group)
        except errors.Error as e:
            error = e
    return mine()
