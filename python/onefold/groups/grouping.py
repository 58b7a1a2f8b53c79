"""Segments, and groups by keys, of all kinds of arguments; key_codes lists the kinds of keys."""

import sys

from .. import _core, _ops, errors, files
from .._keywords import keywords_of
from ..operands import find, frame_columns, kind_of
from ..operands.chunks import has_places
from ..operands.complex_numbers import is_complex, rows
from ..operands.elements import elements_of, paired, weighed
from ..operands.found import Found, converted, ndarray_of, numpy_for, on_device, part_of, type_name, unsupported
from ..operands.masks import as_ndarray, bools, is_masked
from ..operands.types import counts_as, wrapped
from ..operands.wrap import stacked
from . import key_codes, keyed

most = 2**63 - 1
_many = 4096  # with fewer keys, the library numbers them itself
_of_rows = ("y", "where", "weights", "fweights")  # what has an element for each row


def fold_segments(offsets, request):
    """The answers of each segment x[offsets[i]:offsets[i + 1]], as a list."""
    kind, ops, x, y = request.kind, request.ops, request.x, request.y
    if is_complex(x) or is_complex(y):
        offsets = as_ndarray(ops, "offsets", offsets)
        return rows(request, lambda one, each: fold_segments(offsets * each if each > 1 else offsets, one))
    if kind.on_device(x):
        from ..reduce import device

        return device.fold_segments(ops, (x,) if y is None else (x, y), offsets, request)
    found, first, second, plain = elements_of(request, 0, each_row=True)
    if found.there:
        raise errors.make("bad_option", f"{ops}: one array is on a device, but the other is not; copy one of them")
    offsets = offsets_of(ops, "offsets", offsets)
    answers = wrapped(found, plain, lambda one: _core.fold_segments(
        one.ops, first, offsets, keywords_of(one, y=second, own_mask=found.own_mask)))
    if not (is_masked(x) or is_masked(y)):
        return answers
    numpy = sys.modules["numpy"]
    absent = numpy.ma.nomask
    if plain.where is not None and request.initial is None:
        absent = _core.fold_segments("sum", numpy.broadcast_to(plain.where, first.shape), offsets, {})[0] == 0
    return [a if op.startswith("count") else numpy.ma.array(a, mask=absent) for op, a in zip(ops.split(","), answers)]


def offsets_of(op, name, given):
    """The offsets of segments on the host as int64."""
    offsets = as_ndarray(op, name, given)
    if offsets.dtype.kind not in "iu" or offsets.ndim != 1:
        raise errors.make("type_mismatch", f"{op}: {name} are {offsets.dtype} with {offsets.ndim} dimensions, but must be "
                           "integers with one dimension")
    if offsets.dtype == "u8" and offsets.size and offsets.max() > most:  # such an offset is negative as int64
        raise errors.make("bad_option", f"{op}: offset {offsets.argmax()} is {offsets.max()}, which is past the end of the first "
                           "axis")
    return offsets.astype("i8", casting="same_kind", copy=False)


def fold_groups(keys, request, groups, by_name, null_keys):
    """The result of onefold.fold_by; request.make makes the answers of one array an object."""
    ops, x = request.ops, request.x
    key_codes.check_null_keys(ops, null_keys)
    keys = request.kind.agreeing(ops, "keys=", x, keys, rows=True)
    if is_complex(x) or is_complex(request.y):
        return _of_complex(keys, request, groups, by_name, null_keys)
    many = key_codes.values_of(ops, x)
    request = with_rows(request, x if many is None else many[1][0] if many[1] else (), keys)
    own = any(keyed.folder_of(column) for column in ([x] if many is None else many[1]))
    if many is None and isinstance(x, (list, tuple)) and x and isinstance(x[0], (list, tuple)):
        x = as_ndarray(ops, "x", x)
    there = many is None and on_device(x)
    matrix = many is None and len(converted(ops, x, lambda: getattr(x, "shape", ()))) == 2
    of_masked = is_masked(x)
    if matrix and not x.shape[1]:
        raise errors.make("shape_mismatch", f"{ops}: x has no columns; pass at least one")
    if matrix and not there:
        if on_device(keys):
            raise errors.make("bad_option", f"{ops}: the keys are on a device, but x is not; copy one of them")
        x = find(ops, x)
    several = key_codes.is_several(keys)

    def each(one):
        """Calls one(array), which returns one array's answers, for x or for each of its columns."""
        if many is not None:
            return {name: request.make(one(column)) for name, column in zip(*many)}
        if not matrix:
            return request.make(one(x))
        if not there:
            columns = [one(x.part((slice(None), k))) for k in range(x.array.shape[1])]
            return request.make([stacked(arrays, 1) for arrays in zip(*columns)])
        from ..reduce import device

        columns = [one(x[:, k]) for k in range(x.shape[1])]
        return request.make([device.beside(ops, arrays) for arrays in zip(*columns)])

    if groups is not None:
        return each(lambda column: fold_by(request, keys, column, groups, null_keys, of_masked))
    names, columns = key_codes.columns_of(keys) if several else (None, [keys])
    if any(map(on_device, columns)):
        from ..reduce import device

        device.refuse_hosts(ops, columns)
        values, numbers, some = device.numbered_together(ops, columns, null_keys, by_name or several)
        answers = each(lambda column: fold_by(
            request, numbers, column if some is None else column[some], len(values[0]), null_keys))
        return key_codes.as_given(names, values, several), answers
    if not (several or many or matrix or own or not key_codes.is_plain(ops, keys)):
        arrays = fold_by(request, keys, x, None, null_keys)
        return arrays[0], request.make(arrays[1:])
    if not by_name and not several and key_codes.are_floats(keys):
        raise errors.make("bad_option", f"{ops}: the keys are {getattr(keys, 'dtype', 'floats')}; did you swap keys and "
                           "values? If not, pass keys=")
    numbers, values, kept_rows = key_codes.together(ops, columns, null_keys)
    found = key_codes.as_given(names, values, several, columns)
    kept = _kept(request, kept_rows)

    def one(column):
        if own and (fold := keyed.folder_of(column)):
            return fold(request, keyed.of_all_rows(numbers, kept_rows), column, len(values[0]), _of_floats)
        return _of_numbers(kept, numbers, _rows(ops, column, kept_rows), values, of_masked or is_masked(column))

    return found, each(one)


def _of_complex(keys, request, groups, by_name, null_keys):
    """The same for complex numbers, whose parts are folded."""
    found = []

    def run(one, each):
        some = keys if each == 1 else sys.modules["numpy"].repeat(as_ndarray(request.ops, "keys", keys), each)
        matrix = len(getattr(one.y, "shape", ())) == 2 == len(one.x.shape) and one.x.shape[1]  # var folds pairs of both parts
        parts = [one.replace(x=one.x[:, k], y=one.y[:, k]) for k in range(one.x.shape[1])] if matrix else [one]
        answers = [fold_groups(some, part.replace(make=list), groups, by_name, null_keys) for part in parts]
        if groups is None:
            found[:], answers = [answers[0][0]], [columns for _, columns in answers]
        return [stacked(arrays, 1) for arrays in zip(*answers)] if matrix else answers[0]

    values = request.make(rows(request, run, True))
    return values if groups is not None else (found[0], values)


def with_rows(request, column, keys):
    """The request, with arrays of the host that have an element for each row; y's mask becomes a part of where."""
    ops = request.ops
    given = {name: array for name in _of_rows if (array := getattr(request, name)) is not None and array is not True}
    if not given:
        return request.replace(where=None)
    if any(map(on_device, (column, keys, *given.values()))):
        raise errors.make("bad_option", f"{ops}: {next(iter(given))}= with groups needs arrays on the CPU; copy them there")
    n, numpy = converted(ops, column, lambda: len(column)), numpy_for(ops, "such an array")
    arrays, masks = {}, []
    for name, value in given.items():
        found = find(f"{ops}: {name}=", request.kind.agreeing(ops, f"{name}=", request.x, value, rows=True))
        array = bools(ops, found) if name == "where" else found.array
        if tuple(array.shape) not in ((), (1,), (n,)):
            raise errors.make("shape_mismatch", f"{ops}: {name}= has shape {tuple(array.shape)}, but there are {n} "
                               "rows; each row needs an element")
        arrays[name] = array if tuple(array.shape) == (n,) else numpy.broadcast_to(ndarray_of(ops, array), n)
        if found.mask is not None and not found.mask.all():
            if name != "y":
                raise unsupported(ops, f"{name}= has a mask or nulls, which would be lost; pass its data as an ndarray")
            masks.append(found.mask)
    if masks:
        arrays["where"] = numpy.logical_and.reduce([*masks, *(ndarray_of(ops, arrays[k]) for k in arrays if k == "where")])
    return request.replace(**{"where": None, **arrays})


def _of_one_type(request, found, elements):
    """The elements and the request, with y and weights in one type with the elements."""
    ops, y, weights, result = request.ops, request.y, request.weights, request.result
    if y is not None:
        _, (first, second) = paired(ops, (elements, y), [Found(elements, found.wrap), Found(y, found.wrap)])
        elements, y = first.array, second.array
    if weights is not None:
        elements, y, weights, result = weighed(ops, elements, y, (elements,), weights, 0, result)
    return elements, request.replace(y=y, weights=weights, result=result)


def fold_frame(request, by, columns):
    """The answers of a frame's columns by the keys in others."""
    kind, ops, x = request.kind, request.ops, request.x
    all_names = kind.names(x)
    keys = frame_columns.named(all_names, by, "by=")
    for name in (*_not_of_frames, *request.reading):
        given = request.reading.get(name) if name in request.reading else getattr(request, name)
        if given is not None and given is not False and name not in ("by", "columns"):
            raise errors.make("bad_option", f"{ops}: {name}= is not available for frames grouped by keys; leave it out")
    if columns is None:
        names = frame_columns.folded_of(ops, kind, x, frame_columns.kinds_with(ops), keys)
    else:
        names = frame_columns.named(all_names, columns)
    several = {name: x[name] for name in names}
    found, answers = fold_groups({name: x[name] for name in keys}, request.replace(kind=kind_of(several), x=several), None, True, "keep")
    return files.only(found, by), files.only(answers, columns)


_not_of_frames = ("axis", "keepdims", "initial", "errors", "empty_nan", "progress")


def _of_numbers(request, numbers, x, values, masked):
    """The answers of groups; `numbers` are group numbers, and each of them occurs. `values` are the keys, column by column;
    `masked` says whether a group without elements is masked."""
    ops = request.ops
    n, found = len(values[0]), find(ops, x)
    if found.there:
        return fold_by(request, numbers, x, n)
    if found.mask is None:
        request.refuse_errors()
        return _of_found(request, find(ops, numbers), found, n)
    if found.mask.shape != numbers.shape:
        raise errors.make("shape_mismatch", f"{ops}: there are {len(numbers)} keys, but x has shape "
                           f"{found.mask.shape}; each element needs a key")
    some, used = key_codes.of_integers(numbers[found.mask])
    answers = fold_by(_kept(request, found.mask), some, found.array[found.mask], len(used))
    if len(used) == n:
        return answers
    return _with_empty(request, answers, masked, found.array[:0], used, values)


def _with_empty(request, answers, masked, nothing, used, values):
    """The answers of all groups; `used` are those with elements. The others are masked, or answers without elements."""
    numpy = numpy_for(request.ops, "groups")
    empty = numpy.ones(len(values[0]), bool)
    empty[used] = False
    all_answers = []
    for op, some in zip(request.ops.split(","), answers):
        whole = numpy.zeros(len(empty), some.dtype)
        whole[used] = some
        if masked and not op.startswith("count"):
            whole = numpy.ma.array(whole, mask=empty)
        else:
            whole[empty] = _of_nothing(op, nothing, request, some.dtype, [v[empty.argmax()] for v in values])
        all_answers.append(whole)
    return all_answers


def _of_nothing(op, nothing, request, dtype, key):
    if _ops.ops[op].needs_element and not _ops.ops[op].uses_index and dtype.kind == "f":
        return sys.modules["numpy"].nan
    try:
        return _core.fold_array(op, nothing, nothing if _ops.ops[op].inputs == 2 else None, {
            "ddof": request.ddof, "correction": request.correction, "nan": request.nan, "result": request.result})[0]
    except errors.Error as error:
        if error.code != "empty_input":
            raise
    raise errors.make("empty_input", f"{op}: all elements of group {' '.join(map(str, key))} are null or masked, but {op} "
                                      "needs at least one element")


def _kept(request, there):
    """The request for the rows whose keys are not null, with their numbers among all rows, for argmin and argmax."""
    if there is None:
        return request
    rows = request.rows
    return request.replace(**_rows_beside(request, there),
                           rows=sys.modules["numpy"].flatnonzero(there) if rows is None else rows[there])


def _rows_beside(request, rows):
    """Selects these rows of each array that has an element per row (weights, where, y, ...)."""
    return {name: part_of(array, rows) for name in _of_rows if (array := getattr(request, name)) is not None}


def _rows(ops, x, there):
    """The elements of x whose keys are not null."""
    if there is None:
        return x
    found = find(ops, x)
    if tuple(found.array.shape) != there.shape:
        raise errors.make("shape_mismatch", f"{ops}: there are {len(there)} keys, but x has shape "
                           f"{tuple(found.array.shape)}; each element needs a key")
    return found.part(there)


def fold_by(request, keys, x, groups, null_keys="raise", masked=None):
    """The keys that occur, unless `groups` is given, and the answers of one array."""
    ops = request.ops
    if groups is not None:
        groups = errors.integer(ops, "groups", groups)
        if not 0 <= groups <= most:
            raise errors.make("bad_option", f"{ops}: groups={groups} is not between 0 and 2^63 - 1")
    if on_device(x) or on_device(keys):
        from ..reduce import device

        return device.fold_by(ops, (x, keys), groups, request)
    request.refuse_errors()
    masked = is_masked(x) if masked is None else masked
    named = _found_keys(ops, keys, groups)
    if named.mask is not None and null_keys != "drop":
        raise unsupported(ops, "some keys are null or masked; pass null_keys=\"drop\" to leave those rows out" + (
            "; \"keep\" is not available with groups=" if groups is not None else ", or \"keep\" to make a group of them"))
    if fold := keyed.folder_of(x):
        return fold(request, keyed.labels(ops, named, groups), x, groups, _of_floats)
    if named.mask is not None:
        there = named.mask
        return fold_by(_kept(request, there), named.part(there).array, _rows(ops, x, there), groups, masked=masked)
    found = find(ops, x)
    if groups is None and found.mask is not None and found.mask.ndim == 1:  # a key keeps its group
        numbers, keys = key_codes.of_integers(ndarray_of(ops, named.array))
        return [keys, *_of_numbers(request, numbers, x, [keys], masked)]
    return _of_found(request, named, found, groups)


def _of_found(request, named, found, groups):
    """What fold_by() returns, for keys without a mask and elements of the host."""
    ops = request.ops
    keys, elements, request = _there(request, named.array, found)
    elements, request = _of_one_type(request, found, elements)
    places = has_places(ops)
    if (not places and groups is None and type(keys).__module__ == "numpy" and keys.ndim == 1 and len(keys) > _many
            and keys.dtype.kind in "iu"):
        numbers, keys = key_codes.of_integers(keys)  # then a group is found by a subtraction, not by a search
        return [keys, *wrapped(found, request, lambda one: _core.fold_by(
            one.ops, numbers, elements, len(keys), keywords_of(one, y=one.y)))]
    names = []  # the keys that occur, unless they are numbers of groups

    def fold(one):
        values = _places_by(one, keys, elements, groups) if places else _core.fold_by(
            one.ops, keys, elements, groups, keywords_of(one, y=one.y))
        names[:] = values[:len(values) - len(one.ops.split(","))]
        return values[len(names):]

    answers = wrapped(found, request, fold)
    if names and isinstance(named.array, _core.View):
        names = [named.wrap(names[0], named.array.dtype)]
    return [*names, *answers]


def _of_floats(request, there, numbers, floats, groups):
    """The answers of the float elements that `there` selects; `numbers` has the group of each."""
    return fold_by(_kept(request, there), numbers, floats, groups)


def _found_keys(ops, keys, groups):
    if groups is None:
        return find(f"{ops}: the keys", keys)
    if key_codes.is_several(keys):
        raise errors.make("bad_option", f"{ops}: with groups= the keys must be one array of group numbers, but several "
                                         "arrays were given; leave out groups=")
    try:
        found = find(f"{ops}: the keys", keys)
        kind = None if isinstance(found.array, (memoryview, _core.View)) else found.array.dtype.kind
    except errors.Error:
        kind = "O"
    if kind not in (None, *"biu"):
        raise errors.make("bad_option", f"{ops}: with groups= the keys must be group numbers, integers below groups, but "
                                         f"these are {getattr(keys, 'dtype', type_name(keys))}; leave out groups= to group "
                                         "by any keys")
    return found


def _places_by(request, keys, elements, groups):
    """Does the same if some op answers with an index, which is a row number: folds segments of the rows by group."""
    ops = request.ops
    numpy, names = numpy_for(ops, "groups"), ops.split(",")
    numbers = ndarray_of(ops, keys)
    try:
        _core.fold_by("count", numbers, elements, groups, {})
    except errors.Error as error:
        raise errors.renamed(error, "count", ops) from None
    found = []
    if groups is None:
        numbers, keys = key_codes.of_integers(numbers)
        groups, found = len(keys), [keys]
    order = numpy.argsort(numbers, kind="stable")  # stable: of equal elements the first one is the answer
    ends = numpy.cumsum(numpy.bincount(numbers.astype("i8", copy=False), minlength=groups))
    offsets = numpy.concatenate([[0], ends])
    beside = {"y": None, **_rows_beside(request, order)}
    sorted_, rows, result = part_of(elements, order), request.rows, request.result

    def fold(one):
        return _core.fold_segments(one.ops, sorted_, offsets, keywords_of(one, **beside))

    answers = fold(request)
    for k, name in enumerate(names):
        if has_places(name):
            within = answers[k] if result is None else fold(request.replace(ops=name, result=None))[0]
            places = order[offsets[:-1] + within]
            answers[k] = counts_as(name, places if rows is None else rows[places], result)
    return found + answers


def _there(request, keys, found):
    """The keys and elements that no mask leaves out, and the request for these."""
    if found.mask is not None:
        all_keys = ndarray_of(request.ops, keys)
        if all_keys.shape == found.mask.shape and all_keys.ndim == 1:  # otherwise the fold reports the error
            return all_keys[found.mask], found.array[found.mask], _kept(request, found.mask)
    return keys, found.array, request
