"""Expressions of arrays: onefold.expr("x * w - 1"), whose values the functions of ops fold block by block."""

from .. import _core, errors
from .found import ndarray_of, unsupported
from .values import functions

# Keywords of the functions of ops that an expression's call may have; other keywords are arrays.
_options = frozenset(("axis", "dtype", "keepdims", "nan", "where", "threads", "ddof", "correction", "bias", "fisher"))
_refused = frozenset(("out", "weights", "fweights", "initial", "errors", "dim", "progress", "y"))
_most_terms = 1024


class Expr:
    """An expression of named arrays, by the grammar of let=. Functions of ops fold its values.

    text    the expression
    arrays  the arrays by name; a call such as onefold.sum(e, x=...) gives others
    steps   what is computed, arguments first: a str is an array, a float or bool a constant, and (name, n) a function of the
            last n values
    """

    __slots__ = ("arrays", "names", "steps", "text")

    def __init__(self, text, arrays):
        if type(text) is not str:
            raise errors.make("type_mismatch", f"expr: the expression is a {type(text).__qualname__}, but must be a str")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise errors.make("bad_option", f"expr: {errors.shown(text)} contains a lone surrogate, which is not valid "
                                             "text; leave it out") from None
        self.text, self.steps, self.arrays = text, _steps(text, _core.expression(text)), arrays
        self.names = tuple(dict.fromkeys(step for step in self.steps if type(step) is str))
        if not self.names:
            raise errors.make("bad_option", f'expr "{text}": the expression names no array, such as x in "2 * x"')
        for name in arrays:
            if name not in self.names:
                raise errors.make("bad_option", f'expr "{text}": the expression has no {name}, only {", ".join(self.names)}; '
                                   f"leave out {name}=")

    def __reduce__(self):
        return _unpickled, (self.text, self.arrays)

    def __repr__(self):
        return f"onefold.expr({self.text!r})"


Expr.__module__ = "onefold"
_core.set_expression_type(Expr)


def _unpickled(text, arrays):
    return Expr(text, arrays)


def expr(text, /, **arrays):
    """An expression of arrays, to be folded without an array of its values: onefold.sum(onefold.expr("x * w - 1"), x=x, w=w).

    text     the grammar of let=, for numbers: + - * / % ** comparisons, and, or, not, in, abs, floor, ceil, round, sqrt, bin, if
    arrays   arrays by name that broadcast, on the CPU; a call of an op may name them, too. fold() takes expr(text, x=x, w=w)
    returns  what functions of one array take: sum, mean, var, min, argmax, fold, ..., with axis=, where= and nan=
    exact    sum and mean of polynomials of degree 2 at most: rounded once. Other values round first, as NumPy's do
    """
    return Expr(text, arrays)


def _steps(text, tree):
    """The steps of a tree: a tuple is a function's name and its arguments."""
    steps, left = [], [tree]
    while left:
        node = left.pop()
        if type(node) is tuple:
            _check_call(text, node[0], len(node) - 1)
            left += node[1:]
            node = node[0], len(node) - 1
        steps.append(node)
    return steps[::-1]


def _check_call(text, name, n):
    """Refuses a function that arrays have not, and a wrong number of arguments."""
    if name not in functions:
        raise errors.make("bad_option", f"expr: {name} works on columns of tables only; expressions of arrays have + - * / % "
                           "**, comparisons, and, or, not, in, abs, floor, ceil, round, sqrt, bin, if")
    least, most = functions[name][:2]
    if not least <= n <= most:
        raise errors.make("bad_option", f'expr "{text}": {name} takes {most} argument{"s" if most > 1 else ""}, and {n} '
                           f"{'is' if n == 1 else 'are'} given")


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
    made.text, made.steps, made.names, made.arrays = e.text, e.steps, e.names, arrays
    return (made, *args[1:]), options


def refused(op, name):
    return errors.make("bad_option", f"{op}: {name}= cannot be combined with an expression; make it part of the expression, "
                                      "or pass an array of its values")


def arrays_of(op, e, where):
    """The expression's arrays as ndarrays by name; the mask of elements that all of them have, or None; whether one is a masked
    array; and where=, in the order of their labels."""
    from . import find

    missing = [name for name in e.names if e.arrays.get(name) is None]
    if missing:
        raise errors.make("bad_option", f'{op}: the expression "{e.text}" needs {", ".join(name + "=" for name in missing)}')
    agreed = _agreeing(op, {**{name + "=": e.arrays[name] for name in e.names}, "where=": where})
    where, arrays, mask, masked = agreed.pop("where="), {}, None, False
    for name, x in agreed.items():
        found = find(op, x)
        if found.there:
            raise unsupported(op, f"{name} is on a device; expressions need arrays on the CPU, so copy it there")
        array = arrays[name[:-1]] = ndarray_of(op, found.array)
        try:
            _core.dtype_name(str(array.dtype))
        except errors.Error:
            said = "records" if array.dtype.names else str(array.dtype)
            raise unsupported(op, f"{name} has elements of {said}; expressions need bools, integers or floats") from None
        if found.mask is not None:
            mask = found.mask if mask is None else mask & found.mask
        masked |= found.masked
    return arrays, mask, masked, where


def _agreeing(op, given):
    """The arrays in the order of the labels of the largest of their kind; an error if labels differ."""
    from . import kind_of

    largest = {}
    for name, x in given.items():
        kind = None if x is None else kind_of(x)
        if getattr(kind, "has_labels", False) and name != "where=":
            size = len(getattr(x, "shape", ())), len(getattr(x, "indexes", ()))
            if kind not in largest or size > largest[kind][0]:
                largest[kind] = size, x
    for kind, (_, first) in largest.items():
        kind.check_labels(op, given)
        for name, x in given.items():
            if x is not None and x is not first:
                given[name] = kind.agreeing(op, name, first, x)
    return given


def polynomial(steps):
    """The terms of a sum as a dict: sorted names, at most two, to a pair (m, e), the factor m 2^e; None: it is not such a polynomial.

    Terms of the same names are one.
    """
    stack = []
    for step in steps:
        if type(step) is not tuple:
            stack.append({(step,): (1, 0)} if type(step) is str else _constant(step))
        else:
            parts = stack[-step[1]:]
            del stack[-step[1]:]
            made = _operations[step[0]](*parts) if step[0] in _operations and None not in parts else None
            if made is not None and any(len(names) > 2 for names in made):
                made = None
            stack.append(made)
        if stack[-1] is None:
            return None
    return stack[0]


def terms_of(op, e):
    """The polynomial's terms, each a pair of factors and names; None: it is none."""
    terms = polynomial(e.steps)
    if terms is None:
        return None
    if len(terms) > _most_terms:
        raise errors.make("bad_option", f"{op}: the expression has {len(terms)} terms, but sums of at most {_most_terms} "
                                         "are exact; "
                           "fold its parts, or an array of its values")
    return [(factors, names) for names, factor in terms.items() for factors in _factors(*factor)]


def _constant(number):
    """A constant as a polynomial."""
    if type(number) is not float:  # a truth value
        return None
    m, over = number.as_integer_ratio()
    return {(): (m, 1 - over.bit_length())}


def _factors(m, e):
    """Lists of floats: the sum of their products is m 2^e."""
    sign, m, lists = (-1 if m < 0 else 1), abs(m), []
    while m:
        chunk, at = m & (2**53 - 1), e
        factors = [float(sign * chunk)]
        while at:
            step = max(-1000, min(at, 1000))
            factors.append(2.0**step)
            at -= step
        if chunk:
            lists.append(factors)
        m, e = m >> 53, e + 53
    return lists or [[0.0]]


def _plus(a, b, sign=1):
    terms = dict(a)
    for names, (m, e) in b.items():
        _add(terms, names, sign * m, e)
    return terms


def _add(terms, names, m, e):
    n, f = terms.get(names, (0, e))
    least = min(e, f)
    terms[names] = (n << f - least) + (m << e - least), least


def _minus(a, b=None):
    return _plus({}, a, -1) if b is None else _plus(a, b, -1)


def _times(a, b):
    terms = {}
    for names, (m, e) in a.items():
        for others, (n, f) in b.items():
            _add(terms, tuple(sorted(names + others)), m * n, e + f)
    return terms


def _over(a, b):
    """A polynomial over a constant, if that is a power of 2."""
    m, e = b.get((), (0, 0))
    if len(b) > 1 or m == 0 or abs(m) & (abs(m) - 1):
        return None
    sign = 1 if m > 0 else -1
    return {names: (sign * n, f - e - (abs(m).bit_length() - 1)) for names, (n, f) in a.items()}


_operations = {"+": _plus, "-": _minus, "*": _times, "/": _over}
