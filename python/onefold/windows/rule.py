"""Rule: which elements a window has."""

from .. import _core
from ..operands.found import numpy_for, on_device


class Rule:
    """Which elements a window has: see Windows in onefold/request.hpp. begin and end are ndarrays, None, or arrays on a device.

    anew    offsets, from 0 to the number of elements, at each of which a scan begins anew; or None
    labels  each so many elements of x have a window, which has the element's label; None: windows have no labels
    nulls   whether the answer at an element that is null is null: in scans
    """

    __slots__ = ("width", "ahead", "step", "least", "begin", "end", "anew", "labels", "nulls")

    def __init__(self, width=0, ahead=0, step=1, least=0, begin=None, end=None, anew=None, labels=1, nulls=False):
        self.width, self.ahead, self.step, self.least, self.begin, self.end = width, ahead, step, least, begin, end
        self.anew, self.labels, self.nulls = anew, labels, nulls

    def parts(self, least):
        """The rule as _core takes it."""
        return self.width, self.ahead, self.step, least, self.begin, self.end, self.anew

    def is_there(self):
        """Whether begin and end are on a device, unchecked."""
        return on_device(self.begin)

    def is_scan(self):
        return self.begin is None and self.width == 0

    def windows(self, n):
        """The number of windows of n elements."""
        return -(-n // self.step) if self.begin is None else len(self.begin)

    def fewest(self, n):
        """The fewest elements of a window of n elements, or, of lists on a device, 0; None: there are no windows."""
        if not self.windows(n):
            return None
        if self.is_there():
            return 0
        if self.begin is not None:
            return int((self.end - self.begin).min())
        # The first or the last window: along a line they first grow and then shrink.
        ends = self.ahead + 1, (self.windows(n) - 1) * self.step + self.ahead + 1
        return min(min(max(end, 0), n) - (0 if self.is_scan() else min(max(end - self.width, 0), n)) for end in ends)

    def borders(self, n):
        """The begins and ends of the windows of n elements."""
        if self.begin is not None:
            return self.begin, self.end
        numpy = numpy_for("rolling", "windows of chunks")
        ends = numpy.arange(0, n, self.step, "i8") + (self.ahead + 1)
        begins = numpy.zeros_like(ends) if self.is_scan() else numpy.clip(ends - self.width, 0, n)
        return begins, numpy.clip(ends, 0, n)

    def without_least(self):
        """The same windows, each of which has an answer."""
        return self.with_least(0)

    def with_least(self, least):
        """The same windows, which have an answer if they have so many elements."""
        return Rule(self.width, self.ahead, self.step, least, self.begin, self.end, self.anew, self.labels, self.nulls)

    def fold(self, ops, x, y, keywords):
        """What _core makes of arrays: for each op the answers, and which windows had too few elements, or None."""
        def folded(ops, least, keywords):
            return _core.fold_windows(ops, x, y, self.parts(least), keywords)

        pairs = folded(ops, self.least, keywords)
        names = ops.split(",")
        if "count" in names and self.least and keywords["nan"] == "omit":  # least is compared with NaN counted, too
            k = names.index("count")
            numbers = folded("count", 0, keywords)[0][0]
            pairs[k] = numbers, folded("count", self.least, {**keywords, "nan": "propagate"})[0][1]
        return pairs
