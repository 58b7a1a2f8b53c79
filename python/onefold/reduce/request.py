"""Request: what a call asks for. Names, keywords and types are checked here, once."""

import functools
import operator

from .. import _core, _ops, errors as _errors
from ..operands import shape_of
from ..operands.answers import first, type_of
from ..operands.complex_numbers import complex_bytes, is_complex
from ..operands.found import on_device, type_name

# How a file is read or a table is folded. Arrays take none of these, and frames columns and by.
reading = ("format", "dtype", "shape", "offset", "columns", "by", "sort", "top", "let", "header", "delimiter", "missing",
           "bad_lines", "decimal", "thousands", "numbers", "non_numbers", "date_format", "skip", "comment", "units", "union", "memory",
           "text")

_nothing = {}


@functools.lru_cache(256)
def _checked(ops):
    names = names_of(ops)
    return names, type_of(tuple(names.split(",")))


def checked(ops):
    """The names of these ops, and the type of their answers."""
    return _checked(ops if type(ops) is str else names_of(ops))


def names_of(ops, checks=True):
    """The names of ops, in one str with commas; aliases are replaced."""
    try:
        if not isinstance(ops, str) and (hasattr(ops, "dtype") or hasattr(ops, "columns")):
            raise TypeError("an array")
        text = ops if isinstance(ops, str) else ",".join(ops)
    except Exception:  # x may raise anything
        raise TypeError("the names of ops come first, as in fold('mean,var', x), but the first argument is a "
                        + type_name(ops)) from None
    text = ",".join(name.strip() for name in text.split(",")).encode(errors="backslashreplace").decode()
    return _core.own_ops(text) if checks else text


class Request:
    """What a call asks for. None: the caller has not said it.

    kind     the kind of x; see kinds/
    ops      names of ops, with commas
    x, y     the arrays
    run      run(request) returns the answers of one array, as a list
    make     make(values, why) makes the call's answer of such a list; `why` says for each None why there is no value.
             None: `run` makes it
    read     read(request, paths) returns the answers of files, as _files.read does
    called   the function that was called, for messages: "nansum"
    single   whether that function is one of a single op, as sum() is
    reading  how a file is read: the keywords of that kind that are given
    call     for tensors: the call, whose plan is kept for the next one like it
    rows     numbers of the rows, for argmin of groups; first: the index of the first element, for states
    """

    __slots__ = ("kind", "ops", "x", "y", "run", "make", "axis", "keepdims", "nan", "ddof", "correction", "where", "weights",
                 "fweights", "result", "threads", "initial", "errors", "out", "wide", "empty_nan", "progress", "reading",
                 "called", "single", "read", "call", "rows", "first")

    def __init__(self, kind, ops, x, y, run, make, axis=None, keepdims=None, nan=None, ddof=None, correction=None, where=None,
                 weights=None, fweights=None, result=None, threads=None, initial=None, errors=None, out=None, wide=None,
                 empty_nan=None, progress=None, reading=_nothing, called=None, single=False, read=None, call=None, rows=None,
                 first=None):
        self.kind, self.ops, self.x, self.y, self.run, self.make = kind, ops, x, y, run, make
        self.axis, self.nan, self.ddof, self.correction = axis, nan, ddof, correction
        self.keepdims = keepdims if keepdims is None or type(keepdims) is bool else _errors.flag(called or ops, "keepdims", keepdims)
        self.where, self.weights, self.fweights, self.result, self.threads = where, weights, fweights, result, threads
        self.initial, self.errors, self.out, self.wide, self.empty_nan = initial, errors, out, wide, empty_nan
        self.progress, self.reading, self.called, self.single = progress, reading, called or ops, single
        self.read, self.call, self.rows, self.first = read, call, rows, first

    def replace(self, **changes):
        """A copy with other fields."""
        copy = Request(*_fields(self))
        for name, value in changes.items():
            setattr(copy, name, value)
        return copy

    def refuse_reading(self):
        """Raises an error if a keyword says how a file is read, since x is not a file."""
        for name in self.reading:
            hint = {"dtype": "result= rounds the answers to a type", "by": "fold_by() folds arrays by keys"}
            hint = hint if self.ops.partition(",")[0] in _ops.ops else {}
            raise _errors.make("bad_option", f"{self.ops}: {name}= applies only to files, but an array was given; "
                               + hint.get(name, "leave it out"))
        if self.progress is not None and on_device(self.x):
            raise _errors.make("bad_option", f"{self.ops}: progress= is not available for arrays on a device; leave it out")

    def refuse_errors(self):
        if self.errors is not None:
            raise _errors.make("bad_option", f"{self.ops}: errors= is for arrays on a device; leave it out")


_fields = operator.attrgetter(*Request.__slots__)


def given(keywords):
    """Those of the keywords that say how a file is read, and are given."""
    return {name: keywords[name] for name in reading if keywords.get(name) is not None}


def of_call(kind, op, args, keywords, run):
    """The request of a call such as sum(x, axis), whose arguments the builtin `op` has read."""
    keywords = {name: value for name, value in keywords.items() if value is not None}
    base = op.removeprefix("nan")
    if "bias" in keywords:
        keywords["ddof"] = _ddof_of_bias(op, keywords)
    if base == "kurtosis" and "fisher" in keywords and not _errors.flag(op, "fisher", keywords.pop("fisher")):
        base = "kurtosis_pearson"
    elif base != op:
        keywords["nan"] = "omit"
    arrays = _ops.ops[base].inputs if base in _ops.ops else 1
    if base in ("average", "mean") and ("weights" in keywords or len(args) == 1 and base == "average"):
        _check_weighted(op, args, keywords, 1)
        base, arrays = "average" if "weights" in keywords else "mean", 1
    elif "weights" in keywords:
        _check_weighted(op, args, keywords, arrays)
    if len(args) > arrays and args[arrays] is not None:
        keywords["axis"] = args[arrays]
    x, y = args[0], args[1] if arrays == 2 and len(args) > 1 else None  # a file may be of two columns
    if "dim" in keywords:
        keywords["axis"] = kind.axis_of(op, x, keywords.pop("dim"), keywords.get("axis"))
    if y is not None:
        _check_second(op, kind, x, y, keywords)
    result = keywords.pop("dtype", None)
    if result is not None and not (is_complex(x) and complex_bytes(result)):
        _core.dtype_name(result, op)  # an object that is no dtype is refused here
    return Request(kind, base, x, y, run, first, result=result, called=op, single=True, **keywords)


def _ddof_of_bias(op, keywords):
    """The ddof that bias= means."""
    ddof = 0 if _errors.flag(op, "bias", keywords.pop("bias")) else 1
    given = keywords.pop("ddof", None), keywords.pop("correction", None)
    if any(k is not None and (not isinstance(k, (int, float)) or k != ddof) for k in given):
        raise _errors.make("bad_option", f"{op}: bias={ddof == 0} is ddof={ddof}; pass only one of them")
    return ddof


def _check_second(op, kind, x, y, keywords):
    """Refuses calls of average and dot that mean something else in NumPy."""
    if op == "average" and (type(y) in (bool, int, float) or (getattr(y, "shape", None) == () and shape_of(op, x))
                            or (isinstance(y, tuple) and all(type(n) is int for n in y) and len(shape_of(op, x)) > 1)):
        raise _errors.make("bad_option", f"average: the second argument {_errors.shown(y)} is an axis in NumPy, but means "
                                         "weights here; call average(x, axis=...) for a mean, or average(x, weights=...)")
    if op == "dot" and keywords.get("axis") is None and not kind.sums_products:
        shapes = shape_of(op, x), shape_of(op, y)
        if max(map(len, shapes)) > 1:
            raise _errors.make("shape_mismatch", f"dot: the arrays have shapes {shapes[0]} and {shapes[1]}, of which NumPy's "
                                                 "dot is a matrix product; call vecdot(x, y) for one sum for each row, "
                                                 "matmul(x, y) for that "
                               "product, or fold(\"dot\", x, y).dot for the sum of all products")


_beside_weights = ("axis", "dim", "dtype", "out", "keepdims", "nan", "where", "threads", "weights")


def _check_weighted(op, args, keywords, arrays):
    """Refuses arguments that do not go with weights=."""
    if not arrays <= len(args) <= arrays + 1 or (len(args) > arrays and "axis" in keywords):
        raise TypeError(f"{op}() takes {'x' if arrays == 1 else 'x, y'} and an axis if weights= is given, but {len(args)} "
                        "positional "
                        + ("argument was given" if len(args) == 1 else "arguments were given"))
    if len(args) > arrays and not isinstance(args[arrays], (type(None), tuple, list)) and (
            not hasattr(args[arrays], "__index__") or getattr(args[arrays], "shape", ())):
        raise TypeError(f"{op}() got weights twice: its {'second' if arrays == 1 else 'third'} argument is an axis if "
                        f"weights= is given, but a {type(args[arrays]).__qualname__} was given")
    for name in keywords:
        if name in ("ddof", "correction") and _ops.ops[op.removeprefix("nan")].uses_ddof:
            raise _errors.make("bad_option", f"{op}: {name}= needs a number of elements, but weights= are not counts; pass "
                                             "fweights= to fold()")
        if name not in _beside_weights and not (name == "nan" and op.startswith("nan")):
            raise TypeError(f"{op}() got an unexpected keyword argument '{name}'")
