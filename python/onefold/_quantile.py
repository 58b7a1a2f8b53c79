"""Exact quantiles of arrays and files."""

from . import _columns, _core, _errors, _files, _labels, _times
from ._found import converted


def _words_of(q):
    """The decimals of q, and whether q is a single number. A float means the shortest decimal that reads back to it."""
    if isinstance(q, str) or not hasattr(q, "__iter__") or getattr(q, "shape", None) == ():
        return [_word_of(q)], True
    try:
        several = list(q)
    except Exception:  # q may raise anything
        raise _errors.make("bad_option", f"quantile: q={_errors.shown(q)} is no list of numbers") from None
    return [_word_of(one) for one in several], False


def _word_of(q):
    import numbers
    from decimal import Decimal, localcontext

    try:
        number = converted("quantile", q, q.item) if hasattr(q, "item") else q
        if isinstance(number, numbers.Rational):  # a Fraction, too, with 36 digits more than are allowed
            with localcontext(prec=80):
                number = Decimal(number.numerator) / number.denominator
        else:  # a float is spelt as repr spells it; so is a float type with more bits
            number = Decimal(number if isinstance(number, Decimal) else str(number))
    except (TypeError, ValueError, ArithmeticError):  # an UnsupportedError, too
        raise _errors.make("bad_option", f"quantile: q={_errors.shown(q)} is no number from 0 to 1") from None
    word = "0" if number.is_zero() else format(number, "f")
    places = len(word.partition(".")[2])
    if number.is_nan() or not 0 <= number <= 1:
        raise _errors.make("bad_option", f"quantile: q={_errors.shown(q)} is not between 0 and 1")
    if places > 37:
        raise _errors.make("bad_option", f"quantile: q={_errors.shown(q)} has {places} digits behind its point, and at "
                           "most 37 are taken; give round(q, 37)")
    return word


def _of_array(op, words, x, method, keywords):
    from ._arrays import dtype_of, find
    from ._found import unsupported
    from ._masks import absent_from, mask_of, masked

    values = _core.quantile_array(op, words, method, x, keywords) if type(keywords["where"]) in (type(None), bool) else None
    if values is not None:
        return values
    keywords["where"] = _labels.agreeing(op, "where=", x, keywords["where"])
    values = _times.quantiles(op, words, method, x, keywords)
    if values is not None:
        return [_labels.keep(x, v, keywords["axis"], keywords["keepdims"]) for v in values]
    found = find(op, x)
    if found is None:
        raise unsupported(op, "quantiles are of arrays on the CPU; copy it there")
    mask, _ = mask_of(op, [found], keywords["where"])
    absent = absent_from(op, [x], found.array.shape, mask, keywords)
    more = {"keepdims": True} if absent is not None and absent.ndim else {}
    dtype = dtype_of(found.array)
    dtype = dtype if "f" in dtype else "f64"
    if found.type_of(dtype) != dtype:
        more["result"] = found.type_of(dtype)  # otherwise answers would be rounded twice
    values = _core.quantile_array(op, words, method, found.array, {**keywords, "where": mask, **more})
    if absent is not None:
        return [masked(op, v, absent, keywords) for v in values]
    return [_labels.keep(x, found.wrap(v, dtype), keywords["axis"], keywords["keepdims"]) for v in values]


def quantile(x, /, q, axis=None, *, method="linear", keepdims=False, nan=None, where=None, threads=None,
             format=None, dtype=None, shape=None, offset=None, columns=None, by=None, sort=None, top=None, let=None,
             header=None, delimiter=None, missing=None, bad_lines=None, decimal=None, thousands=None, memory=None,
             dim=None):
    """The exact quantiles of x, as numpy.quantile has them, rounded once.

    x        an array of any kind on the CPU; or the path of a file or a list of paths, with the keywords of files
             that fold() has, of all its numbers or of each column of a table
    q        from 0 to 1, or several: 0.1 is one tenth; of at most 37 digits behind the point, round(q, 37)
    method   "linear", "lower", "higher", "nearest", "midpoint"
    nan      "propagate" (None): the answer is NaN; "omit" leaves NaN out, "raise" is an error. Without elements
             the answer is NaN
    where    bools that broadcast to x: the elements that count; for tables an expression; let: as fold() has it
    by       for tables: the columns of keys; the answer is a pair, the keys and the quantiles of each group, with sort=
             and top=, as fold() has it
    returns  for one q an object like that of mean(); for several an array with an axis in front, as numpy.quantile, for
             a table one such array for each column, for a DataFrame one by q. The type is that of floats, else float64
    cost     arrays of more than 2^22 elements a slice are read twice, or more often where many are alike, in 64 MiB
             of memory; files as docs/files.md has it
    """
    keywords = dict(locals())
    x, q, method = (keywords.pop(name) for name in ("x", "q", "method"))
    return _answer("quantile", x, q, method, keywords)


def median(x, /, axis=None, *, keepdims=False, nan=None, where=None, threads=None, format=None, dtype=None,
           shape=None, offset=None, columns=None, by=None, sort=None, top=None, let=None, header=None, delimiter=None,
           missing=None, bad_lines=None, decimal=None, thousands=None, memory=None, dim=None):
    """The exact median of x, as numpy.median has it, rounded once: quantile(x, 0.5) with its arguments."""
    keywords = dict(locals())
    return _answer("median", keywords.pop("x"), "0.5", "linear", keywords)


def _answer(op, x, q, method, keywords):
    words, one = _words_of(q)
    if not isinstance(method, str):
        raise _errors.make("bad_option", f"{op}: method={_errors.shown(method)} is no str")
    method = method.encode(errors="backslashreplace").decode()

    def make(values, why):
        return values[0] if one else _labels.several(x, values, q)

    dim = keywords.pop("dim")
    if dim is not None:
        keywords["axis"] = _labels.axis_of(op, x, dim, keywords["axis"])
    paths = _files.paths_of(x)
    if paths is None:
        if keywords.get("by") is not None:
            from ._found import unsupported

            raise unsupported(op, "quantiles by keys are of tables of files; write the array or frame to one")
        of_columns = _columns.fold(op, x, keywords, make, lambda c, rest: _of_array(op, words, c, method, rest))
        if of_columns is not None:
            return of_columns
        for name in _files.options:
            if keywords.get(name) is not None:
                raise _errors.make("bad_option", f"{op}: {name}= says how a file is read, and an array was given")
        return make(_of_array(op, words, x, method, keywords), None)
    for name in ("axis", "keepdims", "where"):
        given = keywords.get(name)
        if given is not None and given is not False and not (name == "where" and isinstance(given, str)):
            raise _errors.make("bad_option", f"{op}: {name}= is not available for files")
    del keywords["axis"], keywords["keepdims"]
    return _files.quantiles(op, words, method, paths, keywords, make)
