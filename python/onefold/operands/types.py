"""The types of answers, and folds for libraries that lack some of them."""

from .. import _core, _ops, errors


def answer_types(request, dtype):
    """The types of the answers to a request for elements of a type."""
    names, result = request.ops.split(","), request.result
    if result is not None:
        return [_core.dtype_name(result, request.ops)] * len(names)
    types = [_ops.ops[name].types[dtype] for name in names]
    return ["f64" if request.wide and "f" in t and not _ops.ops[name].is_element else t
            for name, t in zip(names, types)]


def counts_as(op, numbers, result):
    """Counts or places, an ndarray of int64, in the type that was asked for, each rounded once."""
    if result is None:
        return numbers
    try:
        return _core.fold_array("sum", numbers, None, {"axis": (), "result": result})[0]
    except errors.Error as error:
        raise errors.renamed(error, "sum", op) from None


def rounded_once(request, types, type_of, fold):
    """The answers of fold(request) for a library that has type_of(t) for a type t: JAX may lack f64, and answers in f64
    would then be rounded twice."""
    kept = [type_of(t) if "f" in t else t for t in types]
    if kept == types:
        return fold(request)
    return [fold(request.replace(ops=name, **({} if k == t else {"result": k})))[0]
            for name, k, t in zip(request.ops.split(","), kept, types)]


def wrapped(found, request, fold):
    """The answers of fold(request), a list, as the kind of numbers or arrays that the input was."""
    if not isinstance(found.array, _core.View):
        return list(map(found.wrap, fold(request)))
    types = answer_types(request, found.array.dtype)
    return [found.wrap(value, t) for value, t in zip(rounded_once(request, types, found.type_of, fold), types)]
