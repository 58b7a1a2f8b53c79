"""Frames of pandas whose windows lie within groups; frames whose windows go by a column."""

import functools
import sys

from .. import errors
from ..operands import kind_of
from ..operands.found import type_name, unsupported


class OnColumn:
    """A frame without the column that says when its rows were; calling it puts the column back into the answers."""

    in_groups = False

    def __init__(self, frame, on, step):
        self.kind = kind = kind_of(frame)
        if not (kind.has_frames and kind.is_frame(frame)):
            raise unsupported("rolling", f"on= names a column of a frame, but x is a {type_name(frame)}; pass times=")
        names = kind.names(frame)
        if names.count(on) != 1:
            raise errors.make("bad_option", f"rolling: on={errors.shown(on)} is not the name of one column; there are "
                               + ", ".join(map(str, names[:20])) + (", ..." if len(names) > 20 else ""))
        self.column, self.on, self.step = frame[on], on, step
        self.before = set(names[:names.index(on)])
        self.x = kind.without(frame, [on])

    def times(self):
        return self.column

    def __call__(self, answer):
        place = sum(name in self.before for name in self.kind.names(answer))
        return self.kind.with_column(answer, place, self.on, self.column, self.step or 1)


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
