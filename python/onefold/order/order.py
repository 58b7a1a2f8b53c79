"""Statistics of order, and of how often numbers occur."""

import functools

from .. import _core, errors
from ..operands import times
from ..operands.found import on_device
from ..reduce.slices import answer_of, float_type, fold_slices, of_one, refuse_times
from .quantile import word_of


def _same(dtype):
    return dtype


def _count(dtype):
    return "i64"


def _run(request, share, type_of):
    name, x, kind = request.ops, request.x, request.kind
    if name in ("mode", "nunique") and kind.has_times and kind.is_times(x):
        where = kind.agreeing(name, "where=", x, request.where)
        return [kind.keep(x, v, request.axis, request.keepdims) for v in times.occurring(request.replace(where=where))]
    refuse_times(name, kind, x)
    if on_device(x):
        from .device import order

        return order(request, share)
    return fold_slices(request, of_one(_core.order_array, name, share), type_of)


def _answer(name, keywords, share="0", type_of=float_type):
    return answer_of(name, keywords, functools.partial(_run, share=share, type_of=type_of))


def _share(name, p):
    word = word_of(p, name, "p")
    if float(word) >= 0.5:
        raise errors.make("bad_option", f"{name}: p={errors.shown(p)} is the fraction to cut at each end, but must be below "
                           "0.5")
    return word


def trimmed_mean(x, p, /, axis=None, *, keepdims=False, nan=None, where=None, threads=None, dim=None):
    """The mean without the floor(p n) least and the floor(p n) greatest of n numbers, rounded once.

    x        an array of any kind; on a device of torch or CuPy, whose slices are sorted there
    p        below 0.5: 0.1 is one tenth, and 10 of 100 numbers go at each end
    nan      "propagate" (None), "omit" leaves NaN out first, "raise"
    where    bools that broadcast to x: the elements that count
    returns  an object like that of mean(); NaN of no elements
    """
    keywords = dict(locals())
    return _answer("trimmed_mean", keywords, _share("trimmed_mean", keywords.pop("p")))


def winsorized_mean(x, p, /, axis=None, *, keepdims=False, nan=None, where=None, threads=None, dim=None):
    """The mean after each number that trimmed_mean() leaves out is replaced by the nearest that stays, rounded once.

    Arguments are those of trimmed_mean().
    """
    keywords = dict(locals())
    return _answer("winsorized_mean", keywords, _share("winsorized_mean", keywords.pop("p")))


def mode(x, /, axis=None, *, keepdims=False, nan=None, where=None, threads=None, dim=None):
    """The number that occurs most often, and of several the least, in the type of x.

    Parameters
    ----------
    x : array_like
        An array of any library; on a device of torch or CuPy, whose slices are sorted there.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}, optional
        By default all NaN are one value, above all numbers; 'omit' leaves them out.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        What min() would return. -0 and +0 are one number, +0.

    Raises
    ------
    EmptyError
        There are no elements.

    Examples
    --------
    >>> import onefold
    >>> onefold.mode([3, 1, 2, 3])
    3
    """
    return _answer("mode", dict(locals()), type_of=_same)


def nunique(x, /, axis=None, *, keepdims=False, nan=None, where=None, threads=None, dim=None):
    """How many different numbers occur.

    Parameters
    ----------
    x : array_like
        An array of any library; on a device of torch or CuPy, whose slices are sorted there.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}, optional
        By default all NaN are one value, above all numbers; 'omit' leaves them out.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        int64. NaN, -0 and +0 count as in mode().

    Raises
    ------
    OptionError, AxisError, ShapeError, DTypeError
        The arguments are wrong.

    Examples
    --------
    >>> import onefold
    >>> onefold.nunique([3, 1, 2, 3])
    3
    """
    return _answer("nunique", dict(locals()), type_of=_count)
