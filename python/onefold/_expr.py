"""Expressions of arrays: onefold.expr("x * w - 1"), whose values the functions of ops fold block by block."""

from . import _core, _errors
from ._found import ndarray_of, unsupported

_of_numbers = frozenset(
    ("+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "in", "and", "or", "not", "abs", "floor", "ceil", "round", "sqrt",
     "bin", "if"))
# Keywords of the functions of ops that an expression's call may have; other keywords are arrays.
_options = frozenset(("axis", "dtype", "keepdims", "nan", "where", "threads", "ddof", "correction", "bias", "fisher"))
_refused = frozenset(("out", "weights", "fweights", "initial", "errors", "dim", "progress", "y"))
_most_terms = 64


class Expr:
    """An expression of named arrays, by the grammar of let=. Functions of ops fold its values.

    text    the expression
    arrays  the arrays by name; a call such as onefold.sum(e, x=...) gives others
    """

    __slots__ = ("arrays", "names", "text", "tree")

    def __init__(self, text, arrays):
        if type(text) is not str:
            raise _errors.make("type_mismatch", f"expr: the expression is a {type(text).__qualname__}, and must be a str")
        self.text, self.tree, self.arrays = text, _core.expression(text), arrays
        self.names = tuple(dict.fromkeys(_names(self.tree)))
        if not self.names:
            raise _errors.make("bad_option", f'expr "{text}": it names no array, such as x in "2 * x"')
        for name in arrays:
            if name not in self.names:
                raise _errors.make("bad_option", f'expr "{text}": it has no {name}, only {", ".join(self.names)}')

    def __repr__(self):
        return f"onefold.expr({self.text!r})"


Expr.__module__ = "onefold"
_core.set_expression_type(Expr)


def expr(text, /, **arrays):
    """An expression of arrays, to be folded without an array of its values: onefold.sum(onefold.expr("x * w - 1"), x=x, w=w).

    text     the grammar of let=, for numbers: + - * / % ** comparisons, and, or, not, in, abs, floor, ceil, round, sqrt, bin, if
    arrays   arrays by name that broadcast, on the CPU; a call of an op may name them, too. fold() takes expr(text, x=x, w=w)
    returns  what functions of one array take: sum, mean, var, min, argmax, fold, ..., with axis=, where= and nan=
    exact    sum and mean of polynomials of degree 2 at most: rounded once. Other values round first, as NumPy's do
    """
    return Expr(text, arrays)


def _names(tree):
    if type(tree) is str:
        yield tree
    elif type(tree) is tuple:
        if tree[0] not in _of_numbers:
            raise _errors.make("bad_option", f"expr: {tree[0]} is for columns of tables; expressions of arrays have + - * / % **, "
                               "comparisons, and, or, not, in, abs, floor, ceil, round, sqrt, bin, if")
        for part in tree[1:]:
            yield from _names(part)


def bound(op, args, keywords):
    """The arguments and keywords of a call with an expression, whose arrays are taken from the keywords."""
    e, arrays, options = args[0], dict(args[0].arrays), {}
    for name, value in keywords.items():
        if name in _options:
            options[name] = value
        elif name in _refused and name not in e.names:
            raise refused(op, name)
        elif name in e.names:
            arrays[name] = value
        else:
            raise TypeError(f"{op}() got an unexpected keyword argument '{name}'; the expression has {', '.join(e.names)}")
    made = Expr.__new__(Expr)
    made.text, made.tree, made.names, made.arrays = e.text, e.tree, e.names, arrays
    return (made, *args[1:]), options


def refused(op, name):
    return _errors.make("bad_option", f"{op}: {name}= does not go with an expression; write it into the expression, or fold an "
                        "array of its values")


def arrays_of(op, e):
    """The expression's arrays as ndarrays by name, and the mask of elements that all of them have, or None."""
    from .kinds import find, kind_of

    missing = [name for name in e.names if e.arrays.get(name) is None]
    if missing:
        raise _errors.make("bad_option", f'{op}: the expression "{e.text}" needs {", ".join(name + "=" for name in missing)}')
    first, arrays, mask = e.arrays[e.names[0]], {}, None
    for name in e.names:
        x = e.arrays[name]
        if x is not first:
            x = kind_of(first).agreeing(op, name + "=", first, x)
        found = find(op, x)
        if found.there:
            raise unsupported(op, f"{name}= is on a device; expressions are of arrays on the CPU")
        arrays[name] = ndarray_of(op, found.array)
        if found.mask is not None:
            mask = found.mask if mask is None else mask & found.mask
    return arrays, mask


def polynomial(tree):
    """The tree as a sum of terms, each (factors, names) with at most two names; None: it is no such polynomial."""
    if type(tree) is float:
        return [((tree,), ())]
    if type(tree) is str:
        return [((), (tree,))]
    if type(tree) is not tuple or tree[0] not in ("+", "-", "*", "/"):
        return None
    parts = [polynomial(part) for part in tree[1:]]
    if None in parts:
        return None
    if tree[0] == "/":
        return _scaled(parts[0], tree[2])
    if tree[0] == "*":
        terms = [(a + c, b + d) for a, b in parts[0] for c, d in parts[1]]
    else:
        *plus, last = parts
        terms = [term for part in plus for term in part]
        terms += [((-1.0, *factors), names) for factors, names in last] if tree[0] == "-" else last
    return terms if len(terms) <= _most_terms and all(len(names) <= 2 for _, names in terms) else None


def _scaled(terms, divisor):
    """The terms over a constant, if that is a power of 2."""
    import math

    if type(divisor) is not float or divisor == 0 or abs(math.frexp(divisor)[0]) != 0.5 or not 2**-900 < abs(divisor) < 2**900:
        return None
    return [((1 / divisor, *factors), names) for factors, names in terms]
