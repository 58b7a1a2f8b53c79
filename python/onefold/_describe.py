"""The common statistics of an array in one pass, as `onefold describe` prints them."""

from . import _errors, _fold

# (field, op): the rows of the command line.
rows = (
    ("count", "count"), ("nan", "count_nan"), ("inf", "count_inf"), ("zeros", "count_zero"),
    ("sum", "sum"), ("mean", "mean"), ("std", "std"), ("var", "var"), ("min", "min"),
    ("argmin", "argmin"), ("max", "max"), ("argmax", "argmax"), ("norm1", "norm1"),
    ("norm2", "norm2"))
_fields = tuple(field for field, _ in rows)
_no_value = ("overflow", "nan_found", "empty_input")
_type = None


def _table(self):
    width = max(map(len, self._fields))
    return "\n".join(
        f"{name:<{width}}  {self._why.get(name, value)}" for name, value in zip(self._fields, self))


def _type_of_answers():
    global _type
    if _type is None:
        base = _fold._type_of(_fields)
        _type = type("Description", (base,), {
            "__module__": "onefold", "__repr__": _table, "__str__": _table, "_why": {}})
    return _type


def describe(x, /, *, axis=None, ddof=None, correction=None, keepdims=False, nan="propagate",
             threads=None, format=None, dtype=None, shape=None, offset=None):
    """Fourteen statistics in one pass, as a named tuple that prints as a table.

    x        an array of any kind, or the path of a file: as fold() takes them
    returns  count, nan, inf, zeros, sum, mean, std, var, min, argmin, max, argmax, norm1, norm2;
             floats in float64 (min and max keep their type). Without axes a field that has no
             value (the minimum of nothing) is None, and the table says why
    """
    keywords = {
        "axis": axis, "ddof": ddof, "correction": correction, "keepdims": keepdims, "nan": nan,
        "threads": threads, "format": format, "dtype": dtype, "shape": shape, "offset": offset,
        "wide": True}
    make, ops = _type_of_answers(), ",".join(op for _, op in rows)
    try:
        return make(*_fold._values(ops, x, None, dict(keywords)))
    except _errors.Error as error:
        if error.code not in _no_value or axis is not None or keepdims:
            raise _errors.make(error.code, str(error).replace(ops, "describe")) from None
    values, why = [], {}
    for field, op in rows:  # one by one: only where some have no value
        try:
            values += _fold._values(op, x, None, dict(keywords))
        except _errors.Error as error:
            if error.code not in _no_value:
                raise
            values.append(None)
            why[field] = error.code
    answers = type("Description", (make,), {"__module__": "onefold", "_why": why})(*values)
    return answers
