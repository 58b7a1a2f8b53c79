"""Folds by name: several answers of one pass as a named tuple."""

import functools
import math

from . import _core, _errors, _files, _gather, _ops, _run, _tensors
from ._answers import _remake, type_of  # noqa: F401 (pickles name _fold._remake)
from ._found import dtype_of, numpy_for, on_device, type_name, unsupported
from ._request import Request, checked, given, names_of
from ._wrap import long_names
from .kinds import in_memory, kind_of, shape_of


def load_state(data):
    """Makes a pickled State again."""
    return _core.State.load(data)


def load_states(saved):
    """Makes pickled states of slices again."""
    return _core.States.load(saved)


def load_logsumexp(saved):
    """Makes pickled states of logsumexp again."""
    return _core.LogsumexpStates.load(saved)


def fold(ops, x, y=None, /, *, axis=None, ddof=None, correction=None, keepdims=False, nan=None, where=None,
         weights=None, fweights=None, result=None, threads=None, initial=None, format=None, dtype=None, shape=None,
         offset=None, columns=None, by=None, sort=None, top=None, let=None, header=None, delimiter=None,
         missing=None, bad_lines=None, decimal=None, thousands=None,
         numbers=None, non_numbers=None, date_format=None, skip=None, comment=None, units=None, union=None,
         empty_nan=None, memory=None, errors=None, dim=None, progress=None, text=None, min_count=None):
    """Several answers of one pass: m, v = fold("mean,var", x, axis=0).

    ops      names, in a string with commas or a list
    x        an array of any kind; or the path of a file (.npy, raw, text, a table), or a list of paths, folded
             as one array, joined along the first axis. Files are read in pieces
    y        the second array of an op of two; of other ops the path of a file that continues x. dim: axis by names
    nan      what NaN does: "propagate", "omit", "raise". Missing values of tables are left out if nan is not given
    where    bools that broadcast to x: the elements that count; or a path; of a table the rows: "qty > 5 and s == 'a'"
    weights  numbers, of mean, var, mse, corr and others; fweights: how often an element counts. Of a table or frame a column; of files a path
    result   the exact values are rounded to this type instead. min_count: an answer of fewer elements is NaN, of integers an error
    errors   "defer", for arrays on a device: each answer is a pair with its status, and the call does not wait
    format   of a file: "npy", "raw", "text", ...; raw needs dtype=, and takes shape= and offset=
    columns  of a table: a list of names, or a str as "temp,2,5-8"; by default all columns of numbers
    by       columns of keys, given as columns= is, of a table or a frame, or paths of arrays: one answer for each key. sort="-mean,city" orders
             them (- puts the greatest first), and top= keeps so many. text=True: min, max, mode, nunique, count of texts
    let      more columns of a table, for columns, by and where: "total = price * qty", or a dict {"total": "price * qty"}
    header, delimiter, missing, bad_lines, decimal, thousands, numbers, non_numbers, date_format, skip, comment, units, union, memory,
             empty_nan: see docs/files.md; the last one is for arrays, too
    progress  a function of the bytes read and of all bytes (0: unknown), called now and then; True: tqdm's bar
    returns  a named tuple in the order of ops; each field is what the function of that name returns. For a table a
             dict of such tuples by columns; with by= a pair: the keys, as a dict of ndarrays by columns, and the
             answers. A str that names one column returns the dict's entry alone. Labels of pandas and xarray are kept
    raises   Error: see docs/errors.md; a TableWarning lists what was left out of a table. Costs one pass, whatever is asked for
    """
    keywords, kind = locals(), kind_of(x)
    names, answers = (names_of(ops, False), None) if text is True else checked(ops)
    answers = answers or type_of(tuple(names.split(",")))

    call = None
    if type(x) is _tensors.tensor_type:
        call = _tensors.call_of(names, keywords, _parameters[fold], answers)
        if (kept := call.kept()) is not None:
            return _tensors.folded(kept, call)
    if dim is not None:
        axis = kind.axis_of(names, x, dim, axis)
    request = Request(
        kind, names, x, y, _run.fold, answers.of, axis=axis, keepdims=keepdims, nan=nan, ddof=ddof, correction=correction,
        where=where, weights=weights, fweights=fweights, result=result, threads=threads, initial=initial, errors=errors,
        empty_nan=empty_nan, progress=progress, reading=given(keywords), call=call)
    if min_count is not None:
        from . import _min_count

        request = _min_count.request_of(request, min_count)
    return kind.fold(request)


def fold_segments(ops, x, offsets, /, *, y=None, ddof=None, correction=None, nan="propagate", where=None,
                  weights=None, fweights=None, result=None, threads=None, initial=None, errors=None):
    """Folds x[offsets[i]:offsets[i + 1]] along the first axis, for each i: a named tuple of arrays.

    offsets  ascending integers within 0..len(x), one more than there are segments
    y        the second array of ops of two, of x's shape. Paths of files of arrays may stand for x, offsets and y
    weights  as for fold, of x's shape or one for each index; fweights too
    returns  ndarrays of the shape of x, with the number of segments as the first axis; arrays on a device
             if x and offsets are there
    initial  one more element of each segment, for sum, min and max
    errors   "defer": as for fold; a status of 4 says that a segment's offsets are wrong
    raises   Error: offsets that decrease or lie outside 0..len(x), before any work
    cost     one pass, whatever the lengths are
    """
    names, answers = checked(ops)
    call = None
    if type(x) is _tensors.tensor_type and errors == "defer":
        call = _tensors.call_of(names, locals(), _parameters[fold_segments], answers)
        if (kept := call.kept()) is not None:
            return _tensors.folded_segments(kept, call)
    from . import _groups

    x, offsets, y = in_memory(names, x), in_memory(names, offsets), None if y is None else in_memory(names, y)
    return answers(*_groups.fold_segments(offsets, Request(
        kind_of(x), names, x, y, None, None, nan=nan, ddof=ddof, correction=correction, where=where, weights=weights,
        fweights=fweights, result=result, threads=threads, initial=initial, errors=errors, call=call)))


def fold_by(ops, /, *arrays, keys=None, x=None, y=None, groups=None, null_keys="raise", ddof=None, correction=None,
            nan="propagate", where=None, weights=None, fweights=None, result=None, threads=None, errors=None, min_count=None):
    """Folds x[i] into the group of keys[i]: fold_by("sum", keys, x), or by name, keys=..., x=...

    keys       as many as x has elements, in any order: integers, bools, text, dates, times, categories; of NumPy,
               pandas, Polars, Arrow or a list. Floats by name only, so that x is not taken for them. Several:
               a tuple of arrays, a dict or a DataFrame
    x          an array of one axis, or of two, and then each column is folded; or a dict or a DataFrame of
               columns. Elements that a mask leaves out, and nulls, do not count: a group of only such answers as
               no elements do, and masked if x is a masked array. Paths of files of arrays may stand for keys, x, y
    y          the second array of ops of two, with an element for each row; so have where, weights and fweights, which
               are as for fold. These four are for arrays of the host, and sort copies of all arrays by key
    groups     the number of groups: keys are then their numbers, 0 <= key < groups, and need no look-up
    null_keys  "raise"; "drop" leaves out rows whose key is null or NaN, "keep" puts them into a last group
    min_count  an answer of fewer elements is NaN: as for fold
    returns    the keys that occur, in ascending order, as an ndarray (for several keys a list or dict of
               ndarrays), and a named tuple of ndarrays (for a dict or DataFrame a dict of such tuples). With
               groups only the latter, with an answer for each group. For arrays on a device, arrays there.
               argmin and argmax are row numbers of x
    errors     "defer": as for fold; if a label is not a group's number, all answers have a status of 4
    raises     Error: keys of another type or length, numbers of no group
    cost       one pass; keys are numbered first, by pandas or Arrow where they have them
    """
    ops, answers = checked(ops)
    for name in ("keys", "x")[:len(arrays)]:
        if (keys if name == "keys" else x) is not None:
            raise TypeError(f"fold_by() got two values for {name}; the order is fold_by(ops, keys, x)")
    if len(arrays) > 2 or len(arrays) + (keys is not None) + (x is not None) < 2:
        raise TypeError("fold_by() takes the ops, the keys and x, and "
                        f"{1 + len(arrays) + (keys is not None) + (x is not None)} of them were given")
    by_name = keys is not None
    keys = keys if by_name else arrays[0]
    x = arrays[-1] if x is None else x
    try:
        keys, x, y = (in_memory(ops, a) if _files.is_path(a) else a for a in (keys, x, y))
    except _errors.UnsupportedError as error:
        raise _errors.make(error.code, f"{error}; fold({_errors.shown(ops)}, path, by=...) folds the columns of a table") from None
    from . import _groups

    make = answers.of
    if min_count is not None:
        from . import _min_count

        make = functools.partial(_min_count.made, ops, min_count, make)
        ops = _min_count.counted(ops, min_count)
    return _groups.fold_groups(keys, Request(
        kind_of(x), ops, x, y, None, make, nan=nan, ddof=ddof, correction=correction, where=where, weights=weights,
        fweights=fweights, result=result, threads=threads, errors=errors, empty_nan=min_count is not None and not on_device(x) or None),
        groups, by_name, null_keys)


def gather(ops, x, y=None, /, *, axis=None, first=None, keepdims=False, nan="propagate",
           where=None, threads=None):
    """Gathers what ops need of a part of the data into a State; states merge exactly.

    axis     None: one State of all elements; otherwise States, one for each slice, with few bytes each
    first    the index of the part's first element, for argmin and argmax. With axis it is the index within
             each slice, in C order, and a part must be whole rows of the first of the axes
    returns  State: s |= other; s.answer("var", ddof=1); bytes(s); pickle
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
        raise _errors.make("bad_option", f"{ops}: parts are of the first axis, which must be folded; where it is "
                           "kept, each part has answers of its own")
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
        raise TypeError(f"{ops}: parts is a {type_name(parts)}, and must be a list of arrays") from None
    if not parts:
        raise _errors.make("bad_option", f"{ops}: there are no parts to gather")
    from concurrent.futures import ThreadPoolExecutor

    def of_part(k, f):
        try:
            return f()
        except _errors.Error as e:
            raise _errors.make(e.code, f"part {k}: {e}") from None

    first, at = [], 0
    for k, part in enumerate(parts):
        first.append(at)
        if not _files.is_path(part):  # gather reports the error
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
        facts = _files.explain(request)
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
