"""The 2-norm of many tensors, as for clipping gradients: one exact sum of squares over all elements, rounded once.

States of pieces are merged, so neither the order of the tensors nor how they are cut, sharded or replicated shows.
"""

import functools
import itertools

import torch

import onefold
from onefold.errors import make
from onefold.torch.ranks import all_reduce, shards

_floats = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
# Elements of tensors that are copied side by side, since many small calls take longer than a copy; and of such a copy.
_short = {"cpu": 1 << 12, "cuda": 1 << 22}
_most = 1 << 26


def _complaint(x):
    """Describes x for a message if it is not a dense tensor of floats or complex numbers, else None."""
    if not isinstance(x, torch.Tensor):
        return f"a {type(x).__name__}"
    if x.layout is not torch.strided:
        return f"a tensor of layout {x.layout}"
    return None if x.dtype in _floats or x.is_complex() else f"of {x.dtype}"


def _taken(tensors):
    """The tensors, of floats: complex numbers as pairs. Tensors of one kind are checked once, since there may be hundreds."""
    given = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
    checked = set()
    for k, x in enumerate(given):
        kind = (x.dtype, x.layout, x.device) if isinstance(x, torch.Tensor) else None
        if kind in checked:
            continue
        if (wrong := _complaint(x)) is not None:
            raise make("unsupported", f"norm2_of: tensor {k} is {wrong}; pass dense tensors of float16, bfloat16, float32, "
                       "float64 or complex numbers")
        if x.device.type not in _short or x.device != given[0].device:
            raise make("bad_option", f"norm2_of: tensor {k} is on {x.device}, but tensor 0 on {given[0].device}; all must be "
                       "on one device, the CPU or a GPU")
        checked.add(kind)
    if not any(dtype.is_complex for dtype, _, _ in checked):
        return given
    return [torch.view_as_real(x.resolve_conj()) if x.is_complex() else x for x in given]


def _pieces(tensors, dtype):
    """The elements in this type, as few tensors: short ones are copied side by side."""
    side_by_side, n = [], 0
    short = _short[tensors[0].device.type] if tensors else 0
    for x in tensors:
        if (some := x.numel()) > short:
            yield x.detach().to(dtype)
            continue
        side_by_side.append(x if x.dtype == dtype else x.to(dtype))
        n += some
        if n >= _most:
            yield torch._utils._flatten_dense_tensors(side_by_side).detach()
            side_by_side, n = [], 0
    if side_by_side:
        yield torch._utils._flatten_dense_tensors(side_by_side).detach()


def _state(pieces, dtype):
    state = onefold.gather("norm2", torch.zeros(0, dtype=dtype))
    for piece in pieces:
        state.merge(onefold.gather("norm2", piece))
    return state


def _by_groups(tensors, group):
    """The local tensors by the process groups over which they are sharded."""
    parts = {}
    if not any(hasattr(kind, "to_local") for kind in {type(x) for x in tensors}):
        return {() if group is None else (group,): tensors} if tensors else {}
    for x in tensors:
        if not hasattr(x, "to_local"):
            parts.setdefault(() if group is None else (group,), []).append(x)
            continue
        if group is not None:
            raise make("bad_option", "norm2_of: group= is for plain tensors that are split across processes; a DTensor knows its mesh, so "
                       "leave out group=")
        groups, _, wrong = shards("norm2_of", x, None)
        if wrong is not None:
            raise make("bad_option", f"norm2_of: {wrong}")
        parts.setdefault(tuple(groups), []).append(x.to_local())
    return parts


@torch.no_grad()
def norm2_of(tensors, *, dtype=None, group=None):
    """The 2-norm of all elements of all tensors, rounded once, as a tensor on their device, without a gradient.

    tensors  an iterable of tensors of any shapes and float types on one device, or one tensor; DTensors, which all
             processes of their meshes give
    dtype    of the answer; by default the one to which torch promotes those of the tensors
    group    of torch.distributed, if each of its processes gives its part of the elements
    """
    given = _taken(tensors)
    if not given and group is None:
        return torch.zeros((), dtype=dtype)
    common = functools.reduce(torch.promote_types, {x.dtype for x in given}) if given else torch.float32
    dtype = common if dtype is None else dtype
    if dtype not in _floats:
        raise make("bad_option", f"norm2_of: dtype={dtype} is not torch.float16, bfloat16, float32 or float64")
    device = given[0].device if given else None
    parts = _by_groups(given, group)
    if list(parts) == [()] and dtype == common:
        pieces = _pieces(parts[()], common)
        first, second = next(pieces), next(pieces, None)
        if second is None:  # on a GPU this waits for nothing
            return onefold.norm2(first)
        return _answer(_state(itertools.chain((first, second), pieces), common), dtype, device)
    state = _state((), common)
    for groups, some in (parts or {(group,): []}).items():
        whole = _state(_pieces(some, common), common)
        for one in groups:
            whole = all_reduce(whole, one)
        state.merge(whole)
    return _answer(state, dtype, device)


def _answer(state, dtype, device):
    return torch.tensor(state.answer("norm2", dtype=dtype), dtype=dtype, device=device)


def clip_grad_norm_(parameters, max_norm, *, error_if_nonfinite=False, group=None):
    """torch.nn.utils.clip_grad_norm_ of the 2-norm, whose total is that of `norm2_of`, which it returns."""
    parameters = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
    total = norm2_of([p.grad for p in parameters if p.grad is not None], group=group)
    if error_if_nonfinite and not total.isfinite():
        raise RuntimeError(f"the total norm of the gradients is {total.item()}, so they cannot be clipped; to scale them "
                           "anyway, pass error_if_nonfinite=False")
    torch.nn.utils.clip_grads_with_norm_(parameters, max_norm, total)
    return total
