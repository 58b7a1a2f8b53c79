"""Writes python/onefold/__init__.pyi from the op table and the docstrings: python tests/generate_stub.py [--check].

A test compares the checked-in file, so that it shows each new op.
"""

import ast
import inspect
import pathlib
import sys

import onefold

HEAD = '''\
# Made by python/tests/generate_stub.py from the op table; `--check` compares.
import builtins
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from . import linalg as linalg
from .linalg import matmul as matmul, tensordot as tensordot, vecdot as vecdot

__version__: str
ops: tuple[str, ...]

_Axis: TypeAlias = int | tuple[int, ...] | list[int] | None
_Nan: TypeAlias = Literal["propagate", "omit", "raise"]
_Errors: TypeAlias = Literal["raise", "defer"] | None
_Sequence: TypeAlias = Sequence[float]
_Integers: TypeAlias = Sequence[int]
_Names: TypeAlias = str | Sequence[str] | None
_Bool: TypeAlias = np.bool_
_Signed: TypeAlias = np.signedinteger[Any]
_Unsigned: TypeAlias = np.unsignedinteger[Any]
_Float = TypeVar("_Float", bound=np.floating[Any])
_Number = TypeVar("_Number", bound=np.number[Any] | np.bool_)

class Error(Exception):
    code: str

'''

ERRORS = {
    "OptionError": "ValueError", "AxisError": "ValueError, IndexError", "ShapeError": "ValueError",
    "DTypeError": "TypeError", "UnsupportedError": "TypeError", "StateError": "ValueError",
    "EmptyError": "ValueError", "NanError": "ValueError", "FileError": "OSError",
    "DeviceError": "RuntimeError", "PeerError": "RuntimeError", "NoBackendError": "RuntimeError",
    "OutOfMemoryError": "MemoryError", "InternalError": "RuntimeError"}

# What stands for these lines in the text below.
PARTS = {"    ... file\n": '''\
    format: str | None = None, dtype: Any = None,
    shape: int | tuple[int, ...] | None = None, offset: int | None = None, columns: _Names = None,
''', "    ... table": '''\
    missing: _Names = None, bad_lines: Literal["error", "skip"] | None = None,
    decimal: str | None = None, thousands: str | None = None,
    numbers: Literal["plain", "loose"] | None = None,
    non_numbers: Literal["error", "missing"] | None = None,
    date_format: str | dict[str, str] | None = None, skip: int | None = None,
    comment: str | None = None, units: bool | None = None'''}

TAIL = '''\
class TableWarning(UserWarning): ...
class InexactWarning(UserWarning): ...

class State:
    def __init__(self) -> None: ...
    count: int
    dtype: str
    def merge(self, other: State) -> None: ...
    def remove(self, other: State) -> None: ...
    def answer(
        self, op: str, *, ddof: float | None = None, correction: float | None = None,
        dtype: Any = None, initial: Any = None, empty_nan: bool = False
    ) -> Any: ...
    def save(self) -> bytes: ...
    def digest(self) -> str: ...
    @staticmethod
    def load(bytes: bytes) -> State: ...
    def __bytes__(self) -> bytes: ...
    def __len__(self) -> int: ...
    def __or__(self, other: State) -> State: ...
    def __ior__(self, other: State) -> State: ...
    def __eq__(self, other: object) -> bool: ...
    def __getattr__(self, op: str) -> Any: ...

class States:
    def __init__(self) -> None: ...
    shape: tuple[int, ...]
    nbytes: int
    dtype: str
    def merge(self, other: States) -> None: ...
    def remove(self, other: States) -> None: ...
    def answer(
        self, op: str, *, ddof: float | None = None, correction: float | None = None,
        dtype: Any = None, initial: Any = None, empty_nan: bool = False
    ) -> Any: ...
    def save(self) -> bytes: ...
    def digest(self) -> str: ...
    @staticmethod
    def load(bytes: bytes) -> States: ...
    def __bytes__(self) -> bytes: ...
    def __len__(self) -> int: ...
    def __getitem__(self, slice: int) -> State: ...
    def __or__(self, other: States) -> States: ...
    def __ior__(self, other: States) -> States: ...
    def __eq__(self, other: object) -> bool: ...
    def __getattr__(self, op: str) -> Any: ...

class LogsumexpStates:
    shape: tuple[int, ...]
    dtype: str
    logsumexp: Any
    logmeanexp: Any
    def merge(self, other: LogsumexpStates) -> None: ...
    def answer(self, op: str) -> Any: ...
    def save(self) -> bytes: ...
    def digest(self) -> str: ...
    @staticmethod
    def load(bytes: bytes) -> LogsumexpStates: ...
    def __bytes__(self) -> bytes: ...
    def __len__(self) -> int: ...
    def __or__(self, other: LogsumexpStates) -> LogsumexpStates: ...
    def __ior__(self, other: LogsumexpStates) -> LogsumexpStates: ...

def gather_logsumexp(
    x: Any, /, axis: _Axis = None, *, keepdims: bool = False, nan: _Nan | None = None, where: Any = None,
    threads: int | None = None, dim: Any = None) -> LogsumexpStates: ...
def fold(
    ops: str | Iterable[str], x: Any, y: Any = None, /, *, axis: _Axis = None,
    ddof: float | None = None, correction: float | None = None, keepdims: bool = False,
    nan: _Nan | None = None, where: Any = None, weights: Any = None, fweights: Any = None,
    result: Any = None, threads: int | None = None, initial: Any = None,
    ... file
    by: Any = None, sort: _Names = None, top: int | None = None, let: str | dict[str, str] | None = None,
    header: bool | Literal["auto"] | None = None, delimiter: str | None = None,
    ... table, union: bool | None = None, empty_nan: bool | None = None,
    memory: int | str | None = None, errors: Any = None, dim: Any = None,
    progress: Callable[[int, int], Any] | bool | None = None, min_count: int | None = None,
    text: bool | None = None
) -> Any: ...
def fold_by(
    ops: str | Iterable[str], /, *arrays: Any, keys: Any = None, x: Any = None, y: Any = None,
    groups: int | None = None, null_keys: Literal["raise", "drop", "keep"] = "raise",
    ddof: float | None = None, correction: float | None = None, nan: _Nan = "propagate", where: Any = None, weights: Any = None,
    fweights: Any = None, result: Any = None, threads: int | None = None, errors: Any = None, min_count: int | None = None
) -> Any: ...
def fold_segments(
    ops: str | Iterable[str], x: Any, offsets: Any, /, *, y: Any = None, ddof: float | None = None,
    correction: float | None = None, nan: _Nan = "propagate", where: Any = None, weights: Any = None,
    fweights: Any = None, result: Any = None, threads: int | None = None, initial: Any = None, errors: Any = None
) -> Any: ...
def describe(
    x: Any, /, *, axis: _Axis = None, ddof: float | None = None, correction: float | None = None,
    keepdims: bool = False, nan: _Nan | None = None, where: Any = None,
    threads: int | None = None,
    ... file
    by: Any = None, sort: _Names = None, top: int | None = None,
    let: str | dict[str, str] | None = None, header: bool | Literal["auto"] | None = None,
    delimiter: str | None = None,
    ... table, union: bool | None = None,
    memory: int | str | None = None, dim: Any = None
) -> Any: ...
def agg(
    x: Any, /, calls: str | Sequence[str] | dict[str, str | Sequence[str]], by: _Names = None, *,
    having: str | None = None, where: str | None = None,
    let: str | dict[str, str] | None = None, sort: _Names = None, top: int | None = None,
    nan: _Nan | None = None, ddof: float | None = None, empty_nan: bool | None = None,
    threads: int | None = None, format: str | None = None, dtype: Any = None,
    header: bool | Literal["auto"] | None = None, delimiter: str | None = None,
    ... table, union: bool | None = None, memory: int | str | None = None
) -> Any: ...
def quantile(
    x: Any, /, q: Any, axis: _Axis = None, *,
    method: Literal[
        "linear", "lower", "higher", "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
        "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased"] = "linear",
    keepdims: bool = False, nan: _Nan | None = None, where: Any = None,
    weights: Any = None, fweights: Any = None, threads: int | None = None,
    ... file
    by: Any = None, sort: _Names = None, top: int | None = None,
    let: str | dict[str, str] | None = None, header: bool | Literal["auto"] | None = None,
    delimiter: str | None = None,
    ... table, union: bool | None = None,
    memory: int | str | None = None, dim: Any = None, offsets: Any = None,
    null_keys: Literal["raise", "drop", "keep"] | None = None
) -> Any: ...
def median(
    x: Any, /, axis: _Axis = None, *, keepdims: bool = False, nan: _Nan | None = None,
    where: Any = None, weights: Any = None, fweights: Any = None, threads: int | None = None,
    ... file
    by: Any = None, sort: _Names = None, top: int | None = None,
    let: str | dict[str, str] | None = None, header: bool | Literal["auto"] | None = None,
    delimiter: str | None = None,
    ... table, union: bool | None = None,
    memory: int | str | None = None, dim: Any = None, offsets: Any = None,
    null_keys: Literal["raise", "drop", "keep"] | None = None
) -> Any: ...
def nanquantile(x: Any, /, q: Any, axis: _Axis = None, **keywords: Any) -> Any: ...
def nanmedian(x: Any, /, axis: _Axis = None, **keywords: Any) -> Any: ...
@overload
def gather(
    ops: str | Iterable[str], x: Any, y: Any = None, /, *, axis: None = None,
    first: int | None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None
) -> State: ...
@overload
def gather(
    ops: str | Iterable[str], x: Any, y: Any = None, /, *, axis: int | tuple[int, ...] | list[int],
    first: int | None = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None
) -> States: ...
@overload
def gather_parts(
    ops: str | Iterable[str], parts: Iterable[Any], /, *, axis: None = None,
    nan: _Nan = "propagate", threads: int | None = None
) -> State: ...
@overload
def gather_parts(
    ops: str | Iterable[str], parts: Iterable[Any], /, *, axis: int | tuple[int, ...],
    nan: _Nan = "propagate", threads: int | None = None
) -> States: ...
class Rolling:
    def fold(
        self, ops: str | Iterable[str], y: Any = None, /, *, ddof: float = 1, result: Any = None, where: Any = None,
        threads: int | None = None
    ) -> Any: ...
    def sum(self, **keywords: Any) -> Any: ...
    def mean(self, **keywords: Any) -> Any: ...
    def var(self, ddof: float = 1, **keywords: Any) -> Any: ...
    def std(self, ddof: float = 1, **keywords: Any) -> Any: ...
    def sem(self, ddof: float = 1, **keywords: Any) -> Any: ...
    def skew(self, **keywords: Any) -> Any: ...
    def kurt(self, **keywords: Any) -> Any: ...
    def min(self, **keywords: Any) -> Any: ...
    def max(self, **keywords: Any) -> Any: ...
    def count(self, **keywords: Any) -> Any: ...
    def cov(self, other: Any, ddof: float = 1, **keywords: Any) -> Any: ...
    def corr(self, other: Any, **keywords: Any) -> Any: ...
    def median(self, *, where: Any = None, threads: int | None = None) -> Any: ...
    def quantile(
        self, q: Any, interpolation: Literal["linear", "lower", "higher", "nearest", "midpoint"] = "linear", *,
        where: Any = None, threads: int | None = None
    ) -> Any: ...

def einsum(subscripts: str, a: Any, b: Any = None, /, *, dtype: Any = None, threads: int | None = None) -> Any: ...
def addmm(c: Any, a: Any, b: Any, /, *, alpha: Any = 1, beta: Any = 1, dtype: Any = None, threads: int | None = None) -> Any: ...

def rolling(
    x: Any, window: Any, /, *, min_periods: int | None = None, center: bool = False,
    closed: Literal["right", "left", "both", "neither"] | None = None, step: int | None = None,
    axis: int | str | None = None, nan: _Nan = "omit", times: Any = None, on: Any = None, win_type: Any = None, dim: Any = None
) -> Rolling: ...
def expanding(x: Any, /, *, min_periods: int | None = 1, axis: int | str | None = None, nan: _Nan = "omit", dim: Any = None) -> Rolling: ...
    ... scans
def histogram(
    x: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool | None = None, *, threads: int | None = None
) -> tuple[Any, Any]: ...
def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, weights: Any = None, *, threads: int | None = None
) -> tuple[Any, Any, Any]: ...
def argquantile(x: Any, /, q: Any, axis: int | None = None, *, method: str = "lower", keepdims: bool = False, nan: _Nan | None = None,
                where: Any = None, threads: int | None = None, offsets: Any = None, by: Any = None,
                null_keys: Literal["raise", "drop", "keep"] | None = None) -> Any: ...
def softmax(x: Any, /, axis: _Axis = None, *, threads: int | None = None, dim: Any = None) -> Any: ...
def log_softmax(x: Any, /, axis: _Axis = None, *, threads: int | None = None, dim: Any = None) -> Any: ...
def rms_norm(
    x: Any, /, axis: _Axis = -1, *, weight: Any = None, eps: float = 1e-5, threads: int | None = None
) -> Any: ...
def layer_norm(
    x: Any, /, axis: _Axis = -1, *, weight: Any = None, bias: Any = None, eps: float = 1e-5,
    threads: int | None = None
) -> Any: ...
def cov_matrix(
    x: Any, /, *, ddof: float = 0, nan: _Nan | None = None, threads: int | None = None
) -> Any: ...
def corr_matrix(x: Any, /, *, nan: _Nan | None = None, threads: int | None = None) -> Any: ...
def gram(x: Any, /, *, nan: _Nan | None = None, threads: int | None = None) -> Any: ...
class Expr:
    text: str
    names: tuple[str, ...]
    arrays: dict[str, Any]
def expr(text: str, /, **arrays: Any) -> Expr: ...
def dequantize(x: Any, scales: Any, /, *, block: int | tuple[int, ...] | list[int] = 32) -> NDArray[Any]: ...
class LinearFit(NamedTuple):
    coef: Any
    stderr: Any
    r2: float
    residual_std: float
    n: int
    dof: int
def moment(
    x: Any, order: int, /, axis: _Axis = None, *, center: float | None = None, dtype: Any = None, keepdims: bool = False,
    nan: _Nan = "propagate", where: Any = None, weights: Any = None, threads: int | None = None, **arrays: Any
) -> Any: ...
def linear_fit(
    x: Any, y: Any, /, *, intercept: bool = True, nan: _Nan | None = None,
    threads: int | None = None
) -> LinearFit: ...
def explain(
    ops: str | Iterable[str], x: Any, /, *, axis: _Axis = None, nan: _Nan | None = None,
    result: Any = None,
    ... file
    by: Any = None, header: bool | Literal["auto"] | None = None, delimiter: str | None = None,
    ... table, union: bool | None = None,
    memory: int | str | None = None
) -> dict[str, Any]: ...
def info(
    x: Any = None, /, *, format: str | None = None, dtype: Any = None,
    shape: int | tuple[int, ...] | None = None, offset: int | None = None, columns: _Names = None,
    header: bool | Literal["auto"] | None = None, delimiter: str | None = None,
    ... table
) -> dict[str, Any]: ...
def read(
    x: Any, /, *, format: str | None = None, dtype: Any = None,
    shape: int | tuple[int, ...] | None = None, offset: int | None = None) -> NDArray[Any]: ...
def set_threads(n: int) -> None: ...
'''

# weights=, which go with fewer keywords.
WEIGHTED = '''\
@overload
def {name}(
    {arrays}, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
'''

# For each kind of answer, the Python type when the argument is a sequence of numbers.
PYTHON = {"b": "bool", "i": "int", "u": "int", "f": "float"}


# The types of elements, by what the stub calls them.
ELEMENTS = {"_Bool": ["bool"], "_Signed": ["i8", "i16", "i32", "i64"], "_Unsigned": ["u8", "u16", "u32", "u64"],
            "_Float": ["f16", "f32", "f64"]}
NUMPY = {"bool": "np.bool_", "i64": "np.int64", "u64": "np.uint64", "f64": "np.float64"}


def array_types(op):
    """Pairs of an ndarray's element type and the type of its one answer."""
    results = {}
    for element, names in ELEMENTS.items():
        alike = len(names) > 1 and all(op.types[n] == n for n in names)
        results.setdefault("same" if alike else NUMPY[op.types[names[-1]]], []).append(element)
    if results.get("same") == ["_Signed", "_Unsigned", "_Float"]:
        return [("_Number", "_Number")]  # and of bools a bool
    pairs = []
    for result, elements in sorted(results.items()):
        any_float = ["np.floating[Any]" if e == "_Float" else e for e in elements]
        pairs.append(("_Float", "_Float") if result == "same" else
                     ("Any" if len(elements) == len(ELEMENTS) else " | ".join(any_float), result))
    return pairs


def overload(name, arrays, result, takes_ddof, estimates, takes_initial, takes_nan, axis, keepdims, out):
    parts = [*arrays, "/", f"axis: {axis} = None", "*"]
    parts += [f"out: {out}" if out != "None" else "out: None = None", "dtype: Any = None"]
    parts.append(f"keepdims: {keepdims} = False")
    if takes_nan:
        parts.append('nan: _Nan = "propagate"')
    parts += ["where: Any = None", "threads: int | None = None"]
    if takes_ddof:
        parts += ["ddof: float | None = None", "correction: float | None = None"]
    if estimates:
        parts.append("bias: bool | None = None")
    if name == "kurtosis":
        parts.append("fisher: bool | None = None")
    if takes_initial:
        parts.append("initial: Any = None")
    parts += ["errors: _Errors = None", "dim: Any = None"]
    lines = [""]
    for part in parts:
        if len(lines[-1]) + len(part) > 92:
            lines.append("")
        lines[-1] += f" {part},"
    body = "\n".join("   " + line for line in lines).rstrip(",")
    return f"@overload\ndef {name}(\n{body}\n) -> {result}: ...\n"


SCAN = """\
def {name}(
    x: Any, /, axis: int | None = None, *, {options}nan: _Nan | None = None, exclusive: bool = False,
    reverse: bool = False, offsets: Any = None, threads: int | None = None, dim: Any = None) -> Any: ...
"""
PARTS["    ... scans\n"] = "".join(SCAN.format(name=name, options=options) for name, options in (
    ("cumsum", "dtype: Any = None, "), ("cummean", "dtype: Any = None, "), ("cummin", ""), ("cummax", ""),
    ("cumvar", "ddof: float = 0, dtype: Any = None, ")))
SLICES = """\
def {name}(
    {arguments}, /, axis: _Axis = None, *, keepdims: bool = False, nan: _Nan | None = None, where: Any = None,
    {weights}threads: int | None = None, dim: Any = None) -> Any: ...
"""


# What functions of one ndarray return: (further arguments, the element type, the answer).
WHOLE = "axis: None = None, *, keepdims: Literal[False] = False, nan: _Nan | None = None, where: Any = None"
LIKE = "axis: _Axis = None, *, threads: int | None = None"
SCANNED = ("axis: int | None = None, *, {dtype}nan: _Nan | None = None, exclusive: bool = False, reverse: bool = False, "
           "offsets: Any = None, threads: int | None = None")
FLOATS = [("_Float", "_Float"), ("_Bool | _Signed | _Unsigned", "np.float64")]
TYPED = {
    **{name: [(f"/, {q}{WHOLE}, weights: Any = None, fweights: Any = None, threads: int | None = None", *types) for types in FLOATS]
       for name, q in (("median", ""), ("quantile", "q: float, "))},
    **{name: [(f"p: Any, /, {WHOLE}, threads: int | None = None", *types) for types in FLOATS]
       for name in ("trimmed_mean", "winsorized_mean")},
    **{name: [(f"/, {WHOLE}, weights: Any = None, threads: int | None = None", "_Float", "_Float")] for name in ("logsumexp", "logmeanexp")},
    "mode": [(f"/, {WHOLE}, threads: int | None = None", "_Number", "_Number")],
    "nunique": [(f"/, {WHOLE}, threads: int | None = None", "Any", "np.int64")],
    **{name: [(f"/, {LIKE}", "_Float", "NDArray[_Float]")] for name in ("softmax", "log_softmax")},
    **{name: [("/, " + SCANNED.format(dtype="dtype: None = None, " if name == "cumsum" else ""), "_Float", "NDArray[_Float]"),
              ("/, " + SCANNED.format(dtype="dtype: Any = None, " if name == "cumsum" else ""), "Any", "NDArray[Any]")]
       for name in ("cumsum", "cummin", "cummax")},
    "histogram": [("bins: Any = 10, range: Any = None, weights: None = None, density: None = None, *, threads: int | None = None",
                   "Any", "tuple[NDArray[np.int64], NDArray[np.float64]]")],
    **{name: [("/, *, nan: _Nan | None = None, threads: int | None = None", "Any", "NDArray[Any]")] for name in ("corr_matrix", "gram")},
}


def with_types(text):
    """Puts overloads for ndarrays before the functions that take any array."""
    for name, rows in TYPED.items():
        typed = "".join(f"@overload\ndef {name}(x: NDArray[{element}], {arguments}) -> {answer}: ...\n" for arguments, element, answer in rows)
        assert text.count(f"\ndef {name}(") == 1
        text = text.replace(f"\ndef {name}(", f"\n{typed}@overload\ndef {name}(")
    return text


def stub():
    text = HEAD
    text += "".join(f"class {name}(Error, {bases}): ...\n" for name, bases in ERRORS.items())
    text += "class OverflowError(Error, builtins.OverflowError): ...\n\n"
    rows = onefold._ops.ops
    for name in sorted(onefold._functions):
        op = rows[name if name in rows else name.removeprefix("nan")]
        numbers = {PYTHON[t[0]] for t in op.types.values()}
        sequences = [("_Sequence", *numbers)] if len(numbers) == 1 else [("_Integers", "int"), ("_Sequence", "float")]
        names = "xy"[:op.inputs]
        rest = (op.uses_ddof, op.estimates, op.takes_initial, name in rows)
        for sequence, number in sequences:
            text += overload(name, [f"{n}: {sequence}" for n in names], number, *rest, "None", "Literal[False]", "None")
        for element, answer in array_types(op):
            arrays = [f"{n}: NDArray[{element}]" for n in names]
            text += overload(name, arrays, answer, *rest, "None", "Literal[False]", "None").replace("dtype: Any = None", "dtype: None = None")
        text += overload(name, [f"{n}: Any" for n in names], "NDArray[Any]", *rest, "_Axis", "bool",
                         "NDArray[Any]")
        text += overload(name, [f"{n}: Any" for n in names], "Any", *rest, "_Axis", "bool", "None")
        if op.takes_weights:
            text += WEIGHTED.format(name=name, arrays=", ".join(
                f"{n}: Any" for n in ("x" if name == "average" else names)))
        if op.inputs == 1:
            text += f"@overload\ndef {name}(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...\n"
    for names, arguments, weights in (("logsumexp logmeanexp", "x: Any", "weights: Any = None, "), ("mode nunique", "x: Any", ""),
                                      ("trimmed_mean winsorized_mean", "x: Any, p: Any", "")):
        text += "".join(SLICES.format(name=name, arguments=arguments, weights=weights) for name in names.split())
    tail = TAIL
    for word, lines in PARTS.items():
        tail = tail.replace(word, lines)
    return with_docstrings(with_types(text + "\n" + tail))


def with_docstrings(text):
    """Adds to each function, in its first overload, the text of help()."""
    lines, seen = text.split("\n"), set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name not in seen:
            seen.add(node.name)
            doc = inspect.getdoc(getattr(onefold, node.name))
            raw = "r" if "\\" in doc else ""
            inner = "\n".join("    " + line if line else "" for line in doc.strip("\n").split("\n"))
            head = lines[node.end_lineno - 1].removesuffix(" ...")
            end = '"""' if "\n" not in inner and not inner.endswith('"') else '\n    """'
            lines[node.end_lineno - 1] = f'{head}\n    {raw}"""{inner.strip()}{end}'
    return "\n".join(lines)


if __name__ == "__main__":
    path = pathlib.Path(__file__).parents[1] / "onefold" / "__init__.pyi"
    if "--check" in sys.argv[1:]:
        sys.exit(0 if path.read_text() == stub() else f"{path} is not current: run generate_stub.py")
    path.write_text(stub())
