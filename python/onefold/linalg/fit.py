"""Matrices of columns, and least squares: each number is the exact value, rounded once."""

import collections

from .. import _core, _ops, errors
from ..operands import find, in_memory, kind_of
from ..operands.answers import html_table
from ..operands.found import Found, dtype_of, library_of, ndarray_of, numpy_for, on_device, unsupported
from ..operands.frame_columns import refuse_one_name
from ..operands.masks import as_ndarray
from ..operands.numbers import common_type


class LinearFit(collections.namedtuple("LinearFit", "coef stderr r2 residual_std n dof")):
    """What linear_fit() returns: each number is the exact one, rounded once.

    coef, stderr  the coefficients and their standard errors: the intercept first, if there is one. Float64 ndarrays of NumPy,
                  whatever x is; of a frame of pandas Series with the columns' names
    r2            the share of the spread of y that the fit explains (without an intercept: of the sum of its squares)
    residual_std  sqrt(sum of squared residuals / dof)
    n, dof        the number of rows, and n less the number of coefficients
    """

    __slots__ = ()

    def _repr_html_(self):
        return html_table(zip(self._fields, self))


def _refuse(name, x):
    if on_device(x):
        raise unsupported(name, "tensors on a device are not supported yet; copy the array to the host")


def _of_one_type(name, arrays):
    """Arrays in their common type, if it holds all their elements."""
    if len({a.dtype for a in arrays}) == 1:
        return arrays
    for a in arrays:
        if a.dtype.kind not in "biuf":
            raise errors.make("type_mismatch", f"{name}: {a.dtype} is mixed with other types; convert all to one type")
    common = common_type(name, arrays, "them to one type")
    return [a.astype(common) for a in arrays]


def _frame(name, kind, x):
    """The columns of a frame side by side, each in one piece, and their names."""
    numpy, names = numpy_for(name, "a frame"), kind.names(x)
    refuse_one_name(names, names)
    bad = [str(n) for n, held in zip(names, kind.types(x)) if held != "number"]
    if bad or not names:
        raise unsupported(name, f"the column {bad[0]} does not hold numbers; leave it out" if bad else
                          "x has no columns; pass at least one")
    arrays = _of_one_type(name, [as_ndarray(name, f"column {n}", x[n]) for n in names])
    return Found(numpy.stack(arrays).T), names


def _found(name, x):
    """The Found of a matrix, and the names of its columns or None."""
    x = in_memory(name, x)
    _refuse(name, x)
    kind = kind_of(x)
    if kind.has_frames and kind.is_frame(x):
        return _frame(name, kind, x)
    found = find(name, x)
    if found.mask is not None and not found.mask.all():
        raise unsupported(name, "masks and nulls are not supported here; fill them, or leave those rows out")
    return found, None


def _matrix(name, x, **keywords):
    found, names = _found(name, x)
    value = _core.column_matrix(name, found.array, keywords)
    if names is None:
        op = {"cov_matrix": "cov", "corr_matrix": "corr"}.get(name, "dot")
        return found.wrap(value, _ops.ops[op].types[dtype_of(found.array)])
    if library_of(x) == "pandas":
        import pandas

        return pandas.DataFrame(value, index=x.columns, columns=x.columns)
    return value


def cov_matrix(x, /, *, ddof=0, nan=None, threads=None):
    """The covariances of all pairs of columns of x, each with the bits of cov(column, column).

    x        (rows, columns) of floats, integers or bools on the CPU, or a frame; numpy.cov's rows are columns here
    ddof     0, as cov() has it; numpy.cov and pandas take 1
    nan      "propagate" (None), "omit" leaves out a pair's rows with a NaN, as pandas does; "raise"
    returns  an array (columns, columns); of a frame of pandas a frame with its labels
    cost     0.5 to 1.5 ns an element and pair; docs/fit.md
    """
    return _matrix("cov_matrix", x, ddof=ddof, nan=nan, threads=threads)


def corr_matrix(x, /, *, nan=None, threads=None):
    """The correlations of all pairs of columns of x, each with the bits of corr(column, column); else as cov_matrix().

    returns  as cov_matrix(); NaN for a column of equal elements
    """
    return _matrix("corr_matrix", x, nan=nan, threads=threads)


def gram(x, /, *, nan=None, threads=None):
    """The sums of products of all pairs of columns of x, as matmul(x.T, x); else as cov_matrix()."""
    return _matrix("gram", x, nan=nan, threads=threads)


def _dependent(column, intercept, names):
    """The error for a column that those before it determine."""
    column -= intercept
    called = f"column {column}" if names is None else f"the column {names[column]}"
    before = "the intercept and " if intercept else ""
    before = f"{before}the columns before it" if column > 0 else "the intercept"
    wrong = f"is an exact linear combination of {before}" if column > 0 or intercept else "is 0 in every row"
    what = "there are no rows" if column < 0 else f"{called} {wrong}; leave it out"
    return errors.make("bad_option", f"linear_fit: singular: {what}")


def linear_fit(x, y, /, *, intercept=True, nan=None, threads=None):
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
    name = "linear_fit"
    y = kind_of(x).agreeing(name, "y", x, y, rows=True)
    (left, names), (right, _) = _found(name, x), _found(name, y)
    a, b = _of_one_type(name, [ndarray_of(name, left.array), ndarray_of(name, right.array)])
    intercept = errors.flag(name, "intercept", intercept)
    made = _core.linear_fit(a, b, intercept, {"nan": nan, "threads": threads})
    if made[-1] is not None:
        raise _dependent(made[-1], intercept, names)
    coef, stderr = (numpy_for(name, "coefficients").array(v) for v in made[:2])
    if names is not None and library_of(x) == "pandas":
        import pandas

        labels = (["intercept"] if intercept else []) + names
        coef, stderr = (pandas.Series(v, index=labels) for v in (coef, stderr))
    return LinearFit(coef, stderr, *made[2:6])
