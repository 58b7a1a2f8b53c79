"""Where quantiles are."""

from . import _errors
from ._found import library_of
from ._frameworks import framework_of
from ._masks import as_ndarray
from ._quantile import quantile, words_of

# The methods whose quantiles are elements.
_methods = ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")


def argquantile(x, /, q, axis=None, *, method="lower", keepdims=False, nan=None, where=None, threads=None):
    """The place of the first element that equals quantile(x, q, axis, method=method), as argmax() has places.

    x        an array of any kind; of torch, CuPy and JAX the answer is one of theirs, on their device
    method   "lower" (None), "higher", "nearest", "inverted_cdf", "closest_observation": quantiles that are elements
    axis     one axis, or None: all elements in C order
    nan      "propagate" (None): of a slice with NaN the first NaN; "omit", "raise"
    where    bools that broadcast to x: the elements that count
    returns  integers, for several q with an axis in front; -0 and +0 are one number
    cost     two reads more than quantile(), and 2 bytes for each element
    """
    name = "argquantile"
    if method not in _methods:
        raise _errors.make("bad_option", f"{name}: method={_errors.shown(method)} is not one of {', '.join(_methods)}, whose quantiles "
                           "are elements")
    if axis is not None and hasattr(axis, "__len__"):
        raise _errors.make("bad_option", f"{name}: axis={_errors.shown(axis)} is not one axis; None takes all elements")
    there = library_of(x) in ("torch", "cupy", "jax", "jaxlib")
    x = x if there else as_ndarray(name, "x", x)
    words, one = words_of(q)
    found = [_places(x, there, word, axis, method, keepdims, nan, where, threads) for word in words]
    if one:
        return found[0]
    if there:
        return framework_of(name, x).stacked(found)
    import numpy

    return numpy.stack(found) if found else numpy.zeros((0,), "i8")


def _places(x, there, word, axis, method, keepdims, nan, where, threads):
    from ._fold import fold

    value = quantile(x, word, axis, method=method, keepdims=True, nan=nan, where=where, threads=threads)
    equal = (x == value) | ((x != x) & (value != value))
    if where is not None and where is not True:
        equal = equal & (where if there else as_ndarray("argquantile", "where=", where))
    try:
        return fold("argmax", equal, axis=axis, keepdims=keepdims).argmax
    except _errors.Error as error:
        raise _errors.renamed(error, "argmax", "argquantile") from None
