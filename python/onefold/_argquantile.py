"""Where quantiles are."""

from . import _errors
from ._found import library_of
from ._frameworks import dtype_of, framework_of
from ._masks import as_ndarray
from ._quantile import quantile, words_of
from ._wrap import stacked

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
    method = "lower" if method is None else method
    if method not in _methods:
        raise _errors.make("bad_option", f"{name}: method={_errors.shown(method)} is not one of {', '.join(_methods)}, whose quantiles "
                           "are elements")
    if axis is not None and hasattr(axis, "__len__"):
        raise _errors.make("bad_option", f"{name}: axis={_errors.shown(axis)} is not one axis; None takes all elements")
    there = library_of(x) in ("torch", "cupy", "jax", "jaxlib")
    x = x if there else as_ndarray(name, "x", x)
    if where is True:
        where = None
    if where is not None and (not there or not hasattr(where, "dtype")):
        where = as_ndarray(name, "where=", where)
    words, one = words_of(q)
    try:
        found = [_places(x, word, axis, method, keepdims, nan, where, threads) for word in words or ["0"]]
    except _errors.Error as error:
        for op in ("quantile", "argmax"):
            error = _errors.renamed(error, op, name)
        raise error from None
    if one:
        return found[0]
    return (framework_of(name, x).stack(found, 0) if there else stacked(found))[:len(words)]


def _places(x, word, axis, method, keepdims, nan, where, threads):
    from ._fold import fold

    value = quantile(x, word, axis, method=method, keepdims=True, nan=nan, where=where, threads=threads)
    own, found = dtype_of(x), dtype_of(value)
    if own[0] in "iu":  # of which quantiles are floats
        most = 2**24 if found == "f32" else 2**53
        if int(own[1:]) > (24 if found == "f32" else 53) and not bool(((x <= most) & ((x >= -most) if own[0] == "i" else x == x)).all()):
            raise _errors.make("unsupported", f"argquantile: an integer is beyond 2^{most.bit_length() - 1}, and quantiles are {found} here")
    equal = (x == value) | ((x != x) & (value != value))
    if nan == "omit" and "f" in own:
        where = x == x if where is None else where & (x == x)
    return fold("argmax", equal, axis=axis, keepdims=keepdims, where=where).argmax
