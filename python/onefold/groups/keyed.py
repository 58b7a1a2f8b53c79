"""Columns by keys whose elements are of no type of the library: times, decimals and others of Python's numbers."""

import sys

from .. import _core, errors
from .._keywords import check
from ..operands import kind_of, rational_numbers, times
from ..operands.found import ndarray_of, unsupported


def folder_of(x):
    """The function fold(request, numbers, x, groups, fold_floats) that folds such a column, or None for arrays of numbers.

    numbers      of each element's group, or -1 for those that are in none
    fold_floats  folds the float64 next to each element: fold_floats(request, there, numbers, floats, groups)
    """
    kind = kind_of(x)
    if kind.has_times and kind.is_times(x):
        return _fold_times
    return _fold_rationals if kind.has_rationals and kind.is_rationals(x) else None


def _check(request):
    check(request)
    if request.y is not None:
        raise unsupported(request.ops, "a second array is not supported beside dates, decimals and fractions; convert both "
                          "to float64")


def _fold_times(request, numbers, x, groups, fold_floats):
    _check(request)
    return times.fold_by(request.replace(kind=kind_of(x), x=x), numbers, groups)


def _fold_rationals(request, numbers, x, groups, fold_floats):
    _check(request)
    return rational_numbers.fold_by(request.replace(kind=kind_of(x), x=x), numbers, groups, fold_floats)


def of_all_rows(numbers, rows):
    """The groups' numbers of all rows, from those of the rows whose keys are not null."""
    if rows is None:
        return numbers
    whole = sys.modules["numpy"].full(len(rows), -1)
    whole[rows] = numbers
    return whole


def labels(ops, keys, groups):
    """The Found of labels as numbers of groups, -1 for nulls; raises the fold's error for other numbers."""
    numbers = ndarray_of(ops, keys.array)
    there = keys.mask
    some = numbers if there is None else numbers[there]
    try:
        _core.fold_by("count", some, some, groups, {})
    except errors.Error as error:
        raise errors.renamed(error, "count", ops) from None
    return of_all_rows(some.astype("i8", copy=False), there)
