"""Keys of any type as numbers of groups: by pandas or Arrow if the keys are theirs, otherwise by NumPy."""

import sys

from .. import errors
from ..operands import find, frame_columns, kind_of, like
from ..operands.found import dtype_of, library_of, numpy_for, on_device, type_name, unsupported
from ..operands.masks import is_masked
from ..operands.numbers import sequence


def is_several(keys):
    """Whether keys are several columns: a DataFrame, a dict, or a tuple or list of arrays."""
    if isinstance(keys, dict) or kind_of(keys).is_frame(keys):
        return True
    return isinstance(keys, (tuple, list)) and len(keys) > 0 and all(
        hasattr(k, "__len__") and not isinstance(k, (str, bytes)) for k in keys)


def columns_of(keys):
    """The names of the columns, or None, and their arrays."""
    if isinstance(keys, (tuple, list)):
        return None, list(keys)
    names = list(keys) if isinstance(keys, dict) else kind_of(keys).names(keys)
    frame_columns.refuse_one_name(names, names)
    return names, [keys[name] for name in names]


def as_given(names, values, several, columns=None):
    """Distinct keys as their columns were given; columns: on the host, whose libraries the keys get."""
    values = values if columns is None else [like(column, value) for column, value in zip(columns, values)]
    return dict(zip(names, values)) if names is not None else values if several else values[0]


def is_plain(op, keys):
    """Whether keys are integers or bools on the CPU that the library numbers as quickly as this module."""
    if on_device(keys):
        return True
    if library_of(keys) in ("pandas", "polars", "pyarrow") or _is_object(keys):
        return False
    try:
        found = find(op, keys)
    except (errors.Error, TypeError, ValueError):
        return False
    if found.mask is not None:
        return not is_masked(keys)  # other kinds may have nulls, which the library refuses
    return dtype_of(found.array)[0] in "iub"


def _is_object(keys):
    """Whether keys are objects: text, bytes (NumPy would drop zeros at their ends) or None."""
    return isinstance(keys, (list, tuple)) and any(isinstance(k, (str, bytes)) or k is None for k in keys)


def are_floats(keys):
    """Whether keys are floats of any library, or a list of some."""
    dtype = getattr(keys, "dtype", getattr(keys, "type", None))
    if dtype is None:
        return isinstance(keys, (list, tuple)) and any(isinstance(k, float) for k in keys)
    return getattr(dtype, "kind", "") == "f" or str(dtype).lower().removeprefix("torch.").startswith(
        ("float", "bfloat", "half", "double"))


def numbered(op, keys):
    """The number of each key's group, -1 for nulls; and the distinct keys in ascending order."""
    numpy = numpy_for(op, "keys of other types than integers")
    library = library_of(keys)
    if library == "polars" and hasattr(keys, "to_arrow"):
        keys, library = keys.to_arrow(), "pyarrow"
    if library == "pyarrow" and hasattr(keys, "type"):
        return _of_arrow(numpy, op, keys)
    if library == "pandas" and getattr(getattr(keys, "dtype", None), "kind", "") == "f":
        keys, library = keys.to_numpy(getattr(keys.dtype, "numpy_dtype", None), na_value=numpy.nan), "numpy"
    if is_masked(keys) and keys.ndim == 1:
        there = ~numpy.ma.getmaskarray(keys)
        numbers = numpy.full(len(keys), -1, numpy.int64)
        numbers[there], values = numbered(op, keys.data[there])
        return numbers, values
    array = keys
    if library == "pandas":
        if isinstance(getattr(keys, "dtype", None), numpy.dtype) and keys.dtype.kind in "iub" and keys.ndim == 1:
            return of_integers(keys.to_numpy())
        if hasattr(keys, "levels"):
            raise unsupported(op, "MultiIndex keys are not supported; pass keys.to_frame(index=False)")
        if hasattr(keys, "array") or hasattr(keys, "codes"):
            return _of_pandas(op, keys)
    else:
        array = _as_array(numpy, op, keys)
    if array.ndim != 1:
        raise errors.make("shape_mismatch", f"{op}: the keys have shape {array.shape}, but must have one axis; pass several "
                           "columns as a list of arrays")
    if array.dtype.kind in "iub":
        return of_integers(array)
    if array.dtype.kind not in "fOUSMmT":
        raise unsupported(op, f"the keys are {array.dtype}; real numbers, text, dates and times can be keys")
    if array.dtype.kind == "f":
        array = array + 0  # makes -0 +0, which are one key
    if "pandas" in sys.modules and array.dtype.kind in "fOMm":
        return _of_pandas(op, array)
    null = (array != array) | (array == None) if array.dtype.kind in "fOMm" else numpy.zeros(len(array), bool)  # noqa: E711
    try:
        values, codes = numpy.unique(array[~null], return_inverse=True)
    except TypeError:
        raise unsupported(op, "the keys are objects that cannot be sorted; pass keys of one type") from None
    numbers = numpy.full(len(array), -1, numpy.int64)
    numbers[~null] = codes
    return numbers, values


def _as_array(numpy, op, keys):
    try:
        array = numpy.asarray(keys, dtype=object if _is_object(keys) else None)
    except Exception as error:  # the library of the keys may raise anything
        raise unsupported(op, f"the keys could not be converted to an array: {' '.join(str(error).split())}; pass a list, or an array of "
                          "one dimension") from None
    if array.dtype.kind == "f" and not any(hasattr(keys, f"__array{name}__") for name in ("", "_interface", "_struct")):
        sequence(f"{op}: the keys", keys)  # refuses integers that float64 does not hold
    return array.astype(array.dtype.newbyteorder("=")) if not array.dtype.isnative else array


def of_integers(keys):
    """The number of each key's group, and the keys that occur. Integers of a narrow range are shifted, and
    integers that do not occur are left out."""
    numpy = sys.modules["numpy"]
    if keys.dtype.kind == "b":
        keys = numpy.asarray(keys, bool).view("u1")
        numbers, values = of_integers(keys)
        return numbers, values.astype(bool)
    low, high = (int(keys.min()), int(keys.max())) if len(keys) else (0, -1)
    if high - low < max(1 << 16, 4 * len(keys)):
        wide = keys.astype(numpy.int64, copy=False) if high < 2**63 else keys
        numbers = (wide - numpy.array(low, wide.dtype)).astype(numpy.int64, copy=False) if low else wide
        there = numpy.bincount(numbers, minlength=high - low + 1) > 0
        values = numpy.flatnonzero(there)
        if len(values) < len(there):
            numbers = (numpy.cumsum(there) - 1)[numbers]
        return numbers, (values.astype(wide.dtype) + numpy.array(low, wide.dtype)).astype(keys.dtype)
    if "pandas" in sys.modules:
        return sys.modules["pandas"].factorize(keys, sort=True)
    values, numbers = numpy.unique(keys, return_inverse=True)
    return numbers, values


def _of_pandas(op, keys):
    pandas, numpy = sys.modules["pandas"], sys.modules["numpy"]
    if isinstance(keys.dtype, pandas.CategoricalDtype):
        numbers, values = _of_categories(numpy, getattr(keys, "array", keys))
    else:
        try:
            numbers, values = pandas.factorize(keys, sort=True)
        except TypeError:
            raise unsupported(op, "the keys are objects that cannot be sorted; pass keys of one type") from None
        except NotImplementedError:
            raise unsupported(op, f"the keys are {keys.dtype}, which Arrow cannot sort; convert them to numbers or "
                              "text") from None
    try:
        values = values.to_numpy() if hasattr(values, "to_numpy") else values
    except (TypeError, ValueError):
        values = numpy.asarray(values, dtype=object)
    return numbers.astype(numpy.int64, copy=False), values


def _of_categories(numpy, keys):
    """Like numbered(), for categories in their own order, without unused ones."""
    numbers, values = keys.codes.astype(numpy.int64), keys.categories
    nulls = bool((numbers < 0).any())
    there = numpy.bincount(numbers[numbers >= 0] if nulls else numbers, minlength=len(values)) > 0
    if there.all():
        return numbers, values
    rank = numpy.append(numpy.cumsum(there) - 1, -1)  # nulls have -1
    return rank[numbers], values[there]


def _of_arrow(numpy, op, keys):
    import pyarrow
    import pyarrow.compute

    if pyarrow.types.is_run_end_encoded(keys.type):
        keys = pyarrow.compute.run_end_decode(keys)
    if isinstance(keys, pyarrow.ChunkedArray):
        keys = keys.combine_chunks() if keys.num_chunks != 1 else keys.chunk(0)
    if isinstance(keys, pyarrow.ChunkedArray):
        keys = pyarrow.concat_arrays(keys.chunks)
    if pyarrow.types.is_integer(keys.type) and keys.null_count == 0:
        return of_integers(keys.to_numpy())
    given = keys.type
    if pyarrow.types.is_dictionary(given) and pyarrow.types.is_floating(given.value_type):
        keys = keys.dictionary_decode()
    if pyarrow.types.is_floating(keys.type):  # Arrow tells -0 from +0, and NaN from null
        return numbered(op, keys.to_numpy(zero_copy_only=False))
    try:
        if pyarrow.types.is_dictionary(given) and (
                keys.dictionary.null_count or len(keys.dictionary.unique()) < len(keys.dictionary)):
            keys = keys.dictionary_decode()
        if str(keys.type) in ("string_view", "binary_view"):  # Arrow cannot encode these types yet
            keys = keys.cast("large_" + str(keys.type).removesuffix("_view"))
        if not pyarrow.types.is_dictionary(keys.type):
            keys = keys.dictionary_encode()
        order = pyarrow.compute.sort_indices(keys.dictionary).to_numpy()
    except pyarrow.ArrowNotImplementedError:
        raise unsupported(op, f"the keys are {given}, which Arrow cannot sort; convert them to numbers or text") from None
    there = pyarrow.compute.is_valid(keys.indices)
    codes = pyarrow.compute.fill_null(keys.indices, 0).to_numpy(zero_copy_only=False).astype(numpy.int64)
    values = keys.dictionary
    used = numpy.zeros(len(values), bool)
    there = there.to_numpy(zero_copy_only=False)
    if len(values):
        used[codes[there]] = True
    order = order[used[order]]
    rank = numpy.full(max(len(values), 1), -1, numpy.int64)
    rank[order] = numpy.arange(len(order))
    codes = rank[codes]
    codes[~there] = -1
    return codes, values.take(pyarrow.array(order)).to_numpy(zero_copy_only=False)


def _length(op, keys):
    try:
        if library_of(keys) != "pandas" or hasattr(type(keys), "__array__"):  # no groups or windows
            return keys.shape[0] if getattr(keys, "shape", ()) else len(keys)
    except Exception:  # keys may raise anything
        pass
    raise unsupported(op, f"the keys are a {type_name(keys)}, but must be an array or a list")


def check_null_keys(op, null_keys):
    if not isinstance(null_keys, str) or null_keys not in ("raise", "drop", "keep"):
        raise errors.make("bad_option", f"{op}: null_keys={errors.shown(null_keys)} is not one of \"raise\", "
                           "\"drop\", \"keep\"")


def together(op, columns, nulls):
    """The groups' numbers for keys of several columns, the distinct rows of keys, and which rows have no null."""
    numpy = numpy_for(op, "several keys")
    if not columns:
        raise errors.make("bad_option", f"{op}: the keys have no columns; pass at least one")
    lengths = {_length(op, c) for c in columns}
    if len(lengths) > 1:
        raise errors.make("shape_mismatch", f"{op}: the columns of keys have {min(lengths)} and {max(lengths)} rows; "
                           "they must be equally long")
    all_numbers, all_values = zip(*(numbered(op, c) for c in columns))
    there = None
    if any((n < 0).any() for n in all_numbers):
        if nulls == "raise":
            raise unsupported(op, "some keys are null, or have a mask; null_keys=\"drop\" leaves those rows out, \"keep\" makes a group of them")
        if nulls == "drop":
            there = numpy.logical_and.reduce([n >= 0 for n in all_numbers])
        else:
            pairs = [_with_null(numpy, n, v) for n, v in zip(all_numbers, all_values)]
            all_numbers, all_values = zip(*pairs)
    if there is not None:
        all_numbers = [n[there] for n in all_numbers]
    numbers, sizes = all_numbers[0], [len(v) for v in all_values]
    parts = [numpy.arange(sizes[0])]
    for more, size in zip(all_numbers[1:], sizes[1:]):
        numbers, found = of_integers(numbers * size + more)
        parts = [p[found // max(size, 1)] for p in parts] + [found % max(size, 1)]
    if there is not None:  # some values no longer occur
        numbers, found = of_integers(numbers)
        parts = [p[found] for p in parts]
    return numbers, [v[p] for v, p in zip(all_values, parts)], there


def _with_null(numpy, numbers, values):
    """Puts nulls into a last group, whose key is None, NaN or NaT."""
    if not (numbers < 0).any():
        return numbers, values
    if values.dtype.kind not in "fMm":
        values = values.astype(object)
    null = {"f": numpy.nan, "M": "NaT", "m": "NaT"}.get(values.dtype.kind)
    more = numpy.empty(1, values.dtype)
    more[0] = null
    return numpy.where(numbers < 0, len(values), numbers), numpy.concatenate([values, more])


def values_of(op, x):
    """The names and arrays of several columns to fold, or None for a single array."""
    if isinstance(x, dict):
        return list(x), list(x.values())
    kind = kind_of(x)
    if not kind.is_frame(x):
        return None
    names = frame_columns.folded_of(op, kind, x, frame_columns.kinds_with(op))
    return names, [x[name] for name in names]
