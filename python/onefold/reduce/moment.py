"""Moments by their order, with scipy's words."""

import numbers

from .. import _core, errors
from ..files import are_paths, hold_complex, paths_of
from ..operands.complex_numbers import is_complex
from ..operands.expr import Expr
from ..operands.found import unsupported

_central = {2: _core.var, 3: _core.moment3, 4: _core.moment4}
_raw = {1: _core.mean, 2: _core.raw_moment2, 3: _core.raw_moment3, 4: _core.raw_moment4}


def moment(x, order, /, axis=None, *, center=None, dtype=None, keepdims=False, nan="propagate", where=None, weights=None, threads=None,
           **arrays):
    """The mean of (x - m)^order, m the exact mean; or with center=0 of x^order. Rounded once.

    moment(x, order, axis=None, *, center=None, ...)

    order     1, 2, 3 or 4. These are the ops mean, var, moment3, moment4, raw_moment2, raw_moment3, raw_moment4
    center    None: the mean, as in scipy.stats.moment; or 0
    weights   of each element, as of moment3()
    the rest  as of mean(), which also has out; moment has not. arrays: those of an expression x
    """
    for name in arrays:
        if type(x) is not Expr:
            raise TypeError(f"moment() got an unexpected keyword argument '{name}'")
    order = errors.integer("moment", "order", order)
    if not 1 <= order <= 4:
        raise errors.make("bad_option", f"moment: order={order} is not 1, 2, 3 or 4")
    about_zero = center is not None
    if about_zero and not (isinstance(center, numbers.Real) and center == 0):
        raise errors.make("bad_option", f"moment: center={errors.shown(center)} is neither None, for the mean, nor 0")
    if not about_zero and order == 2 and (is_complex(x) or are_paths(x) and hold_complex("moment", paths_of(x), {})):
        raise unsupported("moment", "complex numbers have no moment of order 2 here; call var(x), the mean of |x - m|^2")
    if weights is not None:
        if about_zero and order > 1:
            raise unsupported("moment", f"weights= is not supported for the mean of x^{order}; call mean(x**{order}, "
                              "weights=w), which rounds the powers first")
        arrays["weights"] = weights
    function = _raw[order] if about_zero else _central.get(order, _mean_of_deviations)
    return function(x, axis, dtype=dtype, keepdims=keepdims, nan=nan, where=where, threads=threads, **arrays)


def _mean_of_deviations(x, axis, /, *, dtype, **keywords):
    import numpy

    mean = _core.mean(x, axis, **keywords)  # in its own type, in which it is finite if the elements are
    with numpy.errstate(invalid="ignore"):
        zero = mean - mean
    return zero if dtype is None else _core.mean(zero, (), dtype=dtype)
