"""Arguments of a call such as sum(x, axis), checked and turned into those that `fold` takes."""

from . import _core, _errors, _labels, _ops
from ._arrays import shape_of
from ._files import is_path
from ._found import is_labelled


def normal(op, args, keywords):
    """The op, its arrays (None if there is no second one) and its keywords, as `fold` takes them."""
    keywords = {name: value for name, value in keywords.items() if value is not None}
    base = op.removeprefix("nan")
    if base != op:
        keywords["nan"] = "omit"
    arrays = arrays_of(base)
    if base in ("average", "mean") and ("weights" in keywords or len(args) == 1 and base == "average"):
        base, arrays = _check_average(op, args, keywords), 1
    elif "weights" in keywords:
        _check_weighted(op, args, keywords, arrays)
    if len(args) > arrays and args[arrays] is not None:
        keywords["axis"] = args[arrays]
    x, y = args[0], args[1] if arrays == 2 else None
    if "dim" in keywords:
        keywords["axis"] = _labels.axis_of(op, x, keywords.pop("dim"), keywords.get("axis"))
    if y is not None:
        _check_second(op, x, y, keywords)
    keywords["result"] = keywords.pop("dtype", None)
    if keywords["result"] is not None:
        _core.dtype_name(keywords["result"], op)  # an object that is no dtype is refused here
    return base, x, y, keywords


def _check_second(op, x, y, keywords):
    """Refuses calls of average and dot that mean something else in NumPy."""
    if op == "average" and (type(y) in (bool, int, float) or (getattr(y, "shape", None) == () and shape_of(op, x))
                            or (isinstance(y, tuple) and all(type(n) is int for n in y) and len(shape_of(op, x)) > 1)):
        raise _errors.make("bad_option", f"average: {_errors.shown(y)} in the second place is an axis in NumPy, and weights "
                           "here; say average(x, axis=...) for a mean, or average(x, weights=...)")
    if op == "dot" and keywords.get("axis") is None and not is_path(x) and not is_labelled(x):  # xarray.dot is the sum
        shapes = shape_of(op, x), shape_of(op, y)
        if max(map(len, shapes)) > 1:
            raise _errors.make("shape_mismatch", f"dot: the arrays have shapes {shapes[0]} and {shapes[1]}, of which NumPy "
                               "makes a product of matrices; say vecdot(x, y) for one sum for each row, or "
                               "fold(\"dot\", x, y).dot for the sum of all products")


_beside_weights = ("axis", "dim", "dtype", "out", "keepdims", "nan", "where", "threads", "weights")


def _check_weighted(op, args, keywords, arrays):
    """Refuses arguments that do not go with weights=."""
    if not arrays <= len(args) <= arrays + 1 or (len(args) > arrays and "axis" in keywords):
        raise TypeError(f"{op}() takes {'x' if arrays == 1 else 'x, y'} and an axis beside weights=, "
                        f"and {len(args)} positional arguments were given")
    if len(args) > arrays and not isinstance(args[arrays], (type(None), tuple, list)) and (
            not hasattr(args[arrays], "__index__") or getattr(args[arrays], "shape", ())):
        raise TypeError(f"{op}() got weights twice: its {'second' if arrays == 1 else 'third'} argument beside weights= is "
                        f"an axis, and a {type(args[arrays]).__qualname__} was given")
    for name in keywords:
        if name in ("ddof", "correction") and _ops.ops[op.removeprefix("nan")].uses_ddof:
            raise _errors.make("bad_option", f"{op}: {name}= is a number of elements, and weights= do not count any; "
                               "fweights= of fold() do")
        if name not in _beside_weights and not (name == "nan" and op.startswith("nan")):
            raise TypeError(f"{op}() got an unexpected keyword argument '{name}'")


def _check_average(op, args, keywords):
    """Does the same for average(x, axis, weights=w); without weights it is the mean. Returns the op's name."""
    _check_weighted(op, args, keywords, 1)
    return "average" if "weights" in keywords else "mean"


def arrays_of(op):
    return _ops.ops[op].inputs if op in _ops.ops else 1
