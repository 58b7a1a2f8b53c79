# Made by python/tests/generate_stub.py from the op table; `--check` compares.
import builtins
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, overload

from numpy.typing import NDArray

from . import linalg as linalg
from .linalg import matmul as matmul, tensordot as tensordot, vecdot as vecdot

__version__: str
ops: tuple[str, ...]

_Axis: TypeAlias = int | tuple[int, ...] | list[int] | None
_Nan: TypeAlias = Literal["propagate", "omit", "raise"]
_Errors: TypeAlias = Literal["raise", "defer"] | None
_Sequence: TypeAlias = Sequence[float]
_Names: TypeAlias = str | Sequence[str] | None

class Error(Exception):
    code: str

class OptionError(Error, ValueError): ...
class AxisError(Error, ValueError, IndexError): ...
class ShapeError(Error, ValueError): ...
class DTypeError(Error, TypeError): ...
class UnsupportedError(Error, TypeError): ...
class StateError(Error, ValueError): ...
class EmptyError(Error, ValueError): ...
class NanError(Error, ValueError): ...
class FileError(Error, OSError): ...
class DeviceError(Error, RuntimeError): ...
class PeerError(Error, RuntimeError): ...
class NoBackendError(Error, RuntimeError): ...
class OutOfMemoryError(Error, MemoryError): ...
class InternalError(Error, RuntimeError): ...
class OverflowError(Error, builtins.OverflowError): ...

@overload
def all(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> bool: ...
@overload
def all(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def all(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def all(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def any(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> bool: ...
@overload
def any(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def any(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def any(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def argmax(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int: ...
@overload
def argmax(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def argmax(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def argmax(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def argmin(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int: ...
@overload
def argmin(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def argmin(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def argmin(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def average(
    x: Any, y: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def average(
    x: Any, y: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def average(
    x: Any, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
@overload
def corr(
    x: Any, y: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def corr(
    x: Any, y: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def corr(
    x: Any, y: Any, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
@overload
def cosine(
    x: Any, y: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def cosine(
    x: Any, y: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def count(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int: ...
@overload
def count(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def count(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def count(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def count_inf(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int: ...
@overload
def count_inf(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def count_inf(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def count_inf(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def count_nan(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int: ...
@overload
def count_nan(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def count_nan(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def count_nan(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def count_nonzero(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int: ...
@overload
def count_nonzero(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def count_nonzero(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def count_nonzero(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def count_zero(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int: ...
@overload
def count_zero(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def count_zero(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def count_zero(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def cov(
    x: Any, y: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def cov(
    x: Any, y: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def cov(
    x: Any, y: Any, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
@overload
def distance(
    x: Any, y: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def distance(
    x: Any, y: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def dot(
    x: Any, y: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def dot(
    x: Any, y: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def intercept(
    x: Any, y: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def intercept(
    x: Any, y: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def intercept(
    x: Any, y: Any, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
@overload
def kurtosis(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    bias: bool | None = None, fisher: bool | None = None, errors: _Errors = None,
    dim: Any = None
) -> NDArray[Any]: ...
@overload
def kurtosis(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    bias: bool | None = None, fisher: bool | None = None, errors: _Errors = None,
    dim: Any = None
) -> Any: ...
@overload
def kurtosis(
    x: Any, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
@overload
def kurtosis(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def kurtosis_pearson(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    bias: bool | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def kurtosis_pearson(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    bias: bool | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def kurtosis_pearson(
    x: Any, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
@overload
def kurtosis_pearson(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def mae(
    x: Any, y: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def mae(
    x: Any, y: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def mae(
    x: Any, y: Any, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
@overload
def max(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, initial: Any = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def max(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, initial: Any = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def max(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def max_abs_diff(
    x: Any, y: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def max_abs_diff(
    x: Any, y: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def mean(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def mean(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def mean(
    x: Any, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
@overload
def mean(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def min(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, initial: Any = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def min(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, initial: Any = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def min(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def moment3(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def moment3(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def moment3(
    x: Any, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
@overload
def moment3(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def moment4(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def moment4(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def moment4(
    x: Any, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
@overload
def moment4(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def mse(
    x: Any, y: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def mse(
    x: Any, y: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def mse(
    x: Any, y: Any, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
@overload
def nanargmax(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> int: ...
@overload
def nanargmax(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def nanargmax(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def nanargmax(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def nanargmin(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> int: ...
@overload
def nanargmin(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def nanargmin(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def nanargmin(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def nanmax(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, where: Any = None, threads: int | None = None, initial: Any = None,
    errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def nanmax(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, where: Any = None, threads: int | None = None, initial: Any = None,
    errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def nanmax(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def nanmean(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def nanmean(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def nanmean(
    x: Any, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
@overload
def nanmean(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def nanmin(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, where: Any = None, threads: int | None = None, initial: Any = None,
    errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def nanmin(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, where: Any = None, threads: int | None = None, initial: Any = None,
    errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def nanmin(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def nanstd(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, where: Any = None, threads: int | None = None,
    ddof: float | None = None, correction: float | None = None, errors: _Errors = None,
    dim: Any = None
) -> NDArray[Any]: ...
@overload
def nanstd(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, where: Any = None, threads: int | None = None,
    ddof: float | None = None, correction: float | None = None, errors: _Errors = None,
    dim: Any = None
) -> Any: ...
@overload
def nanstd(
    x: Any, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
@overload
def nanstd(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def nansum(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, where: Any = None, threads: int | None = None, initial: Any = None,
    errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def nansum(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, where: Any = None, threads: int | None = None, initial: Any = None,
    errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def nansum(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def nanvar(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, where: Any = None, threads: int | None = None,
    ddof: float | None = None, correction: float | None = None, errors: _Errors = None,
    dim: Any = None
) -> NDArray[Any]: ...
@overload
def nanvar(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, where: Any = None, threads: int | None = None,
    ddof: float | None = None, correction: float | None = None, errors: _Errors = None,
    dim: Any = None
) -> Any: ...
@overload
def nanvar(
    x: Any, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
@overload
def nanvar(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def norm1(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def norm1(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def norm1(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def norm2(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def norm2(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def norm2(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def norminf(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def norminf(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def norminf(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def ptp(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def ptp(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def ptp(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def raw_moment2(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def raw_moment2(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def raw_moment2(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def raw_moment3(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def raw_moment3(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def raw_moment3(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def raw_moment4(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def raw_moment4(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def raw_moment4(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def rms(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def rms(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def rms(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def rmse(
    x: Any, y: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def rmse(
    x: Any, y: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def rmse(
    x: Any, y: Any, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
@overload
def sem(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def sem(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def sem(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def skewness(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    bias: bool | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def skewness(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    bias: bool | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def skewness(
    x: Any, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
@overload
def skewness(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def slope(
    x: Any, y: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def slope(
    x: Any, y: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def slope(
    x: Any, y: Any, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
@overload
def std(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def std(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def std(
    x: Any, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
@overload
def std(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def sum(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, initial: Any = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def sum(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, initial: Any = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def sum(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def sumsq(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def sumsq(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def sumsq(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
@overload
def total_std(
    x: Any, y: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def total_std(
    x: Any, y: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def total_std(
    x: Any, y: Any, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
@overload
def total_var(
    x: Any, y: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def total_var(
    x: Any, y: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def total_var(
    x: Any, y: Any, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
@overload
def var(
    x: Any, /, axis: _Axis = None, *, out: NDArray[Any], dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> NDArray[Any]: ...
@overload
def var(
    x: Any, /, axis: _Axis = None, *, out: None = None, dtype: Any = None,
    keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> Any: ...
@overload
def var(
    x: Any, /, axis: _Axis = None, *, weights: Any, out: NDArray[Any] | None = None,
    dtype: Any = None, keepdims: bool = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, dim: Any = None
) -> Any: ...
@overload
def var(x: Expr, /, axis: _Axis = None, **arrays: Any) -> Any: ...
def logsumexp(
    x: Any, /, axis: _Axis = None, *, keepdims: bool = False, nan: _Nan | None = None, where: Any = None,
    weights: Any = None, threads: int | None = None, dim: Any = None) -> Any: ...
def logmeanexp(
    x: Any, /, axis: _Axis = None, *, keepdims: bool = False, nan: _Nan | None = None, where: Any = None,
    weights: Any = None, threads: int | None = None, dim: Any = None) -> Any: ...
def mode(
    x: Any, /, axis: _Axis = None, *, keepdims: bool = False, nan: _Nan | None = None, where: Any = None,
    threads: int | None = None, dim: Any = None) -> Any: ...
def nunique(
    x: Any, /, axis: _Axis = None, *, keepdims: bool = False, nan: _Nan | None = None, where: Any = None,
    threads: int | None = None, dim: Any = None) -> Any: ...
def trimmed_mean(
    x: Any, p: Any, /, axis: _Axis = None, *, keepdims: bool = False, nan: _Nan | None = None, where: Any = None,
    threads: int | None = None, dim: Any = None) -> Any: ...
def winsorized_mean(
    x: Any, p: Any, /, axis: _Axis = None, *, keepdims: bool = False, nan: _Nan | None = None, where: Any = None,
    threads: int | None = None, dim: Any = None) -> Any: ...

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
    format: str | None = None, dtype: Any = None,
    shape: int | tuple[int, ...] | None = None, offset: int | None = None, columns: _Names = None,
    by: Any = None, sort: _Names = None, top: int | None = None, let: str | dict[str, str] | None = None,
    header: bool | Literal["auto"] | None = None, delimiter: str | None = None,
    missing: _Names = None, bad_lines: Literal["error", "skip"] | None = None,
    decimal: str | None = None, thousands: str | None = None,
    numbers: Literal["plain", "loose"] | None = None,
    non_numbers: Literal["error", "missing"] | None = None,
    date_format: str | dict[str, str] | None = None, skip: int | None = None,
    comment: str | None = None, units: bool | None = None, union: bool | None = None, empty_nan: bool | None = None,
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
    format: str | None = None, dtype: Any = None,
    shape: int | tuple[int, ...] | None = None, offset: int | None = None, columns: _Names = None,
    by: Any = None, sort: _Names = None, top: int | None = None,
    let: str | dict[str, str] | None = None, header: bool | Literal["auto"] | None = None,
    delimiter: str | None = None,
    missing: _Names = None, bad_lines: Literal["error", "skip"] | None = None,
    decimal: str | None = None, thousands: str | None = None,
    numbers: Literal["plain", "loose"] | None = None,
    non_numbers: Literal["error", "missing"] | None = None,
    date_format: str | dict[str, str] | None = None, skip: int | None = None,
    comment: str | None = None, units: bool | None = None, union: bool | None = None,
    memory: int | str | None = None, dim: Any = None
) -> Any: ...
def agg(
    x: Any, /, calls: str | Sequence[str] | dict[str, str | Sequence[str]], by: _Names = None, *,
    having: str | None = None, where: str | None = None,
    let: str | dict[str, str] | None = None, sort: _Names = None, top: int | None = None,
    nan: _Nan | None = None, ddof: float | None = None, empty_nan: bool | None = None,
    threads: int | None = None, format: str | None = None, dtype: Any = None,
    header: bool | Literal["auto"] | None = None, delimiter: str | None = None,
    missing: _Names = None, bad_lines: Literal["error", "skip"] | None = None,
    decimal: str | None = None, thousands: str | None = None,
    numbers: Literal["plain", "loose"] | None = None,
    non_numbers: Literal["error", "missing"] | None = None,
    date_format: str | dict[str, str] | None = None, skip: int | None = None,
    comment: str | None = None, units: bool | None = None, union: bool | None = None, memory: int | str | None = None
) -> Any: ...
def quantile(
    x: Any, /, q: Any, axis: _Axis = None, *,
    method: Literal[
        "linear", "lower", "higher", "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
        "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased"] = "linear",
    keepdims: bool = False, nan: _Nan | None = None, where: Any = None,
    weights: Any = None, fweights: Any = None, threads: int | None = None,
    format: str | None = None, dtype: Any = None,
    shape: int | tuple[int, ...] | None = None, offset: int | None = None, columns: _Names = None,
    by: Any = None, sort: _Names = None, top: int | None = None,
    let: str | dict[str, str] | None = None, header: bool | Literal["auto"] | None = None,
    delimiter: str | None = None,
    missing: _Names = None, bad_lines: Literal["error", "skip"] | None = None,
    decimal: str | None = None, thousands: str | None = None,
    numbers: Literal["plain", "loose"] | None = None,
    non_numbers: Literal["error", "missing"] | None = None,
    date_format: str | dict[str, str] | None = None, skip: int | None = None,
    comment: str | None = None, units: bool | None = None, union: bool | None = None,
    memory: int | str | None = None, dim: Any = None, offsets: Any = None,
    null_keys: Literal["raise", "drop", "keep"] | None = None
) -> Any: ...
def median(
    x: Any, /, axis: _Axis = None, *, keepdims: bool = False, nan: _Nan | None = None,
    where: Any = None, weights: Any = None, fweights: Any = None, threads: int | None = None,
    format: str | None = None, dtype: Any = None,
    shape: int | tuple[int, ...] | None = None, offset: int | None = None, columns: _Names = None,
    by: Any = None, sort: _Names = None, top: int | None = None,
    let: str | dict[str, str] | None = None, header: bool | Literal["auto"] | None = None,
    delimiter: str | None = None,
    missing: _Names = None, bad_lines: Literal["error", "skip"] | None = None,
    decimal: str | None = None, thousands: str | None = None,
    numbers: Literal["plain", "loose"] | None = None,
    non_numbers: Literal["error", "missing"] | None = None,
    date_format: str | dict[str, str] | None = None, skip: int | None = None,
    comment: str | None = None, units: bool | None = None, union: bool | None = None,
    memory: int | str | None = None, dim: Any = None, offsets: Any = None,
    null_keys: Literal["raise", "drop", "keep"] | None = None
) -> Any: ...
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
    closed: Literal["right", "left", "both", "neither"] | None = None, step: int | None = None, axis: int = 0,
    nan: _Nan = "omit", times: Any = None, on: Any = None, win_type: Any = None, dim: Any = None
) -> Rolling: ...
def expanding(x: Any, /, *, min_periods: int | None = 1, axis: int = 0, nan: _Nan = "omit", dim: Any = None) -> Rolling: ...
def cumsum(
    x: Any, /, axis: int | None = None, *, dtype: Any = None, nan: _Nan | None = None, exclusive: bool = False,
    reverse: bool = False, offsets: Any = None, threads: int | None = None, dim: Any = None) -> Any: ...
def cummean(
    x: Any, /, axis: int | None = None, *, dtype: Any = None, nan: _Nan | None = None, exclusive: bool = False,
    reverse: bool = False, offsets: Any = None, threads: int | None = None, dim: Any = None) -> Any: ...
def cummin(
    x: Any, /, axis: int | None = None, *, nan: _Nan | None = None, exclusive: bool = False,
    reverse: bool = False, offsets: Any = None, threads: int | None = None, dim: Any = None) -> Any: ...
def cummax(
    x: Any, /, axis: int | None = None, *, nan: _Nan | None = None, exclusive: bool = False,
    reverse: bool = False, offsets: Any = None, threads: int | None = None, dim: Any = None) -> Any: ...
def cumvar(
    x: Any, /, axis: int | None = None, *, ddof: float = 0, dtype: Any = None, nan: _Nan | None = None, exclusive: bool = False,
    reverse: bool = False, offsets: Any = None, threads: int | None = None, dim: Any = None) -> Any: ...
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
    format: str | None = None, dtype: Any = None,
    shape: int | tuple[int, ...] | None = None, offset: int | None = None, columns: _Names = None,
    by: Any = None, header: bool | Literal["auto"] | None = None, delimiter: str | None = None,
    missing: _Names = None, bad_lines: Literal["error", "skip"] | None = None,
    decimal: str | None = None, thousands: str | None = None,
    numbers: Literal["plain", "loose"] | None = None,
    non_numbers: Literal["error", "missing"] | None = None,
    date_format: str | dict[str, str] | None = None, skip: int | None = None,
    comment: str | None = None, units: bool | None = None, union: bool | None = None,
    memory: int | str | None = None
) -> dict[str, Any]: ...
def info(
    x: Any = None, /, *, format: str | None = None, dtype: Any = None,
    shape: int | tuple[int, ...] | None = None, offset: int | None = None, columns: _Names = None,
    header: bool | Literal["auto"] | None = None, delimiter: str | None = None,
    missing: _Names = None, bad_lines: Literal["error", "skip"] | None = None,
    decimal: str | None = None, thousands: str | None = None,
    numbers: Literal["plain", "loose"] | None = None,
    non_numbers: Literal["error", "missing"] | None = None,
    date_format: str | dict[str, str] | None = None, skip: int | None = None,
    comment: str | None = None, units: bool | None = None
) -> dict[str, Any]: ...
def read(
    x: Any, /, *, format: str | None = None, dtype: Any = None,
    shape: int | tuple[int, ...] | None = None, offset: int | None = None) -> NDArray[Any]: ...
def set_threads(n: int) -> None: ...
