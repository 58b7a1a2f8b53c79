"""Masked Dask arrays: an answer of a slice without an element that counts is masked, as that of a masked ndarray is."""

import functools

import dask.array as da
import numpy

from .. import _ops


def is_masked(x):
    """Whether the chunks of a Dask array are masked arrays."""
    return isinstance(x._meta, numpy.ma.MaskedArray)


def numbers_of(x, axes):
    """How many elements of each slice count, with the folded axes."""
    return (~da.ma.getmaskarray(x)).sum(axis=axes, keepdims=True, dtype="i8")


def with_elements(x, numbers):
    """x, in which slices of integers that are all masked have zeros instead, as an op may have no answer of nothing."""
    return da.map_blocks(_with_elements, x, numbers, dtype=x.dtype, meta=x._meta)


def _with_elements(block, numbers):
    absent = numbers == 0
    return numpy.ma.array(numpy.where(absent, 0, block.data).astype(block.dtype, copy=False),
                          mask=numpy.ma.getmaskarray(block) & ~absent)


def masked(op, answer, numbers, axes, keepdims, ddof):
    """The answers of an op, masked where their slices have no element, or no more than ddof."""
    if op.startswith("count"):
        return answer
    least = 1 if not (ddof and _ops.ops[op].uses_ddof) else ddof + 1
    numbers = numbers if keepdims else numbers.squeeze(axes)
    like = numpy.ma.empty((0,) * answer.ndim, answer.dtype)
    return da.map_blocks(functools.partial(_masked, max(least, 1)), answer, numbers, dtype=answer.dtype, meta=like)


def _masked(least, answer, numbers):
    lacking = numpy.asarray(numbers < least)
    return answer if not lacking.ndim and not lacking else numpy.ma.array(answer, mask=lacking)  # one answer as NumPy's
