"""Arrays of xarray: the arrays that they hold are folded, and the answers get their labels."""

import functools
import sys

from ... import errors
from .. import find, kind_of
from ..found import library_of, type_name
from ..kind import Kind


class _Xarray(Kind):
    by_type = has_times = has_labels = sums_products = True

    def owns(self, x):
        return True

    def found(self, op, x):
        return find(op, _data(op, x))

    def lazy(self, x):
        inside = x.data if _is_array(x) else x
        return inside if library_of(inside) == "dask" else None

    def fold(self, request):
        x = request.x
        inside = self.lazy(x)
        plain = request.where is request.weights is request.fweights is None
        if request.single and plain and request.y is None and inside is not None:
            return self.keep(x, kind_of(inside).fold(request.replace(x=inside)), request.axis, request.keepdims)
        if request.y is None and inside is not None:
            from ...dask import slices

            def run(one):
                beside = {name: self.agreeing(one.called, f"{name}=", x, getattr(one, name), one.axis)
                          for name in ("where", "weights", "fweights")}
                values = slices.values(one.replace(x=inside, run=request.run, **beside))
                return [self.keep(x, value, one.axis, one.keepdims) for value in values]

            return super().fold(request.replace(run=run))
        return super().fold(request)

    def is_times(self, x):
        return _is_array(x) and x.dtype.kind in "mM"

    def times(self, op, x):
        array = x.values
        return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("=")), None

    def keep(self, x, value, axis, keepdims):
        axes = range(x.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else [axis]
        dims = [x.dims[a] for a in axes]
        if keepdims:
            value = value.reshape([n for n, d in zip(value.shape, x.dims) if d not in dims])
        hollow = x.copy(data=sys.modules["numpy"].broadcast_to(False, x.shape))  # the elements of x are not read again
        return hollow.reduce(lambda data, axis=None: value, dims, keepdims=bool(keepdims))

    def of_windows(self, x, value, axis, step):
        numpy, dim = sys.modules["numpy"], x.dims[axis or 0]
        if value.dtype.kind in "mM":  # of which NaT is what is missing
            value = numpy.ma.getdata(value)
        if isinstance(value, numpy.ma.MaskedArray):
            value = _floats(type_name(x), value)
        elif isinstance(getattr(value, "_meta", None), numpy.ma.MaskedArray):
            like = numpy.empty((0,) * value.ndim, _float_of(value.dtype))
            value = value.map_blocks(functools.partial(_floats, type_name(x)), dtype=like.dtype, meta=like)
        if step is not None:
            return x.isel({dim: slice(None, None, step)}).copy(data=value)
        coords = {name: c for name, c in x.coords.items() if dim not in c.dims}
        return sys.modules["xarray"].DataArray(value, coords, x.dims, getattr(x, "name", None))

    def agreeing(self, op, name, x, other, axis=None, rows=False):
        if not (_is_array(x) and library_of(other) == "xarray" and _is_array(other)):
            return other
        more = [d for d in other.dims if d not in x.dims]
        if more:
            raise errors.make("shape_mismatch", f"{op}: {name} has a dimension {errors.shown(more[0])} that x lacks; x has "
                               + ", ".join(map(str, x.dims)))
        for d in other.dims:
            labels = [getattr(a, "indexes", {}).get(d) for a in (x, other)]
            if all(i is not None for i in labels) and len(labels[0]) == len(labels[1]) and not labels[0].equals(labels[1]):
                raise errors.make("shape_mismatch", f"{op}: {name} has other labels along {d} than x, but elements are "
                                   "paired by position; align them first, or pass the data of both")
        if rows and other.dims != x.dims[:1]:
            raise errors.make("shape_mismatch", f"{op}: {name} lies along " + (", ".join(map(str, other.dims)) or "no dimension")
                               + f", but the rows of x along {x.dims[0]}; transpose x, so that this is its first dimension")
        if rows:
            return other.data
        order = [d for d in x.dims if d in other.dims]
        return other.transpose(*order).data[tuple(slice(None) if d in order else None for d in x.dims)]

    def check_labels(self, op, given):
        known = {}
        for name, x in given.items():
            if library_of(x) != "xarray" or not _is_array(x):
                continue
            for d, index in getattr(x, "indexes", {}).items():
                other, labels = known.setdefault(d, (name, index))
                if len(labels) == len(index) and not labels.equals(index):
                    raise errors.make("shape_mismatch", f"{op}: {name} has other labels along {d} than {other}, but elements are "
                                       "paired by position; align them first, or pass the data of both")

    def axis_of(self, op, x, dim, axis):
        _data(op, x)
        if axis is not None:
            raise errors.make("bad_option", f"{op}: dim={errors.shown(dim)} and axis={errors.shown(axis)} both choose "
                                             "the axis; pass only one of them")
        names = list(x.dims) if dim is ... else list(dim) if isinstance(dim, (tuple, list, set)) else [dim]
        for name in names:
            if name not in x.dims:
                raise errors.make("bad_axis", f"{op}: there is no dimension {errors.shown(name)}; there are "
                                   + ", ".join(map(str, x.dims)))
        return tuple(x.dims.index(name) for name in names)

    def several(self, x, values, q):
        xarray = sys.modules["xarray"]
        return xarray.concat(values, xarray.Variable("quantile", q))


def _float_of(dtype):
    return dtype if dtype.kind == "f" else sys.modules["numpy"].dtype("f8")


def _floats(name, value):
    """A masked array as floats, since xarray has no missing integers: NaN where it is masked."""
    numpy = sys.modules["numpy"]
    data, lacking = numpy.ma.getdata(value), numpy.ma.getmaskarray(value)
    numbers = data.astype(_float_of(data.dtype), copy=False)
    if not ((numbers.astype(data.dtype) == data) | lacking | (numbers != numbers)).all():
        raise errors.make("unsupported", f"a {name} of floats cannot hold these integers and also mark windows with too few "
                                          "elements; pass min_periods=0, or fold its data")
    return numpy.where(lacking, numpy.nan, numbers)


def _is_array(x):
    """Whether x is an array or a variable."""
    return hasattr(x, "dims") and hasattr(x, "dtype")


def _data(op, x):
    """The array that x holds. A Dataset, and xarray's groups, windows and weighted arrays, hold none."""
    if _is_array(x):
        return x.data
    if hasattr(x, "map"):
        dim = ", dim=..." if hasattr(x, "data_vars") else ""
        said = f"is several arrays; x.map(onefold.mean{dim}) folds each of them"
    else:
        said = "is not an array; pass the array from which it was made (and weights=)"
    raise errors.make("unsupported", f"{op}: a {type_name(x)} {said}")


kind = _Xarray()
