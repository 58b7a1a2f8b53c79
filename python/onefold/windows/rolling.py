"""Rolling windows, with pandas' names and defaults."""

import functools

from .. import errors
from ..operands import in_memory, kind_of, shape_of
from ..operands.found import library_of, unsupported
from ..order.quantile import words_of
from ..reduce.request import Request, checked
from .borders import grouped_rule, is_span, number, rule_of
from .rule import Rule
from .windows import axis_of, fold, quantiles


class Rolling:
    """Windows of an array along one axis, with pandas' names and defaults. NaN and missing values do not count.

    min_periods  windows of fewer elements have no answer: NaN, of integers a masked element. For count() NaN are elements
    ddof         of var, std, sem, cov, skewness and kurtosis: 1, as in pandas
    """

    def __init__(self, x, rule, axis, nan, finish=None, of_array=None):
        self._x, self._rule, self._axis, self._nan, self._finish, self._of_array = x, rule, axis, nan, finish, of_array

    def fold(self, ops, y=None, /, *, ddof=1, result=None, where=None, threads=None):
        """Several answers of one pass, as a named tuple."""
        names, answers = checked(ops)
        ddof = 1 if ddof is None else ddof
        request = self._request(names, y, ddof=ddof, result=result, where=where, threads=threads)
        return answers(*self._finished(fold(request, self._rule, self._of_array)))

    def _request(self, names, y=None, **keywords):
        if self._finish is not None and self._finish.in_groups and (y is not None or keywords.get("where") is not None):
            raise unsupported("rolling", "windows of groups do not support a second array or where=; leave them out")
        return Request(kind_of(self._x), names, self._x, y, None, None, axis=self._axis, nan=self._nan, called="rolling",
                       empty_nan=True, **keywords)

    def _finished(self, values):
        return values if self._finish is None else map(self._finish, values)

    def _one(self, op, y=None, **keywords):
        return self.fold(op, y, **keywords)[0]

    def sum(self, **keywords):
        return self._one("sum", **keywords)

    def mean(self, **keywords):
        return self._one("mean", **keywords)

    def var(self, ddof=1, **keywords):
        return self._one("var", ddof=ddof, **keywords)

    def std(self, ddof=1, **keywords):
        return self._one("std", ddof=ddof, **keywords)

    def sem(self, ddof=1, **keywords):
        return self._one("sem", ddof=ddof, **keywords)

    def skew(self, **keywords):
        return self._one("skewness", **keywords)

    def kurt(self, **keywords):
        return self._one("kurtosis", **keywords)

    def min(self, **keywords):
        return self._one("min", **keywords)

    def max(self, **keywords):
        return self._one("max", **keywords)

    def count(self, **keywords):
        return self._one("count", **keywords)

    def cov(self, other, ddof=1, **keywords):
        return self._one("cov", other, ddof=ddof, **keywords)

    def corr(self, other, **keywords):
        return self._one("corr", other, **keywords)

    def median(self, *, where=None, threads=None):
        return self._quantile("median", "0.5", "linear", where, threads)

    def quantile(self, q, interpolation="linear", *, where=None, threads=None):
        """One quantile; interpolation: "linear", "lower", "higher", "nearest", "midpoint", as method= of quantile()."""
        return self._quantile("quantile", q, interpolation, where, threads)

    def _quantile(self, op, q, method, where, threads):
        if self._of_array is not None:
            raise unsupported("rolling", f"windows with weights support sum and mean, not {op}")
        words, one = words_of(q)
        if not one:
            raise errors.make("bad_option", f"rolling: q={errors.shown(q)} is not a number; ask for one quantile at a time")
        if not isinstance(method, str):
            raise errors.make("bad_option", f"rolling: interpolation={errors.shown(method)} is not a str")
        request = self._request(op, where=where, threads=threads)
        return [*self._finished(quantiles(request, self._rule, words, method.encode(errors="backslashreplace").decode()))][0]


def rolling(x, window, /, *, min_periods=None, center=False, closed=None, step=None, axis=None, nan="omit", times=None, on=None,
            win_type=None, dim=None):
    """Windows that end at each element, for folds with the names of pandas.

    Parameters
    ----------
    x : array_like or GroupBy
        An array of any library, or a GroupBy of pandas, whose windows lie within its groups.
    window : int, str, timedelta, dict, pair or BaseIndexer
        Elements of a window; a span of time such as "7D", or a number if times has numbers; a pair (begin,
        end) of arrays of integers, whose window i is x[begin[i]:end[i]]; a dimension of xarray, {"time": 7}.
    min_periods : int, optional
        Windows with fewer elements have no answer: NaN, and of integers a masked element. NaN are not elements
        unless nan="propagate", or for count(), whose numbers leave NaN out. By default the window; for pairs and spans of time 1.
    center : bool
        Whether the element is the window's middle one, the later of two.
    closed : {'right', 'left', 'both', 'neither'}, optional
        Which ends of the window belong to it; 'right' by default. 'left' ends before the element.
    step : int, optional
        Only every so many elements have a window.
    axis : int, optional
        The axis along which windows lie; by default the first.
    nan : {'omit', 'propagate', 'raise'}
        What NaN does. 'omit' leaves NaN out, as pandas does.
    times : array_like, optional
        When each element was: dates or numbers, rising or falling. By default the index of pandas.
    on : str, optional
        The column of a frame that says when; it stays as it is.
    win_type : str, tuple or array_like, optional
        What the elements of a window weigh, the oldest first: numbers, or a name of scipy.signal such as "triang" or
        ("gaussian", 2). Then there are sum() and mean().
    dim : str, optional
        The name of the axis of an xarray object.

    Returns
    -------
    Rolling
        Has sum(), mean(), var(), median(), quantile(), fold("min,max") and more; answers have x's shape and
        labels. Each is, bit for bit, that of its window folded alone.

    Raises
    ------
    OptionError, AxisError, DTypeError
        The arguments are wrong.

    Notes
    -----
    - cost: one pass

    Examples
    --------
    >>> import numpy, onefold
    >>> onefold.rolling(numpy.array([1e16, 1.0, 2.0, 3.0]), 2).sum().tolist()
    [nan, 1e+16, 3.0, 5.0]
    """
    if closed not in (None, "right", "left", "both", "neither"):
        raise errors.make("bad_option", f"rolling: closed={errors.shown(closed)} is not one of right, left, both, neither")
    center = errors.flag("rolling", "center", center)
    step = None if step is None else number("step", step, 1)
    least = None if min_periods is None else number("min_periods", min_periods, 0)
    if win_type is not None:
        if closed not in (None, "right") or times is not None or not hasattr(window, "__index__") or _is_grouped(x):
            raise unsupported("rolling", "win_type= needs windows of a number of elements, without closed=, times= or groups")
        from .weights import fold_array, weights_of

        win_type = functools.partial(fold_array, weights=weights_of(win_type, number("window", window, 1)))
    if _is_grouped(x):
        from ..groups.pandas_windows import Groups

        if step is not None or times is not None or axis not in (0, None):
            raise unsupported("rolling", "windows of groups go along axis 0, and do not support step= or times=")
        _refuse_dimensions("rolling", dim is not None or isinstance(window, dict), ", and pass window as a number or a span such as \"7D\"")
        groups = Groups(x, on)
        times = groups.times() if is_span(window) else None
        return Rolling(groups.x, grouped_rule(window, groups.extents, times, least, center, closed), 0, nan, groups)
    x = in_memory("rolling", x)
    finish = None
    if isinstance(window, dict):
        dim, window = _dimension_of(window, dim)
    if on is not None:
        from ..groups.pandas_windows import OnColumn

        finish = OnColumn(x, on, step)
        x = finish.x
        times = finish.times() if is_span(window) else None
    elif times is None and is_span(window):
        times = getattr(x, "index", None)
    elif times is not None:
        times = kind_of(x).agreeing("rolling", "times=", x, times, rows=True)
    axis = _axis_of("rolling", x, axis, dim)
    rule = rule_of(window, shape_of("rolling", x)[axis], times, least, center, closed, step)
    return Rolling(x, rule, axis, nan, finish, win_type)


def _dimension_of(window, dim):
    """The dimension and the width of a window such as {"time": 7}, as xarray has them."""
    if dim is not None or len(window) != 1:
        raise errors.make("bad_option", f"rolling: window={errors.shown(window)} must name one dimension, as {{\"time\": 7}}"
                           + ("" if dim is None else ", and dim= names another"))
    return next(iter(window.items()))


def _axis_of(name, x, axis, dim):
    """The axis of windows; the first, unless one is given."""
    return axis_of(name, x, 0 if axis is None and dim is None else axis, dim)


def _refuse_dimensions(name, given, more=""):
    if given:
        raise unsupported(name, f"dim= and dicts name dimensions of xarray, but x holds groups of pandas; leave out dim={more}")


def expanding(x, /, *, min_periods=1, axis=None, nan="omit", dim=None):
    """Windows of all elements up to each one, as rolling() has windows of the last ones."""
    least = 1 if min_periods is None else number("min_periods", min_periods, 0, "expanding")
    if _is_grouped(x):
        from ..groups.pandas_windows import Groups

        if axis not in (0, None):
            raise unsupported("expanding", f"windows of groups go along axis 0, and axis={errors.shown(axis)} was given")
        _refuse_dimensions("expanding", dim is not None)
        groups = Groups(x)
        return Rolling(groups.x, grouped_rule(None, groups.extents, None, least, False, None), 0, nan, groups)
    x = in_memory("expanding", x)
    return Rolling(x, Rule(least=least), _axis_of("expanding", x, axis, dim), nan)


def _is_grouped(x):
    """Whether x is a GroupBy of pandas."""
    return library_of(x) == "pandas" and type(x).__name__ in ("DataFrameGroupBy", "SeriesGroupBy")
