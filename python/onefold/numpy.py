"""NumPy's reductions with NumPy's signatures and warnings, exact: np.sum = onefold.numpy.sum.

NumPy's own functions handle scalars, arrays without elements, and whatever Onefold does not fold: objects, long
doubles, dates, float8 and bfloat16, min and max of complex numbers, arrays of other libraries, subclasses of ndarray with reductions or ufuncs of their own.
An InexactWarning says so wherever such an answer may be rounded more than once, or wrap. Integer sums that
overflow raise OverflowError; NumPy's would wrap. out= gets the exact value, rounded once to its type.
"""

import functools
import math
import warnings
from decimal import Decimal

import numpy as _np

import onefold as _onefold
from onefold.errors import warn_of_numpy
from onefold.operands.numbers import is_short, truncated

_no_value = _np._NoValue
_numpys = {}  # NumPy's own functions, also after np.sum = onefold.numpy.sum
_no_rounding = ("min", "max", "amin", "amax", "argmin", "argmax", "nanmin", "nanmax", "nanargmin", "nanargmax")
_methods = ("inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull",
            "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest")
_elements = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")  # whose quantiles are elements
# What decides how NumPy reduces a subclass of ndarray.
_of_subclasses = ("sum", "mean", "var", "std", "min", "max", "argmin", "argmax", "__array_wrap__", "__array_finalize__",
                  "__array_ufunc__", "__array_function__")


def _is_plain(kind):
    """Whether NumPy reduces arrays of this subclass of ndarray as it reduces an ndarray."""
    return all(getattr(kind, name) is getattr(_np.ndarray, name) for name in _of_subclasses)


class _Theirs(Exception):
    """Raised when a call must be left to NumPy."""


def _or_numpys(name, ours):
    """The function `ours`; where that raises _Theirs NumPy's, with a warning if its answer need not be the exact value
    rounded once."""
    ours.__name__ = ours.__qualname__ = name
    ours.__doc__ = f"numpy.{name}, exact and rounded once where onefold has it."
    _numpys[name] = getattr(_np, name)
    has_dtype = "dtype" in ours.__code__.co_varnames[:ours.__code__.co_argcount]  # the third argument

    @functools.wraps(ours)
    def function(*args, **keywords):
        try:
            return ours(*args, **keywords)
        except _Theirs:
            pass
        a, dtype = args[0] if args else keywords["a"], args[2] if has_dtype and len(args) > 2 else keywords.get("dtype")
        if name not in _no_rounding and _may_round(a, dtype):
            warn_of_numpy(name, a, stacklevel=3)
        return _numpys[name](*args, **keywords)

    return function


def _ours(a, *, dtype=None, out=None, integers=False, masked=False, omits=False, parts=False):
    """The array that Onefold folds.

    integers  dtype= may be an integer type: NumPy converts the elements first
    masked    masked arrays are folded, too
    omits     NaN is left out
    parts     complex numbers are folded, too
    """
    if type(a) is not _np.ndarray:
        if type(a) is _np.memmap or (isinstance(a, _np.ndarray) and _is_plain(type(a))):
            a = a.view(_np.ndarray)
        elif isinstance(a, (_np.ndarray, _np.generic)) or hasattr(a, "__array__") or hasattr(a, "__array_function__"):
            if not masked or type(a) is not _np.ma.MaskedArray or out is not None:
                raise _Theirs
        else:
            try:
                a = _np.asarray(a)
            except ValueError:
                raise _Theirs from None
    # NumPy has special errors and rules for axes of arrays without elements or axes.
    parts = parts and a.dtype.kind == "c" and a.dtype.itemsize <= 16 and dtype is None and out is None and type(a) is _np.ndarray
    if not parts and (a.dtype.kind not in "biuf" or a.dtype.itemsize > 8 or _is_added(a.dtype)) or a.size == 0 or a.ndim == 0 or (
            out is not None and type(out) not in (_np.ndarray, _np.memmap)):
        raise _Theirs
    if dtype is not None:
        dtype = _np.dtype(dtype)
        if dtype.kind not in ("iuf" if integers else "f") or dtype.itemsize > 8:
            raise _Theirs
        if dtype.kind in "iu" and a.dtype.kind == "f":
            a = truncated("sum", _np, _np.where(_np.isnan(a), 0, a) if omits else a, dtype)
    return a


def _is_added(dtype):
    """Whether a library has added this type to NumPy, as ml_dtypes has float8 and bfloat16, whose sums are of that type there."""
    return 256 <= getattr(dtype, "num", 0) < 2048


def _may_round(a, dtype):
    """Whether numbers of a, or a sum that wraps, can make NumPy's answer another one than the exact value."""
    if not hasattr(a, "dtype") and not hasattr(a, "__array__"):
        try:
            a = _np.asarray(a)
        except ValueError:
            return False  # NumPy raises an error, too
    kind = getattr(getattr(a, "dtype", None), "kind", "f")
    return (kind in "biufcm" or _is_added(getattr(a, "dtype", None))) and getattr(a, "size", 2) > 1 and (dtype is None or _np.dtype(dtype).kind not in "bO")


def _mask(where, x):
    """where= for Onefold: {} if all elements count."""
    if where is _no_value or where is None or where is True:
        return {}
    try:
        # NumPy takes numbers of a list as bools, but refuses arrays of them.
        where = _np.asarray(where, None if hasattr(where, "dtype") else bool)
        fits = _np.broadcast_shapes(where.shape, x.shape) == x.shape
    except (TypeError, ValueError):
        raise _Theirs from None
    if where.dtype != bool or not fits or type(x) is not _np.ndarray:
        raise _Theirs
    return {"where": where}


def _initial(initial, x):
    """initial= for Onefold: {} if there is none."""
    if initial is _no_value or initial is None:
        return {}
    value = _np.asarray(initial)
    if x.dtype.kind == "c" or value.ndim or value.dtype.kind not in "biuf" or type(x) is not _np.ndarray or (
            x.dtype.kind in "biu" and value.dtype.kind == "f"):
        raise _Theirs
    with _np.errstate(all="ignore"):
        exact = value.astype(x.dtype) == value or value != value
    if not exact or x.dtype.kind == "b":
        raise _Theirs
    return {"initial": value.item()}


def _fold(op, x, axis, out=None, dtype=None, **keywords):
    try:
        keywords["dtype"] = None if dtype is None else _np.dtype(dtype)  # "i8" means int64 in NumPy
        if out is not None and (out.dtype.kind == "f" and out.dtype.itemsize <= 8 or out.dtype.kind in "iu" and (
                op == "sum" and x.dtype.kind in "biu")):
            keywords["dtype"] = out.dtype  # otherwise the answer would be rounded twice
        return getattr(_onefold, op)(x, axis, **keywords)
    except _onefold.AxisError as error:
        raise _np.exceptions.AxisError(str(error)) from None


def _finish(answer, out, a):
    if out is None:
        return _np.asarray(answer).view(type(a)) if isinstance(a, _np.ndarray) and type(a) not in _known else answer
    if out.shape != _np.shape(answer):
        raise ValueError(f"output array has shape {out.shape}, but the answer has shape {_np.shape(answer)}")
    _np.copyto(out, answer, casting="same_kind")
    return out


_known = (_np.ndarray, _np.memmap, _np.ma.MaskedArray)


def _keep(keepdims):
    return keepdims is not _no_value and bool(keepdims)


def _least(x, axis, mask, omits):
    """The number of elements of the smallest slice."""
    if mask or omits:
        return _onefold.count(x, axis, nan="omit" if omits else None, **mask).min()
    return x.size if axis is None else math.prod(x.shape[k] for k in (axis if isinstance(axis, tuple) else (axis,)))


def _warn(text):
    warnings.warn(text, RuntimeWarning, stacklevel=4)


# Each function below makes one of NumPy's; name: "nansum" leaves NaN out.

def _mean(name, omits):
    def function(a, axis=None, dtype=None, out=None, keepdims=_no_value, *, where=_no_value):
        x = _ours(a, dtype=dtype, out=out, masked=not omits, omits=omits, parts=True)
        mask = _mask(where, x)
        if omits and out is not None and out.dtype.kind != "f":
            raise _Theirs  # NumPy has its own errors for those
        answer = _fold(name, x, axis, out, dtype=dtype, keepdims=_keep(keepdims), **mask)
        if _least(x, axis, mask, omits) == 0:
            _warn("Mean of empty slice" if omits else "Mean of empty slice.")
        return _finish(answer, out, a)

    return function


def _var(name, omits):
    def function(a, axis=None, dtype=None, out=None, ddof=0, keepdims=_no_value, *,
                 where=_no_value, mean=_no_value, correction=_no_value):
        x = _ours(a, dtype=dtype, out=out, masked=not omits, omits=omits, parts=True)
        mask = _mask(where, x)
        if mean is not _no_value or (omits and out is not None and out.dtype.kind != "f"):
            raise _Theirs
        if correction is not _no_value:
            if ddof != 0:
                raise ValueError("ddof and correction can't be provided simultaneously.")
            ddof = correction
        if not is_short(ddof):
            raise _Theirs
        answer = _fold(name, x, axis, out, dtype=dtype, keepdims=_keep(keepdims), ddof=ddof, **mask)
        if type(x) is _np.ndarray and _least(x, axis, mask, omits) <= ddof:
            _warn("Degrees of freedom <= 0 for slice." if omits else "Degrees of freedom <= 0 for slice")
        return _finish(answer, out, a)

    return function


def _sum(name, omits):
    def function(a, axis=None, dtype=None, out=None, keepdims=_no_value, initial=_no_value,
                 where=_no_value):
        x = _ours(a, dtype=dtype, out=out, integers=True, masked=not omits, omits=omits, parts=True)
        return _finish(_fold(name, x, axis, out, dtype=dtype, keepdims=_keep(keepdims), **_mask(where, x),
                             **_initial(initial, x)), out, a)

    return function


def _min(name, omits):
    def function(a, axis=None, out=None, keepdims=_no_value, initial=_no_value, where=_no_value):
        x = _ours(a, out=out, omits=omits)
        mask, first = _mask(where, x), _initial(initial, x)
        if (mask or first) if omits else (mask and not first):  # NumPy raises an error for a mask without initial=
            raise _Theirs
        answer = _fold(name.replace("amin", "min").replace("amax", "max"), x, axis, out, keepdims=_keep(keepdims), **mask,
                       **first)
        if omits and _least(x, axis, mask, omits) == 0:
            _warn("All-NaN slice encountered")
        return _finish(answer, out, a)

    return function


def _argmin(name, omits):
    def function(a, axis=None, out=None, *, keepdims=_no_value):
        x = _ours(a, out=out)
        try:
            answer = _fold(name, x, axis, keepdims=_keep(keepdims))
            return _finish(answer, out, a if _np.ndim(answer) else answer)
        except _onefold.EmptyError:
            if omits and x.size:
                raise ValueError("All-NaN slice encountered") from None
            raise ValueError(f"attempt to get {name.removeprefix('nan')} of an empty sequence") from None

    return function


def _levels(q, percent):
    """q as Onefold takes it; percent are hundredths of their decimals."""
    levels = _np.asarray(q)
    if levels.ndim > 1 or levels.dtype.kind not in "iuf" or not ((levels >= 0) & (levels <= (100 if percent else 1))).all():
        raise _Theirs
    if not percent:
        return q

    def share(one):
        return Decimal(str(one)).scaleb(-2)

    return share(levels[()]) if levels.ndim == 0 else [share(one) for one in levels]


def _quantiles(name, omits):
    def answer(a, given, axis, out, method, keepdims, weights=None):
        x, q = _ours(a, out=out), _levels(given, "percentile" in name)
        ends = "quantile" in name and _np.asarray(given).dtype.kind in "iu"  # 0 and 1, which have elements
        if ends:
            method = "lower"
        if method not in _methods or x.dtype.kind == "b" or (weights is not None and method != "inverted_cdf") or (
                method in _elements and x.dtype.kind in "iu" and not -2**53 <= int(x.min()) <= int(x.max()) <= 2**53):
            raise _Theirs
        kept = x.dtype if method in _elements else _np.float64
        if x.dtype.kind == "f" and method not in _elements and type(given) not in (int, float):
            x = x.astype(_np.result_type(x, _np.asarray(given)), copy=False)
        try:
            value = _onefold.quantile(x, q, axis, method=method, keepdims=_keep(keepdims), weights=weights,
                                      nan="omit" if omits else None)
            if weights is not None and not omits and _np.isnan(value).any() and not _np.isnan(x).any():
                raise _Theirs  # weights of 0
            if x.dtype.kind in "iu":
                value = value.astype(kept)
        except _onefold.AxisError as error:
            raise _np.exceptions.AxisError(str(error)) from None
        except (_onefold.ShapeError, _onefold.OptionError, _onefold.UnsupportedError):
            raise _Theirs from None  # NumPy has its own errors for those
        if out is not None and (out.shape != value.shape or not _np.can_cast(value.dtype, out.dtype, "same_kind")):
            raise _Theirs  # outputs broadcast
        if omits and x.dtype.kind == "f" and _least(x, axis, {}, True) == 0:
            _warn("All-NaN slice encountered")
        return _finish(value if weights is None else _np.asarray(value), out, a)

    def median(a, axis=None, out=None, overwrite_input=False, keepdims=_no_value):
        return answer(a, 0.5, axis, out, "linear", keepdims)

    def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=_no_value, *, weights=None):
        return answer(a, q, axis, out, method, keepdims, weights)

    return median if "median" in name else quantile


functions = {name: _or_numpys(name, make(name, name.startswith("nan"))) for make, names in (
    (_sum, ("sum", "nansum")), (_mean, ("mean", "nanmean")), (_var, ("var", "std", "nanvar", "nanstd")),
    (_min, ("min", "max", "amin", "amax", "nanmin", "nanmax")),
    (_argmin, ("argmin", "argmax", "nanargmin", "nanargmax")),
    (_quantiles, ("median", "quantile", "percentile", "nanmedian", "nanquantile", "nanpercentile"))) for name in names}
globals().update(functions)
__all__ = sorted(functions)
