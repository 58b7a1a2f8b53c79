"""Frames of pandas whose windows lie within groups, or go by a column."""

import functools
import sys

from . import _errors
from ._found import type_name, unsupported


class OnColumn:
    """A frame without the column that says when its rows were; calling it puts the column back into the answers."""

    in_groups = False

    def __init__(self, frame, on, step):
        if not (hasattr(frame, "columns") and hasattr(frame, "drop") and hasattr(frame, "index")):
            raise unsupported("rolling", f"on= names a column of a DataFrame of pandas, and x is a {type_name(frame)}; give times=")
        try:
            known = on in frame.columns
        except TypeError:
            known = False
        if not known:
            raise _errors.make("bad_option", f"rolling: on={_errors.shown(on)} is not a column of the frame")
        self.column, self.on, self.step = frame[on], on, step
        self.before = set(frame.columns[:frame.columns.get_loc(on)])
        self.x = frame.drop(columns=[on])

    def times(self):
        return self.column

    def __call__(self, answer):
        column = self.column if self.step is None else self.column[::self.step]
        column.index = answer.index
        answer.insert(sum(name in self.before for name in answer.columns), self.on, column)
        return answer


class Groups:
    """The rows of a GroupBy of pandas, group by group; calling it gives answers pandas' labels.

    x        the rows in this order, without the columns of keys
    extents  the rows of each group
    """

    in_groups = True

    def __init__(self, grouped, on=None):
        numpy = sys.modules["numpy"]
        rows = list(grouped.indices.values())
        self.order = numpy.concatenate(rows) if rows else numpy.zeros(0, "i8")
        self.extents = numpy.array(list(map(len, rows)), "i8")
        self.grouped = grouped
        x = grouped._obj_with_exclusions.take(self.order)
        self.on = None if on is None else OnColumn(x, on, None)
        self.x = x if on is None else self.on.x

    def times(self):
        return self.x.index if self.on is None else self.on.times()

    @functools.cached_property
    def labels(self):
        """The keys of each row, and its own label."""
        pandas, grouper = sys.modules["pandas"], self.grouped._grouper
        own = self.x.index
        own = own if own.nlevels > 1 else pandas.MultiIndex.from_arrays([own])
        return pandas.MultiIndex([*grouper.levels, *own.levels], [*(c.take(self.order) for c in grouper.codes), *own.codes],
                                 names=[*grouper.names, *own.names], verify_integrity=False)

    def __call__(self, answer):
        if self.on is not None:
            answer = self.on(answer)
        answer.index = self.labels
        if not self.grouped.as_index:
            answer = answer.reset_index(level=list(range(len(self.grouped._grouper.names))))
        return answer
