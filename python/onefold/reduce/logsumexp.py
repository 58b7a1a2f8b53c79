"""Logarithms of sums of exponentials, and softmax: each answer is the exact value, rounded once."""

from .. import _core
from .._keywords import keywords_of
from ..operands import in_memory, kind_of
from ..operands.found import dtype_of, on_device, type_name, unsupported
from ..operands.frame_columns import has_numbers_only, of_one_type
from ..operands.masks import mask_of
from .request import Request
from .slices import answer_of, float_type, fold_slices, of_one, refuse_integers_there, refuse_times


def _refuse_on_device(request):
    name, x = request.ops, request.x
    refuse_integers_there(name, x)
    if request.where is not None and request.where is not True:
        raise unsupported(name, "where= needs an array on the host; on a device, set the elements to leave out to -inf")
    if request.weights is not None:
        raise unsupported(name, "weights= needs an array on the host; copy the array there")


def _of_device(request, each):
    from .device_rows import exponential

    _refuse_on_device(request)
    return exponential(request, each)


def _run(request):
    """The answer of one array, in a list."""
    name, x = request.ops, request.x
    refuse_times(name, request.kind, x)
    if on_device(x):
        return [_of_device(request, False)]
    return fold_slices(request, of_one(_core.exponential, name))


def of_each(name, x, axis, threads, run=_core.exponential, here=None, fill="fill them, with -inf for elements to leave out",
            dim=None):
    """An array like x, of the same shape.

    run   run(name, array, keywords) of an array of the host
    here  here(request) of an array on a device
    fill  what to do with elements that are absent
    """
    x = in_memory(name, x)
    kind = kind_of(x)
    refuse_times(name, kind, x)
    axis = axis if dim is None else kind.axis_of(name, x, dim, axis)
    if kind.lazy(x) is not None:
        raise unsupported(name, "Dask arrays are not supported; use x.map_blocks, with chunks that hold whole slices")
    if on_device(x):
        request = Request(kind, name, x, None, None, None, axis=axis)
        return here(request) if here else _of_device(request, True)
    if has_numbers_only(x):
        x = of_one_type(name, kind, x)
    if kind.has_frames and kind.is_frame(x) and not kind.is_array(x):
        raise unsupported(name, f"a {type_name(x)} is not supported here; pass x.to_numpy()")
    found = kind.found(name, x)
    if found.mask is not None and not found.mask.all():
        raise unsupported(name, f"masked elements and nulls are not supported; {fill}")
    keywords = keywords_of(Request(kind, name, x, None, None, None, axis=axis, threads=threads))
    value = run(name, found.array, keywords)
    return kind.of_windows(x, found.wrap(value, float_type(dtype_of(found.array))), axis if isinstance(axis, int) else None, 1)


def logsumexp(x, /, axis=None, *, keepdims=False, nan=None, where=None, weights=None, threads=None, dim=None):
    """ln(sum of e^x) along axes, rounded once, for any spread of the elements.

    Parameters
    ----------
    x : array_like
        An array of floats, whose type the answer has, also on a device; on the CPU integers and bools are
        taken as float64.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}, optional
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        Of ln(sum of w e^x): numbers of at least 0, of x's shape or along axis, on the CPU only. An element
        of weight 0 does not count, whatever it is.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        What mean() would return. Of no elements, or only -inf: -inf; +inf if there is a +inf.

    Raises
    ------
    OptionError, AxisError, ShapeError, DTypeError
        The arguments are wrong.

    Notes
    -----
    - cost: float32 0.7 to 2 ns an element of one thread in rows of 100 and more, float64 3 to 8; docs/logsumexp.md

    Examples
    --------
    >>> import onefold
    >>> onefold.logsumexp([1000.0, 1000.0])
    1000.6931471805599
    """
    return answer_of("logsumexp", dict(locals()), _run)


def logmeanexp(x, /, axis=None, *, keepdims=False, nan=None, where=None, weights=None, threads=None, dim=None):
    """ln(mean of e^x) along axes, rounded once; NaN of no elements; else as logsumexp(). Weights: of the weighted mean."""
    return answer_of("logmeanexp", dict(locals()), _run)


def gather_logsumexp(x, /, axis=None, *, keepdims=False, nan=None, where=None, threads=None, dim=None):
    """The LogsumexpStates of the slices of x along axes (None: of all of x), which is a part of the elements.

    returns  states on the host, of no library: answers are numbers or ndarrays. s |= other merges that of other parts, exactly and in any order; then s.logsumexp and s.logmeanexp have the
             bits that all elements give at once. bytes(s), pickles: 200 bytes a slice
    raises   StateError, by the answers: a state does not decide how one is rounded; of float64 about one in 2^30
    cost     11 ns an element of one thread. Arrays on a device are read there, and the states copied: the call waits. Those
             of the chunks of a Dask array are computed now, and merged
    """
    name = "gather_logsumexp"
    x = in_memory(name, x)
    kind = kind_of(x)
    refuse_times(name, kind, x)
    if kind.has_frames and kind.is_frame(x) and not kind.is_array(x):
        raise unsupported(name, f"states hold one array, but a {type_name(x)} has several columns; pass one column, or an "
                          "array of all")
    axis = axis if dim is None else kind.axis_of(name, x, dim, axis)
    request = Request(kind, name, x, None, None, None, axis=axis, keepdims=keepdims, nan=nan, where=where, threads=threads)
    if (lazy := kind.lazy(x)) is not None:
        from ..dask.states import gather

        return gather(request.replace(x=lazy, where=kind.agreeing(name, "where=", x, where)), _gathered)
    if on_device(x):
        from .device_rows import logsumexp_states

        _refuse_on_device(request)
        return logsumexp_states(request)
    return _gathered(request)


def _gathered(request):
    """The LogsumexpStates of an array on the host."""
    name, kind, x, where = request.ops, request.kind, request.x, request.where
    if where is None or isinstance(where, bool):
        states = _core.gather_logsumexp(name, x, keywords_of(request))
        if states is not None:  # None: x must be converted first
            return states
    found = kind.found(name, x)
    mask = mask_of(name, [found], kind.agreeing(name, "where=", x, where))
    return _core.gather_logsumexp(name, found.array, keywords_of(request, where=mask))


def softmax(x, /, axis=None, *, threads=None, dim=None):
    """e^x / sum(e^x) of each element and its slice along axes, rounded once.

    Parameters
    ----------
    x : array_like
        As logsumexp() has it.
    axis : int or tuple of ints, optional
        The axes of a slice; None takes all of x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    array
        An array like x.

    Raises
    ------
    OptionError, AxisError, DTypeError
        The arguments are wrong.

    Examples
    --------
    >>> import numpy, onefold
    >>> onefold.softmax(numpy.array([0.0, 0.0])).tolist()
    [0.5, 0.5]
    """
    return of_each("softmax", x, axis, threads, dim=dim)


def log_softmax(x, /, axis=None, *, threads=None, dim=None):
    """x - logsumexp(x) of each element and its slice along axes, rounded once; else as softmax()."""
    return of_each("log_softmax", x, axis, threads, dim=dim)
