"""agg: columns of a table, each folded by ops of its own. Files are folded by the library; frames are written to a
temporary file of Arrow first."""

import contextlib
import sys
from decimal import Decimal

from .. import _core, errors, files
from ..operands import kind_of
from ..operands.found import type_name, unsupported
from ..reduce.request import Request, given
from .frame_files import file_of


def _quoted(name):
    """A column's name as an expression has it."""
    name = str(name)
    return name if name.isascii() and name.isidentifier() else f"`{name.replace('`', '``')}`"


def _list_of(calls):
    """calls= as one str: "total = sum(price), max(t)"."""
    if isinstance(calls, str):
        return calls
    if not isinstance(calls, dict):
        if not isinstance(calls, (list, tuple)) or not all(isinstance(call, str) for call in calls):
            raise errors.make("bad_option", f"agg: calls={errors.shown(calls)} is not a str, a list of str or a dict")
        return ", ".join(calls)
    words = []
    for name, call in calls.items():
        several = [call] if isinstance(call, str) else call
        if not isinstance(several, (list, tuple)) or not all(isinstance(one, str) for one in several):
            raise errors.make("bad_option", f"agg: calls[{errors.shown(name)}]={errors.shown(call)} is neither a call such as "
                               "\"sum(price)\" nor a list of op names")
        if isinstance(call, str) and "(" in call:
            words.append(f"{_quoted(name)} = {call}")
        else:
            words += [f"{op}({_quoted(name)})" for op in several]
    return ", ".join(words)


def _keys_of(by):
    """by= as one str: names of columns, and expressions."""
    if by is None or isinstance(by, str):
        return by
    if not isinstance(by, (list, tuple)) or not all(isinstance(word, str) for word in by):
        raise errors.make("bad_option", f"agg: by={errors.shown(by)} is not a str or a list of str")
    expressions = ["(" in word for word in by]
    return ", ".join(w if e else _quoted(w) for w, e in zip(by, expressions)) if any(expressions) else by


def _pandas_column(pandas, array):
    """Answers of which some are null as pandas has them: floats with NaN, nullable integers; what else is stays as it is."""
    objects = array.tolist() if array.dtype == "O" else ()
    if None not in objects:
        return array
    kinds = {pandas.api.types.infer_dtype([value]) for value in objects if value is not None}
    if kinds <= {"floating"}:
        return array.astype("f8")
    inside = kinds == {"integer"} and all(-2**63 <= value < 2**63 for value in objects if value is not None)
    return pandas.array(objects, dtype="Int64") if inside else array


def _polars_column(polars, values):
    """Integers that 64 bits hold; objects where some are beyond, or stand beside floats that are sums beyond."""
    if not isinstance(values, list) or int not in (kinds := {type(value) for value in values}):
        return values
    integers = [value for value in values if value is not None]
    if float in kinds or (min(integers) < 0 and max(integers) >= 2**63):
        return polars.Series(values, dtype=polars.Object)
    return polars.Series(values, dtype=polars.Int64 if max(integers) < 2**63 else polars.UInt64)


def _arrow_column(pyarrow, values):
    """A type of Arrow that holds all answers; of integers and floats, decimals, unless fractions have too many digits."""
    try:
        return pyarrow.array(values)
    except (pyarrow.ArrowInvalid, OverflowError):
        numbers = [None if value is None else Decimal(value) for value in values]
    try:
        return pyarrow.array(numbers)
    except pyarrow.ArrowInvalid:
        return pyarrow.array([None if value is None else float(value) for value in values])


def _frame_like(x, keys, values):
    """The keys and answers of groups as a frame of x's library; pandas has keys as its index."""
    columns = {**keys, **values}
    name = type(x).__module__.partition(".")[0]
    if name == "pandas":
        pandas = sys.modules["pandas"]
        frame = pandas.DataFrame({**keys, **{name: _pandas_column(pandas, array) for name, array in values.items()}})
        return frame.set_index(list(keys))
    lists = {name: array.tolist() if array.dtype == "O" else array for name, array in columns.items()}
    if name == "polars":
        polars = sys.modules["polars"]
        return polars.DataFrame({name: _polars_column(polars, column) for name, column in lists.items()})
    pyarrow = sys.modules["pyarrow"]
    return pyarrow.table({name: _arrow_column(pyarrow, column) for name, column in lists.items()})


def agg(x, /, calls, by=None, *, having=None, where=None, let=None, sort=None, top=None, nan=None, ddof=None, empty_nan=None,
        threads=None, format=None, dtype=None, header=None, delimiter=None, missing=None, bad_lines=None, decimal=None,
        thousands=None, numbers=None, non_numbers=None, date_format=None, skip=None, comment=None, units=None, union=None, memory=None):
    r"""Folds columns of a table, each by ops of its own.

    Parameters
    ----------
    x : path, list of paths or frame
        A table, or a frame of pandas, Polars or PyArrow, which is written to a temporary file and needs
        PyArrow.
    calls : str, list of str or dict
        "sum(price), n = count(), p90(price * qty), nunique(user), first(t)", and what is computed with
        them: "sum(a) / sum(b), mean(x, weights = w)"; docs/agg.md has all calls. A dict names calls,
        {"total": "sum(price)"}, or has ops of a column, {"price": ["mean", "std"]}.
    by : str or list of str, optional
        Columns of keys, and expressions such as "month(t)".
    having : str, optional
        An expression of calls, true for groups that are kept: "sum(price) > 100 and count() >= 3".
    where : str, optional
        An expression of columns, true for rows that count.
    let : str or dict, optional
        More columns of a table: "total = price * qty", or {"total": "price * qty"}.
    sort, top : optional
        Order the groups ("-mean,city": - puts the greatest first), and keep the first ones.
    nan : {'propagate', 'omit', 'raise'}, optional
        What NaN does. Missing values are left out unless it is given.
    ddof : float, optional
        Of var, std and their like.
    empty_nan : bool, optional
        Whether min, max and ptp of nothing are NaN, not an error.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    format, dtype, header, delimiter, missing, bad_lines, decimal, thousands, numbers, non_numbers : optional
        How a file is read: docs/files.md.
    date_format, skip, comment, units, union, memory : optional
        The same.

    Returns
    -------
    dict, pair or frame
        An answer for each call. With by= a pair, the keys and an array for each call, or a frame like x.
        The bits are those of each op and column alone.

    Raises
    ------
    Error
        docs/errors.md lists all errors.

    Examples
    --------
    >>> import onefold, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "sales.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("city,price\nOslo,2.5\nRome,4\nOslo,1\n")
    >>> answers = onefold.agg(path, "sum(price), n = count()")
    >>> float(answers["sum(price)"]), int(answers["n"])
    (7.5, 3)
    """
    keywords = dict(locals())
    by, having = _keys_of(keywords.pop("by")), keywords.pop("having")
    x, calls = keywords.pop("x"), _list_of(keywords.pop("calls"))
    if having is not None and not isinstance(having, str):
        raise errors.make("bad_option", f"agg: having={errors.shown(having)} is not a str")
    calls, having = (text.encode(errors="backslashreplace").decode() for text in (calls, having or ""))
    if isinstance(x, str) and x.endswith(")"):
        import os

        if not os.path.exists(x):
            raise errors.make("bad_option", f"agg: x={x!r} is not a file; the table comes first, then the calls")
    kind = kind_of(x)
    frame = not kind.has_files
    if frame and not (kind.has_frames and kind.is_frame(x)):
        lazy = "; call collect() first" if hasattr(x, "collect") else ""
        raise unsupported("agg", "ops by column need a table (a file, or a pandas, Polars or PyArrow frame), but x is a "
                          f"{type_name(x)}{lazy}")
    options = ("nan", "ddof", "where", "empty_nan", "threads")
    request = Request(kind, "agg", x, None, None, None, **{name: keywords[name] for name in options},
                      reading={**given(keywords), **({} if by is None else {"by": by})})
    words = " ".join([calls, having, *(word for word in [keywords["where"], keywords["let"]] if isinstance(word, str)),
                      *([by] if isinstance(by, str) else by or [])])
    with file_of("agg", x, words) if frame else contextlib.nullcontext(x) as paths:
        names = files.names_of("agg", files.paths_of(paths))
        values, keys, said, _ = _core.agg_files(calls, having, names, files.prepared(request))
    files.warn(said)
    if by is None:
        return {name: array[0] for name, array in values.items() if len(array)}
    return _frame_like(x, keys, values) if frame else (keys, values)
