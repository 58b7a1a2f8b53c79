"""Where windows begin and end: the Rule of what a caller gives as `window`."""

from .. import errors
from ..operands.found import numpy_for, on_device, unsupported
from .rule import Rule


def number(name, n, fewest, called="rolling"):
    """A number of elements, checked."""
    n = errors.integer(called, name, n)
    if not fewest <= n <= 2**61:
        raise errors.make("bad_option", f"{called}: {name}={n} is not between {fewest} and 2^61")
    return n


def is_indexer(window):
    """Whether this is a BaseIndexer of pandas."""
    return hasattr(window, "get_window_bounds")


def is_span(window):
    """Whether this is a span of time."""
    return not (is_indexer(window) or isinstance(window, tuple) or hasattr(window, "__index__"))


def rule_of(window, n, times, least, center, closed, step):
    """The Rule of windows over n elements.

    times   when each element was: then `window` is a span; or None
    least   min_periods, or None: as the kind of window has it
    closed  or None: "right"; step or None: 1
    """
    if is_indexer(window):
        return _of_indexer(window, n, least, center, closed, step)
    closed, step = closed or "right", step or 1
    if isinstance(window, tuple):
        begin, end = _pair(window)
        if center or closed != "right":
            raise errors.make("bad_option", "rolling: window=(begin, end) already places the windows; leave out center= and "
                               "closed=")
        if times is not None:
            raise errors.make("bad_option", "rolling: window=(begin, end) already places the windows; leave out times=")
        return Rule(begin=begin[::step], end=end[::step], least=1 if least is None else least, labels=None)
    if times is not None or is_span(window):
        from .spans import spans  # its modules take a while, and few need them

        begin, end = spans(numpy_for("rolling", "windows of time"), n, window, times, center, closed)
        return Rule(begin=begin[::step], end=end[::step], least=1 if least is None else least, labels=step)
    width = number("window", window, 0)
    least = width if least is None else least
    if least > width:
        raise errors.make("bad_option", f"rolling: min_periods={least} is more than the window's {width} elements")
    ahead = (width - 1) // 2 if center and width else 0
    width += (closed == "both") - (closed == "neither")
    ahead -= closed in ("left", "neither")
    if width < 1:  # no window has an element
        none = numpy_for("rolling", "windows without elements").zeros(-(-n // step), "i8")
        return Rule(begin=none, end=none, least=least, labels=step)
    return Rule(width, ahead, step, least, labels=step)


def grouped_rule(window, extents, times, least, center, closed):
    """The Rule of windows within groups, which lie one after another; extents: the elements of each.

    window  None: all of the group's elements up to each one
    """
    numpy = numpy_for("rolling", "windows of groups")
    ends = numpy.cumsum(extents, dtype="i8")
    begins = ends - extents
    rule = Rule(least=least) if window is None else None
    if rule is None and times is None and not is_indexer(window):
        if isinstance(window, tuple):
            raise unsupported("rolling", "window=(begin, end) is not supported for groups; pass a number of elements")
        rule = rule_of(window, 0, None, least, center, closed, None)
    if rule is not None and rule.begin is None:
        first, last = numpy.repeat(begins, extents), numpy.repeat(ends, extents)
        end = numpy.arange(len(first)) + (rule.ahead + 1)
        begin = first if window is None else numpy.clip(end - rule.width, first, last)
        end = numpy.clip(end, first, last)
        return Rule(begin=begin, end=end, least=rule.least, labels=None)
    rules = [rule_of(window, n, None if times is None else times[at:at + n], least, center, closed, None)
             for at, n in zip(begins, extents)]
    begin, end = (numpy.concatenate([getattr(r, side) + at for r, at in zip(rules, begins)] or [begins])
                  for side in ("begin", "end"))
    return Rule(begin=begin, end=end, least=rules[0].least if rules else 1, labels=None)


def _of_indexer(window, n, least, center, closed, step):
    """The Rule of a BaseIndexer of pandas."""
    numpy, every = numpy_for("rolling", "windows of arrays"), step or 1
    least = int(getattr(window, "window_size", 0)) if least is None else least
    try:
        begin, end = window.get_window_bounds(n, least, center, closed, step)
    except Exception as error:
        raise errors.make("bad_option", f"rolling: {type(window).__name__} could not compute its windows: {error}") from error
    begin, end = _pair((begin, end))
    if begin.shape != end.shape or len(begin) != -(-n // every):
        raise errors.make("shape_mismatch", f"rolling: {type(window).__name__} gives {len(begin)} begins and {len(end)} "
                                             f"ends, but there must be {-(-n // every)} of each")
    return Rule(begin=begin, end=numpy.maximum(begin, end), least=least, labels=every)


def _pair(window):
    """The begins and ends of windows, of a pair of arrays, on the host or both on a device."""
    if len(window) != 2:
        raise errors.make("bad_option", f"rolling: window= is a tuple of length {len(window)}, but must be a pair (begin, "
                                         "end)")
    there = [on_device(given) for given in window]
    if all(there):
        if any(len(given.shape) != 1 for given in window):
            raise errors.make("shape_mismatch", f"rolling: begin has shape {tuple(window[0].shape)} and end has shape "
                               f"{tuple(window[1].shape)}; both must have one dimension, with one number per window")
        return window
    if any(there):
        raise errors.make("bad_option", f"rolling: {'begin' if there[0] else 'end'} is on a device, and "
                           f"{'end' if there[0] else 'begin'} is not; copy one of them")
    numpy = numpy_for("rolling", "windows of arrays")
    borders = []
    for name, given in zip(("begin", "end"), window):
        if numpy.ma.is_masked(given):
            raise unsupported("rolling", f"{name} has masked elements, but every window needs both numbers; fill them first")
        array = numpy.asarray(given)
        if array.size and array.dtype.kind not in "iu":
            raise errors.make("type_mismatch", f"rolling: {name} is {array.dtype}, but must be integers")
        if array.dtype.kind == "u" and array.size and array.max() > 2**63 - 1:
            raise errors.make("bad_option", f"rolling: {name} holds {array.max()}, which is larger than any array")
        borders.append(numpy.ascontiguousarray(array, "i8"))
    return borders
