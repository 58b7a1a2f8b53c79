"""Series, indices, arrays and frames of pandas, and their labels.

A frame whose columns all have one type of NumPy's numbers is an array. Columns are converted to NumPy's arrays, though
pandas has the Arrow interface, too: its Arrow data would have nulls where a float column has NaN.
"""

import sys

from ... import errors
from .. import rational_numbers
from ..found import Found, library_of, type_name, unsupported
from ..kind import Kind
from ..wrap import as_is, as_python
from .numpy import found


class _Pandas(Kind):
    by_type = has_times = has_rationals = has_frames = has_labels = True

    def owns(self, x):
        return hasattr(type(x), "__array__")  # no groups or windows

    def found(self, op, x):
        numpy = sys.modules["numpy"]
        x = _decoded(x)
        if self.is_rationals(x):
            return rational_numbers.found(op, self.rationals(op, x))
        if self.nullable(x):
            there = ~numpy.asarray(x.isna())
            numpy_dtype = getattr(x.dtype, "numpy_dtype", None)
            if numpy_dtype is None or numpy_dtype.kind not in "biuf":
                raise unsupported(op, f"a {type_name(x)} of {x.dtype} cannot be folded; convert it to numbers, as with "
                                  "pandas.to_numeric")
            fill = False if numpy_dtype.kind == "b" else 0
            array = x.fillna(fill).to_numpy(dtype=numpy_dtype)
            return Found(array, as_python, None if there.all() else there)
        if x.ndim == 2 and not self.is_array(x):
            raise unsupported(op, f"a {type_name(x)} of several types, or with nulls, is not an array of numbers; fold its columns"
                              if "number" in self.types(x) else "no column holds numbers")
        array = x.to_numpy()
        if array.dtype.kind in "mM":
            raise unsupported(op, f"a {type_name(x)} of {array.dtype} is not supported here; min, max, mean, ptp, median and "
                              "some others support it")
        if array.dtype == object:
            raise unsupported(op, f"a {type_name(x)} of {x.dtype} cannot be folded; convert it to numbers, as with "
                              "pandas.to_numeric")
        array = found(op, array).array
        return Found(array, as_python if array.ndim == 1 else as_is)

    def nullable(self, x):
        if x.ndim != 1:
            return False
        dtype = _decoded(x).dtype
        return getattr(dtype, "na_value", None) is not None and not isinstance(dtype, sys.modules["numpy"].dtype)

    def is_times(self, x):
        return x.ndim == 1 and x.dtype.kind in ("m", "M")

    def is_rationals(self, x):
        return x.ndim == 1 and (x.dtype == object and rational_numbers.are_objects(x) or str(x.dtype).startswith("decimal"))

    def rationals(self, op, x):
        if x.dtype == object:
            return rational_numbers.of_objects(op, x)
        return rational_numbers.of_arrow(op, sys.modules["pyarrow"].array(x))

    def times(self, op, x):
        if hasattr(x.dtype, "pyarrow_dtype"):
            from .pyarrow import kind as arrow

            return arrow.times(op, sys.modules["pyarrow"].array(x))
        times = getattr(x, "array", x)
        array = (times if getattr(x.dtype, "tz", None) is None else times.tz_convert(None)).to_numpy()
        return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("=")), None

    def is_frame(self, x):
        return x.ndim == 2 and hasattr(x, "dtypes")

    def is_array(self, frame):
        """Whether a frame is folded as one array: all columns have one type of NumPy's numbers."""
        types = set(frame.dtypes)
        return len(types) == 1 and isinstance(*types, sys.modules["numpy"].dtype) and _type_of(*types) == "number"

    def names(self, frame):
        return list(frame.columns)

    def types(self, frame):
        return ["rational" if self.is_rationals(frame.iloc[:, k]) else _type_of(dtype) for k, dtype in enumerate(frame.dtypes)]

    def without(self, frame, names):
        return frame.drop(columns=names)

    def series(self, x, names, values):
        """A Series of the answers of a frame's columns. Each keeps its own type: integers stay integers, even
        beside floats."""
        chosen = set(names)
        index = x.columns[[name in chosen for name in x.columns]]  # also works for labels with several levels
        alike = len({type(v) for v in values}) == 1
        return sys.modules["pandas"].Series(values, index=index, dtype=None if alike else object)

    def check_square(self, op, name, frame, other):
        """Refuses an array that may go with the rows or with the columns of a frame."""
        shape = frame.shape
        if shape[0] == shape[1] > 1 and name in ("where=", "fweights="):
            raise errors.make("shape_mismatch", f"{op}: {name} of {len(other)} elements could apply to the rows or to the "
                                                 f"columns of a frame of shape {tuple(shape)}; pass a Series, or an array of "
                                                 "that shape")

    def keep(self, x, value, axis, keepdims):
        if getattr(value, "ndim", 0) != 1 or x.ndim != 2 or keepdims:
            return value
        first = (axis[0] if isinstance(axis, (tuple, list)) else axis) % 2
        return sys.modules["pandas"].Series(value, index=x.index if first else x.columns)

    def of_windows(self, x, value, axis, step):
        pandas, numpy = sys.modules["pandas"], sys.modules["numpy"]
        axis = (axis or 0) % x.ndim
        labels = list(x.axes) if hasattr(x, "axes") else [pandas.RangeIndex(len(x))]
        labels[axis] = pandas.RangeIndex(value.shape[axis]) if step is None else labels[axis][::step]

        def column(values):
            if values.dtype.kind in "mM":  # in which NaT is a null
                return _times_like(x, numpy.ma.getdata(values))
            if not isinstance(values, numpy.ma.MaskedArray):
                return values
            if hasattr(getattr(x, "dtype", None), "pyarrow_dtype"):
                made = sys.modules["pyarrow"].array(values.data, mask=numpy.ma.getmaskarray(values))
                return pandas.arrays.ArrowExtensionArray(made)
            arrays = pandas.arrays
            kind = {"b": arrays.BooleanArray, "f": arrays.FloatingArray}.get(values.dtype.kind, arrays.IntegerArray)
            return kind(values.data.copy(), numpy.ma.getmaskarray(values).copy())

        if x.ndim == 1:
            return pandas.Series(column(value), labels[0], name=getattr(x, "name", None))
        if not isinstance(value, numpy.ma.MaskedArray):
            return pandas.DataFrame(value, *labels)
        frame = pandas.DataFrame({k: column(value[:, k]) for k in range(value.shape[1])}, labels[0])
        frame.columns = labels[1]
        return frame

    def frame_of(self, x, names, values):
        return sys.modules["pandas"].concat(values, axis=1, keys=names)

    def with_column(self, frame, place, name, column, step):
        column = column[::step]
        column.index = frame.index
        frame.insert(place, name, column)
        return frame

    def agreeing(self, op, name, x, other, axis=None, rows=False):
        """A Series that goes with a frame gets two axes: it goes with the rows if it has their labels, else with the
        columns if it has theirs."""
        if not hasattr(x, "index"):
            return other
        if library_of(other) != "pandas" or not hasattr(other, "index"):
            plain = isinstance(other, (list, tuple)) and not any(isinstance(part, (list, tuple)) for part in other)
            if x.ndim == 2 and not rows and (plain or getattr(other, "ndim", 0) == 1) and len(other) == len(x):
                self.check_square(op, name, x, other)
            return other
        if x.ndim <= other.ndim or rows:
            axes = list(zip(x.axes, other.axes))[:1 if rows else 2]
        elif name == "weights=":
            axis = axis[0] if isinstance(axis, (tuple, list)) and len(axis) == 1 else axis
            axes = [(x.axes[axis], other.index)] if hasattr(axis, "__index__") and -2 <= axis < 2 else []
        elif other.index.equals(x.index):
            return other.to_numpy()[:, None]
        elif other.index.equals(x.columns):
            return other.to_numpy()[None]
        else:
            axes = [(labels, other.index) for labels in x.axes]
        if any(len(a) == len(b) and not a.equals(b) for a, b in axes):
            raise errors.make("shape_mismatch", f"{op}: {name} has other labels than x, but elements are paired by position; "
                               "align them first, or pass to_numpy() of both")
        return other

    def several(self, x, values, q):
        pandas = sys.modules["pandas"]
        if values and isinstance(values[0], pandas.Series):
            return pandas.DataFrame(values, index=q)
        return super().several(x, values, q)


def _times_like(x, times):
    """NumPy's times, without a zone those of UTC, as a column like x."""
    made = sys.modules["pandas"].Series(times)
    if getattr(x.dtype, "tz", None) is not None:
        made = made.dt.tz_localize("UTC").dt.tz_convert(x.dtype.tz)
    return made.astype(x.dtype).array


def _decoded(x):
    """x, with its numbers in place of categories of numbers."""
    pandas, numpy = sys.modules["pandas"], sys.modules["numpy"]
    if x.ndim != 1 or not isinstance(x.dtype, pandas.CategoricalDtype) or x.dtype.categories.dtype.kind not in "biuf":
        return x
    codes, values = numpy.asarray(getattr(x, "cat", x).codes), x.dtype.categories.to_numpy()
    there = codes >= 0
    if not there.all():
        names = {"b": "boolean", "f": "Float64" if values.dtype.itemsize > 4 else "Float32"}
        name = names.get(values.dtype.kind, values.dtype.name.capitalize().replace("Uint", "UInt"))
        return pandas.Series(pandas.array(values[codes], dtype=name)).mask(~there)
    return pandas.Series(values[codes])


def _type_of(dtype):
    kind, numpy_dtype = getattr(dtype, "kind", "O"), getattr(dtype, "numpy_dtype", dtype)
    if kind in "mM":
        return kind
    if kind in "biuf" and isinstance(numpy_dtype, sys.modules["numpy"].dtype) and numpy_dtype.itemsize <= 8:
        return "number"
    return "other" if kind in "biufc" or str(dtype) == "object" else "nothing"


kind = _Pandas()
