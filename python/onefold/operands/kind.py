"""Kind: what a kind of input says about itself. Each file of libraries/ defines one."""

from .. import errors
from .found import type_name
from .wrap import stacked


class Kind:
    """A kind of input. A new one says whether x is its own, and converts it: `owns` and `found`; the rest has defaults.

    by_type        whether the type of x alone decides that x is of this kind; the answer is then remembered for the type
    has_devices    whether x may be in the memory of a device: then on_device(x)
    has_times      whether the elements may be dates or durations: then is_times(x) and times(op, x)
    has_rationals  whether the elements may be decimals, fractions or integers of any length: then is_rationals(x) and
                   rationals(op, x)
    has_frames     whether x may have named columns: then is_frame(x), names, types, without
    has_labels     whether answers have labels: then keep(x, value, axis, keepdims)
    chunked        whether x comes in chunks, as Arrow's columns do: `chunks(op, x)` returns them
    has_files      whether x names files
    sums_products  whether dot(x, y) of two axes is one sum, as that of x's library; NumPy's is a product of matrices
    """

    by_type = has_devices = has_times = has_rationals = has_frames = has_labels = chunked = has_files = sums_products = False

    def owns(self, x):
        """Whether x is of this kind."""
        raise NotImplementedError

    def found(self, op, x):
        """The Found of x, or an error that says why x is not an array of numbers.

        op  how an error message begins; for an array that goes with another one, with its name
        """
        raise NotImplementedError

    def fold(self, request):
        """The call's answer."""
        if self.has_frames and request.y is None and request.out is None and self.is_frame(request.x):
            from ..groups import frames

            return frames.fold(request)
        if request.reading or request.progress is not None:
            request.refuse_reading()
        values = request.run(request)
        return values if request.make is None else request.make(values)

    def on_device(self, x):
        """Whether x is in the memory of a device, and is folded there."""
        return False

    def is_times(self, x):
        """Whether the elements are dates or durations."""
        return False

    def times(self, op, x):
        """The dates or durations as an ndarray, and a mask of the elements that are not null, or None without nulls."""
        raise NotImplementedError

    def is_rationals(self, x):
        """Whether the elements are numbers that no element type holds."""
        return False

    def rationals(self, op, x):
        """The numbers as _rationals.Rationals."""
        raise NotImplementedError

    def is_frame(self, x):
        """Whether x has named columns."""
        return False

    def is_array(self, frame):
        """Whether a frame is folded as one array."""
        return False

    def nullable(self, x):
        """Whether elements may be null, other than NaN and the masked elements of NumPy."""
        return False

    def lazy(self, x):
        """The Dask array whose chunks hold the elements of x, or None if x is in memory."""
        return None

    def keep(self, x, value, axis, keepdims):
        """An answer of x, with the labels of the axes that remain."""
        return value

    def type_of(self, dtype):
        """The type that x's library has for answers of a type, to which they are rounded at once."""
        return dtype

    def like(self, x, answer):
        """Converts NumPy's answer to x's library, without labels."""
        return answer

    def of_windows(self, x, value, axis, step):
        """The answers of windows of x as an array like x: with its labels, of which each step-th along the axis remains; None:
        windows have no labels."""
        return value

    def frame_of(self, x, names, values):
        """A frame like x of columns that `of_windows` has made; for kinds with frames."""
        raise NotImplementedError

    def with_column(self, frame, place, name, column, step):
        """A frame with each step-th element of a column at a place; for kinds with frames."""
        raise NotImplementedError

    def agreeing(self, op, name, x, other, axis=None, rows=False):
        """`other` in the order of x's labels along each axis. Weights stay along `axis`. rows: it has an element for each
        row.

        raises  shape_mismatch: the labels differ, so elements with different labels would be paired
        """
        return other

    def check_labels(self, op, given):
        """Refuses arrays by name of which two have other labels, though agreeing() with a third that has none finds nothing."""

    def axis_of(self, op, x, dim, axis):
        """Returns the axes that dim= names."""
        number = errors.shown(dim) if isinstance(dim, (int, tuple, list)) else ""
        raise errors.make("bad_option", f"{op}: dim={errors.shown(dim)} names dimensions of xarray, but a "
                           f"{type_name(x)} has none; pass axis={number}")

    def several(self, x, values, q):
        """Joins answers to several q to one object, with an axis for q in front."""
        return stacked(values)
