"""NumPy's reductions with NumPy's signatures and warnings, exact: np.sum = onefold.numpy.sum.

NumPy's own functions handle scalars, arrays without elements, and whatever Onefold does not fold: objects, complex
numbers, long doubles, dates, arrays of other libraries, subclasses of ndarray with reductions or ufuncs of their own.
An InexactWarning says so wherever such an answer may be rounded more than once, or wrap. Integer sums that
overflow raise OverflowError; NumPy's would wrap. out= gets the exact value, rounded once to its type.
"""

import warnings

import numpy as _np

import onefold as _onefold
from onefold._errors import warn_of_numpy
from onefold._numbers import truncated

_no_value = _np._NoValue
_numpys = {}  # NumPy's own functions, also after np.sum = onefold.numpy.sum
_no_rounding = ("min", "max", "amin", "amax", "argmin", "argmax", "nanmin", "nanmax", "nanargmin", "nanargmax")
# What decides how NumPy reduces a subclass of ndarray.
_of_subclasses = ("sum", "mean", "var", "std", "min", "max", "argmin", "argmax", "__array_wrap__", "__array_finalize__",
                  "__array_ufunc__", "__array_function__")


def _is_plain(kind):
    """Whether NumPy reduces arrays of this subclass of ndarray as it reduces an ndarray."""
    return all(getattr(kind, name) is getattr(_np.ndarray, name) for name in _of_subclasses)


def _ours(a, *, dtype=None, out=None, integers=False, masked=False, omits=False):
    """The array that Onefold folds; None if NumPy must do it.

    integers  dtype= may be an integer type: NumPy converts the elements first
    masked    masked arrays are folded, too
    omits     NaN is left out
    """
    if type(a) is not _np.ndarray:
        if type(a) is _np.memmap or (isinstance(a, _np.ndarray) and _is_plain(type(a))):
            a = a.view(_np.ndarray)
        elif isinstance(a, (_np.ndarray, _np.generic)) or hasattr(a, "__array__") or hasattr(a, "__array_function__"):
            if not masked or type(a) is not _np.ma.MaskedArray or out is not None:
                return None
        else:
            try:
                a = _np.asarray(a)
            except ValueError:
                return None
    if a.dtype.kind not in "biuf" or a.dtype.itemsize > 8:
        return None
    if a.size == 0 or a.ndim == 0:  # NumPy has special errors and rules for axes of these
        return None
    if out is not None and type(out) not in (_np.ndarray, _np.memmap):
        return None
    if dtype is not None:
        dtype = _np.dtype(dtype)
        if dtype.kind not in ("iuf" if integers else "f") or dtype.itemsize > 8:
            return None
        if dtype.kind in "iu" and a.dtype.kind == "f":
            a = truncated("sum", _np, _np.where(_np.isnan(a), 0, a) if omits else a, dtype)
    return a


def _theirs(name, a, *args, **keywords):
    """NumPy's answer, and a warning if it need not be the exact value rounded once."""
    if name not in _no_rounding and _may_round(a, args[1] if len(args) > 1 else None):
        warn_of_numpy(name, a, stacklevel=4)
    return _numpys[name](a, *args, **keywords)


def _may_round(a, dtype):
    """Whether numbers of a, or a sum that wraps, can make NumPy's answer another one than the exact value."""
    if not hasattr(a, "dtype") and not hasattr(a, "__array__"):
        try:
            a = _np.asarray(a)
        except ValueError:
            return False  # NumPy raises an error, too
    kind = getattr(getattr(a, "dtype", None), "kind", "f")
    return kind in "biufcm" and getattr(a, "size", 2) > 1 and (dtype is None or _np.dtype(dtype).kind not in "bO")


def _given(value):
    return value is not _no_value and value is not None


def _mask(where, x):
    """where= for Onefold: {} if all elements count; None if NumPy must do it."""
    if where is _no_value or where is None or where is True:
        return {}
    try:
        # NumPy takes numbers of a list as bools, but refuses arrays of them.
        where = _np.asarray(where, None if hasattr(where, "dtype") else bool)
        fits = _np.broadcast_shapes(where.shape, x.shape) == x.shape
    except (TypeError, ValueError):
        return None
    return {"where": where} if where.dtype == bool and fits and type(x) is _np.ndarray else None


def _initial(initial, x):
    """initial= for Onefold: {} if there is none; None if NumPy must do it."""
    if not _given(initial):
        return {}
    value = _np.asarray(initial)
    if value.ndim or value.dtype.kind not in "biuf" or type(x) is not _np.ndarray or (
            x.dtype.kind in "biu" and value.dtype.kind == "f"):
        return None
    with _np.errstate(all="ignore"):
        exact = value.astype(x.dtype) == value or value != value
    return {"initial": value.item()} if exact and x.dtype.kind != "b" else None


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
        raise ValueError(f"output array has shape {out.shape}, and the answer {_np.shape(answer)}")
    _np.copyto(out, answer, casting="same_kind")
    return out


_known = (_np.ndarray, _np.memmap, _np.ma.MaskedArray)


def _keep(keepdims):
    return keepdims is not _no_value and bool(keepdims)


def _n(a, axis):
    if axis is None:
        return a.size
    axes = axis if isinstance(axis, tuple) else (axis,)
    n = 1
    for k in axes:
        n *= a.shape[k]
    return n


def _least(x, axis, mask):
    """The number of elements of the smallest slice."""
    if not mask:
        return _n(x, axis)
    counts = _onefold.count(x, axis, **mask)
    return counts.min() if counts.size else 1


def _pass(**keywords):
    return {name: value for name, value in keywords.items() if value is not _no_value}


def _fraction(name):
    def function(a, axis=None, dtype=None, out=None, keepdims=_no_value, *, where=_no_value):
        x = _ours(a, dtype=dtype, out=out, masked=True)
        mask = None if x is None else _mask(where, x)
        if mask is None:
            return _theirs(name, a, axis, dtype, out, **_pass(keepdims=keepdims, where=where))
        answer = _fold("mean", x, axis, out, dtype=dtype, keepdims=_keep(keepdims), **mask)
        if _least(x, axis, mask) == 0:
            warnings.warn("Mean of empty slice.", RuntimeWarning, stacklevel=2)
        return _finish(answer, out, a)

    return function


def _spread(name, op):
    def function(a, axis=None, dtype=None, out=None, ddof=0, keepdims=_no_value, *,
                 where=_no_value, mean=_no_value, correction=_no_value):
        x = _ours(a, dtype=dtype, out=out, masked=True)
        mask = None if x is None or mean is not _no_value else _mask(where, x)
        if mask is None:
            return _theirs(name, a, axis, dtype, out, ddof, **_pass(
                keepdims=keepdims, where=where, mean=mean, correction=correction))
        if correction is not _no_value:
            if ddof != 0:
                raise ValueError("ddof and correction can't be provided simultaneously.")
            ddof = correction
        answer = _fold(op, x, axis, out, dtype=dtype, keepdims=_keep(keepdims), ddof=ddof, **mask)
        if type(x) is _np.ndarray and _least(x, axis, mask) <= ddof:
            warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=2)
        return _finish(answer, out, a)

    return function


def _sum(name, op):
    def function(a, axis=None, dtype=None, out=None, keepdims=_no_value, initial=_no_value,
                 where=_no_value):
        x = _ours(a, dtype=dtype, out=out, integers=True, masked=True)
        mask = None if x is None else _mask(where, x)
        first = None if x is None else _initial(initial, x)
        if mask is None or first is None:
            return _theirs(name, a, axis, dtype, out, **_pass(
                keepdims=keepdims, initial=initial, where=where))
        answer = _fold(op, x, axis, out, dtype=dtype, keepdims=_keep(keepdims), **mask, **first)
        return _finish(answer, out, a)

    return function


def _extreme(name, op):
    def function(a, axis=None, out=None, keepdims=_no_value, initial=_no_value, where=_no_value):
        x = _ours(a, out=out)
        mask = None if x is None else _mask(where, x)
        first = None if x is None else _initial(initial, x)
        if mask is None or first is None or (mask and not first):  # NumPy raises an error for this
            return _theirs(name, a, axis, out, **_pass(keepdims=keepdims, initial=initial, where=where))
        return _finish(_fold(op, x, axis, out, keepdims=_keep(keepdims), **mask, **first), out, a)

    return function


def _place(name, op):
    def function(a, axis=None, out=None, *, keepdims=_no_value):
        x = _ours(a, out=out)
        if x is None:
            return _theirs(name, a, axis, out, **_pass(keepdims=keepdims))
        try:
            answer = _fold(op, x, axis, keepdims=_keep(keepdims))
            return _finish(answer, out, a if _np.ndim(answer) else answer)
        except _onefold.EmptyError:
            if name.startswith("nan") and x.size:
                raise ValueError("All-NaN slice encountered") from None
            raise ValueError(f"attempt to get {name.removeprefix('nan')} of an empty sequence") from None

    return function


def _nan(name, op):
    """nansum and similar functions, with NumPy's warnings if a slice has only NaN."""
    def warn(count, ddof):
        if op in ("var", "std"):
            if _np.any(count <= ddof):
                warnings.warn("Degrees of freedom <= 0 for slice.", RuntimeWarning, stacklevel=3)
        elif op in ("min", "max", "mean") and _np.any(count == 0):
            text = "Mean of empty slice" if op == "mean" else "All-NaN slice encountered"
            warnings.warn(text, RuntimeWarning, stacklevel=3)

    def call(a, axis, dtype, out, keepdims, initial, where, ddof, more):
        x = _ours(a, dtype=dtype, out=out, integers=op == "sum", omits=True)
        mask = None if x is None else _mask(where, x)
        first = None if x is None else _initial(initial, x)
        if mask is None or first is None or more or (op in ("min", "max") and (mask or first)):
            return NotImplemented
        if op in ("mean", "var", "std") and out is not None and out.dtype.kind != "f":
            return NotImplemented  # NumPy has its own errors for those
        keywords = {} if ddof is None else {"ddof": ddof}
        if dtype is not None:
            keywords["dtype"] = dtype
        answer = _fold(name, x, axis, out, keepdims=_keep(keepdims), **keywords, **mask, **first)
        if op != "sum":
            warn(_onefold.count(x, axis, nan="omit", **mask), ddof or 0)
        return _finish(answer, out, a)

    if op in ("min", "max"):
        def function(a, axis=None, out=None, keepdims=_no_value, initial=_no_value,
                     where=_no_value):
            answer = call(a, axis, None, out, keepdims, initial, where, None, {})
            return answer if answer is not NotImplemented else _theirs(
                name, a, axis, out, **_pass(keepdims=keepdims, initial=initial, where=where))
    elif op in ("var", "std"):
        def function(a, axis=None, dtype=None, out=None, ddof=0, keepdims=_no_value, *,
                     where=_no_value, mean=_no_value, correction=_no_value):
            if correction is not _no_value:
                if ddof != 0:
                    raise ValueError("ddof and correction can't be provided simultaneously.")
                ddof = correction
            more = _pass(mean=mean)
            answer = call(a, axis, dtype, out, keepdims, _no_value, where, ddof, more)
            return answer if answer is not NotImplemented else _theirs(
                name, a, axis, dtype, out, ddof, **_pass(keepdims=keepdims, where=where), **more)
    elif op == "mean":
        def function(a, axis=None, dtype=None, out=None, keepdims=_no_value, *, where=_no_value):
            answer = call(a, axis, dtype, out, keepdims, _no_value, where, None, {})
            return answer if answer is not NotImplemented else _theirs(
                name, a, axis, dtype, out, **_pass(keepdims=keepdims, where=where))
    else:
        def function(a, axis=None, dtype=None, out=None, keepdims=_no_value, initial=_no_value,
                     where=_no_value):
            answer = call(a, axis, dtype, out, keepdims, initial, where, None, {})
            return answer if answer is not NotImplemented else _theirs(
                name, a, axis, dtype, out, **_pass(keepdims=keepdims, initial=initial, where=where))
    return function


functions = {
    "sum": _sum("sum", "sum"), "mean": _fraction("mean"), "var": _spread("var", "var"),
    "std": _spread("std", "std"), "min": _extreme("min", "min"), "max": _extreme("max", "max"),
    "amin": _extreme("amin", "min"), "amax": _extreme("amax", "max"),
    "argmin": _place("argmin", "argmin"), "argmax": _place("argmax", "argmax"),
    "nanargmin": _place("nanargmin", "nanargmin"), "nanargmax": _place("nanargmax", "nanargmax"),
    **{f"nan{op}": _nan(f"nan{op}", op) for op in ("sum", "mean", "var", "std", "min", "max")}}
for _name, _function in functions.items():
    _numpys[_name] = getattr(_np, _name)
    _function.__name__ = _function.__qualname__ = _name
    _function.__doc__ = f"numpy.{_name}, exact and rounded once where onefold has it."
globals().update(functions)
__all__ = sorted(functions)
