"""Exact quantiles of arrays and files."""

import functools

from .. import _core, errors, files
from ..groups.frame_files import file_of
from ..linalg.products import cast, is_captured
from ..operands import kind_of, like, times
from ..operands.found import converted, on_device, unsupported
from ..operands.frameworks import dtype_of
from ..reduce.request import Request, given
from ..reduce.slices import fold_slices, refuse_wide_there


def words_of(q):
    """The decimals of q, and whether q is a single number. A float means the shortest decimal that reads back to it."""
    if isinstance(q, str) or not hasattr(q, "__iter__") or getattr(q, "shape", None) == ():
        return [word_of(q)], True
    try:
        several = list(q)
    except Exception:  # q may raise anything
        raise errors.make("bad_option", f"quantile: q={errors.shown(q)} is not a list of numbers") from None
    return [word_of(one) for one in several], False


def word_of(q, op="quantile", name="q"):
    """A number from 0 to 1 as a decimal."""
    import numbers
    from decimal import Decimal, localcontext

    try:
        if isinstance(q, bool) or isinstance(q, str) and "_" in q:
            raise ValueError
        number = converted(op, q, q.item) if hasattr(q, "item") else q
        if isinstance(number, float) and not isinstance(q, float) and hasattr(q, "astype"):
            number = str(q)  # the digits of a narrower type
        if isinstance(number, numbers.Rational):  # a Fraction, too, with 36 digits more than are allowed
            with localcontext(prec=80):
                number = Decimal(number.numerator) / number.denominator
        else:  # a float is spelt as repr spells it; so is a float type with more bits
            number = Decimal(number if isinstance(number, Decimal) else str(number))
    except (TypeError, ValueError, ArithmeticError):  # an UnsupportedError, too
        raise errors.make("bad_option", f"{op}: {name}={errors.shown(q)} is not a number from 0 to 1") from None
    word = "0" if number.is_zero() else format(number, "f")
    places = len(word.partition(".")[2])
    if number.is_nan() or not 0 <= number <= 1:
        raise errors.make("bad_option", f"{op}: {name}={errors.shown(q)} is not between 0 and 1")
    if places > 37:
        raise errors.make("bad_option", f"{op}: {name}={errors.shown(q)} has {places} decimal places, but at most 37 are "
                                         f"supported; pass round({name}, 37)")
    return word


def _there(request):
    """The request for a device, whose kernels take floats: integers and bools become f64, which holds them exactly."""
    op, x = request.ops, request.x
    kind = dtype_of(x)
    if "f" in kind:
        return request
    if kind == "i64" and is_captured(x):
        raise unsupported(op, "int64 elements cannot be checked against float64 while a graph is captured; convert them first")
    refuse_wide_there(op, x)
    wide = cast(x, "f64")
    if dtype_of(wide) != "f64":
        raise unsupported(op, f"on a device the elements must be floats, but these are {kind}; convert them to float64 "
                          "(in JAX after jax.config.update(\"jax_enable_x64\", True))")
    return request.replace(x=wide)


def _run(request, words, method):
    """The quantiles of one array, as a list."""
    kind, op, x = request.kind, request.ops, request.x
    if on_device(x):
        from .device_quantiles import quantiles

        return quantiles(_there(request), words, method)
    if kind.has_times and kind.is_times(x):
        if request.weights is not None or request.fweights is not None:
            raise unsupported(op, "weighted quantiles of dates and durations are not supported; pass x.astype('int64')")
        request = request.replace(where=kind.agreeing(op, "where=", x, request.where))
        return [kind.keep(x, v, request.axis, request.keepdims) for v in times.quantiles(request, words, method)]
    return fold_slices(request, functools.partial(_core.quantile_array, op, words, method), rounds=True)


def _read(request, paths, words, method):
    """The quantiles of files, as files.read returns answers."""
    for name in ("axis", "keepdims", "where", "weights", "fweights"):
        given = getattr(request, name)
        if given is not None and given is not False and not (name == "where" and isinstance(given, str)):
            raise errors.make("bad_option", f"{request.ops}: {name}= is not available for files; read the file with "
                                             "onefold.read(path) first")
    return _core.quantile_files(request.ops, words, method, paths, files.prepared(request))


def quantile(x, /, q, axis=None, *, method="linear", keepdims=False, nan=None, where=None, weights=None, fweights=None, threads=None,
             format=None, dtype=None, shape=None, offset=None, columns=None, by=None, sort=None, top=None, let=None,
             header=None, delimiter=None, missing=None, bad_lines=None, decimal=None, thousands=None,
             numbers=None, non_numbers=None, date_format=None, skip=None, comment=None, units=None, union=None, memory=None,
             dim=None, offsets=None, null_keys=None):
    """The exact quantiles of x, as numpy.quantile has them, rounded once.

    Parameters
    ----------
    x : array_like, path or list of paths
        An array of any library, also on a device, where integers are taken as float64, at most 2^53; or files, of
        all their numbers or of each column of a table.
    q : float or array_like of float
        From 0 to 1, or several. 0.1 is one tenth: at most 37 digits behind the point count.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    method : str
        "linear", "lower", "higher", "nearest", "midpoint", or another one of numpy.quantile.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}, optional
        What NaN does. By default the answer is NaN, as without elements.
    where : array_like of bool or str, optional
        The elements that count; of a table an expression.
    weights : array_like, optional
        Numbers of at least 0 that broadcast to x, for method="inverted_cdf": the least number at which the weight
        of it and of all below reaches q of the total, compared exactly. "averaged_inverted_cdf" goes
        halfway to the next number if that is q exactly.
    fweights : array_like of int, optional
        How often each element counts, for any method.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    format, dtype, shape, offset, columns : optional
        Which data of a file are read. Raw files need dtype. columns is a list of names, or a str such as
        "temp,2,5-8"; by default all columns of numbers are read.
    header, delimiter, missing, bad_lines, decimal, thousands, numbers, non_numbers, date_format : optional
        How the text of a table is read: docs/files.md.
    skip, comment, units, union, memory : optional
        The same.
    by : str, list or array_like, optional
        Columns of keys of a table or a frame, or the keys of an array's elements as fold_by() has them: the
        answer is a pair, the keys and the quantiles of each group.
    sort, top : optional
        Order the groups ("-mean,city": - puts the greatest first), and keep the first ones.
    let : str or dict, optional
        More columns of a table: "total = price * qty", or {"total": "price * qty"}.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.
    offsets : array_like of int, optional
        Ascending numbers from 0 to len(x): the answer is one for each segment of the first axis.
    null_keys : {'raise', 'drop', 'keep'}, optional
        Of the keys of an array, as fold_by() has it.

    Returns
    -------
    scalar or array
        For one q what mean() would return; for several an array with an axis in front, for a table one
        such array for each column, for a DataFrame one by q. The type is x's if it is a float, else float64.

    Raises
    ------
    OptionError, AxisError, ShapeError, DTypeError, UnsupportedError
        The arguments are wrong.

    Notes
    -----
    - cost: arrays on the CPU are read once for each of up to three quantiles, and a slice of more than 2^22
      elements several times if one reading does not decide. With weights all of a slice is held, 32 bytes an
      element. docs/files.md has files.

    Examples
    --------
    >>> import onefold
    >>> onefold.quantile([1, 2, 3, 4], 0.25)
    1.75
    """
    keywords = dict(locals())
    x, q, method = (keywords.pop(name) for name in ("x", "q", "method"))
    return _answer("quantile", x, q, method, keywords)


def median(x, /, axis=None, *, keepdims=False, nan=None, where=None, weights=None, fweights=None, threads=None,
           format=None, dtype=None, shape=None, offset=None, columns=None, by=None, sort=None, top=None, let=None,
           header=None, delimiter=None, missing=None, bad_lines=None, decimal=None, thousands=None,
           numbers=None, non_numbers=None, date_format=None, skip=None, comment=None, units=None, union=None, memory=None, dim=None,
           offsets=None, null_keys=None):
    """The exact median of x, as numpy.median has it, rounded once: quantile(x, 0.5).

    Parameters
    ----------
    x : array_like, path or list of paths
        As quantile() has it.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}, optional
        What NaN does. By default the answer is NaN, as without elements.
    where : array_like of bool or str, optional
        The elements that count; of a table an expression.
    weights : array_like, optional
        Numbers of at least 0, by the method "averaged_inverted_cdf": equal weights give the answer of no weights.
    fweights : array_like of int, optional
        How often each element counts.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    format, dtype, shape, offset, columns : optional
        Which data of a file are read. Raw files need dtype. columns is a list of names, or a str such as
        "temp,2,5-8"; by default all columns of numbers are read.
    header, delimiter, missing, bad_lines, decimal, thousands, numbers, non_numbers, date_format : optional
        How the text of a table is read: docs/files.md.
    skip, comment, units, union, memory : optional
        The same.
    by : str, list or array_like, optional
        Columns of keys of a table or a frame, or the keys of an array's elements as fold_by() has them: the
        answer is a pair, the keys and the quantiles of each group.
    sort, top : optional
        Order the groups ("-mean,city": - puts the greatest first), and keep the first ones.
    let : str or dict, optional
        More columns of a table: "total = price * qty", or {"total": "price * qty"}.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.
    offsets : array_like of int, optional
        Ascending numbers from 0 to len(x): the answer is one for each segment of the first axis.
    null_keys : {'raise', 'drop', 'keep'}, optional
        Of the keys of an array, as fold_by() has it.

    Returns
    -------
    scalar or array
        As quantile() of one q.

    Raises
    ------
    OptionError, AxisError, ShapeError, DTypeError, UnsupportedError
        The arguments are wrong.

    Examples
    --------
    >>> import onefold
    >>> onefold.median([3, 1, 2, 10])
    2.5
    """
    keywords = dict(locals())
    method = "linear" if weights is None else "averaged_inverted_cdf"
    return _answer("median", keywords.pop("x"), "0.5", method, keywords)


def nanquantile(x, /, q, axis=None, **keywords):
    """quantile() of the elements that are not NaN, as numpy.nanquantile has it.

    Parameters
    ----------
    x, q, axis, **keywords
        As quantile() has them, which takes nan="omit" instead.

    Returns
    -------
    scalar or array
        As quantile(); NaN where a slice has nothing else.

    Raises
    ------
    OptionError, AxisError, ShapeError, DTypeError, UnsupportedError
        The arguments are wrong, or nan= is among them.

    Examples
    --------
    >>> import onefold
    >>> onefold.nanquantile([4.0, float("nan"), 1.0], 0.5)
    2.5
    """
    return _omitting_nan("nanquantile", quantile, x, q, axis, keywords)


def nanmedian(x, /, axis=None, **keywords):
    """median() of the elements that are not NaN, as numpy.nanmedian has it.

    Parameters
    ----------
    x, axis, **keywords
        As median() has them, which takes nan="omit" instead.

    Returns
    -------
    scalar or array
        As median(); NaN where a slice has nothing else.

    Raises
    ------
    OptionError, AxisError, ShapeError, DTypeError, UnsupportedError
        The arguments are wrong, or nan= is among them.

    Examples
    --------
    >>> import onefold
    >>> onefold.nanmedian([4.0, float("nan"), 1.0])
    2.5
    """
    return _omitting_nan("nanmedian", median, x, axis, keywords)


def _omitting_nan(called, function, *arguments):
    *plain, keywords = arguments
    if "nan" in keywords:
        raise errors.make("bad_option", f"{called}: nan={errors.shown(keywords['nan'])} cannot be passed, since {called} omits "
                          f"NaN; call {function.__name__} for another policy")
    try:
        return function(*plain, nan="omit", **keywords)
    except errors.Error as error:
        raise errors.renamed(error, function.__name__, called) from None


def _answer(op, x, q, method, keywords):
    words, one = words_of(q)
    if not isinstance(method, str):
        raise errors.make("bad_option", f"{op}: method={errors.shown(method)} is not a str")
    method = method.encode(errors="backslashreplace").decode()
    kind = kind_of(x)
    if not words and not kind.has_files:  # an axis of no quantiles
        found = _answer(op, x, [0], method, keywords)
        if keywords["by"] is None:
            return found[:0]
        return found[0], {n: v[:0] for n, v in found[1].items()} if isinstance(found[1], dict) else found[1][:0]

    def make(values, why=None):
        joined = one or not isinstance(values, list)  # of a device: with an axis for q already
        return values[0] if one else values if joined else kind.several(x, values, q)

    request = Request(kind, op, x, None, functools.partial(_run, words=words, method=method), make,
                      **{name: keywords[name] for name in ("axis", "keepdims", "nan", "where", "weights", "fweights", "threads")},
                      reading=given(keywords),
                      read=functools.partial(_read, words=words, method=method))
    groups_array = "by" in request.reading and not kind.has_files and not (kind.has_frames and kind.is_frame(x))
    if keywords["null_keys"] is not None and not groups_array:
        raise errors.make("bad_option", f"{op}: null_keys= needs by= and an array; in files and frames null is a key")
    if keywords["dim"] is not None:
        request.axis = kind.axis_of(op, x, keywords["dim"], request.axis)
    if keywords["offsets"] is not None:
        from .segments import of_segments

        return make(of_segments(_there(request) if on_device(x) else request, keywords["offsets"], words, method))
    if "by" in request.reading and not kind.has_files:
        return _by_keys(request, q, words, method, one, keywords)
    return kind.fold(request)


def _by_keys(request, q, words, method, one, keywords):
    """The keys and quantiles of groups of an array or a frame. What only tables of files have, goes by a file."""
    from . import groups

    kind, op, x = request.kind, request.ops, request.x
    frame = kind.has_frames and kind.is_frame(x)
    more = [name for name in request.reading if name not in ("by", "columns")]
    if frame and (more or isinstance(request.where, str)):
        with file_of(op, x) as path:
            return _answer(op, path, q, method, keywords)
    for name in (*("axis", "keepdims"), *more, *([] if frame else ["columns"])):
        given = request.reading.get(name, getattr(request, name, None))
        if given is not None and given is not False:
            raise errors.make("bad_option", f"{op}: {name}= is not available for quantiles by keys of "
                               + ("a frame" if frame else "an array") + "; leave it out")
    call, by = (op, words, method), request.reading["by"]
    if on_device(x) or on_device(by):
        from .device_quantiles import quantiles_of_groups

        keys, found = quantiles_of_groups(_there(request), by, words, method, keywords["null_keys"] or "raise")
        return keys, found[0] if one else found
    if frame:
        keys, found = groups.of_frame(request, by, request.reading.get("columns"), call)
    else:
        keys, found = groups.of_array(request, by, call, keywords["null_keys"] or "raise")
    if isinstance(found, dict):
        return keys, {name: values[0] if one else values for name, values in found.items()}
    return keys, like(x, found[0] if one else found)
