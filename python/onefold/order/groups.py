"""Quantiles of arrays and frames by keys in memory: groups of rows, one after another."""

import functools

from .. import _core, errors, files
from .._keywords import keywords_of
from ..groups import grouping, key_codes
from ..groups.frames import weighted_by
from ..operands import find, frame_columns, kind_of
from ..operands.found import dtype_of, ndarray_of, numpy_for, unsupported
from ..operands.masks import mask_of
from ..reduce.slices import float_type


def of_frame(request, by, columns, call):
    """The keys and the quantiles of a frame's columns. call: the op, and the words and the method of quantiles."""
    kind, op = request.kind, request.ops
    request, columns = weighted_by(request, columns, by)
    names = kind.names(request.x)
    keys = frame_columns.named(names, by, "by=")
    if columns is None:
        chosen = frame_columns.folded_of(op, kind, request.x, frame_columns.kinds_with(op), keys)
    else:
        chosen = frame_columns.named(names, columns)
    groups = _Groups(request, [request.x[name] for name in keys], request.x[keys[0]], "keep")
    found = {name: groups.quantiles(request.x[name], call) for name in chosen}
    return files.only(dict(zip(keys, groups.keys)), by), files.only(found, columns)


def of_array(request, by, call, null_keys):
    """The keys and the quantiles of an array's elements."""
    keys, groups = _grouped(request, by, null_keys)
    return keys, groups.quantiles(request.x, call)


def sorted_by_keys(request, by, null_keys):
    """The keys, the rows of all groups, where each begins and the last one ends, and the elements and where= of these rows."""
    op = request.ops
    keys, groups = _grouped(request, by, null_keys)
    held = find(op, request.x)
    x, where = ndarray_of(op, held.array), mask_of(op, [held], groups.request.where)
    groups.check(x)
    return keys, groups.rows, groups.ends, x[groups.rows], None if where is None else ndarray_of(op, where)[groups.rows]


def _grouped(request, by, null_keys):
    op, x = request.ops, request.x
    key_codes.check_null_keys(op, null_keys)
    by, several = request.kind.agreeing(op, "by=", x, by, rows=True), key_codes.is_several(by)
    names, columns = key_codes.columns_of(by) if several else (None, [by])
    groups = _Groups(request, columns, x, null_keys)
    return key_codes.as_given(names, groups.keys, several, columns), groups


class _Groups:
    """The rows of each group.

    n     the number of rows, of which null_keys="drop" leaves some out
    rows  their numbers, group by group; ends: where each group begins in `rows`, and the end
    keys  the distinct keys, column by column
    """

    def __init__(self, request, columns, beside, null_keys):
        numpy = self.numpy = numpy_for(request.ops, "quantiles by keys")
        numbers, self.keys, there = key_codes.together(request.ops, columns, null_keys)
        self.request = grouping.with_rows(request, beside, columns[0])
        order = numpy.argsort(numbers, kind="stable")
        self.ends = numpy.searchsorted(numbers[order], numpy.arange(len(self.keys[0]) + 1))
        self.rows = order if there is None else numpy.flatnonzero(there)[order]
        self.n = len(numbers) if there is None else len(there)

    def check(self, array):
        if array.ndim != 1 or len(array) != self.n:
            raise errors.make("shape_mismatch", f"{self.request.ops}: there are {self.n} keys, but x has shape "
                               f"{array.shape}; each element needs a key")

    def quantiles(self, x, call):
        """An array of the groups' quantiles, with an axis for them in front; call: as of_frame() has it."""
        numpy, request, kind, op = self.numpy, self.request, kind_of(x), self.request.ops
        times = kind.has_times and kind.is_times(x)
        if times and not (request.weights is request.fweights is None):
            raise unsupported(op, "weighted quantiles of dates and durations are not supported; pass x.astype('int64')")
        if times:
            array, there = kind.times(op, x)
            array, there = numpy.asarray(array), ~numpy.ma.getmaskarray(array) if there is None else there
        else:
            found = find(op, x)
            array, there = ndarray_of(op, found.array), found.mask
            result = found.type_of(float_type(dtype_of(found.array)))
        self.check(array)
        if request.where is not None:
            there = request.where if there is None else there & request.where
        beside = {"where": there, "weights": request.weights, "fweights": request.fweights}
        beside = {name: ndarray_of(op, a)[self.rows] for name, a in beside.items() if a is not None}
        array, keywords = array[self.rows], keywords_of(request.replace(where=None, weights=None, fweights=None))
        if not times:
            return numpy.stack(_core.quantile_segments(*call, array, self.ends,
                                                       {"nan": request.nan, "threads": request.threads, "result": result, **beside}))
        call, answers = functools.partial(_core.quantile_array, *call), []
        cuts = list(zip(self.ends[:-1].tolist(), self.ends[1:].tolist()))
        for begin, end in cuts or [(0, 0)]:  # without a group for the type
            part = {**keywords, **{name: a[begin:end] for name, a in beside.items()}}
            answers.append(self.of_times(array[begin:end], part, call))
        return numpy.stack([numpy.asarray(values) for values in zip(*answers)])[:, :len(cuts)]

    def of_times(self, times, keywords, call):
        """The quantiles of a group's times, rounded to their unit; NaT as a NaN would."""
        numpy = self.numpy
        nat, there = numpy.isnat(times), keywords.get("where", True)
        valid, nats = ~nat & there, bool((nat & there).any())
        if nats and keywords["nan"] == "raise":
            raise errors.make("nan_found", f"{self.request.ops}: a NaT was found")
        values = call(times.view("i8"), {**keywords, "where": valid, "result": "i64"})
        spoilt = nats and keywords["nan"] != "omit" or not valid.any()
        return [numpy.array(-2**63 if spoilt else v, "i8").view(times.dtype)[()] for v in values]
