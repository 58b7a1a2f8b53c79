"""rms_norm and layer_norm: each answer is the exact value, rounded once."""

from .. import _core
from ..errors import make
from ..operands import kind_of
from ..operands.found import on_device, unsupported
from .logsumexp import of_each
from .slices import refuse_integers_there


def eps_of(name, eps):
    """Converts eps to a float; raises bad_option if that is not possible."""
    try:
        return float(eps if hasattr(eps, "__float__") or hasattr(eps, "__index__") else "none")
    except (TypeError, ValueError, OverflowError):
        raise make("bad_option", f"{name}: eps is {eps!r}; pass a finite number that is 0 or more") from None


def _check(name, what, factor, x):
    if kind_of(factor).has_files:
        raise unsupported(name, f"the {what} is a {type(factor).__name__}; pass an array")
    if on_device(factor) != on_device(x):
        raise unsupported(name, f"the {what} and the array are on different devices; copy one of them")
    if getattr(factor, "requires_grad", False):
        raise unsupported(name, f"the {what} requires grad, but this function does not compute gradients; pass its detach(), "
                                f"or call onefold.torch.{name}")


def _array(name, what, factor):
    found = kind_of(factor).found(name, factor)
    if found.mask is not None and not found.mask.all():
        raise unsupported(name, f"the {what} has elements with a mask or nulls; fill them")
    return found.array


def _normalized(name, x, axis, factors, eps, threads):
    eps = eps_of(name, eps)
    for what, factor in factors.items():
        if factor is not None:
            _check(name, what, factor, x)

    def run(name, array, keywords):
        given = [None if f is None else _array(name, what, f) for what, f in factors.items()]
        return _core.norm(name, array, *given, eps, keywords)

    def here(request):
        from .device_rows import norm

        refuse_integers_there(name, request.x)
        return norm(request, list(factors.values()), eps)

    return of_each(name, x, axis, threads, run, here, "fill them")


def rms_norm(x, /, axis=-1, *, weight=None, eps=1e-5, threads=None):
    """x w / sqrt(mean(x^2) + eps) of each element and its slice along axes, rounded once.

    x        an array of floats, also on a device; on the CPU integers and bools are taken as float64
    axis     the axes of slices, those of torch's normalized_shape; None: all
    weight   an array with the extents of these axes, in x's order, and of x's type, or float32 for 16-bit floats; None: 1
    eps      the double it is
    returns  an array like x. A slice with NaN has NaN; one with an infinity has zeros, and NaN for the infinity itself
    """
    return _normalized("rms_norm", x, axis, {"weight": weight, "bias": None}, eps, threads)


def layer_norm(x, /, axis=-1, *, weight=None, bias=None, eps=1e-5, threads=None):
    """(x - mean) w / sqrt(var + eps) + b of each element and its slice along axes, rounded once.

    var      the mean of (x - mean)^2
    weight   as rms_norm() has it, and so has bias; None: 1, and 0
    returns  an array like x. A slice with NaN or an infinity has NaN
    """
    return _normalized("layer_norm", x, axis, {"weight": weight, "bias": bias}, eps, threads)
