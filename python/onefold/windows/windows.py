"""Windows along an axis, and scans. Each answer is that of its window folded alone."""

import functools
import sys

from .. import _core, errors
from .._keywords import keywords_of
from ..operands import in_memory, kind_of, shape_of
from ..operands.complex_numbers import is_complex, rows
from ..operands.elements import elements_of
from ..operands.found import dtype_of, library_of, numpy_for, on_device, type_name, unsupported
from ..operands.frame_columns import folded_of, has_numbers_only, of_one_type
from ..operands.masks import is_masked, mask_of
from ..operands.types import answer_types
from ..operands.wrap import as_is, as_python
from ..reduce import tensors
from ..reduce.request import Request, checked
from .rule import Rule


def quantiles(request, rule, words, method):
    """Quantiles of each window, as a list."""
    return fold(request, rule, functools.partial(_quantiles_of_array, words=words, method=method))


def fold(request, rule, of_array=None):
    """The answers of each window, as a list. of_array(request, rule) returns those of one array; default: of its ops."""
    kind, x = request.kind, request.x
    if rule.is_there() and not on_device(x):
        raise errors.make("bad_option", f"{request.called}: begin and end are on a device, but the {type_name(x)} is not; "
                           "copy them to the CPU")
    if is_complex(x) and of_array is not None:
        raise unsupported(request.called, "windows of complex numbers support sum, mean, var and std without weights, "
                          f"not {request.ops}")
    of_array = of_array or _of_array
    lazy = kind.lazy(x)
    if lazy is not None:
        from ..dask.windows import fold as fold_lazily

        others = {name: None if other is None else kind.agreeing(request.called, name, x, other)
                  for name, other in (("y", request.y), ("where", request.where))}
        values = fold_lazily(request.replace(x=lazy, **others), rule, of_array)
        return [kind.of_windows(x, value, request.axis, rule.labels) for value in values]
    if is_complex(x):
        values = rows(request, functools.partial(_of_part, rule))
        return [kind.of_windows(x, value, request.axis, rule.labels) for value in values]
    if kind.has_times and kind.is_times(x):
        if of_array is not _of_array:
            raise unsupported(request.called, f"windows of dates and durations support count, min and max, not {request.ops}; "
                              "pass x.astype('int64')")
        from . import times

        return times.fold(request, rule, of_array)
    if kind.has_frames and kind.is_frame(x) and not kind.is_array(x):
        if request.axis not in (0, -2, None) and has_numbers_only(x):
            return of_array(request.replace(x=of_one_type(request.called, kind, x)), rule)
        if request.axis not in (0, -2, None):
            raise errors.make("bad_axis", f"{request.called}: columns of several types are folded along axis 0, but axis="
                               f"{errors.shown(request.axis)} was given; convert them to one type")
        if library_of(x) == "pandas":
            x = x.infer_objects()  # numbers of Python count, as in pandas
            request = request.replace(x=x)
        if library_of(x) == "pandas" and not x.columns.is_unique:
            return _by_position(request, rule, of_array)
        names = folded_of(request.called, kind, x)
        columns = [of_array(request.replace(x=x[name], kind=kind_of(x[name]), axis=None), rule) for name in names]
        return [kind.frame_of(x, names, list(values)) for values in zip(*columns)]
    return of_array(request, rule)


def _by_position(request, rule, of_array):
    """The answers of a frame of pandas in which several columns have one name."""
    x = request.x
    values = fold(request.replace(x=x.set_axis(range(x.shape[1]), axis=1)), rule, of_array)
    return [value.set_axis(x.columns[list(value.columns)], axis=1) for value in values]


def _of_part(rule, request, each):
    """The answers of windows of a part of complex numbers."""
    if each != 1:
        raise unsupported(request.called, f"windows of complex numbers support sum, mean, var and std, not {request.ops}")
    return fold(request, rule)


def _of_array(request, rule):
    kind, ops = request.kind, request.ops
    if on_device(request.x) or (request.y is not None and on_device(request.y)):
        return _of_device(request, rule)
    found, first, second, plain = elements_of(request, request.axis)
    nullable = rule.nulls and kind.nullable(request.x)
    if nullable and ops in ("min", "max"):
        rule = rule.with_least(1)  # of integers before the first there is no NaN, but a null
    pairs = rule.fold(ops, first, second, keywords_of(plain))
    types = answer_types(plain, found.array.dtype) if isinstance(found.array, _core.View) else [None] * len(pairs)
    values = []
    for op, (value, too_few), dtype in zip(ops.split(","), pairs, types):
        # What may lack an answer is masked whether or not one does: types do not depend on values.
        if rule.least and value.dtype.kind in "iub" and dtype != "bf16":
            value = _with_missing(request, found, op, value, too_few)
        if nullable:
            value = _with_nulls(op, value, found.mask)
        values.append(kind.of_windows(request.x, found.wrap(value, dtype), request.axis, rule.labels))
    return values


def _of_device(request, rule):
    from ..reduce.device import fold_windows

    names = request.ops.split(",")
    if "count" not in names or not rule.least:
        return fold_windows(request, rule)
    fewest = rule.fewest(request.x.shape[request.axis])
    if request.where is not None or fewest is not None and fewest < rule.least:
        raise unsupported(request.called, "counts on a device have no NaN for windows with too few elements; pass min_periods=0")
    # Every window has enough: NaN are elements for count.
    return [fold_windows(request.replace(ops=name), rule.without_least() if name == "count" else rule)[0] for name in names]


def _quantiles_of_array(request, rule, words, method):
    kind, op, x = request.kind, request.ops, request.x
    if on_device(x):
        from ..order.device_quantiles import quantiles_of_windows

        return list(quantiles_of_windows(request, rule, words, method))
    found = kind.found(op, x)
    where = None if request.where is None else kind.agreeing(op, "where=", x, request.where, request.axis)
    dtype = dtype_of(found.array)
    dtype = dtype if "f" in dtype else "f64"
    result = None if found.type_of(dtype) == dtype else found.type_of(dtype)
    keywords = keywords_of(request, where=mask_of(op, [found], where), result=result)
    values = _core.quantile_windows(op, words, method, found.array, rule.parts(rule.least), keywords)
    return [kind.of_windows(x, found.wrap(value, dtype), request.axis, rule.labels) for value in values]


def _with_missing(request, found, op, value, too_few):
    """Integers of which some are missing; too_few says which, or is None."""
    if found.wrap is as_is or found.wrap is as_python:
        return numpy_for(op, "windows without an answer").ma.array(value, mask=False if too_few is None else too_few)
    if too_few is not None:
        raise unsupported(request.called, f"a {type_name(request.x)} of integers has no NaN for windows with too few elements; "
                          f"for {op} pass min_periods=0, or floats")
    return value


def _with_nulls(op, value, there):
    """The answers of a scan as a masked array, without those at nulls."""
    numpy = numpy_for(op, "a scan with nulls")
    lacking = numpy.ma.getmaskarray(value)
    return numpy.ma.array(numpy.ma.getdata(value), mask=lacking if there is None else lacking | ~there)


def axis_of(name, x, axis, dim=None):
    """The axis of windows, checked. dim, or a str as axis, names a dimension of xarray."""
    if dim is None and isinstance(axis, str):
        axis, dim = None, axis
    if dim is not None:
        axes = kind_of(x).axis_of(name, x, dim, axis)
        if len(axes) != 1:
            raise errors.make("bad_axis", f"{name}: dim={errors.shown(dim)} names {len(axes)} axes, but windows and "
                               "scans go along one; name one dimension")
        axis, = axes
    shape = shape_of(name, x)
    if not shape:
        raise errors.make("bad_axis", f"{name}: x is a single number, which has no axis; pass an array")
    if axis is None:
        if len(shape) > 1:
            raise errors.make("bad_axis", f"{name}: the array has {len(shape)} axes; pass axis= for one of them")
        return 0
    return errors.axis_of(name, axis, shape)


def _anew(name, offsets, n, reverse):
    """The offsets of a scan's segments, checked, on the host."""
    if offsets is None:
        return None
    if on_device(offsets):
        offsets = offsets.get() if hasattr(offsets, "get") else offsets.cpu()
    from ..groups.grouping import offsets_of

    numpy = numpy_for(name, "offsets=")
    empty = hasattr(offsets, "__len__") and not len(offsets)  # which an ndarray of floats would be
    given = numpy.zeros(0, "i8") if empty else offsets_of(name, "offsets=", offsets)
    if empty or given[0] != 0 or given[-1] != n:
        ends = "is empty" if empty else f"goes from {given[0]} to {given[-1]}"
        raise errors.make("bad_option", f"{name}: offsets= {ends}; it must go from 0 to {n} to cover all elements")
    falls = numpy.flatnonzero(given[1:] < given[:-1])
    if len(falls):
        k = int(falls[0]) + 1
        raise errors.make("bad_option", f"{name}: offsets[{k}] is {given[k]}, below offsets[{k - 1}], which is "
                           f"{given[k - 1]}; offsets must not decrease")
    return n - given[::-1] if reverse else given


def scan(name, op, x, axis, dim, exclusive, reverse, offsets, keywords):
    """One op of the elements up to each."""
    exclusive, reverse = errors.flag(name, "exclusive", exclusive), errors.flag(name, "reverse", reverse)
    if axis is None and dim is None and offsets is None and exclusive is False and reverse is False \
            and not any(value is not None for value in keywords.values()):
        answers = _core.scan_line(op, x)
        if answers is not None:
            return answers
    call = None
    if reverse is False and dim is None and offsets is None and type_name(x) == "torch.Tensor":
        call = tensors.Call(name, [x, axis, exclusive, *keywords.values()], tuple(keywords))
        if (kept := call.kept()) is not None:
            return tensors.answer_of(kept, call.args)
    if library_of(x) == "pandas" and type(x).__name__.endswith("GroupBy"):
        raise unsupported(name, f"for groups call expanding(groupby).{op}(), which omits NaN unless you pass nan=")
    x = in_memory(name, x)
    axis = axis_of(name, x, axis, dim)
    lazy = kind_of(x).lazy(x)
    masked = is_masked(x._meta if lazy is x else x)
    if lazy is not None:
        if offsets is not None:
            raise unsupported(name, "offsets= is not supported for Dask arrays; call x.compute() first")
        from ..dask.windows import without_empty

        whole = without_empty(lazy)  # Dask reverses no array whose chunks are empty
        x = whole if lazy is x else x.copy(data=whole)
    x = _reversed(name, x, axis) if reverse else x
    keywords["result"] = keywords.pop("dtype", None)
    request = Request(kind_of(x), checked(op)[0], x, None, None, None, axis=axis, called=name, single=True, empty_nan=True,
                      call=call, **keywords)
    least = 1 if op in ("min", "max") and masked and x.dtype.kind in "iub" else 0  # these have no NaN, but masks
    try:
        anew = _anew(name, offsets, shape_of(name, x)[axis], reverse)
        rule = Rule(ahead=-1 if exclusive else 0, least=least, anew=anew, nulls=True)
        answers = fold(request, rule)[0]
    except errors.EmptyError:
        raise errors.make("empty_input", f"{name}: there is nothing to fold up to the first element, and integers have no "
                           "NaN; pass floats") from None
    except errors.Error as error:
        raise _of_scan(error, name, op, len(x) if reverse and len(shape_of(name, x)) == 1 else None) from None
    answers = _masked_as(x, answers) if masked else answers
    return _reversed(name, answers, axis) if reverse else answers


def _masked_as(x, answers):
    """The answers of a scan with x's mask, as numpy.ma.cumsum has it; and without those that are missing."""
    if is_masked(x):
        import numpy.ma as ma
    else:
        import dask.array.ma as ma

    return ma.masked_array(ma.getdata(answers), mask=ma.getmaskarray(x) | ma.getmaskarray(answers))


def _of_scan(error, name, op, n):
    """An error of an op as one of the scan that was called; n: the elements, if they were given in the opposite order."""
    import re  # which takes a while, and few need it

    error = errors.renamed(error, op, name)
    place = re.match(rf"{name}\[(\d+)\]", str(error)) if n is not None else None
    return error if place is None else errors.make(error.code, f"{name}[{n - 1 - int(place[1])}]{str(error)[place.end():]}")


def _reversed(name, x, axis):
    """The same elements in the opposite order, with their labels."""
    if hasattr(x, "flip"):  # a tensor
        signed = str(x.dtype).replace("uint", "int")  # torch flips no unsigned integers of a host
        return x.flip(axis) if signed == str(x.dtype) else x.view(getattr(sys.modules["torch"], signed[6:])).flip(axis).view(x.dtype)
    library = library_of(x)
    if library == "polars" and axis == 0:
        return x.reverse()
    if library == "pyarrow" and axis == 0:  # as an ndarray its nulls would be NaN
        return x.take(numpy_for(name, "reverse=").arange(len(x) - 1, -1, -1))
    if not hasattr(x, "ndim") or isinstance(x, memoryview):
        x = numpy_for(name, "reverse=").asarray(x)
    return (x.iloc if hasattr(x, "iloc") else x)[(slice(None),) * axis + (slice(None, None, -1),)]


def cumsum(x, /, axis=None, *, dtype=None, nan=None, exclusive=False, reverse=False, offsets=None, threads=None, dim=None):
    """The sum of the elements up to each one, rounded once; the last is sum(x).

    Parameters
    ----------
    x : array_like or path
        An array of any library.
    axis : int, optional
        The axis along which to add; not needed for an array of one axis.
    dtype : dtype, optional
        The exact sums are rounded once to this type.
    nan : {'propagate', 'omit', 'raise'}, optional
        What NaN does. By default all answers from the first NaN on are NaN.
    exclusive : bool
        Whether an answer is without the element itself.
    reverse : bool
        Whether the sums begin at the last element.
    offsets : array_like of int, optional
        Ascending numbers from 0 to the number of elements: the sum begins anew at each.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    array
        An array like x; of a masked array one with its mask, of a column with nulls one with its nulls.

    Raises
    ------
    OptionError, AxisError, DTypeError, OverflowError
        The arguments are wrong, or a sum of integers leaves 64 bits.

    Examples
    --------
    >>> import numpy, onefold
    >>> onefold.cumsum(numpy.array([1e16, 1.0, -1e16])).tolist()
    [1e+16, 1e+16, 1.0]
    """
    return scan("cumsum", "sum", x, axis, dim, exclusive, reverse, offsets, {"dtype": dtype, "nan": nan, "threads": threads})


def cummean(x, /, axis=None, *, dtype=None, nan=None, exclusive=False, reverse=False, offsets=None, threads=None, dim=None):
    """The mean of the elements up to each one, rounded once; else as cumsum()."""
    return scan("cummean", "mean", x, axis, dim, exclusive, reverse, offsets, {"dtype": dtype, "nan": nan, "threads": threads})


def cummin(x, /, axis=None, *, nan=None, exclusive=False, reverse=False, offsets=None, threads=None, dim=None):
    """The least of the elements up to each one; else as cumsum()."""
    return scan("cummin", "min", x, axis, dim, exclusive, reverse, offsets, {"nan": nan, "threads": threads})


def cummax(x, /, axis=None, *, nan=None, exclusive=False, reverse=False, offsets=None, threads=None, dim=None):
    """The greatest of the elements up to each one; else as cumsum()."""
    return scan("cummax", "max", x, axis, dim, exclusive, reverse, offsets, {"nan": nan, "threads": threads})


def cumvar(x, /, axis=None, *, ddof=0, dtype=None, nan=None, exclusive=False, reverse=False, offsets=None, threads=None,
           dim=None):
    """The variance of the elements up to each one, rounded once; NaN for no more than ddof elements; else as cumsum()."""
    keywords = {"ddof": ddof, "dtype": dtype, "nan": nan, "threads": threads}
    return scan("cumvar", "var", x, axis, dim, exclusive, reverse, offsets, keywords)
