"""Histograms whose bins are decided exactly."""

import math

from .. import _core, errors
from ..operands import find, in_memory, kind_of, like
from ..operands.found import converted, ndarray_of, numpy_for, on_device, unsupported
from ..operands.masks import as_ndarray


def _elements(name, x):
    """The elements of x in C order, and where they count: None, or an array of bools."""
    kind = kind_of(x)
    if kind.has_times and kind.is_times(x):
        raise unsupported(name, "dates and durations are not supported; convert them to numbers first, as with x.astype('int64')")
    if on_device(x):
        from .device import elements

        return elements(name, x), None
    numpy = numpy_for(name, "a histogram")
    found = find(name, x)
    array = ndarray_of(name, found.array)
    mask = None if found.mask is None else numpy.broadcast_to(found.mask, array.shape).ravel()
    array = numpy.ascontiguousarray(array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))).ravel()
    return (array if mask is None else array[mask]), mask


def _fraction():
    from fractions import Fraction  # a large module, which few calls need

    return Fraction


def _number(name, what, x):
    """Converts a number of the caller to a Fraction."""
    try:
        if type(x).__name__ == "MaskedConstant":
            raise TypeError
        number = converted(name, x, x.item) if hasattr(x, "item") else x
        return _fraction()(number)
    except (TypeError, ValueError, OverflowError):
        raise errors.make("bad_option", f"{name}: {what} is {errors.shown(x)}, but must be a finite number") from None


def _two_parts(name, what, number):
    """Splits a number into two floats with exactly this sum; raises if that is not possible."""
    try:
        first = float(number)
        parts = [first, float(number - _fraction()(first))]
    except OverflowError:
        parts = [0.0, 0.0]
    if sum(map(_fraction(), parts)) != number:
        raise errors.make("bad_option", f"{name}: {what} is {number}, which cannot be represented exactly; pass a float or "
                                         "an integer")
    return parts


def _check_memory(name, bins):
    """Raises out_of_memory if counts, edges and scratch of so many bins do not fit, before allocating."""
    needed = 48 * bins
    available = _core.available_memory() if needed > 2**30 else 0
    if needed > available > 0:
        raise errors.make("out_of_memory", f"{name}: {bins} bins take about {needed / 2**30:.1f} GiB, but only "
                                            f"{available / 2**30:.1f} GiB are available; pass fewer bins")


class _Bins:
    """The bins of one axis: their number, and edges as floats or, of equal bins, low and high."""

    def __init__(self, name, array, bins, range):
        numpy = numpy_for(name, "a histogram")
        ends = None if range is None else self._given(name, range)
        if isinstance(bins, str) and on_device(array):
            raise unsupported(name, f"bins={errors.shown(bins)} needs an array on the CPU; pass a number, or edges")
        if isinstance(bins, str):
            try:
                bins = len(numpy.histogram_bin_edges(array, bins, range)) - 1
            except (TypeError, ValueError) as error:
                raise errors.make("bad_option", f"{name}: bins={errors.shown(bins)}: {error}") from None
        self.low = self.high = None
        if not hasattr(bins, "__len__") or getattr(bins, "shape", None) == ():
            try:
                self.count = bins.__index__()
            except (AttributeError, TypeError):
                raise errors.make("bad_option", f"{name}: bins={errors.shown(bins)} is neither a number of bins nor a list of edges") \
                    from None
            if not 0 < self.count < 2**31:
                raise errors.make("bad_option", f"{name}: bins={self.count} is not between 1 and 2147483647")
            _check_memory(name, self.count)
            low, high = ends or self._of_elements(name, array)
            self.low, self.high = (low - _fraction()(1, 2), high + _fraction()(1, 2)) if low == high else (low, high)
            self.parts = [_two_parts(name, f"the range's {end}", number) for end, number in
                          (("begin", self.low), ("end", self.high))]
            self.edges = self._equal_edges()
            return
        given = as_ndarray(name, "bins=", bins)
        if given.ndim != 1 or given.dtype.kind not in "biuf" or given.size < 2:
            raise errors.make("bad_option", f"{name}: bins= is {given.dtype} of shape {given.shape}, but must be a list of "
                               "two or more edges")
        self.edges = given.astype(numpy.float64)
        if given.dtype.kind in "iu":
            self.parts = [_two_parts(name, "an edge", _fraction()(edge)) for edge in given.tolist()]
        else:
            if given.dtype.itemsize > 8 and (self.edges != given).any():
                raise errors.make("bad_option", f"{name}: bins= has type {given.dtype}, but float64 cannot hold all its "
                                                 "edges; "
                                   "round them to float64")
            self.parts = [[edge, 0.0] for edge in self.edges.tolist()]
        self.count = given.size - 1

    def _given(self, name, range):
        try:
            low, high = range
        except (TypeError, ValueError):
            raise errors.make("bad_option", f"{name}: range={errors.shown(range)} is not a pair (low, high)") from None
        low, high = _number(name, "the range's begin", low), _number(name, "the range's end", high)
        if low > high:
            raise errors.make("bad_option", f"{name}: the range ends at {high}, which is below its beginning {low}; pass "
                                             "the lower end first")
        return low, high

    def _of_elements(self, name, array):
        if not math.prod(array.shape):
            ends = [0, 1]
        elif on_device(array):
            from ..reduce.fold import fold

            try:
                ends = fold("min,max", array, nan="omit")
            except errors.EmptyError:
                ends = [0, 1]
        else:
            ends = _core.fold_array("min,max", array, None, {"nan": "omit", "empty_nan": True})
        ends = [end.item() if hasattr(end, "item") else end for end in ends]
        if any(isinstance(end, float) and math.isnan(end) for end in ends):
            ends = [0, 1]  # there is no number
        return [_number(name, "an element", end) for end in ends]

    def _equal_edges(self):
        numpy, n = numpy_for("histogram", "a histogram"), self.count
        low, high = float(self.low), float(self.high)
        if _fraction()(low) != self.low or _fraction()(high) != self.high:
            return numpy.array([float(self.low + k * (self.high - self.low) / n) for k in range(n + 1)])
        up = numpy.arange(n + 1.0)
        ends = numpy.broadcast_to([low, high], (n + 1, 2))
        return _core.fold_array("average", ends, numpy.stack([n - up, up], axis=1), {"axis": 1})[0]

    def _arguments(self):
        return self.parts, 0 if self.low is None else self.count

    def counts(self, array, threads):
        if on_device(array):
            from .device import counts_of

            return counts_of("histogram", array, *self._arguments())
        return _core.histogram(array, *self._arguments(), False, {"threads": threads})

    def places(self, array, threads):
        """The bin of each element, or -1."""
        if on_device(array):
            from .device import places_of

            return places_of("histogram", array, *self._arguments())
        return _core.histogram(array, *self._arguments(), True, {"threads": threads})

    def widths(self):
        if self.low is not None:
            return [(self.high - self.low) / self.count] * self.count
        exact = [math.inf if math.isinf(a) else _fraction()(a) + _fraction()(b) for a, b in self.parts]
        return [math.inf if math.inf in two else two[1] - two[0] for two in zip(exact, exact[1:])]


def _weights(name, weights, array, shape, mask):
    if on_device(array):
        from .device import weights_of

        return weights_of(name, array, weights, shape)
    numpy = numpy_for(name, "a histogram")
    weights = as_ndarray(name, "weights=", weights)
    try:
        weights = numpy.broadcast_to(weights, shape).ravel()
    except ValueError:
        raise errors.make("shape_mismatch", f"{name}: weights of shape {weights.shape} do not broadcast to {shape}") from None
    return weights if mask is None else weights[mask]


def _summed(places, count, weights):
    from ..reduce.fold import fold_by

    inside = places >= 0
    if not inside.all():
        places, weights = places[inside], weights[inside]
    return fold_by("sum", places, weights, groups=count).sum


def _share(count, total, width):
    if width == math.inf:
        return 0.0
    try:
        return float(_fraction()(count, total) / width)
    except OverflowError:
        return math.inf


def _beside(x, array, found):
    """A result of the host as an array of x's library, on the device of its elements."""
    if not on_device(array):
        return like(x, found)
    from .device import moved

    return moved("histogram", array, found)


def _shape(x):
    return tuple(getattr(x, "shape", None) or numpy_for("histogram", "a histogram").shape(x))


def histogram(x, bins=10, range=None, weights=None, density=None, *, threads=None):
    """How many elements are in each of several bins, as numpy.histogram has it, by exact comparison.

    Parameters
    ----------
    x : array_like
        An array of any library, along all axes, also on a device, where then all answers are.
        Masked elements are left out.
    bins : int, array_like or str
        A number of bins of equal width, whose edges are low + k (high - low) / bins as real numbers; edges
        that rise; or a rule of numpy.histogram_bin_edges. A bin holds its lower edge, the last one both.
    range : pair of numbers, optional
        (low, high). By default the least and the greatest element, which must be finite. Elements outside
        and NaN are in no bin.
    weights : array_like, optional
        Numbers that broadcast to x: their exact sum in each bin, rounded once.
    density : bool, optional
        Whether counts are divided by their sum and by the width of their bin, rounded once.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.

    Returns
    -------
    counts : array
        int64; sums and densities are float64. Both are arrays of the library of x, of lists, frames and their columns
        of NumPy. JAX has int32 and float32 instead, unless jax_enable_x64 is set.
    edges : array
        Rounded once to float64.

    Raises
    ------
    OptionError, ShapeError, DTypeError, NanError
        The arguments are wrong, or the range is not finite.

    Examples
    --------
    >>> import onefold
    >>> counts, edges = onefold.histogram([1, 2, 2, 5], bins=2)
    >>> counts.tolist(), edges.tolist()
    ([3, 1], [1.0, 3.0, 5.0])
    """
    density = density is not None and errors.flag("histogram", "density", density)
    x = in_memory("histogram", x)
    array, mask = _elements("histogram", x)
    axis = _Bins("histogram", array, bins, range)
    if weights is not None:
        if density:
            raise unsupported("histogram", "density= with weights= is not supported; divide the sums by their total and the "
                              "widths of the bins")
        weights = _weights("histogram", kind_of(x).agreeing("histogram", "weights=", x, weights), array, _shape(x), mask)
        return like(x, _summed(axis.places(array, threads), axis.count, weights)), _beside(x, array, axis.edges)
    counts = axis.counts(array, threads)
    if not density:
        return _beside(x, array, counts), _beside(x, array, axis.edges)
    numpy, total = numpy_for("histogram", "density="), int(counts.sum())
    shares = [_share(c, total, w) if total and w else math.nan for c, w in zip(counts.tolist(), axis.widths())]
    return _beside(x, array, numpy.array(shares)), _beside(x, array, axis.edges)


def histogram2d(x, y, bins=10, range=None, weights=None, *, threads=None):
    """How many pairs (x[i], y[i]) are in each of a grid of bins, as numpy.histogram2d has it. x and y are paired
    in C order, and have no masks; else as histogram(), without density=.

    bins     a number for both axes, or edges for both, or a pair of such for x and for y
    range    a pair of ranges
    returns  (counts of shape (bins of x, bins of y), edges of x, edges of y)
    """
    name = "histogram2d"
    numpy = numpy_for(name, "a histogram")
    x, y = in_memory(name, x), in_memory(name, y)
    y, weights = (a if a is None else kind_of(x).agreeing(name, what, x, a) for what, a in (("y", y), ("weights=", weights)))
    (first, mask), (second, other) = _elements(name, x), _elements(name, y)
    if mask is not None or other is not None:
        raise unsupported(name, "masks and nulls are not supported; leave those pairs out first")
    if on_device(first) != on_device(second):
        raise errors.make("bad_option", f"{name}: one array is on a device, but the other is not; copy one of them")
    if tuple(first.shape) != tuple(second.shape):
        raise errors.make("shape_mismatch", f"{name}: x has {first.shape[0]} elements and y has {second.shape[0]}; they must "
                           "be equally long")
    pair = bins if not isinstance(bins, str) and hasattr(bins, "__len__") and getattr(bins, "shape", None) != () and len(
        bins) == 2 else (bins, bins)
    ranges = (None, None) if range is None else range
    if not hasattr(ranges, "__len__") or len(ranges) != 2:
        raise errors.make("bad_option", f"{name}: range={errors.shown(range)} is not a pair of ranges, such as "
                           "((0, 1), (0, 2))")
    rows, columns = (_Bins(name, a, b, r) for a, b, r in zip((first, second), pair, ranges))
    at, beside = rows.places(first, threads), columns.places(second, threads)
    shape = rows.count, columns.count
    _check_memory(name, math.prod(shape))
    outside = (at < 0) | (beside < 0)
    places = (at * columns.count + beside) * ~outside - outside * 1
    if weights is not None:
        counts = _summed(places, math.prod(shape), _weights(name, weights, first, _shape(x), None))
    elif on_device(first):
        from .device import counts_of_cells

        counts = counts_of_cells(name, places, math.prod(shape))
    else:
        counts = numpy.bincount(places[places >= 0], minlength=math.prod(shape))
    return like(x, counts.reshape(shape)), _beside(x, first, rows.edges), _beside(x, first, columns.edges)
