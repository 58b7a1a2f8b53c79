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
) -> bool:
    """Whether every element differs from zero, exact.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: bool
    - empty: true
    - NaN: counts as true
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.all([0, 0, 2])
    False
    """
@overload
def all(
    x: NDArray[Any], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.bool_: ...
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
) -> bool:
    """Whether some element differs from zero, exact.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: bool
    - empty: false
    - NaN: counts as true
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.any([0, 0, 2])
    True
    """
@overload
def any(
    x: NDArray[Any], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.bool_: ...
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
) -> int:
    """The index of the first largest element, in C order, exact.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: i64
    - empty: error empty_input
    - NaN: the index of the first NaN
    - exact: yes; -0 is less than +0
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.argmax([3, 1, 2])
    0
    """
@overload
def argmax(
    x: NDArray[Any], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.int64: ...
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
) -> int:
    """The index of the first smallest element, in C order, exact.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: i64
    - empty: error empty_input
    - NaN: the index of the first NaN
    - exact: yes; -0 is less than +0
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.argmin([3, 1, 2])
    1
    """
@overload
def argmin(
    x: NDArray[Any], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.int64: ...
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
    x: _Integers, y: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The mean of the first array, weighted by the second, exact and rounded once.

    Parameters
    ----------
    x, y : array_like
        Arrays of one type and shape, or x alone, a table of two columns.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        Instead of y, with the axes and result types of numpy.average.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the inputs' floating-point type
    - empty: NaN, as where the weights sum to 0
    - NaN: gives NaN; inf * 0, inf with -inf and an infinite weight too
    - exact: P / Sw, rounded once; -0 only if every product is -0
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.average([1, 2, 4], [1, 1, 2])
    2.75
    """
@overload
def average(
    x: _Sequence, y: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def average(
    x: NDArray[_Bool | _Signed | _Unsigned], y: NDArray[_Bool | _Signed | _Unsigned], /,
    axis: None = None, *, out: None = None, dtype: None = None, keepdims: Literal[False] = False,
    nan: _Nan = "propagate", where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def average(
    x: NDArray[_Float], y: NDArray[_Float], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, y: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The correlation of two arrays, exact and rounded once.

    Parameters
    ----------
    x, y : array_like
        Arrays of one type and shape, or x alone, a table of two columns.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        With the axes and result types of numpy.average.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the inputs' floating-point type
    - empty: NaN, as for a constant array
    - NaN: gives NaN; so do infinities
    - exact: (nP - SxSy) / sqrt((nQx - Sx^2) (nQy - Sy^2)), rounded once; within [-1, 1]
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.corr([1, 2, 3, 4], [2, 4, 5, 8])
    0.9811557810392123
    """
@overload
def corr(
    x: _Sequence, y: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def corr(
    x: NDArray[_Bool | _Signed | _Unsigned], y: NDArray[_Bool | _Signed | _Unsigned], /,
    axis: None = None, *, out: None = None, dtype: None = None, keepdims: Literal[False] = False,
    nan: _Nan = "propagate", where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def corr(
    x: NDArray[_Float], y: NDArray[_Float], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, y: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The cosine of the angle between two arrays, exact and rounded once.

    Parameters
    ----------
    x, y : array_like
        Arrays of one type and shape, or x alone, a table of two columns.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the inputs' floating-point type
    - empty: NaN, as where either is 0
    - NaN: gives NaN; so do infinities
    - exact: P / sqrt(QxQy), rounded once; within [-1, 1]
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.cosine([1, 0], [1, 1])
    0.7071067811865476
    """
@overload
def cosine(
    x: _Sequence, y: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def cosine(
    x: NDArray[_Bool | _Signed | _Unsigned], y: NDArray[_Bool | _Signed | _Unsigned], /,
    axis: None = None, *, out: None = None, dtype: None = None, keepdims: Literal[False] = False,
    nan: _Nan = "propagate", where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def cosine(
    x: NDArray[_Float], y: NDArray[_Float], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
) -> int:
    """The number of elements, exact.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: i64
    - empty: 0
    - NaN: counts as an element unless omitted; `raise` does not apply
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.count([1, 2, float("nan")], nan="omit")
    2
    """
@overload
def count(
    x: NDArray[Any], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.int64: ...
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
) -> int:
    """The number of infinities of either sign, exact.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: i64
    - empty: 0
    - NaN: is not an infinity; a NaN does not change the count
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.count_inf([1, float("inf")])
    1
    """
@overload
def count_inf(
    x: NDArray[Any], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.int64: ...
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
) -> int:
    """The number of NaNs, exact.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: i64
    - empty: 0
    - NaN: all are counted whatever the policy
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.count_nan([1, 2, float("nan")])
    1
    """
@overload
def count_nan(
    x: NDArray[Any], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.int64: ...
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
) -> int:
    """The number of elements that differ from zero, exact.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: i64
    - empty: 0
    - NaN: differs from zero
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.count_nonzero([0, 0, 2])
    1
    """
@overload
def count_nonzero(
    x: NDArray[Any], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.int64: ...
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
) -> int:
    """The number of zeros of either sign, exact.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: i64
    - empty: 0
    - NaN: is not zero; a NaN does not change the count
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.count_zero([0, 0, 2])
    2
    """
@overload
def count_zero(
    x: NDArray[Any], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.int64: ...
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
    x: _Integers, y: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> int:
    """The covariance of two arrays, exact and rounded once.

    Parameters
    ----------
    x, y : array_like
        Arrays of one type and shape, or x alone, a table of two columns.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        With the axes and result types of numpy.average; not together with ddof.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    ddof, correction : float, optional
        0 by default. Both names mean the same.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the inputs' floating-point type
    - empty: NaN, as for n <= ddof
    - NaN: gives NaN; so do infinities
    - exact: (nP - SxSy) / (n (n - ddof)), rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.cov([1, 2, 3, 4], [2, 4, 5, 8])
    2.375
    """
@overload
def cov(
    x: _Sequence, y: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def cov(
    x: NDArray[_Bool | _Signed | _Unsigned], y: NDArray[_Bool | _Signed | _Unsigned], /,
    axis: None = None, *, out: None = None, dtype: None = None, keepdims: Literal[False] = False,
    nan: _Nan = "propagate", where: Any = None, threads: int | None = None,
    ddof: float | None = None, correction: float | None = None, errors: _Errors = None,
    dim: Any = None
) -> np.float64: ...
@overload
def cov(
    x: NDArray[_Float], y: NDArray[_Float], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, ddof: float | None = None,
    correction: float | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, y: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The Euclidean distance between two arrays, exact and rounded once.

    Parameters
    ----------
    x, y : array_like
        Arrays of one type and shape, or x alone, a table of two columns.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the inputs' floating-point type
    - empty: 0
    - NaN: gives NaN; inf - inf too; any other infinity gives +inf
    - exact: sqrt(Qx + Qy - 2P), rounded once: nothing overflows within
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.distance([0, 0], [3, 4])
    5.0
    """
@overload
def distance(
    x: _Sequence, y: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def distance(
    x: NDArray[_Bool | _Signed | _Unsigned], y: NDArray[_Bool | _Signed | _Unsigned], /,
    axis: None = None, *, out: None = None, dtype: None = None, keepdims: Literal[False] = False,
    nan: _Nan = "propagate", where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def distance(
    x: NDArray[_Float], y: NDArray[_Float], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, y: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The sum of the products of two arrays, exact and rounded once.

    Parameters
    ----------
    x, y : array_like
        Arrays of one type and shape, or x alone, a table of two columns.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: i64, u64, or the input's floating-point type
    - empty: 0
    - NaN: gives NaN; inf * 0 too, whatever the NaN policy
    - exact: rounded once; -0 only if every product is -0
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.dot([1e16, 1, -1e16], [1, 1, 1])
    1.0
    """
@overload
def dot(
    x: _Sequence, y: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def dot(
    x: NDArray[_Bool | _Signed], y: NDArray[_Bool | _Signed], /, axis: None = None, *,
    out: None = None, dtype: None = None, keepdims: Literal[False] = False,
    nan: _Nan = "propagate", where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> np.int64: ...
@overload
def dot(
    x: NDArray[_Unsigned], y: NDArray[_Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.uint64: ...
@overload
def dot(
    x: NDArray[_Float], y: NDArray[_Float], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, y: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The intercept of the second array over the first, exact and rounded once.

    Parameters
    ----------
    x, y : array_like
        Arrays of one type and shape, or x alone, a table of two columns.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        With the axes and result types of numpy.average.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the inputs' floating-point type
    - empty: NaN, as for a constant first array
    - NaN: gives NaN; so do infinities
    - exact: (SyQx - SxP) / (nQx - Sx^2), rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.intercept([1, 2, 3, 4], [2, 4, 5, 8])
    0.0
    """
@overload
def intercept(
    x: _Sequence, y: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def intercept(
    x: NDArray[_Bool | _Signed | _Unsigned], y: NDArray[_Bool | _Signed | _Unsigned], /,
    axis: None = None, *, out: None = None, dtype: None = None, keepdims: Literal[False] = False,
    nan: _Nan = "propagate", where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def intercept(
    x: NDArray[_Float], y: NDArray[_Float], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    bias: bool | None = None, fisher: bool | None = None, errors: _Errors = None,
    dim: Any = None
) -> int:
    """The excess kurtosis, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        With the axes and result types of numpy.average; not together with ddof.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    ddof, correction : float, optional
        0 by default. Both names mean the same.
    bias : bool, optional
        False is the same as ddof=1.
    fisher : bool, optional
        False gives kurtosis_pearson.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the input's floating-point type
    - empty: NaN, as for elements that are all equal
    - NaN: gives NaN; so do infinities
    - exact: k = m4 / m2^2 - 3 of the central moments over n, rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.kurtosis([2, 4, 4, 4, 5, 5, 7, 9])
    -0.21875
    """
@overload
def kurtosis(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    bias: bool | None = None, fisher: bool | None = None, errors: _Errors = None,
    dim: Any = None
) -> float: ...
@overload
def kurtosis(
    x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, ddof: float | None = None,
    correction: float | None = None, bias: bool | None = None, fisher: bool | None = None,
    errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def kurtosis(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    bias: bool | None = None, fisher: bool | None = None, errors: _Errors = None,
    dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    bias: bool | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The kurtosis, without subtracting 3, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        With the axes and result types of numpy.average; not together with ddof.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    ddof, correction : float, optional
        0 by default. Both names mean the same.
    bias : bool, optional
        False is the same as ddof=1.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the input's floating-point type
    - empty: NaN, as for elements that are all equal
    - NaN: gives NaN; so do infinities
    - exact: m4 / m2^2 of the central moments over n, rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.kurtosis_pearson([2, 4, 4, 4, 5, 5, 7, 9])
    2.78125
    """
@overload
def kurtosis_pearson(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    bias: bool | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def kurtosis_pearson(
    x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, ddof: float | None = None,
    correction: float | None = None, bias: bool | None = None, errors: _Errors = None,
    dim: Any = None
) -> np.float64: ...
@overload
def kurtosis_pearson(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    bias: bool | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, y: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The mean absolute difference of two arrays, exact and rounded once.

    Parameters
    ----------
    x, y : array_like
        Arrays of one type and shape, or x alone, a table of two columns.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        With the axes and result types of numpy.average.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the inputs' floating-point type
    - empty: NaN
    - NaN: gives NaN; inf - inf too; any other infinity gives +inf
    - exact: the sum of |x - y| / n, rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.mae([1, 2, 3, 4], [2, 4, 5, 8])
    2.25
    """
@overload
def mae(
    x: _Sequence, y: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def mae(
    x: NDArray[_Bool | _Signed | _Unsigned], y: NDArray[_Bool | _Signed | _Unsigned], /,
    axis: None = None, *, out: None = None, dtype: None = None, keepdims: Literal[False] = False,
    nan: _Nan = "propagate", where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def mae(
    x: NDArray[_Float], y: NDArray[_Float], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, initial: Any = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The largest element, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    initial : scalar, optional
        One more element, so that nothing is empty.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: the input's
    - empty: error empty_input
    - NaN: gives NaN
    - exact: yes; -0 is less than +0
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.max([3, 1, 2])
    3
    """
@overload
def max(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, initial: Any = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def max(
    x: NDArray[_Number], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, initial: Any = None, errors: _Errors = None, dim: Any = None
) -> _Number: ...
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
    x: _Integers, y: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The greatest absolute difference of two arrays, exact and rounded once.

    Parameters
    ----------
    x, y : array_like
        Arrays of one type and shape, or x alone, a table of two columns.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: u64, or the inputs' floating-point type
    - empty: error empty_input
    - NaN: gives NaN; inf - inf too; any other infinity gives +inf
    - exact: rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.max_abs_diff([1, 2, 3, 4], [2, 4, 5, 8])
    4
    """
@overload
def max_abs_diff(
    x: _Sequence, y: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def max_abs_diff(
    x: NDArray[_Bool | _Signed | _Unsigned], y: NDArray[_Bool | _Signed | _Unsigned], /,
    axis: None = None, *, out: None = None, dtype: None = None, keepdims: Literal[False] = False,
    nan: _Nan = "propagate", where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> np.uint64: ...
@overload
def max_abs_diff(
    x: NDArray[_Float], y: NDArray[_Float], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The sum of all elements divided by their number, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        With the axes and result types of numpy.average.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the input's floating-point type
    - empty: NaN
    - NaN: gives NaN; infinities as in sum
    - exact: S / n, rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.mean([1e16, 1, -1e16])
    0.3333333333333333
    """
@overload
def mean(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def mean(
    x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def mean(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, initial: Any = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The smallest element, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    initial : scalar, optional
        One more element, so that nothing is empty.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: the input's
    - empty: error empty_input
    - NaN: gives NaN
    - exact: yes; -0 is less than +0
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.min([3, 1, 2])
    1
    """
@overload
def min(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, initial: Any = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def min(
    x: NDArray[_Number], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, initial: Any = None, errors: _Errors = None, dim: Any = None
) -> _Number: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The third central moment, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        With the axes and result types of numpy.average.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the input's floating-point type
    - empty: NaN
    - NaN: gives NaN; so do infinities
    - exact: the mean of (x - m)^3, m the exact mean, rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.moment3([2, 4, 4, 4, 5, 5, 7, 9])
    5.25
    """
@overload
def moment3(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def moment3(
    x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def moment3(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The fourth central moment, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        With the axes and result types of numpy.average.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the input's floating-point type
    - empty: NaN
    - NaN: gives NaN; so do infinities
    - exact: the mean of (x - m)^4, m the exact mean, rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.moment4([2, 4, 4, 4, 5, 5, 7, 9])
    44.5
    """
@overload
def moment4(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def moment4(
    x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def moment4(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, y: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The mean squared difference of two arrays, exact and rounded once.

    Parameters
    ----------
    x, y : array_like
        Arrays of one type and shape, or x alone, a table of two columns.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        With the axes and result types of numpy.average.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the inputs' floating-point type
    - empty: NaN
    - NaN: gives NaN; inf - inf too; any other infinity gives +inf
    - exact: (Qx + Qy - 2P) / n, rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.mse([1, 2, 3, 4], [2, 4, 5, 8])
    6.25
    """
@overload
def mse(
    x: _Sequence, y: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def mse(
    x: NDArray[_Bool | _Signed | _Unsigned], y: NDArray[_Bool | _Signed | _Unsigned], /,
    axis: None = None, *, out: None = None, dtype: None = None, keepdims: Literal[False] = False,
    nan: _Nan = "propagate", where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def mse(
    x: NDArray[_Float], y: NDArray[_Float], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
) -> int:
    """The index of the first largest element, in C order, without the NaNs, exact.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: i64
    - empty: error empty_input
    - NaN: left out; of nothing but NaN: error empty_input
    - exact: yes; -0 is less than +0
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.nanargmax([3, float("nan"), 2])
    0
    """
@overload
def nanargmax(
    x: NDArray[Any], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> np.int64: ...
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
) -> int:
    """The index of the first smallest element, in C order, without the NaNs, exact.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: i64
    - empty: error empty_input
    - NaN: left out; of nothing but NaN: error empty_input
    - exact: yes; -0 is less than +0
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.nanargmin([3, float("nan"), 2])
    2
    """
@overload
def nanargmin(
    x: NDArray[Any], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> np.int64: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    initial: Any = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The largest element, without the NaNs, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    initial : scalar, optional
        One more element, so that nothing is empty.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: the input's
    - empty: error empty_input
    - NaN: left out; of nothing but NaN: NaN
    - exact: yes; -0 is less than +0
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.nanmax([3, float("nan"), 2])
    3.0
    """
@overload
def nanmax(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    initial: Any = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def nanmax(
    x: NDArray[_Number], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    initial: Any = None, errors: _Errors = None, dim: Any = None
) -> _Number: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> int:
    """The sum of all elements divided by their number, without the NaNs, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        With the axes and result types of numpy.average.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the input's floating-point type
    - empty: NaN
    - NaN: left out; of nothing but NaN: as empty
    - exact: S / n, rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.nanmean([1, float("nan"), 2])
    1.5
    """
@overload
def nanmean(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def nanmean(
    x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def nanmean(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    initial: Any = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The smallest element, without the NaNs, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    initial : scalar, optional
        One more element, so that nothing is empty.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: the input's
    - empty: error empty_input
    - NaN: left out; of nothing but NaN: NaN
    - exact: yes; -0 is less than +0
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.nanmin([3, float("nan"), 2])
    2.0
    """
@overload
def nanmin(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    initial: Any = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def nanmin(
    x: NDArray[_Number], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    initial: Any = None, errors: _Errors = None, dim: Any = None
) -> _Number: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    ddof: float | None = None, correction: float | None = None, errors: _Errors = None,
    dim: Any = None
) -> int:
    """The standard deviation, without the NaNs, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        With the axes and result types of numpy.average; not together with ddof.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    ddof, correction : float, optional
        0 by default. Both names mean the same.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the input's floating-point type
    - empty: NaN, as for n <= ddof
    - NaN: left out; of nothing but NaN: as empty
    - exact: sqrt((nQ - S^2) / (n (n - ddof))), rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.nanstd([1, float("nan"), 3])
    1.0
    """
@overload
def nanstd(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    ddof: float | None = None, correction: float | None = None, errors: _Errors = None,
    dim: Any = None
) -> float: ...
@overload
def nanstd(
    x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def nanstd(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    ddof: float | None = None, correction: float | None = None, errors: _Errors = None,
    dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    initial: Any = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The sum of all elements, without the NaNs, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    initial : scalar, optional
        One more element, so that nothing is empty.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: i64, u64, or the input's floating-point type
    - empty: 0
    - NaN: left out; of nothing but NaN: as empty
    - exact: rounded once; all -0 gives -0
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.nansum([1, float("nan"), 2])
    3.0
    """
@overload
def nansum(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    initial: Any = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def nansum(
    x: NDArray[_Bool | _Signed], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    initial: Any = None, errors: _Errors = None, dim: Any = None
) -> np.int64: ...
@overload
def nansum(
    x: NDArray[_Unsigned], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    initial: Any = None, errors: _Errors = None, dim: Any = None
) -> np.uint64: ...
@overload
def nansum(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    initial: Any = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    ddof: float | None = None, correction: float | None = None, errors: _Errors = None,
    dim: Any = None
) -> int:
    """The variance, without the NaNs, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        With the axes and result types of numpy.average; not together with ddof.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    ddof, correction : float, optional
        0 by default. Both names mean the same.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the input's floating-point type
    - empty: NaN, as for n <= ddof
    - NaN: left out; of nothing but NaN: as empty
    - exact: (nQ - S^2) / (n (n - ddof)), rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.nanvar([1, float("nan"), 3])
    1.0
    """
@overload
def nanvar(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    ddof: float | None = None, correction: float | None = None, errors: _Errors = None,
    dim: Any = None
) -> float: ...
@overload
def nanvar(
    x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def nanvar(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, where: Any = None, threads: int | None = None,
    ddof: float | None = None, correction: float | None = None, errors: _Errors = None,
    dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The sum of the absolute values, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: u64, or the input's floating-point type
    - empty: 0
    - NaN: gives NaN; an infinity gives +inf
    - exact: rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.norm1([3, -4])
    7
    """
@overload
def norm1(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def norm1(
    x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.uint64: ...
@overload
def norm1(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The square root of the sum of squares, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the input's floating-point type
    - empty: 0
    - NaN: gives NaN; an infinity gives +inf
    - exact: sqrt(Q), rounded once: it cannot over- or underflow on the way
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.norm2([3, -4])
    5.0
    """
@overload
def norm2(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def norm2(
    x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def norm2(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The largest absolute value, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: u64, or the input's floating-point type
    - empty: 0
    - NaN: gives NaN
    - exact: yes
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.norminf([3, -4])
    4
    """
@overload
def norminf(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def norminf(
    x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.uint64: ...
@overload
def norminf(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The largest minus the smallest element, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: u64, or the input's floating-point type
    - empty: error empty_input
    - NaN: gives NaN; so do two equal infinities; one infinity gives +inf
    - exact: rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.ptp([3, 1, 2])
    2
    """
@overload
def ptp(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def ptp(
    x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.uint64: ...
@overload
def ptp(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The mean of the squares, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the input's floating-point type
    - empty: NaN
    - NaN: gives NaN; an infinity gives +inf
    - exact: Q / n, rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.raw_moment2([1, 7])
    25.0
    """
@overload
def raw_moment2(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def raw_moment2(
    x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def raw_moment2(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The mean of the cubes, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the input's floating-point type
    - empty: NaN
    - NaN: gives NaN, as do infinities of both signs; an infinity gives itself
    - exact: the sum of x^3 / n, rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.raw_moment3([2, 4, 4, 4, 5, 5, 7, 9])
    190.25
    """
@overload
def raw_moment3(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def raw_moment3(
    x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def raw_moment3(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The mean of the fourth powers, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the input's floating-point type
    - empty: NaN
    - NaN: gives NaN; an infinity gives +inf
    - exact: the sum of x^4 / n, rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.raw_moment4([2, 4, 4, 4, 5, 5, 7, 9])
    1374.5
    """
@overload
def raw_moment4(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def raw_moment4(
    x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def raw_moment4(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The square root of the mean of the squares, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the input's floating-point type
    - empty: NaN
    - NaN: gives NaN; an infinity gives +inf
    - exact: sqrt(Q / n), rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.rms([1, 7])
    5.0
    """
@overload
def rms(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def rms(
    x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def rms(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, y: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The root of the mean squared difference, exact and rounded once.

    Parameters
    ----------
    x, y : array_like
        Arrays of one type and shape, or x alone, a table of two columns.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        With the axes and result types of numpy.average.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the inputs' floating-point type
    - empty: NaN
    - NaN: gives NaN; inf - inf too; any other infinity gives +inf
    - exact: sqrt((Qx + Qy - 2P) / n), rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.rmse([1, 2, 3, 4], [2, 4, 5, 8])
    2.5
    """
@overload
def rmse(
    x: _Sequence, y: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def rmse(
    x: NDArray[_Bool | _Signed | _Unsigned], y: NDArray[_Bool | _Signed | _Unsigned], /,
    axis: None = None, *, out: None = None, dtype: None = None, keepdims: Literal[False] = False,
    nan: _Nan = "propagate", where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def rmse(
    x: NDArray[_Float], y: NDArray[_Float], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> int:
    """The standard error of the mean, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    ddof, correction : float, optional
        1 by default. Both names mean the same.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the input's floating-point type
    - empty: NaN, as for n <= ddof
    - NaN: gives NaN; so do infinities
    - exact: sqrt((nQ - S^2) / (n^2 (n - ddof))), rounded once; ddof is 1 if it is not given
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.sem([2, 4, 4, 4, 5, 5, 7, 9])
    0.7559289460184545
    """
@overload
def sem(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def sem(
    x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, ddof: float | None = None,
    correction: float | None = None, errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def sem(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    bias: bool | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The skewness, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        With the axes and result types of numpy.average; not together with ddof.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    ddof, correction : float, optional
        0 by default. Both names mean the same.
    bias : bool, optional
        False is the same as ddof=1.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the input's floating-point type
    - empty: NaN, as for elements that are all equal
    - NaN: gives NaN; so do infinities
    - exact: m3 / m2^(3/2) of the central moments over n, rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.skewness([2, 4, 4, 4, 5, 5, 7, 9])
    0.65625
    """
@overload
def skewness(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    bias: bool | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def skewness(
    x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, ddof: float | None = None,
    correction: float | None = None, bias: bool | None = None, errors: _Errors = None,
    dim: Any = None
) -> np.float64: ...
@overload
def skewness(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    bias: bool | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, y: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The slope of the second array over the first, exact and rounded once.

    Parameters
    ----------
    x, y : array_like
        Arrays of one type and shape, or x alone, a table of two columns.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        With the axes and result types of numpy.average.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the inputs' floating-point type
    - empty: NaN, as for a constant first array
    - NaN: gives NaN; so do infinities
    - exact: (nP - SxSy) / (nQx - Sx^2), rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.slope([1, 2, 3, 4], [2, 4, 5, 8])
    1.9
    """
@overload
def slope(
    x: _Sequence, y: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def slope(
    x: NDArray[_Bool | _Signed | _Unsigned], y: NDArray[_Bool | _Signed | _Unsigned], /,
    axis: None = None, *, out: None = None, dtype: None = None, keepdims: Literal[False] = False,
    nan: _Nan = "propagate", where: Any = None, threads: int | None = None,
    errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def slope(
    x: NDArray[_Float], y: NDArray[_Float], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> int:
    """The standard deviation, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        With the axes and result types of numpy.average; not together with ddof.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    ddof, correction : float, optional
        0 by default. Both names mean the same.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the input's floating-point type
    - empty: NaN, as for n <= ddof
    - NaN: gives NaN; so do infinities
    - exact: sqrt((nQ - S^2) / (n (n - ddof))), rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.std([2, 4, 4, 4, 5, 5, 7, 9])
    2.0
    """
@overload
def std(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def std(
    x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, ddof: float | None = None,
    correction: float | None = None, errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def std(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, initial: Any = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The sum of all elements, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    initial : scalar, optional
        One more element, so that nothing is empty.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: i64, u64, or the input's floating-point type
    - empty: 0
    - NaN: gives NaN; so does +inf with -inf
    - exact: rounded once; all -0 gives -0
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.sum([1e16, 1, -1e16])
    1.0
    """
@overload
def sum(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, initial: Any = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def sum(
    x: NDArray[_Bool | _Signed], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, initial: Any = None, errors: _Errors = None, dim: Any = None
) -> np.int64: ...
@overload
def sum(
    x: NDArray[_Unsigned], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, initial: Any = None, errors: _Errors = None, dim: Any = None
) -> np.uint64: ...
@overload
def sum(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, initial: Any = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> int:
    """The sum of the squares, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: u64, or the input's floating-point type
    - empty: 0
    - NaN: gives NaN; an infinity gives +inf
    - exact: Q, rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.sumsq([3, -4])
    25
    """
@overload
def sumsq(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def sumsq(
    x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> np.uint64: ...
@overload
def sumsq(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, y: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> int:
    """The root of the sum of the variances of two arrays, exact and rounded once.

    Parameters
    ----------
    x, y : array_like
        Arrays of one type and shape, or x alone, a table of two columns.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        With the axes and result types of numpy.average; not together with ddof.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    ddof, correction : float, optional
        0 by default. Both names mean the same.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the inputs' floating-point type
    - empty: NaN, as for n <= ddof
    - NaN: gives NaN; so do infinities
    - exact: sqrt of total_var, rounded once; never -0
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.total_std([1, 2, 3, 4], [2, 4, 5, 8])
    2.436698586202241
    """
@overload
def total_std(
    x: _Sequence, y: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def total_std(
    x: NDArray[_Bool | _Signed | _Unsigned], y: NDArray[_Bool | _Signed | _Unsigned], /,
    axis: None = None, *, out: None = None, dtype: None = None, keepdims: Literal[False] = False,
    nan: _Nan = "propagate", where: Any = None, threads: int | None = None,
    ddof: float | None = None, correction: float | None = None, errors: _Errors = None,
    dim: Any = None
) -> np.float64: ...
@overload
def total_std(
    x: NDArray[_Float], y: NDArray[_Float], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, ddof: float | None = None,
    correction: float | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, y: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> int:
    """The sum of the variances of two arrays, exact and rounded once.

    Parameters
    ----------
    x, y : array_like
        Arrays of one type and shape, or x alone, a table of two columns.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        With the axes and result types of numpy.average; not together with ddof.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    ddof, correction : float, optional
        0 by default. Both names mean the same.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the inputs' floating-point type
    - empty: NaN, as for n <= ddof
    - NaN: gives NaN; so do infinities
    - exact: (n (Qx + Qy) - Sx^2 - Sy^2) / (n (n - ddof)), rounded once; never -0
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.total_var([1, 2, 3, 4], [2, 4, 5, 8])
    5.9375
    """
@overload
def total_var(
    x: _Sequence, y: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def total_var(
    x: NDArray[_Bool | _Signed | _Unsigned], y: NDArray[_Bool | _Signed | _Unsigned], /,
    axis: None = None, *, out: None = None, dtype: None = None, keepdims: Literal[False] = False,
    nan: _Nan = "propagate", where: Any = None, threads: int | None = None,
    ddof: float | None = None, correction: float | None = None, errors: _Errors = None,
    dim: Any = None
) -> np.float64: ...
@overload
def total_var(
    x: NDArray[_Float], y: NDArray[_Float], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, ddof: float | None = None,
    correction: float | None = None, errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
    x: _Integers, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> int:
    """The variance, exact and rounded once.

    Parameters
    ----------
    x : array_like or path
        An array of any library, a buffer, a sequence of numbers, or the path
        of a file.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    dtype : dtype, optional
        The exact value is rounded once to this type.
    out : ndarray, optional
        Takes the answer, and has its shape.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        With the axes and result types of numpy.average; not together with ddof.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    ddof, correction : float, optional
        0 by default. Both names mean the same.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns (value, status) without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,
        sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a
        DataArray for a DataArray, a Series for the rows or columns of a DataFrame.

    Raises
    ------
    AxisError, ShapeError, DTypeError, OptionError, UnsupportedError
        The arguments are wrong. Nothing has been computed.
    OverflowError, EmptyError, NanError
        The data have no answer.

    Notes
    -----
    - type: f64, or the input's floating-point type
    - empty: NaN, as for n <= ddof
    - NaN: gives NaN; so do infinities
    - exact: (nQ - S^2) / (n (n - ddof)), rounded once
    - cost: one pass; the GIL is released from 64 KiB on

    Examples
    --------
    >>> import onefold
    >>> onefold.var([2, 4, 4, 4, 5, 5, 7, 9])
    4.0
    """
@overload
def var(
    x: _Sequence, /, axis: None = None, *, out: None = None, dtype: Any = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> float: ...
@overload
def var(
    x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, out: None = None,
    dtype: None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None, ddof: float | None = None,
    correction: float | None = None, errors: _Errors = None, dim: Any = None
) -> np.float64: ...
@overload
def var(
    x: NDArray[_Float], /, axis: None = None, *, out: None = None, dtype: None = None,
    keepdims: Literal[False] = False, nan: _Nan = "propagate", where: Any = None,
    threads: int | None = None, ddof: float | None = None, correction: float | None = None,
    errors: _Errors = None, dim: Any = None
) -> _Float: ...
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
@overload
def logsumexp(x: NDArray[_Float], /, axis: None = None, *, keepdims: Literal[False] = False, nan: _Nan | None = None, where: Any = None, weights: Any = None, threads: int | None = None) -> _Float:
    """ln(sum of e^x) along axes, rounded once, for any spread of the elements.

    Parameters
    ----------
    x : array_like
        An array of floats, whose type the answer has, also on a device; on the CPU integers and bools are
        taken as float64.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}, optional
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights : array_like, optional
        Of ln(sum of w e^x): numbers of at least 0, of x's shape or along axis, on the CPU only. An element
        of weight 0 does not count, whatever it is.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        What mean() would return. Of no elements, or only -inf: -inf; +inf if there is a +inf.

    Raises
    ------
    OptionError, AxisError, ShapeError, DTypeError
        The arguments are wrong.

    Notes
    -----
    - cost: float32 0.7 to 2 ns an element of one thread in rows of 100 and more, float64 3 to 8; docs/logsumexp.md

    Examples
    --------
    >>> import onefold
    >>> onefold.logsumexp([1000.0, 1000.0])
    1000.6931471805599
    """
@overload
def logsumexp(
    x: Any, /, axis: _Axis = None, *, keepdims: bool = False, nan: _Nan | None = None, where: Any = None,
    weights: Any = None, threads: int | None = None, dim: Any = None) -> Any: ...
@overload
def logmeanexp(x: NDArray[_Float], /, axis: None = None, *, keepdims: Literal[False] = False, nan: _Nan | None = None, where: Any = None, weights: Any = None, threads: int | None = None) -> _Float:
    """ln(mean of e^x) along axes, rounded once; NaN of no elements; else as logsumexp(). Weights: of the weighted mean."""
@overload
def logmeanexp(
    x: Any, /, axis: _Axis = None, *, keepdims: bool = False, nan: _Nan | None = None, where: Any = None,
    weights: Any = None, threads: int | None = None, dim: Any = None) -> Any: ...
@overload
def mode(x: NDArray[_Number], /, axis: None = None, *, keepdims: Literal[False] = False, nan: _Nan | None = None, where: Any = None, threads: int | None = None) -> _Number:
    """The number that occurs most often, and of several the least, in the type of x.

    Parameters
    ----------
    x : array_like
        An array of any library; on a device of torch or CuPy, whose slices are sorted there.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}, optional
        By default all NaN are one value, above all numbers; 'omit' leaves them out.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        What min() would return. -0 and +0 are one number, +0.

    Raises
    ------
    EmptyError
        There are no elements.

    Examples
    --------
    >>> import onefold
    >>> onefold.mode([3, 1, 2, 3])
    3
    """
@overload
def mode(
    x: Any, /, axis: _Axis = None, *, keepdims: bool = False, nan: _Nan | None = None, where: Any = None,
    threads: int | None = None, dim: Any = None) -> Any: ...
@overload
def nunique(x: NDArray[Any], /, axis: None = None, *, keepdims: Literal[False] = False, nan: _Nan | None = None, where: Any = None, threads: int | None = None) -> np.int64:
    """How many different numbers occur.

    Parameters
    ----------
    x : array_like
        An array of any library; on a device of torch or CuPy, whose slices are sorted there.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}, optional
        By default all NaN are one value, above all numbers; 'omit' leaves them out.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    scalar or array
        int64. NaN, -0 and +0 count as in mode().

    Raises
    ------
    OptionError, AxisError, ShapeError, DTypeError
        The arguments are wrong.

    Examples
    --------
    >>> import onefold
    >>> onefold.nunique([3, 1, 2, 3])
    3
    """
@overload
def nunique(
    x: Any, /, axis: _Axis = None, *, keepdims: bool = False, nan: _Nan | None = None, where: Any = None,
    threads: int | None = None, dim: Any = None) -> Any: ...
@overload
def trimmed_mean(x: NDArray[_Float], p: Any, /, axis: None = None, *, keepdims: Literal[False] = False, nan: _Nan | None = None, where: Any = None, threads: int | None = None) -> _Float:
    """The mean without the floor(p n) least and the floor(p n) greatest of n numbers, rounded once.

    x        an array of any kind; on a device of torch or CuPy, whose slices are sorted there
    p        below 0.5: 0.1 is one tenth, and 10 of 100 numbers go at each end
    nan      "propagate" (None), "omit" leaves NaN out first, "raise"
    where    bools that broadcast to x: the elements that count
    returns  an object like that of mean(); NaN of no elements
    """
@overload
def trimmed_mean(x: NDArray[_Bool | _Signed | _Unsigned], p: Any, /, axis: None = None, *, keepdims: Literal[False] = False, nan: _Nan | None = None, where: Any = None, threads: int | None = None) -> np.float64: ...
@overload
def trimmed_mean(
    x: Any, p: Any, /, axis: _Axis = None, *, keepdims: bool = False, nan: _Nan | None = None, where: Any = None,
    threads: int | None = None, dim: Any = None) -> Any: ...
@overload
def winsorized_mean(x: NDArray[_Float], p: Any, /, axis: None = None, *, keepdims: Literal[False] = False, nan: _Nan | None = None, where: Any = None, threads: int | None = None) -> _Float:
    """The mean after each number that trimmed_mean() leaves out is replaced by the nearest that stays, rounded once.

    Arguments are those of trimmed_mean().
    """
@overload
def winsorized_mean(x: NDArray[_Bool | _Signed | _Unsigned], p: Any, /, axis: None = None, *, keepdims: Literal[False] = False, nan: _Nan | None = None, where: Any = None, threads: int | None = None) -> np.float64: ...
@overload
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
    threads: int | None = None, dim: Any = None) -> LogsumexpStates:
    """The LogsumexpStates of the slices of x along axes (None: of all of x), which is a part of the elements.

    returns  states on the host, of no library: answers are numbers or ndarrays. s |= other merges that of other parts, exactly and in any order; then s.logsumexp and s.logmeanexp have the
             bits that all elements give at once. bytes(s), pickles: 200 bytes a slice
    raises   StateError, by the answers: a state does not decide how one is rounded; of float64 about one in 2^30
    cost     11 ns an element of one thread. Arrays on a device are read there, and the states copied: the call waits. Those
             of the chunks of a Dask array are computed now, and merged
    """
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
) -> Any:
    """Several answers of one pass over the data: m, v = fold("mean,var", x, axis=0).

    Parameters
    ----------
    ops : str or list of str
        Names of ops, such as "mean,var", or aliases such as "avg". "stddev" and "variance" divide by n, as std and
        var do; ddof=1 divides by n - 1.
    x : array_like, path or list of paths
        An array of any library, or a file (.npy, raw numbers, text, a table), which is read in pieces.
        Several files are one array, joined along the first axis.
    y : array_like or path, optional
        The second array of an op of two; of other ops the path of a file that continues x.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    ddof, correction : float, optional
        As var() has them.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}, optional
        What NaN does. Missing values of tables are left out unless nan is given.
    where : array_like of bool, path or str, optional
        The elements that count; of a table an expression: "qty > 5 and s == 'a'".
    weights, fweights : array_like, path or str, optional
        Numbers, of mean, var, corr and others; and how often each element counts. Of a table or a frame
        the name of a column.
    result : dtype, optional
        The exact values are rounded once to this type.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    initial : scalar, optional
        One more element, for sum, min and max.
    by : str, list or arrays, optional
        Columns of keys: one answer for each key.
    sort, top : optional
        Order the groups ("-mean,city": - puts the greatest first), and keep the first ones.
    let : str or dict, optional
        More columns of a table: "total = price * qty", or {"total": "price * qty"}.
    format, dtype, shape, offset, columns : optional
        Which data of a file are read. Raw files need dtype. columns is a list of names, or a str such as
        "temp,2,5-8"; by default all columns of numbers are read.
    header, delimiter, missing, bad_lines, decimal, thousands, numbers, non_numbers, date_format : optional
        How the text of a table is read: docs/files.md.
    skip, comment, units, union, memory : optional
        The same.
    empty_nan : bool, optional
        Whether min, max and ptp of nothing are NaN, not an error.
    errors : {'raise', 'defer'}, optional
        For arrays on a device: 'defer' returns each answer as a pair with its status, without waiting.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.
    progress : callable or bool, optional
        Called with the bytes read and all bytes (0: unknown) now and then; True shows tqdm's bar.
    text : bool, optional
        Whether min, max, mode, nunique and count also answer for columns of texts.
    min_count : int, optional
        With fewer elements an answer is NaN, and of integers an error.

    Returns
    -------
    named tuple
        One field for each op, with what the function of that name returns. For a table a dict of such
        tuples by column; a str that names one column returns its tuple alone. With by= a pair: the keys,
        and the answers as arrays. Labels of pandas and xarray are kept.

    Raises
    ------
    Error
        docs/errors.md lists all errors. A TableWarning lists what was left out of a table.

    Notes
    -----
    - cost: one pass, whatever the ops are

    Examples
    --------
    >>> import onefold
    >>> onefold.fold("mean,max", [1e16, 1, -1e16])
    Answers(mean=0.3333333333333333, max=1e+16)
    """
def fold_by(
    ops: str | Iterable[str], /, *arrays: Any, keys: Any = None, x: Any = None, y: Any = None,
    groups: int | None = None, null_keys: Literal["raise", "drop", "keep"] = "raise",
    ddof: float | None = None, correction: float | None = None, nan: _Nan = "propagate", where: Any = None, weights: Any = None,
    fweights: Any = None, result: Any = None, threads: int | None = None, errors: Any = None, min_count: int | None = None
) -> Any:
    """Folds x[i] into the group of keys[i]: fold_by("sum", keys, x), or by name, keys=..., x=...

    Parameters
    ----------
    ops : str or list of str
        Names of ops, such as "sum,mean".
    *arrays : array_like
        keys, x and y, in this order.
    keys : array_like, tuple, dict or DataFrame, optional
        A key for each element of x, in any order: integers, bools, texts, dates, times or categories.
        Floats are taken by name only, so that x is not taken for them. A tuple, a dict or a DataFrame
        has several keys.
    x : array_like, dict or DataFrame, optional
        An array of one axis; of two, each column is folded. Nulls and masked elements do not count.
    y : array_like, optional
        The second array of ops of two.
    groups : int, optional
        The number of groups: keys are then their numbers from 0 to groups - 1.
    null_keys : {'raise', 'drop', 'keep'}
        What happens to rows whose key is null or NaN; 'keep' puts them into a last group.
    ddof, correction : float, optional
        As var() has them.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where, weights, fweights : array_like, optional
        As fold() has them, with an element for each row.
    result : dtype, optional
        The exact values are rounded once to this type.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    errors : {'raise', 'defer'}, optional
        As fold() has it. A status of 4 means that a key is not the number of a group.
    min_count : int, optional
        With fewer elements an answer is NaN, and of integers an error.

    Returns
    -------
    keys : ndarray, list or dict
        The keys that occur, in ascending order; not returned with groups.
    answers : named tuple of arrays
        An array for each op; for a dict or a DataFrame a dict of such tuples. argmin and argmax are row
        numbers of x.

    Raises
    ------
    Error
        Keys have another length or type, or are not numbers of groups.

    Notes
    -----
    - cost: one pass; keys are numbered first, by pandas or Arrow if they hold them

    Examples
    --------
    >>> import onefold
    >>> keys, answers = onefold.fold_by("sum", ["b", "a", "b"], [1e16, 2.0, 1.0])
    >>> keys.tolist(), answers.sum.tolist()
    (['a', 'b'], [2.0, 1e+16])
    """
def fold_segments(
    ops: str | Iterable[str], x: Any, offsets: Any, /, *, y: Any = None, ddof: float | None = None,
    correction: float | None = None, nan: _Nan = "propagate", where: Any = None, weights: Any = None,
    fweights: Any = None, result: Any = None, threads: int | None = None, initial: Any = None, errors: Any = None
) -> Any:
    """Folds x[offsets[i]:offsets[i + 1]] along the first axis, for each i.

    Parameters
    ----------
    ops : str or list of str
        Names of ops, such as "sum,mean".
    x : array_like or path
        The elements of all segments.
    offsets : array_like of int or path
        Ascending numbers from 0 to len(x), one more than there are segments.
    y : array_like or path, optional
        The second array of ops of two, of x's shape.
    ddof, correction : float, optional
        As var() has them.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    weights, fweights : array_like, optional
        As fold() has them, of x's shape or one for each index of the first axis.
    result : dtype, optional
        The exact values are rounded once to this type.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    initial : scalar, optional
        One more element of each segment, for sum, min and max.
    errors : {'raise', 'defer'}, optional
        As fold() has it. A status of 4 means that a segment's offsets are wrong.

    Returns
    -------
    named tuple of arrays
        Their first axis is the number of segments; arrays on a device if x and offsets are there.

    Raises
    ------
    Error
        Offsets descend or lie outside 0 to len(x). Nothing has been computed.

    Notes
    -----
    - cost: one pass, whatever the lengths are

    Examples
    --------
    >>> import numpy, onefold
    >>> onefold.fold_segments("sum", numpy.array([1.0, 2, 3, 4]), numpy.array([0, 1, 4])).sum.tolist()
    [1.0, 9.0]
    """
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
) -> Any:
    """Fourteen statistics in one pass, as a named tuple that prints as a table.

    Parameters
    ----------
    x : array_like or path
        An array of any library, or a file, as fold() takes them.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    ddof, correction : float, optional
        Of std and var, as var() has them.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}, optional
        What NaN does.
    where : array_like of bool or str, optional
        The elements that count; of a table an expression.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    by : str or list, optional
        Columns of keys, as fold() has them.
    sort, top : optional
        Order the groups ("-mean,city": - puts the greatest first), and keep the first ones.
    let : str or dict, optional
        More columns of a table: "total = price * qty", or {"total": "price * qty"}.
    format, dtype, shape, offset, columns : optional
        Which data of a file are read. Raw files need dtype. columns is a list of names, or a str such as
        "temp,2,5-8"; by default all columns of numbers are read.
    header, delimiter, missing, bad_lines, decimal, thousands, numbers, non_numbers, date_format : optional
        How the text of a table is read: docs/files.md.
    skip, comment, units, union, memory : optional
        The same.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    named tuple
        count, nan, inf, zeros, sum, mean, std, var, min, argmin, max, argmax, norm1 and norm2; of dates and
        durations what they have. Without axes a field without a value (the minimum of no elements) is None.
        For a table a dict by column; with by= a pair: the keys, and tuples of arrays.

    Raises
    ------
    Error
        docs/errors.md lists all errors.

    Examples
    --------
    >>> import onefold
    >>> d = onefold.describe([1e16, 1, -1e16])
    >>> d.count, d.mean, d.max
    (3, 0.3333333333333333, 1e+16)
    """
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
) -> Any:
    r"""Folds columns of a table, each by ops of its own.

    Parameters
    ----------
    x : path, list of paths or frame
        A table, or a frame of pandas, Polars or PyArrow, which is written to a temporary file and needs
        PyArrow.
    calls : str, list of str or dict
        "sum(price), n = count(), p90(price * qty), nunique(user), first(t)", and what is computed with
        them: "sum(a) / sum(b), mean(x, weights = w)"; docs/agg.md has all calls. A dict names calls,
        {"total": "sum(price)"}, or has ops of a column, {"price": ["mean", "std"]}.
    by : str or list of str, optional
        Columns of keys, and expressions such as "month(t)".
    having : str, optional
        An expression of calls, true for groups that are kept: "sum(price) > 100 and count() >= 3".
    where : str, optional
        An expression of columns, true for rows that count.
    let : str or dict, optional
        More columns of a table: "total = price * qty", or {"total": "price * qty"}.
    sort, top : optional
        Order the groups ("-mean,city": - puts the greatest first), and keep the first ones.
    nan : {'propagate', 'omit', 'raise'}, optional
        What NaN does. Missing values are left out unless it is given.
    ddof : float, optional
        Of var, std and their like.
    empty_nan : bool, optional
        Whether min, max and ptp of nothing are NaN, not an error.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    format, dtype, header, delimiter, missing, bad_lines, decimal, thousands, numbers, non_numbers : optional
        How a file is read: docs/files.md.
    date_format, skip, comment, units, union, memory : optional
        The same.

    Returns
    -------
    dict, pair or frame
        An answer for each call. With by= a pair, the keys and an array for each call, or a frame like x.
        The bits are those of each op and column alone.

    Raises
    ------
    Error
        docs/errors.md lists all errors.

    Examples
    --------
    >>> import onefold, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "sales.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("city,price\nOslo,2.5\nRome,4\nOslo,1\n")
    >>> answers = onefold.agg(path, "sum(price), n = count()")
    >>> float(answers["sum(price)"]), int(answers["n"])
    (7.5, 3)
    """
@overload
def quantile(x: NDArray[_Float], /, q: float, axis: None = None, *, keepdims: Literal[False] = False, nan: _Nan | None = None, where: Any = None, weights: Any = None, fweights: Any = None, threads: int | None = None) -> _Float:
    """The exact quantiles of x, as numpy.quantile has them, rounded once.

    Parameters
    ----------
    x : array_like, path or list of paths
        An array of any library, also on a device, where integers are taken as float64, at most 2^53; or files, of
        all their numbers or of each column of a table.
    q : float or array_like of float
        From 0 to 1, or several. 0.1 is one tenth: at most 37 digits behind the point count.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    method : str
        "linear", "lower", "higher", "nearest", "midpoint", or another one of numpy.quantile.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}, optional
        What NaN does. By default the answer is NaN, as without elements.
    where : array_like of bool or str, optional
        The elements that count; of a table an expression.
    weights : array_like, optional
        Numbers of at least 0 that broadcast to x, for method="inverted_cdf": the least number at which the weight
        of it and of all below reaches q of the total, compared exactly. "averaged_inverted_cdf" goes
        halfway to the next number if that is q exactly.
    fweights : array_like of int, optional
        How often each element counts, for any method.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    format, dtype, shape, offset, columns : optional
        Which data of a file are read. Raw files need dtype. columns is a list of names, or a str such as
        "temp,2,5-8"; by default all columns of numbers are read.
    header, delimiter, missing, bad_lines, decimal, thousands, numbers, non_numbers, date_format : optional
        How the text of a table is read: docs/files.md.
    skip, comment, units, union, memory : optional
        The same.
    by : str, list or array_like, optional
        Columns of keys of a table or a frame, or the keys of an array's elements as fold_by() has them: the
        answer is a pair, the keys and the quantiles of each group.
    sort, top : optional
        Order the groups ("-mean,city": - puts the greatest first), and keep the first ones.
    let : str or dict, optional
        More columns of a table: "total = price * qty", or {"total": "price * qty"}.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.
    offsets : array_like of int, optional
        Ascending numbers from 0 to len(x): the answer is one for each segment of the first axis.
    null_keys : {'raise', 'drop', 'keep'}, optional
        Of the keys of an array, as fold_by() has it.

    Returns
    -------
    scalar or array
        For one q what mean() would return; for several an array with an axis in front, for a table one
        such array for each column, for a DataFrame one by q. The type is x's if it is a float, else float64.

    Raises
    ------
    OptionError, AxisError, ShapeError, DTypeError, UnsupportedError
        The arguments are wrong.

    Notes
    -----
    - cost: arrays on the CPU are read once for each of up to three quantiles, and a slice of more than 2^22
      elements several times if one reading does not decide. With weights all of a slice is held, 32 bytes an
      element. docs/files.md has files.

    Examples
    --------
    >>> import onefold
    >>> onefold.quantile([1, 2, 3, 4], 0.25)
    1.75
    """
@overload
def quantile(x: NDArray[_Bool | _Signed | _Unsigned], /, q: float, axis: None = None, *, keepdims: Literal[False] = False, nan: _Nan | None = None, where: Any = None, weights: Any = None, fweights: Any = None, threads: int | None = None) -> np.float64: ...
@overload
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
@overload
def median(x: NDArray[_Float], /, axis: None = None, *, keepdims: Literal[False] = False, nan: _Nan | None = None, where: Any = None, weights: Any = None, fweights: Any = None, threads: int | None = None) -> _Float:
    """The exact median of x, as numpy.median has it, rounded once: quantile(x, 0.5).

    Parameters
    ----------
    x : array_like, path or list of paths
        As quantile() has it.
    axis : int or tuple of ints, optional
        The axes to fold; None folds all of them.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}, optional
        What NaN does. By default the answer is NaN, as without elements.
    where : array_like of bool or str, optional
        The elements that count; of a table an expression.
    weights : array_like, optional
        Numbers of at least 0, by the method "averaged_inverted_cdf": equal weights give the answer of no weights.
    fweights : array_like of int, optional
        How often each element counts.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    format, dtype, shape, offset, columns : optional
        Which data of a file are read. Raw files need dtype. columns is a list of names, or a str such as
        "temp,2,5-8"; by default all columns of numbers are read.
    header, delimiter, missing, bad_lines, decimal, thousands, numbers, non_numbers, date_format : optional
        How the text of a table is read: docs/files.md.
    skip, comment, units, union, memory : optional
        The same.
    by : str, list or array_like, optional
        Columns of keys of a table or a frame, or the keys of an array's elements as fold_by() has them: the
        answer is a pair, the keys and the quantiles of each group.
    sort, top : optional
        Order the groups ("-mean,city": - puts the greatest first), and keep the first ones.
    let : str or dict, optional
        More columns of a table: "total = price * qty", or {"total": "price * qty"}.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.
    offsets : array_like of int, optional
        Ascending numbers from 0 to len(x): the answer is one for each segment of the first axis.
    null_keys : {'raise', 'drop', 'keep'}, optional
        Of the keys of an array, as fold_by() has it.

    Returns
    -------
    scalar or array
        As quantile() of one q.

    Raises
    ------
    OptionError, AxisError, ShapeError, DTypeError, UnsupportedError
        The arguments are wrong.

    Examples
    --------
    >>> import onefold
    >>> onefold.median([3, 1, 2, 10])
    2.5
    """
@overload
def median(x: NDArray[_Bool | _Signed | _Unsigned], /, axis: None = None, *, keepdims: Literal[False] = False, nan: _Nan | None = None, where: Any = None, weights: Any = None, fweights: Any = None, threads: int | None = None) -> np.float64: ...
@overload
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
def nanquantile(x: Any, /, q: Any, axis: _Axis = None, **keywords: Any) -> Any:
    """quantile() of the elements that are not NaN, as numpy.nanquantile has it.

    Parameters
    ----------
    x, q, axis, **keywords
        As quantile() has them, which takes nan="omit" instead.

    Returns
    -------
    scalar or array
        As quantile(); NaN where a slice has nothing else.

    Raises
    ------
    OptionError, AxisError, ShapeError, DTypeError, UnsupportedError
        The arguments are wrong, or nan= is among them.

    Examples
    --------
    >>> import onefold
    >>> onefold.nanquantile([4.0, float("nan"), 1.0], 0.5)
    2.5
    """
def nanmedian(x: Any, /, axis: _Axis = None, **keywords: Any) -> Any:
    """median() of the elements that are not NaN, as numpy.nanmedian has it.

    Parameters
    ----------
    x, axis, **keywords
        As median() has them, which takes nan="omit" instead.

    Returns
    -------
    scalar or array
        As median(); NaN where a slice has nothing else.

    Raises
    ------
    OptionError, AxisError, ShapeError, DTypeError, UnsupportedError
        The arguments are wrong, or nan= is among them.

    Examples
    --------
    >>> import onefold
    >>> onefold.nanmedian([4.0, float("nan"), 1.0])
    2.5
    """
@overload
def gather(
    ops: str | Iterable[str], x: Any, y: Any = None, /, *, axis: None = None,
    first: int | None = None, keepdims: Literal[False] = False, nan: _Nan = "propagate",
    where: Any = None, threads: int | None = None
) -> State:
    """Gathers what ops need of a part of the data into a State; states merge exactly.

    Parameters
    ----------
    ops : str or list of str
        Names of ops, such as "mean,var".
    x : array_like or path
        A part of the data.
    y : array_like, optional
        The second array of an op of two.
    axis : int or tuple of ints, optional
        None gathers one State of all elements; otherwise States, one for each slice.
    first : int, optional
        The index of the part's first element, for argmin and argmax. With axis it is the index within
        each slice, and a part must be whole rows of the first of the axes.
    keepdims : bool
        Whether folded axes stay, with length 1.
    nan : {'propagate', 'omit', 'raise'}
        What NaN does.
    where : array_like of bool, optional
        The elements that count. It broadcasts to x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.

    Returns
    -------
    State or States
        s |= other merges; s.answer("var", ddof=1) answers; bytes(s) and pickle save. States are on the host, and of no
        library: whatever x is, answers are Python's numbers, and those of States ndarrays of NumPy.

    Raises
    ------
    OptionError, AxisError, ShapeError, DTypeError
        The arguments are wrong.

    Examples
    --------
    >>> import onefold
    >>> s = onefold.gather("mean", [1e16, 1.0]) | onefold.gather("mean", [-1e16])
    >>> s.mean
    0.3333333333333333
    """
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
) -> State:
    """The State of one array that is given in parts, which lie on several devices or on devices and the CPU.

    parts   arrays in their order; each is gathered where it lies, all at the same time
    axis    returns the States of the slices along these axes: parts are rows, and axis must have the first axis
    """
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

def einsum(subscripts: str, a: Any, b: Any = None, /, *, dtype: Any = None, threads: int | None = None) -> Any:
    """Sums of products by named axes, as NumPy's einsum() of one array or two; each is exact, rounded once.

    subscripts  a letter for each axis of a, and of b behind a comma; behind "->" those of the answer. "bik,bkj->bij" is a product
                of matrices for each b. `...` stands for axes that broadcast. Without "->" the answer has the letters that are
                there once, in the order of the alphabet
    a, b        arrays of one library, as of matmul(); several arrays are folded two at a time, with a rounding for each pair
    dtype       to which the exact answers are rounded; by default that of sum() for one array, that of matmul() for two
    returns     an array, or a number if no letter remains
    """
def addmm(c: Any, a: Any, b: Any, /, *, alpha: Any = 1, beta: Any = 1, dtype: Any = None, threads: int | None = None) -> Any:
    """beta c + alpha (a @ b), each entry exact and rounded once.

    a, b         as matmul() takes them
    c            broadcasts to the shape of a @ b; with beta=0 its elements are not read
    alpha, beta  real numbers, which are not rounded to the arrays' type; of integers, integers
    dtype        as of matmul()
    returns      as matmul()
    cost         docs/matmul.md: as matmul() for c of one row or column
    """

def rolling(
    x: Any, window: Any, /, *, min_periods: int | None = None, center: bool = False,
    closed: Literal["right", "left", "both", "neither"] | None = None, step: int | None = None,
    axis: int | str | None = None, nan: _Nan = "omit", times: Any = None, on: Any = None, win_type: Any = None, dim: Any = None
) -> Rolling:
    """Windows that end at each element, for folds with the names of pandas.

    Parameters
    ----------
    x : array_like or GroupBy
        An array of any library, or a GroupBy of pandas, whose windows lie within its groups.
    window : int, str, timedelta, dict, pair or BaseIndexer
        Elements of a window; a span of time such as "7D", or a number if times has numbers; a pair (begin,
        end) of arrays of integers, whose window i is x[begin[i]:end[i]]; a dimension of xarray, {"time": 7}.
    min_periods : int, optional
        Windows with fewer elements have no answer: NaN, and of integers a masked element. NaN are not elements
        unless nan="propagate", or for count(), whose numbers leave NaN out. By default the window; for pairs and spans of time 1.
    center : bool
        Whether the element is the window's middle one, the later of two.
    closed : {'right', 'left', 'both', 'neither'}, optional
        Which ends of the window belong to it; 'right' by default. 'left' ends before the element.
    step : int, optional
        Only every so many elements have a window.
    axis : int, optional
        The axis along which windows lie; by default the first.
    nan : {'omit', 'propagate', 'raise'}
        What NaN does. 'omit' leaves NaN out, as pandas does.
    times : array_like, optional
        When each element was: dates or numbers, rising or falling. By default the index of pandas.
    on : str, optional
        The column of a frame that says when; it stays as it is.
    win_type : str, tuple or array_like, optional
        What the elements of a window weigh, the oldest first: numbers, or a name of scipy.signal such as "triang" or
        ("gaussian", 2). Then there are sum() and mean().
    dim : str, optional
        The name of the axis of an xarray object.

    Returns
    -------
    Rolling
        Has sum(), mean(), var(), median(), quantile(), fold("min,max") and more; answers have x's shape and
        labels. Each is, bit for bit, that of its window folded alone.

    Raises
    ------
    OptionError, AxisError, DTypeError
        The arguments are wrong.

    Notes
    -----
    - cost: one pass

    Examples
    --------
    >>> import numpy, onefold
    >>> onefold.rolling(numpy.array([1e16, 1.0, 2.0, 3.0]), 2).sum().tolist()
    [nan, 1e+16, 3.0, 5.0]
    """
def expanding(x: Any, /, *, min_periods: int | None = 1, axis: int | str | None = None, nan: _Nan = "omit", dim: Any = None) -> Rolling:
    """Windows of all elements up to each one, as rolling() has windows of the last ones."""
@overload
def cumsum(x: NDArray[_Float], /, axis: int | None = None, *, dtype: None = None, nan: _Nan | None = None, exclusive: bool = False, reverse: bool = False, offsets: Any = None, threads: int | None = None) -> NDArray[_Float]:
    """The sum of the elements up to each one, rounded once; the last is sum(x).

    Parameters
    ----------
    x : array_like or path
        An array of any library.
    axis : int, optional
        The axis along which to add; not needed for an array of one axis.
    dtype : dtype, optional
        The exact sums are rounded once to this type.
    nan : {'propagate', 'omit', 'raise'}, optional
        What NaN does. By default all answers from the first NaN on are NaN.
    exclusive : bool
        Whether an answer is without the element itself.
    reverse : bool
        Whether the sums begin at the last element.
    offsets : array_like of int, optional
        Ascending numbers from 0 to the number of elements: the sum begins anew at each.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    array
        An array like x; of a masked array one with its mask, of a column with nulls one with its nulls.

    Raises
    ------
    OptionError, AxisError, DTypeError, OverflowError
        The arguments are wrong, or a sum of integers leaves 64 bits.

    Examples
    --------
    >>> import numpy, onefold
    >>> onefold.cumsum(numpy.array([1e16, 1.0, -1e16])).tolist()
    [1e+16, 1e+16, 1.0]
    """
@overload
def cumsum(x: NDArray[Any], /, axis: int | None = None, *, dtype: Any = None, nan: _Nan | None = None, exclusive: bool = False, reverse: bool = False, offsets: Any = None, threads: int | None = None) -> NDArray[Any]: ...
@overload
def cumsum(
    x: Any, /, axis: int | None = None, *, dtype: Any = None, nan: _Nan | None = None, exclusive: bool = False,
    reverse: bool = False, offsets: Any = None, threads: int | None = None, dim: Any = None) -> Any: ...
def cummean(
    x: Any, /, axis: int | None = None, *, dtype: Any = None, nan: _Nan | None = None, exclusive: bool = False,
    reverse: bool = False, offsets: Any = None, threads: int | None = None, dim: Any = None) -> Any:
    """The mean of the elements up to each one, rounded once; else as cumsum()."""
@overload
def cummin(x: NDArray[_Float], /, axis: int | None = None, *, nan: _Nan | None = None, exclusive: bool = False, reverse: bool = False, offsets: Any = None, threads: int | None = None) -> NDArray[_Float]:
    """The least of the elements up to each one; else as cumsum()."""
@overload
def cummin(x: NDArray[Any], /, axis: int | None = None, *, nan: _Nan | None = None, exclusive: bool = False, reverse: bool = False, offsets: Any = None, threads: int | None = None) -> NDArray[Any]: ...
@overload
def cummin(
    x: Any, /, axis: int | None = None, *, nan: _Nan | None = None, exclusive: bool = False,
    reverse: bool = False, offsets: Any = None, threads: int | None = None, dim: Any = None) -> Any: ...
@overload
def cummax(x: NDArray[_Float], /, axis: int | None = None, *, nan: _Nan | None = None, exclusive: bool = False, reverse: bool = False, offsets: Any = None, threads: int | None = None) -> NDArray[_Float]:
    """The greatest of the elements up to each one; else as cumsum()."""
@overload
def cummax(x: NDArray[Any], /, axis: int | None = None, *, nan: _Nan | None = None, exclusive: bool = False, reverse: bool = False, offsets: Any = None, threads: int | None = None) -> NDArray[Any]: ...
@overload
def cummax(
    x: Any, /, axis: int | None = None, *, nan: _Nan | None = None, exclusive: bool = False,
    reverse: bool = False, offsets: Any = None, threads: int | None = None, dim: Any = None) -> Any: ...
def cumvar(
    x: Any, /, axis: int | None = None, *, ddof: float = 0, dtype: Any = None, nan: _Nan | None = None, exclusive: bool = False,
    reverse: bool = False, offsets: Any = None, threads: int | None = None, dim: Any = None) -> Any:
    """The variance of the elements up to each one, rounded once; NaN for no more than ddof elements; else as cumsum()."""
@overload
def histogram(x: NDArray[Any], bins: Any = 10, range: Any = None, weights: None = None, density: None = None, *, threads: int | None = None) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """How many elements are in each of several bins, as numpy.histogram has it, by exact comparison.

    Parameters
    ----------
    x : array_like
        An array of any library, along all axes, also on a device, where then all answers are.
        Masked elements are left out.
    bins : int, array_like or str
        A number of bins of equal width, whose edges are low + k (high - low) / bins as real numbers; edges
        that rise; or a rule of numpy.histogram_bin_edges. A bin holds its lower edge, the last one both.
    range : pair of numbers, optional
        (low, high). By default the least and the greatest element, which must be finite. Elements outside
        and NaN are in no bin.
    weights : array_like, optional
        Numbers that broadcast to x: their exact sum in each bin, rounded once.
    density : bool, optional
        Whether counts are divided by their sum and by the width of their bin, rounded once.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.

    Returns
    -------
    counts : array
        int64; sums and densities are float64. Both are arrays of the library of x, of lists, frames and their columns
        of NumPy. JAX has int32 and float32 instead, unless jax_enable_x64 is set.
    edges : array
        Rounded once to float64.

    Raises
    ------
    OptionError, ShapeError, DTypeError, NanError
        The arguments are wrong, or the range is not finite.

    Examples
    --------
    >>> import onefold
    >>> counts, edges = onefold.histogram([1, 2, 2, 5], bins=2)
    >>> counts.tolist(), edges.tolist()
    ([3, 1], [1.0, 3.0, 5.0])
    """
@overload
def histogram(
    x: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool | None = None, *, threads: int | None = None
) -> tuple[Any, Any]: ...
def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, weights: Any = None, *, threads: int | None = None
) -> tuple[Any, Any, Any]:
    """How many pairs (x[i], y[i]) are in each of a grid of bins, as numpy.histogram2d has it. x and y are paired
    in C order, and have no masks; else as histogram(), without density=.

    bins     a number for both axes, or edges for both, or a pair of such for x and for y
    range    a pair of ranges
    returns  (counts of shape (bins of x, bins of y), edges of x, edges of y)
    """
def argquantile(x: Any, /, q: Any, axis: int | None = None, *, method: str = "lower", keepdims: bool = False, nan: _Nan | None = None,
                where: Any = None, threads: int | None = None, offsets: Any = None, by: Any = None,
                null_keys: Literal["raise", "drop", "keep"] | None = None) -> Any:
    """The place of the first element that equals quantile(x, q, axis, method=method), as argmax() has places.

    x        an array of any kind; of torch, CuPy and JAX the answer is one of theirs, on their device
    method   "lower" (None), "higher", "nearest", "inverted_cdf", "closest_observation": quantiles that are elements
    axis     one axis, or None: all elements in C order
    nan      "propagate" (None): of a slice with NaN the first NaN; "omit", "raise"
    where    bools that broadcast to x: the elements that count
    offsets  those of quantile(): places within each segment, as fold_segments() has them
    by       those of quantile() for arrays, with null_keys: a pair, the keys and row numbers, as fold_by() has them
    returns  integers, for several q with an axis in front; -0 and +0 are one number
    cost     two reads more than quantile(), and 2 bytes for each element; by keys a sorted copy
    """
@overload
def softmax(x: NDArray[_Float], /, axis: _Axis = None, *, threads: int | None = None) -> NDArray[_Float]:
    """e^x / sum(e^x) of each element and its slice along axes, rounded once.

    Parameters
    ----------
    x : array_like
        As logsumexp() has it.
    axis : int or tuple of ints, optional
        The axes of a slice; None takes all of x.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.
    dim : str or sequence of str, optional
        Names of axes of an xarray object, instead of axis.

    Returns
    -------
    array
        An array like x.

    Raises
    ------
    OptionError, AxisError, DTypeError
        The arguments are wrong.

    Examples
    --------
    >>> import numpy, onefold
    >>> onefold.softmax(numpy.array([0.0, 0.0])).tolist()
    [0.5, 0.5]
    """
@overload
def softmax(x: Any, /, axis: _Axis = None, *, threads: int | None = None, dim: Any = None) -> Any: ...
@overload
def log_softmax(x: NDArray[_Float], /, axis: _Axis = None, *, threads: int | None = None) -> NDArray[_Float]:
    """x - logsumexp(x) of each element and its slice along axes, rounded once; else as softmax()."""
@overload
def log_softmax(x: Any, /, axis: _Axis = None, *, threads: int | None = None, dim: Any = None) -> Any: ...
def rms_norm(
    x: Any, /, axis: _Axis = -1, *, weight: Any = None, eps: float = 1e-5, threads: int | None = None
) -> Any:
    """x w / sqrt(mean(x^2) + eps) of each element and its slice along axes, rounded once.

    x        an array of floats, also on a device; on the CPU integers and bools are taken as float64
    axis     the axes of slices, those of torch's normalized_shape; None: all
    weight   an array with the extents of these axes, in x's order, and of x's type, or float32 for 16-bit floats; None: 1
    eps      the double it is
    returns  an array like x. A slice with NaN has NaN; one with an infinity has zeros, and NaN for the infinity itself
    """
def layer_norm(
    x: Any, /, axis: _Axis = -1, *, weight: Any = None, bias: Any = None, eps: float = 1e-5,
    threads: int | None = None
) -> Any:
    """(x - mean) w / sqrt(var + eps) + b of each element and its slice along axes, rounded once.

    var      the mean of (x - mean)^2
    weight   as rms_norm() has it, and so has bias; None: 1, and 0
    returns  an array like x. A slice with NaN or an infinity has NaN
    """
def cov_matrix(
    x: Any, /, *, ddof: float = 0, nan: _Nan | None = None, threads: int | None = None
) -> Any:
    """The covariances of all pairs of columns of x, each with the bits of cov(column, column).

    x        (rows, columns) of floats, integers or bools on the CPU, or a frame; numpy.cov's rows are columns here
    ddof     0, as cov() has it; numpy.cov and pandas take 1
    nan      "propagate" (None), "omit" leaves out a pair's rows with a NaN, as pandas does; "raise"
    returns  an array (columns, columns); of a frame of pandas a frame with its labels
    cost     0.5 to 1.5 ns an element and pair; docs/fit.md
    """
@overload
def corr_matrix(x: NDArray[Any], /, *, nan: _Nan | None = None, threads: int | None = None) -> NDArray[Any]:
    """The correlations of all pairs of columns of x, each with the bits of corr(column, column); else as cov_matrix().

    returns  as cov_matrix(); NaN for a column of equal elements
    """
@overload
def corr_matrix(x: Any, /, *, nan: _Nan | None = None, threads: int | None = None) -> Any: ...
@overload
def gram(x: NDArray[Any], /, *, nan: _Nan | None = None, threads: int | None = None) -> NDArray[Any]:
    """The sums of products of all pairs of columns of x, as matmul(x.T, x); else as cov_matrix()."""
@overload
def gram(x: Any, /, *, nan: _Nan | None = None, threads: int | None = None) -> Any: ...
class Expr:
    text: str
    names: tuple[str, ...]
    arrays: dict[str, Any]
def expr(text: str, /, **arrays: Any) -> Expr:
    """An expression of arrays, to be folded without an array of its values: onefold.sum(onefold.expr("x * w - 1"), x=x, w=w).

    text     the grammar of let=, for numbers: + - * / % ** comparisons, and, or, not, in, abs, floor, ceil, round, sqrt, bin, if
    arrays   arrays by name that broadcast, on the CPU; a call of an op may name them, too. fold() takes expr(text, x=x, w=w)
    returns  what functions of one array take: sum, mean, var, min, argmax, fold, ..., with axis=, where= and nan=
    exact    sum and mean of polynomials of degree 2 at most: rounded once. Other values round first, as NumPy's do
    """
def dequantize(x: Any, scales: Any, /, *, block: int | tuple[int, ...] | list[int] = 32) -> NDArray[Any]:
    """The numbers x[i] * scale, one scale for each block of neighbours, exact: onefold.sum(onefold.dequantize(x, scales), axis=-1).

    x        an array on the CPU of float8, float6, float4 or int4 (of ml_dtypes, JAX, torch), of int8, int16, float16, bfloat16 or
             float32; uint8 is refused, since it may be the bits of another type: x.view(ml_dtypes.float8_e4m3fn)
    scales   an array of floats: float8_e8m0fnu are powers of 2, MX has one for 32 elements. It has x's axes, with
             ceil(n / block) scales for n elements
    block    the neighbours along the last axis that share a scale; (128, 128): along the last two
    returns  an ndarray of float64, which holds every product; dtype="float32" of a fold rounds its answer
    cost     8 bytes for each element, and as many meanwhile
    """
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
) -> Any:
    """The mean of (x - m)^order, m the exact mean; or with center=0 of x^order. Rounded once.

    moment(x, order, axis=None, *, center=None, ...)

    order     1, 2, 3 or 4. These are the ops mean, var, moment3, moment4, raw_moment2, raw_moment3, raw_moment4
    center    None: the mean, as in scipy.stats.moment; or 0
    weights   of each element, as of moment3()
    the rest  as of mean(), which also has out; moment has not. arrays: those of an expression x
    """
def linear_fit(
    x: Any, y: Any, /, *, intercept: bool = True, nan: _Nan | None = None,
    threads: int | None = None
) -> LinearFit:
    """The least squares fit of y by the columns of x, from exact sums without rounding.

    Parameters
    ----------
    x : array_like or frame
        (rows, columns) or (rows,) of floats, integers or bools on the CPU; for any condition of the matrix.
    y : array_like
        A number for each row.
    intercept : bool
        Whether a constant is fitted, too; its coefficient is the first.
    nan : {'propagate', 'omit', 'raise'}, optional
        By default NaN or an infinity makes all numbers NaN; 'omit' leaves out rows with a NaN.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.

    Returns
    -------
    LinearFit
        coef, stderr, r2, residual_std, n and dof.

    Raises
    ------
    OptionError
        The columns are linearly dependent, exactly; the message says which.

    Notes
    -----
    - cost: 0.5 to 1.3 ns an element and pair of columns, and 60 ms for 50 columns, which grow with the fourth
      power; docs/fit.md

    Examples
    --------
    >>> import numpy, onefold
    >>> onefold.linear_fit(numpy.array([1.0, 2, 3]), numpy.array([3.0, 5, 7])).coef.tolist()
    [1.0, 2.0]
    """
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
) -> dict[str, Any]:
    """What a fold would read and gather, as a dict; nothing is folded.

    x        an array, or the path of a file, whose header is read
    """
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
) -> dict[str, Any]:
    """The contents of a file: its format, and the name, type, shape and missing values of its arrays or columns.

    x        a path, with the keywords for files that fold() has. Without a path info() describes this machine:
             version, instruction sets, threads, devices, readable formats and codecs, and why others are not
    returns  a dict
    """
def read(
    x: Any, /, *, format: str | None = None, dtype: Any = None,
    shape: int | tuple[int, ...] | None = None, offset: int | None = None) -> NDArray[Any]:
    """The array in a file, in memory. Functions that fold windows, segments, exponentials, orders or products read files so, too.

    x        a path, such as "data.h5:/temperature", of a format of arrays (.npy, HDF5, netCDF, Zarr, raw numbers), with the
             keywords for such files that fold() has
    returns  an ndarray; of .npy files also one of text
    """
def set_threads(n: int) -> None:
    """Sets the number of threads of calls without threads=; 0: one per core. ONEFOLD_NUM_THREADS sets it, too."""
