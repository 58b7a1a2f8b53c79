"""Modes, numbers of different values, means of the middle and bins of tensors of torch and CuPy, by a sort there."""

import math

from .. import _core, errors
from ..operands.found import on_device, unsupported
from ..operands.frameworks import Waiting, dtype_of, find_nvrtc, framework_of, kind_of
from ..operands.small import widened
from ..reduce.device import Fold, its_device
from ..reduce.device_rows import as_slices, folded_of, given_there, spread
from ..reduce.slices import refuse_wide_there


def framework_there(name, x):
    framework = framework_of(name, x)
    if isinstance(framework, Waiting):
        raise unsupported(name, "on a device only torch and CuPy arrays are supported; copy the array to the CPU")
    return framework


def _of_one_nan(framework, x):
    """x with the same NaN for all. A device sorts by bits, so NaN with a sign would come before all numbers."""
    nan = framework.cast(framework.from_host([math.nan]), dtype_of(x))
    return framework.choose(x == x, x, nan)


class _Rows:
    """The slices of a request as rows of a matrix, each sorted: numbers, then NaN, then what the mask leaves out.

    masked   some elements are left out by a mask
    spoils   NaN count; has_nan: some are there
    whole    all elements of each row are looked at
    nans     how many NaN of each row count
    counted  how many elements of each row are looked at: without NaN, if these are omitted
    places   the places within a row
    """

    def __init__(self, request):
        name, x = request.ops, widened(request.x)
        self.framework = framework = framework_there(name, x)
        Fold(request.replace(x=x), [x])  # which refuses masks that are elsewhere or no bools, and other types
        if request.nan not in (None, "propagate", "omit", "raise"):
            raise errors.make("bad_option", f"{name}: nan={errors.shown(request.nan)} is not one of \"propagate\", \"omit\", \"raise\"")
        folded, rest = folded_of(request)
        self.shape = [1 if d in folded else n for d, n in enumerate(x.shape) if d in rest or request.keepdims]
        self.n, many = (math.prod(x.shape[d] for d in axes) for axes in (folded, rest))

        def rows(a):
            moved, axis = as_slices(framework, a, folded, rest)
            others = [d for d in range(moved.ndim) if d != axis]
            return framework.dense(framework.order(moved, [*others, axis])).reshape([many, self.n])

        self.dtype = dtype_of(x)
        refuse_wide_there(name, x, looks=False)
        # torch has no sort of some unsigned types
        values = rows(framework.cast(x, {"bool": "u8", "u16": "i32", "u32": "i64"}.get(self.dtype, self.dtype)))
        if kind_of(values) == "f":
            values = _of_one_nan(framework, values)
        self.masked = masked = "where" in given_there(request)
        if name == "nunique" and many == 1 and not masked:
            values = framework.unique(values.reshape([-1])).reshape([1, -1])
            self.n = values.shape[1]
        self.places = framework.arange(self.n).reshape([1, self.n])
        mask = rows(spread(framework, request.replace(x=x), "where")) if masked else None
        self.floats = kind_of(values) == "f"
        none = framework.arange(many).reshape([many, 1]) * 0
        if masked:
            for key in (lambda: values, lambda: framework.cast(mask, "i8") * -1):
                order = framework.argsort(key())
                values, mask = framework.take(values, order), framework.take(mask, order)
            taken = framework.cast(mask, "i64").sum(-1).reshape([many, 1])
        else:
            values, taken = framework.sort(values), none + self.n
        self.values = values
        is_nan = (values != values) & mask if masked else values[:, -1:] != values[:, -1:]  # NaN are behind all numbers
        self.nans, self.has_nan = none, self.floats and bool(is_nan.any())
        if self.has_nan:
            self.nans = framework.cast(is_nan if masked else values != values, "i64").sum(-1).reshape([many, 1])
        if request.nan == "raise" and self.has_nan:
            raise errors.make("nan_found", f"{name}: a NaN was found, and nan='raise' was given; to leave NaN out, pass "
                                            "nan='omit'")
        self.spoils = request.nan != "omit"
        self.counted = taken if self.spoils else taken - self.nans
        self.whole = not masked and (self.spoils or not self.has_nan)

    def starts(self):
        """Whether an element is another value than the one before it in its row; all NaN are one."""
        s, before = self.values[:, 1:], self.values[:, :-1]
        others = s != before
        if self.has_nan:
            others = others & ((s == s) | (before == before))
        if not self.whole:
            others = others & (self.places[:, 1:] < self.counted)
        return self.framework.concatenate([self.places[:, :1] < self.counted, others])

    def nunique(self):
        return self.framework.cast(self.starts(), "i64").sum(-1)

    def mode(self, name):
        from ..reduce.fold import fold_segments

        framework, many = self.framework, len(self.values)
        empty = (self.counted == 0).reshape([-1])
        if bool(empty.any()):
            if self.spoils or not self.floats:
                at, place = empty.tolist().index(True), []
                for extent in reversed(self.shape):
                    at, one = divmod(at, extent)
                    place.insert(0, one)
                raise errors.make("empty_input", f"{name}{place or ''}: there is nothing to fold, and this op is undefined for no elements")
            if not self.n:
                return framework.cast(framework.from_host([math.nan] * many), self.dtype)
            self.counted = framework.choose(self.counted == 0, self.counted + 1, self.counted)
        starts = framework.nonzero(self.starts().reshape([-1]))
        row = starts // self.n
        ends = framework.concatenate([starts[1:], row[-1:] * self.n + self.n])
        last = row * self.n + self.counted.reshape([-1])[row]
        lengths = framework.least(ends, last) - starts
        offsets = framework.search(row, framework.arange(many + 1), right=False)
        longest = fold_segments("argmax", lengths, offsets).argmax
        found = self.values.reshape([-1])[starts[offsets[:-1] + longest]]
        if kind_of(found) == "f":
            return framework.choose(empty, found * math.nan, found + 0)
        return framework.cast(found, self.dtype)

    def with_signs(self):
        """The values with each -0 before each +0, which a sort takes for equal."""
        framework, s = self.framework, self.values
        inside, zero = self.places < self.counted, s == 0
        below, minus = (framework.cast(m & inside, "i64").sum(-1).reshape([len(s), 1]) for m in (s < 0, zero & framework.signbit(s)))
        zeros = abs(s * 0)
        return framework.choose(zero, framework.choose(self.places < below + minus, -zeros, zeros), s)

    def middle(self, name, share):
        """The mean without the shares at both ends, or with the nearest that stay in their places."""
        from fractions import Fraction

        share = Fraction(share)
        found = self._middle(name, share, self.values)
        zero, end = found == 0, int(share * self.n)
        if self.whole and self.n:  # then a sum of zeros begins and ends with one
            zero = zero & (self.values[:, end] == 0) & (self.values[:, self.n - 1 - end] == 0)
        if self.floats and bool(zero.any()):  # of what sign?
            found = self._middle(name, share, self.with_signs())
        return found

    def _middle(self, name, share, values):
        from ..reduce.fold import fold

        spoilt = (self.nans > 0) if self.has_nan and self.spoils else None
        if self.whole:
            end = int(share * self.n)
            if name == "trimmed_mean":
                found = fold("mean", values[:, end:self.n - end], axis=-1).mean
            else:
                inner = [1] * (self.n - 2 * end)
                for place in (0, -1) if inner else ():
                    inner[place] += end
                weights = self.framework.from_host([0] * end + inner + [0] * end)
                found = fold("mean", values, axis=-1, fweights=weights).mean
            return found if spoilt is None else self.framework.choose(spoilt.reshape([-1]), found * math.nan, found)
        if self.n <= 1 << 12:
            ends = self.framework.from_host([int(share * k) for k in range(self.n + 1)])[self.counted]
        else:
            ends = self.framework.from_host([int(share * k) for k in self.counted.reshape([-1]).tolist()])
            ends = self.framework.cast(ends, "i64").reshape([-1, 1])
        high, cast = self.counted - ends, self.framework.cast
        inside = (self.places >= ends) & (self.places < high)
        if spoilt is not None:
            inside = inside | spoilt
        if name == "trimmed_mean":
            return fold("mean", values, axis=-1, where=inside).mean
        weights = cast(inside, "i64") + ends * (cast(self.places == ends, "i64") + cast(self.places == high - 1, "i64"))
        return fold("mean", values, axis=-1, fweights=weights).mean


def order(request, share):
    """mode(), nunique(), trimmed_mean() and winsorized_mean()."""
    name = request.ops
    with its_device(request.x):
        rows = _Rows(request)
        if name == "nunique":
            answer = rows.nunique()
        else:
            answer = rows.mode(name) if name == "mode" else rows.middle(name, share)
        return [answer.reshape(rows.shape)]


def elements(name, x):
    """The elements of x in C order."""
    with its_device(x):
        x = widened(x)
        return framework_there(name, x).dense(x).reshape([-1])


def _view(name, array):
    framework = framework_there(name, array)
    find_nvrtc()
    return framework, framework.view(array)


def counts_of(name, array, parts, count):
    """How many elements are in each bin, on the host; parts and count as _core.histogram takes them."""
    import numpy

    with its_device(array):
        framework, view = _view(name, array)
        counts = numpy.zeros(count or len(parts) - 1, "i8")
        _core.histogram_on_device(view, parts, count, False, counts.ctypes.data, framework.stream)
        return counts


def counts_of_cells(name, cells, count):
    """How many elements are in each of so many cells, there; -1: in none."""
    return framework_there(name, cells).bincount(cells + 1, count + 1)[1:]


def places_of(name, array, parts, count):
    """The bin of each element, or -1."""
    with its_device(array):
        framework, view = _view(name, array)
        places, at = framework.empty("i64", tuple(view.shape))
        _core.histogram_on_device(view, parts, count, True, at, framework.stream)
        return places


def weights_of(name, array, weights, shape):
    """Weights that broadcast to this shape, for each element in C order."""
    if not on_device(weights):
        raise errors.make("bad_option", f"{name}: the array is on a device, but weights= is not; copy the weights there")
    framework = framework_there(name, array)
    try:
        made = framework.spread(array.reshape(list(shape)), weights)[1]
    except (ValueError, RuntimeError):
        made = weights
    if tuple(made.shape) != shape:
        raise errors.make("shape_mismatch", f"{name}: weights of shape {tuple(weights.shape)} do not broadcast to {shape}")
    return framework.dense(made).reshape([-1])


def moved(name, array, found):
    """Copies an array of the host to the device of another array."""
    return framework_there(name, array).from_host(found)
