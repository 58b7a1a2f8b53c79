"""The ops as custom operators of torch, which torch.compile(fullgraph=True) keeps in its graph.

    import onefold.torch
    y = torch.ops.onefold.var(x, 1.0, "propagate")      # or onefold.torch.var(x, ddof=1)

They fold whole tensors where these are. Autograd is refused, as torch says it: no formula is
registered.
"""

import onefold
import torch
from onefold import _core
from onefold._device import _torch_types


def _dtype(row, x):
    name = next(short for short, long in _torch_types.items()
                if getattr(torch, long, None) is x.dtype)
    return getattr(torch, _torch_types[row[5][name]])


def _register(row):
    name, op = row[0], getattr(onefold, row[0])
    takes_ddof = row[4]

    def fold(x: torch.Tensor, ddof: float, nan: str) -> torch.Tensor:
        keywords = {"ddof": ddof} if takes_ddof else {}
        return op(x, nan=nan, **keywords)

    custom = torch.library.custom_op(f"onefold::{name}", fold, mutates_args=())
    custom.register_fake(lambda x, ddof, nan: x.new_empty((), dtype=_dtype(row, x)))

    def call(x, *, ddof=0.0, nan="propagate"):
        return custom(x, float(ddof), nan)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{row[1]} of a whole tensor, exact, as an operator that torch.compile keeps."
    return call


_operators = {row[0]: _register(row) for row in _core.op_table() if row[2] == 1}


def all_reduce(state, group=None):
    """The state of all processes of a group of torch.distributed, on each of them: equal bytes.

    state   a State, or a function that gives one (where it fails, all processes raise)
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


def __getattr__(name):
    if name in _operators:
        return _operators[name]
    raise AttributeError(f"module 'onefold.torch' has no attribute {name!r}")


def __dir__():
    return list(_operators)
