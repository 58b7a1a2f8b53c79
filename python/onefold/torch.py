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


def __getattr__(name):
    if name in _operators:
        return _operators[name]
    raise AttributeError(f"module 'onefold.torch' has no attribute {name!r}")


def __dir__():
    return list(_operators)
