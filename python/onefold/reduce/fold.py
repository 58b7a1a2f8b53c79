"""Folds by name: several answers of one pass as a named tuple."""

import functools
import math

from .. import _core, _ops, errors as _errors, files
from ..operands import in_memory, kind_of, shape_of
from ..operands.answers import type_of
from ..operands.found import dtype_of, numpy_for, on_device, type_name, unsupported
from ..operands.wrap import long_names
from . import gather as _gather, run, tensors
from .request import Request, checked, given, names_of


def fold(ops, x, y=None, /, *, axis=None, ddof=None, correction=None, keepdims=False, nan=None, where=None,
         weights=None, fweights=None, result=None, threads=None, initial=None, format=None, dtype=None, shape=None,
         offset=None, columns=None, by=None, sort=None, top=None, let=None, header=None, delimiter=None,
         missing=None, bad_lines=None, decimal=None, thousands=None,
         numbers=None, non_numbers=None, date_format=None, skip=None, comment=None, units=None, union=None,
         empty_nan=None, memory=None, errors=None, dim=None, progress=None, text=None, min_count=None):
    """Several answers of one pass over the data: m, v = fold("mean,var", x, axis=0).

    Parameters
    ----------
    ops : str or list of str
        Names of ops, such as "mean,var", or aliases such as "avg". "stddev" and "variance" divide by n, as std and
        var do; ddof=1 divides by n - 1.
    x : array_like, path or list of paths
        An array of any library, or a file (.npy, raw numbers, text, a table), which is read in pieces.
        Several files are one array, joined along the first axis.
    y : array_like or path, optional
        The second array of an op of two; of other ops the path of a file that continues x.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    ddof, correction : float, optional
        As var() has them.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}, optional
        What NaN does. Missing values of tables are left out unless nan is given.
    where : array_like of bool, path or str, optional
        The elements that count; of a table an expression: "qty > 5 and s == 'a'".
    weights, fweights : array_like, path or str, optional
        Numbers, of mean, var, corr and others; and how often each element counts. Of a table or a frame
        the name of a column.
    result : dtype, optional
        The exact values are rounded once to this type.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    initial : scalar, optional
        One more element, for sum, min and max.
    by : str, list or arrays, optional
        Columns of keys: one answer for each key.
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
    empty_nan : bool, optional
        Whether min, max and ptp of nothing are NaN, not an error.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns each answer as a pair with its status, without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.
    progress : callable or bool, optional
        Called with the bytes read and all bytes (0: unknown) now and then; True shows tqdm's bar.
    text : bool, optional
        Whether min, max, mode, nunique and count also answer for columns of texts.
    min_count : int, optional
        With fewer elements an answer is NaN, and of integers an error.

    Returns
    -------
    named tuple
        One field for each op, with what the function of that name returns. For a table a dict of such
        tuples by column; a str that names one column returns its tuple alone. With by= a pair: the keys,
        and the answers as arrays. Labels of pandas and xarray are kept.

    Raises
    ------
    Error
        docs/errors.md lists all errors. A TableWarning lists what was left out of a table.

    Notes
    -----
    - cost: one pass, whatever the ops are

    Examples
    --------
    >>> import onefold
    >>> onefold.fold("mean,max", [1e16, 1, -1e16])
    Answers(mean=0.3333333333333333, max=1e+16)
    """
    keywords, kind = locals(), kind_of(x)
    names, answers = (names_of(ops, False), None) if text is True else checked(ops)
    answers = answers or type_of(tuple(names.split(",")))

    call = None
    if type(x) is tensors.tensor_type:
        call = tensors.call_of(names, keywords, _parameters[fold], answers)
        if (kept := call.kept()) is not None:
            return tensors.folded(kept, call)
    if dim is not None:
        axis = kind.axis_of(names, x, dim, axis)
    request = Request(
        kind, names, x, y, run.fold, answers.of, axis=axis, keepdims=keepdims, nan=nan, ddof=ddof, correction=correction,
        where=where, weights=weights, fweights=fweights, result=result, threads=threads, initial=initial, errors=errors,
        empty_nan=empty_nan, progress=progress, reading=given(keywords), call=call)
    if min_count is not None:
        from .min_count import request_of

        request = request_of(request, min_count)
    return kind.fold(request)


def fold_segments(ops, x, offsets, /, *, y=None, ddof=None, correction=None, nan="propagate", where=None,
                  weights=None, fweights=None, result=None, threads=None, initial=None, errors=None):
    """Folds x[offsets[i]:offsets[i + 1]] along the first axis, for each i.

    Parameters
    ----------
    ops : str or list of str
        Names of ops, such as "sum,mean".
    x : array_like or path
        The elements of all segments.
    offsets : array_like of int or path
        Ascending numbers from 0 to len(x), one more than there are segments.
    y : array_like or path, optional
        The second array of ops of two, of x's shape.
    ddof, correction : float, optional
        As var() has them.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights, fweights : array_like, optional
        As fold() has them, of x's shape or one for each index of the first axis.
    result : dtype, optional
        The exact values are rounded once to this type.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    initial : scalar, optional
        One more element of each segment, for sum, min and max.
    errors : {'raise', 'defer'}, optional
        As fold() has it. A status of 4 means that a segment's offsets are wrong.

    Returns
    -------
    named tuple of arrays
        Their first axis is the number of segments; arrays on a device if x and offsets are there.

    Raises
    ------
    Error
        Offsets descend or lie outside 0 to len(x). Nothing has been computed.

    Notes
    -----
    - cost: one pass, whatever the lengths are

    Examples
    --------
    >>> import numpy, onefold
    >>> onefold.fold_segments("sum", numpy.array([1.0, 2, 3, 4]), numpy.array([0, 1, 4])).sum.tolist()
    [1.0, 9.0]
    """
    names, answers = checked(ops)
    call = None
    if type(x) is tensors.tensor_type and errors == "defer":
        call = tensors.call_of(names, locals(), _parameters[fold_segments], answers)
        if (kept := call.kept()) is not None:
            return tensors.folded_segments(kept, call)
    from ..groups import grouping

    x, offsets, y = in_memory(names, x), in_memory(names, offsets), None if y is None else in_memory(names, y)
    return answers(*grouping.fold_segments(offsets, Request(
        kind_of(x), names, x, y, None, None, nan=nan, ddof=ddof, correction=correction, where=where, weights=weights,
        fweights=fweights, result=result, threads=threads, initial=initial, errors=errors, call=call)))


def fold_by(ops, /, *arrays, keys=None, x=None, y=None, groups=None, null_keys="raise", ddof=None, correction=None,
            nan="propagate", where=None, weights=None, fweights=None, result=None, threads=None, errors=None, min_count=None):
    """Folds x[i] into the group of keys[i]: fold_by("sum", keys, x), or by name, keys=..., x=...

    Parameters
    ----------
    ops : str or list of str
        Names of ops, such as "sum,mean".
    *arrays : array_like
        keys, x and y, in this order.
    keys : array_like, tuple, dict or DataFrame, optional
        A key for each element of x, in any order: integers, bools, texts, dates, times or categories.
        Floats are taken by name only, so that x is not taken for them. A tuple, a dict or a DataFrame
        has several keys.
    x : array_like, dict or DataFrame, optional
        An array of one axis; of two, each column is folded. Nulls and masked elements do not count.
    y : array_like, optional
        The second array of ops of two.
    groups : int, optional
        The number of groups: keys are then their numbers from 0 to groups - 1.
    null_keys : {'raise', 'drop', 'keep'}
        What happens to rows whose key is null or NaN; 'keep' puts them into a last group.
    ddof, correction : float, optional
        As var() has them.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where, weights, fweights : array_like, optional
        As fold() has them, with an element for each row.
    result : dtype, optional
        The exact values are rounded once to this type.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        As fold() has it. A status of 4 means that a key is not the number of a group.
    min_count : int, optional
        With fewer elements an answer is NaN, and of integers an error.

    Returns
    -------
    keys : ndarray, list or dict
        The keys that occur, in ascending order; not returned with groups.
    answers : named tuple of arrays
        An array for each op; for a dict or a DataFrame a dict of such tuples. argmin and argmax are row
        numbers of x.

    Raises
    ------
    Error
        Keys have another length or type, or are not numbers of groups.

    Notes
    -----
    - cost: one pass; keys are numbered first, by pandas or Arrow if they hold them

    Examples
    --------
    >>> import onefold
    >>> keys, answers = onefold.fold_by("sum", ["b", "a", "b"], [1e16, 2.0, 1.0])
    >>> keys.tolist(), answers.sum.tolist()
    (['a', 'b'], [2.0, 1e+16])
    """
    ops, answers = checked(ops)
    for name in ("keys", "x")[:len(arrays)]:
        if (keys if name == "keys" else x) is not None:
            raise TypeError(f"fold_by() got two values for {name}; the order is fold_by(ops, keys, x)")
    if len(arrays) > 2 or len(arrays) + (keys is not None) + (x is not None) < 2:
        raise TypeError("fold_by() takes three arguments (the ops, the keys and x), but "
                        f"{1 + len(arrays) + (keys is not None) + (x is not None)} were given")
    by_name = keys is not None
    keys = keys if by_name else arrays[0]
    x = arrays[-1] if x is None else x
    try:
        keys, x, y = (in_memory(ops, a) if files.is_path(a) else a for a in (keys, x, y))
    except _errors.UnsupportedError as error:
        raise _errors.make(error.code, f"{error}; fold({_errors.shown(ops)}, path, by=...) folds the columns of a table") from None
    from ..groups import grouping

    make = answers.of
    if min_count is not None:
        from .min_count import counted, made

        make = functools.partial(made, ops, min_count, make)
        ops = counted(ops, min_count)
    return grouping.fold_groups(keys, Request(
        kind_of(x), ops, x, y, None, make, nan=nan, ddof=ddof, correction=correction, where=where, weights=weights,
        fweights=fweights, result=result, threads=threads, errors=errors, empty_nan=min_count is not None and not on_device(x) or None),
        groups, by_name, null_keys)


def gather(ops, x, y=None, /, *, axis=None, first=None, keepdims=False, nan="propagate",
           where=None, threads=None):
    """Gathers what ops need of a part of the data into a State; states merge exactly.

    Parameters
    ----------
    ops : str or list of str
        Names of ops, such as "mean,var".
    x : array_like or path
        A part of the data.
    y : array_like, optional
        The second array of an op of two.
    axis : int or tuple of ints, optional
        None gathers one State of all elements; otherwise States, one for each slice.
    first : int, optional
        The index of the part's first element, for argmin and argmax. With axis it is the index within
        each slice, and a part must be whole rows of the first of the axes.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.

    Returns
    -------
    State or States
        s |= other merges; s.answer("var", ddof=1) answers; bytes(s) and pickle save. States are on the host, and of no
        library: whatever x is, answers are Python's numbers, and those of States ndarrays of NumPy.

    Raises
    ------
    OptionError, AxisError, ShapeError, DTypeError
        The arguments are wrong.

    Examples
    --------
    >>> import onefold
    >>> s = onefold.gather("mean", [1e16, 1.0]) | onefold.gather("mean", [-1e16])
    >>> s.mean
    0.3333333333333333
    """
    return _gather.gather(Request(kind_of(x), checked(ops)[0], x, y, None, None, axis=axis, keepdims=keepdims,
                                  nan=nan, where=where, threads=threads, first=first))


def _elements(ops, shape, axis):
    """The distance from this part's first index to the next part's, in all or in each slice."""
    if axis is None:
        return math.prod(shape)
    axes = axis if isinstance(axis, (tuple, list)) else [axis]
    axes = [_errors.integer(ops, "axis", a, "type_mismatch") for a in axes]
    rank = len(shape)
    if any(not -rank <= a < rank for a in axes):
        return 0  # gather reports the error
    folded = {a % rank for a in axes}
    if 0 not in folded:
        raise _errors.make("bad_option", f"{ops}: axis={axis} does not include axis 0, along which the parts are joined; add "
                                         "axis 0, or fold each part separately")
    return math.prod(shape[a] for a in folded)


def gather_parts(ops, parts, /, *, axis=None, nan="propagate", threads=None):
    """The State of one array that is given in parts, which lie on several devices or on devices and the CPU.

    parts   arrays in their order; each is gathered where it lies, all at the same time
    axis    returns the States of the slices along these axes: parts are rows, and axis must have the first axis
    """
    ops = names_of(ops)
    try:
        parts = list(parts)
    except (TypeError, NotImplementedError):
        raise TypeError(f"{ops}: parts is a {type_name(parts)}, but must be a list of arrays") from None
    if not parts:
        raise _errors.make("bad_option", f"{ops}: parts is empty; pass at least one array")
    from concurrent.futures import ThreadPoolExecutor

    def of_part(k, f):
        try:
            return f()
        except _errors.Error as e:
            raise _errors.make(e.code, f"part {k}: {e}") from None

    first, at = [], 0
    for k, part in enumerate(parts):
        first.append(at)
        if not files.is_path(part):  # gather reports the error
            at += of_part(k, lambda: _elements(ops, shape_of(ops, part), axis))  # noqa: B023
    with ThreadPoolExecutor(len(parts)) as pool:
        states = list(pool.map(lambda k: of_part(k, lambda: gather(
            ops, parts[k], axis=axis, first=first[k], nan=nan, threads=threads)), range(len(parts))))
    for k, state in enumerate(states[1:], 1):
        of_part(k, lambda: states[0].merge(state))  # noqa: B023
    return states[0]


def explain(ops, x, /, *, axis=None, nan=None, result=None, format=None, dtype=None, shape=None, offset=None,
            columns=None, by=None, header=None, delimiter=None, missing=None, bad_lines=None, decimal=None,
            thousands=None,
            numbers=None, non_numbers=None, date_format=None, skip=None, comment=None, units=None, union=None, memory=None):
    """What a fold would read and gather, as a dict; nothing is folded.

    x        an array, or the path of a file, whose header is read
    """
    keywords = locals()
    kind, ops = kind_of(x), names_of(ops)
    request = Request(kind, ops, x, None, None, None, axis=axis, nan=nan, result=result, reading=given(keywords))
    if kind.has_files:
        facts = files.explain(request)
    else:
        request.refuse_reading()
        _core.gather_array(ops, memoryview(b""), None, nan, None, None)  # says what is wrong
        found = kind.found(ops, x)
        if axis is not None:
            _errors.axes_of(ops, axis if isinstance(axis, (tuple, list)) else [axis], shape_of(ops, x))
        if found.there:
            facts = {"device": "cuda"}
        else:
            array = found.array
            facts = {"device": "cpu", "dtype": dtype_of(array), "shape": tuple(array.shape),
                     "masked": found.mask is not None}
            if facts["dtype"] not in _ops.ops["sum"].types:
                raise unsupported(ops, f"an array of dtype {facts['dtype']} cannot be folded")
            if result is not None:
                _check_result(ops, facts["dtype"], result)
    facts["ops"] = ops.split(",")
    if "dtype" in facts:
        facts["answer_types"] = [
            _core.dtype_name(result, ops, "result") if result is not None
            else _ops.ops[op].types[facts["dtype"]]
            for op in facts["ops"]]
    facts["passes"] = 1
    return facts


def _check_result(ops, dtype, result):
    """Raises a fold's error for a type of answers that an op does not have."""
    nothing = numpy_for(ops, "result=").empty(0, "f4" if dtype == "bf16" else long_names[dtype])
    for op in ops.split(","):
        try:
            _core.fold_array(op, nothing, nothing if _ops.ops[op].inputs == 2 else None, {"result": result})
        except _errors.EmptyError:
            pass


# All parameters but the first: those that make a plan for tensors another one.
_parameters = {f: f.__code__.co_varnames[1:f.__code__.co_argcount + f.__code__.co_kwonlyargcount]
               for f in (fold, fold_segments)}
