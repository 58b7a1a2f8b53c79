"""Columns and frames of Polars."""

import sys

from .. import rational_numbers
from .arrow import Arrow

_numbers = ("Boolean", *(f"{kind}{bits}" for kind in ("Int", "UInt", "Float") for bits in (8, 16, 32, 64)))


class _Polars(Arrow):
    has_times = has_rationals = has_frames = True

    def found(self, op, x):
        return rational_numbers.found(op, self.rationals(op, x)) if self.is_rationals(x) else super().found(op, x)

    def is_rationals(self, x):
        return hasattr(x, "to_arrow") and hasattr(x, "dtype") and _type_of(x.dtype) == "rational"

    def rationals(self, op, x):
        if not x.dtype.is_integer():
            return rational_numbers.of_arrow(op, x.to_arrow())
        return rational_numbers.of_objects(op, x.to_list())

    def is_times(self, x):
        return hasattr(x, "to_arrow") and hasattr(x, "dtype") and x.dtype.is_temporal() and str(x.dtype) != "Time"

    def times(self, op, x):
        nulls = x.is_null().to_numpy()
        return x.to_numpy(), ~nulls if nulls.any() else None

    def is_frame(self, x):
        return hasattr(x, "get_columns")

    def names(self, frame):
        return list(frame.columns)

    def types(self, frame):
        return [_type_of(dtype) for dtype in frame.dtypes]

    def of_windows(self, x, value, axis, step):
        numpy, polars = sys.modules["numpy"], sys.modules["polars"]
        if value.dtype.kind in "mM":  # of which NaT is null
            made = polars.Series(x.name, numpy.ma.getdata(value))
            zone = getattr(x.dtype, "time_zone", None)
            return (made.dt.replace_time_zone("UTC").dt.convert_time_zone(zone) if zone else made).cast(x.dtype)
        if not isinstance(value, numpy.ma.MaskedArray):
            return polars.Series(x.name, value)
        there = polars.Series(~numpy.ma.getmaskarray(value))
        return polars.select(polars.when(there).then(polars.Series(x.name, value.data))).to_series().alias(x.name)

    def frame_of(self, x, names, values):
        return sys.modules["polars"].DataFrame(values)

    def with_column(self, frame, place, name, column, step):
        return frame.insert_column(place, column.gather_every(step))

    def without(self, frame, names):
        return frame.drop(names)


def _type_of(dtype):
    name = str(dtype).partition("(")[0]
    if name in _numbers:
        return "number"
    rational = dict.fromkeys(("Decimal", "Int128", "UInt128"), "rational")
    return {"Date": "M", "Datetime": "M", "Duration": "m", **rational}.get(
        name, "other" if dtype.is_numeric() or name == "Object" else "nothing")


kind = _Polars()
