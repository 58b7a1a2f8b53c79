"""The named tuples that folds of several ops return, and the names of those ops."""

from . import _core
from ._found import type_name

_types = {}


class _Answers:
    """The base of all answers; pickles them by the names of their ops."""

    __slots__ = ()

    def __reduce__(self):
        return _remake, (self._fields, tuple(self))


def _remake(names, values):
    return _type_of(names)(*values)


def _type_of(names):
    answers = _types.get(names)
    if answers is None:
        from collections import namedtuple

        base = namedtuple("Answers", names)
        answers = type("Answers", (_Answers, base), {"__slots__": (), "__module__": "onefold"})
        _types[names] = answers
    return answers


def _names_of(ops, checks=True):
    try:
        if hasattr(ops, "dtype") or hasattr(ops, "columns"):
            raise TypeError("an array")
        text = ops if isinstance(ops, str) else ",".join(ops)
    except Exception:  # x may raise anything
        raise TypeError("the names of ops come first, as in fold('mean,var', x), and here stands a "
                        + type_name(ops)) from None
    text = ",".join(name.strip() for name in text.split(",")).encode(errors="backslashreplace").decode()
    if checks:
        _core.check_ops(text)
    return text
