"""Columns and tables of PyArrow."""

from .. import rational_numbers
from .arrow import Arrow


class _Pyarrow(Arrow):
    has_times = has_rationals = has_frames = True

    def found(self, op, x):
        return rational_numbers.found(op, self.rationals(op, x)) if self.is_rationals(x) else super().found(op, x)

    def is_rationals(self, x):
        return hasattr(x, "type") and _type_of(x.type) == "rational"

    def rationals(self, op, x):
        return rational_numbers.of_arrow(op, _decoded(x))

    def chunks(self, op, x):
        return super().chunks(op, _decoded(x))

    def is_times(self, x):
        if not hasattr(x, "type"):
            return False
        from pyarrow import types

        return types.is_date(x.type) or types.is_timestamp(x.type) or types.is_duration(x.type)

    def times(self, op, x):
        nulls = x.is_null().to_numpy(zero_copy_only=False)
        array = x.to_numpy(**({"zero_copy_only": False} if hasattr(x, "buffers") else {}))
        return array, ~nulls if nulls.any() else None

    def is_frame(self, x):
        return hasattr(x, "schema") and hasattr(x, "num_columns")

    def names(self, frame):
        return list(frame.schema.names)

    def types(self, frame):
        return [_type_of(dtype) for dtype in frame.schema.types]

    def frame_of(self, x, names, values):
        import numpy
        import pyarrow

        return pyarrow.table([pyarrow.array(numpy.ma.getdata(v), mask=numpy.ma.getmaskarray(v) if numpy.ma.isMaskedArray(v) else None)
                              for v in values], names)

    def with_column(self, frame, place, name, column, step):
        return frame.add_column(place, name, column.take(list(range(0, len(column), step))))

    def without(self, frame, names):
        return frame.drop_columns(names)


def _decoded(x):
    """x, with its numbers in place of a dictionary of them, or of runs."""
    from pyarrow import types

    dtype = getattr(x, "type", None)
    encoded = dtype is not None and (types.is_dictionary(dtype) or types.is_run_end_encoded(dtype))
    if not encoded or _type_of(dtype.value_type) not in ("number", "rational"):
        return x
    if types.is_dictionary(dtype):
        return x.cast(dtype.value_type)
    from pyarrow.compute import run_end_decode

    return run_end_decode(x)


def _type_of(dtype):
    from pyarrow import types

    if types.is_boolean(dtype) or types.is_integer(dtype) or types.is_floating(dtype):
        return "number"
    if types.is_date(dtype) or types.is_timestamp(dtype):
        return "M"
    encoded = types.is_dictionary(dtype) or types.is_run_end_encoded(dtype)
    if encoded and _type_of(dtype.value_type) in ("number", "rational"):
        return _type_of(dtype.value_type)
    return "m" if types.is_duration(dtype) else "rational" if types.is_decimal(dtype) else "nothing"


kind = _Pyarrow()
