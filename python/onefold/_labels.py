"""Labels of pandas and xarray: labels of answers, dim= by name, and checks that arrays have equal
labels."""

import sys

from . import _errors
from ._found import is_labelled, library_of, type_name


def no_array(op, x):
    """The error of a Dataset, and of xarray's groups, windows and weighted arrays."""
    if hasattr(x, "map"):
        dim = ", dim=..." if hasattr(x, "data_vars") else ""
        said = f"is several arrays; x.map(onefold.mean{dim}) folds each of them"
    else:
        said = "is no array; give the one that it was made of, with weights= if it was weighted"
    return _errors.make("unsupported", f"{op}: a {type_name(x)} {said}")


def axis_of(op, x, dim, axis):
    """The axes that dim= names."""
    if not is_labelled(x):
        if library_of(x) == "xarray":
            raise no_array(op, x)
        raise _errors.make("bad_option", f"{op}: dim={_errors.shown(dim)} names dimensions of xarray, and a "
                           f"{type_name(x)} has none; say axis=")
    if axis is not None:
        raise _errors.make("bad_option", f"{op}: dim={_errors.shown(dim)} and axis={_errors.shown(axis)} are the same thing; "
                           "give one of them")
    names = list(x.dims) if dim is ... else list(dim) if isinstance(dim, (tuple, list, set)) else [dim]
    for name in names:
        if name not in x.dims:
            raise _errors.make("bad_axis", f"{op}: there is no dimension {_errors.shown(name)}; there are "
                               + ", ".join(map(str, x.dims)))
    return tuple(x.dims.index(name) for name in names)


def keep(x, value, axis, keepdims):
    """An answer of x, with the labels of the axes that remain; unchanged if x has no labels."""
    if is_labelled(x):
        return _as_xarray(x, value, axis, keepdims)
    if library_of(x) == "pandas" and getattr(value, "ndim", 0) == 1 == x.ndim - 1 and not keepdims:
        first = (axis[0] if isinstance(axis, (tuple, list)) else axis) % 2
        return sys.modules["pandas"].Series(value, index=x.index if first else x.columns)
    return value


def _as_xarray(x, value, axis, keepdims):
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else [axis]
    dims = [x.dims[a] for a in axes]
    if keepdims:
        value = value.reshape([n for n, d in zip(value.shape, x.dims) if d not in dims])
    hollow = x.copy(data=sys.modules["numpy"].broadcast_to(False, x.shape))  # the elements of x are not read again
    return hollow.reduce(lambda data, axis=None: value, dims, keepdims=bool(keepdims))


def several(x, values, q):
    """Joins answers to several q to one object, with an axis for q in front."""
    import numpy

    if is_labelled(x):
        quantile = sys.modules["xarray"].Variable("quantile", q)
        return sys.modules["xarray"].concat(values, quantile)
    if library_of(x) == "pandas":
        pandas = sys.modules["pandas"]
        if values and isinstance(values[0], pandas.Series):
            return pandas.DataFrame(values, index=q)
    return stacked(values) if values else numpy.empty(0)


def stacked(values, axis=0):
    """Arrays of one shape as one array of their library, along a new axis."""
    import numpy

    torch = sys.modules.get("torch")
    if torch is not None and isinstance(values[0], torch.Tensor):
        return torch.stack(values, axis)
    if any(isinstance(value, numpy.ma.MaskedArray) for value in values):
        return numpy.ma.stack(values, axis=axis)
    namespace = getattr(values[0], "__array_namespace__", lambda: numpy)()
    return namespace.stack(values, axis=axis)


def columns(x, names, values):
    """A Series of the answers of a frame's columns. Each keeps its own type: integers stay integers, even
    beside floats."""
    kinds = {type(v) for v in values}
    chosen = set(names)
    index = x.columns[[name in chosen for name in x.columns]]  # also works for labels with several levels
    return sys.modules["pandas"].Series(values, index=index, dtype=None if len(kinds) == 1 else object)


def check_square(op, name, frame, other):
    """Refuses an array that may go with the rows or with the columns of a frame of pandas."""
    shape = frame.shape
    if shape[0] == shape[1] > 1 and name in ("where=", "fweights=") and library_of(frame) == "pandas":
        raise _errors.make("shape_mismatch", f"{op}: {name} of {len(other)} elements may go with the rows or with the "
                           f"columns of a frame of shape {tuple(shape)}; give a Series, or an array of that shape")


def agreeing(op, name, x, other, axis=None, rows=False):
    """`other` in the order of x's labels along each axis; unchanged if either has no labels. A Series that goes with a
    frame gets two axes: it goes with the rows if it has their labels, else with the columns if it has theirs. Weights
    stay along `axis`. rows: it has an element for each row.

    raises  shape_mismatch: the labels differ, so elements with different labels would be paired
    """
    if is_labelled(x) and is_labelled(other):
        return _along_dims(op, name, x, other)
    if library_of(x) != "pandas" or not hasattr(x, "index"):
        return other
    if library_of(other) != "pandas" or not hasattr(other, "index"):
        plain = isinstance(other, (list, tuple)) and not any(isinstance(part, (list, tuple)) for part in other)
        if x.ndim == 2 and not rows and (plain or getattr(other, "ndim", 0) == 1) and len(other) == len(x):
            check_square(op, name, x, other)
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
        raise _errors.make("shape_mismatch", f"{op}: {name} has other labels than x, and elements are paired by place; "
                           "align them first, or give to_numpy() of both")
    return other


def _along_dims(op, name, x, other):
    more = [d for d in other.dims if d not in x.dims]
    if more:
        raise _errors.make("shape_mismatch", f"{op}: {name} has a dimension {_errors.shown(more[0])}, and x has "
                           + ", ".join(map(str, x.dims)))
    for d in other.dims:
        labels = [getattr(a, "indexes", {}).get(d) for a in (x, other)]
        if all(i is not None for i in labels) and len(labels[0]) == len(labels[1]) and not labels[0].equals(labels[1]):
            raise _errors.make("shape_mismatch", f"{op}: {name} has other labels along {d} than x, and elements are "
                               "paired by place; align them first, or give the data of both")
    order = [d for d in x.dims if d in other.dims]
    return other.transpose(*order).data[tuple(slice(None) if d in order else None for d in x.dims)]
