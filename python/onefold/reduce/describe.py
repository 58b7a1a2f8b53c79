"""The common statistics of an array in one pass, as `onefold describe` prints them."""

import functools
import sys

from .. import _core, errors, files
from ..operands import kind_of, times
from ..operands.answers import html_table, type_of
from ..operands.masks import is_masked
from ..operands.wrap import as_python
from . import run
from .request import Request, given

# (field, op): the rows of the command line.
rows = tuple(_core.describe_rows())
_no_value = ("overflow", "nan_found", "empty_input")
_rows_of_groups = tuple(row for row in rows if not row[0].startswith("arg"))


def _rows(self):
    return [(name, self._why.get(name, value if is_masked(value) else as_python(value))) for name, value in zip(self._fields, self)]


def _table(self):
    width = max(map(len, self._fields))
    return "\n".join(f"{name:<{width}}  {value}" for name, value in _rows(self))


def _html(self):
    return html_table(_rows(self))


def _reduce(self):
    return _remade, (self._fields, tuple(self._why.items()), tuple(self))


@functools.lru_cache(1000)
def _type_of_answers(fields, missing=()):
    """The type of Descriptions; missing: pairs of a field without a value and the name of the status that says why."""
    return type("Description", (type_of(fields),), {
        "__module__": "onefold", "__slots__": (), "__repr__": _table, "__str__": _table, "_repr_html_": _html, "__reduce__": _reduce,
        "_why": dict(missing)})


def _remade(fields, missing, values):
    """A Description that was pickled."""
    return _type_of_answers(fields, missing)(*values)


def _described(values, why=None, fields=None):
    """A Description; `why` has the name of a status for each value that is None."""
    fields = fields or tuple(field for field, _ in (rows if len(values) == len(rows) else _rows_of_groups))
    missing = () if why is None else tuple((field, w) for field, w in zip(fields, why) if w)
    return _remade(fields, missing, values)


def describe(x, /, *, axis=None, ddof=None, correction=None, keepdims=False, nan=None, where=None, threads=None,
             format=None, dtype=None, shape=None, offset=None, columns=None, by=None, sort=None, top=None, let=None, header=None, delimiter=None,
             missing=None, bad_lines=None, decimal=None, thousands=None,
             numbers=None, non_numbers=None, date_format=None, skip=None, comment=None, units=None, union=None, memory=None, dim=None):
    """Fourteen statistics in one pass, as a named tuple that prints as a table.

    Parameters
    ----------
    x : array_like or path
        An array of any library, or a file, as fold() takes them.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    ddof, correction : float, optional
        Of std and var, as var() has them.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}, optional
        What NaN does.
    where : array_like of bool or str, optional
        The elements that count; of a table an expression.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    by : str or list, optional
        Columns of keys, as fold() has them.
    sort, top : optional
        Order the groups ("-mean,city": - puts the greatest first), and keep the first ones.
    let : str or dict, optional
        More columns of a table: "total = price * qty", or {"total": "price * qty"}.
    format, dtype, shape, offset, columns : optional
        Which data of a file are read. Raw files need dtype. columns is a list of names, or a str such as
        "temp,2,5-8"; by default all columns of numbers are read.
    header, delimiter, missing, bad_lines, decimal, thousands, numbers, non_numbers, date_format : optional
        How the text of a table is read: docs/files.md.
    skip, comment, units, union, memory : optional
        The same.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    named tuple
        count, nan, inf, zeros, sum, mean, std, var, min, argmin, max, argmax, norm1 and norm2; of dates and
        durations what they have. Without axes a field without a value (the minimum of no elements) is None.
        For a table a dict by column; with by= a pair: the keys, and tuples of arrays.

    Raises
    ------
    Error
        docs/errors.md lists all errors.

    Examples
    --------
    >>> import onefold
    >>> d = onefold.describe([1e16, 1, -1e16])
    >>> d.count, d.mean, d.max
    (3, 0.3333333333333333, 1e+16)
    """
    keywords = locals()
    kind = kind_of(x)
    if (lazy := kind.lazy(x)) is not None:
        kind_of(lazy).found("describe", lazy)  # says what to do instead, also of a Dask array within xarray
    request = Request(kind, ",".join(op for _, op in (rows if by is None else _rows_of_groups)), x, None, _of_array, None,
                      axis=axis, keepdims=keepdims, nan=nan, ddof=ddof, correction=correction, where=where,
                      threads=threads, wide=True, reading=given(keywords), called="describe")
    if dim is not None:
        request.axis = kind.axis_of("describe", x, dim, axis)
    if kind.has_files:
        request.make, request.read = _described, functools.partial(files.read, lenient=True)
    try:
        return kind.fold(request)
    except errors.Error as error:
        raise errors.renamed(error, request.ops, "describe") from None


def _of_array(request):
    """The Description of one array."""
    asked = rows
    if request.kind.has_times and request.kind.is_times(request.x):  # dates have some of these statistics
        known = times.ops_of("describe", request.kind, request.x)
        asked = [(field, op) for field, op in rows if op in known]
    fields, ops = tuple(field for field, _ in asked), ",".join(op for _, op in asked)
    try:
        return _described(run.fold(request.replace(ops=ops)), fields=fields)
    except errors.Error as error:
        slices = request.axis is not None or request.keepdims
        if error.code not in _no_value or slices and not (error.code == "empty_input" and _is_ndarray(request.x)):
            raise errors.renamed(error, ops, "describe") from None
    values, why = [], []
    for _, op in asked:  # one by one, since some have no value
        try:
            values += run.fold(request.replace(ops=op))
            why.append("")
        except errors.Error as error:
            if error.code not in _no_value:
                raise
            if slices:
                values += _with_masks(request.replace(ops=op))
                continue
            values.append(None)
            why.append(error.code)
    return _described(values, None if slices else why, fields)


def _is_ndarray(x):
    """Whether x is an ndarray of numbers, whose slices without a value can be masked."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(x, numpy.ndarray) and x.dtype.kind in "biuf"


def _with_masks(request):
    """An op's answers of slices, of which those without a value are masked."""
    numpy, x = sys.modules["numpy"], request.x
    mask = numpy.isnan(x) if request.nan == "omit" else numpy.zeros(x.shape, bool)
    nan = None if request.nan == "omit" else request.nan
    return run.fold(request.replace(x=numpy.ma.array(x, mask=mask | numpy.ma.getmaskarray(x)), nan=nan))
