"""einsum() of one array or two: each answer is one exact sum of products, rounded once."""

import math
import sys

from .. import errors
from ..operands import giver, like, shape_of
from ..operands.complex_numbers import is_complex
from ..operands.found import library_of, numpy_for, on_device
from ..operands.masks import as_ndarray
from ..reduce.fold import fold
from .products import alike, matmul, narrower, operand, permuted, type_for


def einsum(subscripts, a, b=None, /, *, dtype=None, threads=None):
    """Sums of products by named axes, as NumPy's einsum() of one array or two; each is exact, rounded once.

    subscripts  a letter for each axis of a, and of b behind a comma; behind "->" those of the answer. "bik,bkj->bij" is a product
                of matrices for each b. `...` stands for axes that broadcast. Without "->" the answer has the letters that are
                there once, in the order of the alphabet
    a, b        arrays of one library, as of matmul(); several arrays are folded two at a time, with a rounding for each pair
    dtype       to which the exact answers are rounded; by default that of sum() for one array, that of matmul() for two
    returns     an array, or a number if no letter remains
    """
    terms, kept = _terms_of(subscripts, 1 if b is None else 2)
    given = [operand("einsum", x) for x in ([a] if b is None else [a, b])]
    first = giver(*given)
    given = [_plain(x) for x in alike("einsum", *given)]
    dtype = narrower(first, given[0], type_for("einsum", first, dtype))
    terms, kept = _without_dots(terms, kept, [len(shape_of("einsum", x)) for x in given])
    extents = _extents(terms, given)
    operands = [_diagonal(x, term) for x, term in zip(given, terms)]
    keywords = {"threads": threads} if dtype is None else {"threads": threads, "dtype": dtype}
    if b is None:
        (x, term), = operands
        keywords["result"] = keywords.pop("dtype", None)
        gone = tuple(k for k, letter in enumerate(term) if letter not in kept)
        if gone or not term:
            x = fold("sum", x, axis=gone, **keywords)[0]
        return like(first, _ordered(x, [letter for letter in term if letter in kept], kept))
    return like(first, _of_two(operands, kept, extents, keywords))


def _plain(x):
    """The array, or that of NumPy if it is on the host and not of torch."""
    if on_device(x) or library_of(x) == "torch" or (is_complex(x) and library_of(x) == "numpy"):
        return x
    return numpy_for("einsum", "complex numbers").asarray(x) if is_complex(x) else as_ndarray("einsum", "an array", x)


def _terms_of(subscripts, operands):
    """The letters of each array, and of the answer."""
    if not isinstance(subscripts, str):
        raise errors.make("type_mismatch", "einsum: the subscripts come first, a str such as 'ij,jk->ik'")
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    wrong = [c for c in text.replace("->", "", 1).replace("...", "") if c != "," and not (c.isascii() and c.isalpha())]
    if wrong or "," in right:
        raise errors.make("bad_option", f"einsum: {errors.shown(subscripts)} has {errors.shown((wrong or [','])[0])}; subscripts "
                           "are letters, '...', ',' between two arrays and '->'")
    if len(terms) != operands:
        raise errors.make("bad_option", f"einsum: {errors.shown(subscripts)} names {len(terms)} arrays, but {operands} "
                           f"{'was' if operands == 1 else 'were'} given")
    if not arrow:
        letters = left.replace(",", "").replace(".", "")
        right = ("..." if "..." in left else "") + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    own = right.replace("...", "")
    for c in own:
        if own.count(c) > 1 or c not in left:
            raise errors.make("bad_option", f"einsum: {c!r} stands {own.count(c)} times in the output and {left.count(c)} "
                               "times in the inputs; "
                               + ("name it once in the output" if c in left else "leave it out of the output"))
    if "..." in right and "..." not in left:
        raise errors.make("bad_option", f"einsum: {errors.shown(subscripts)} has '...' in the output but in no "
                           "input; leave it out")
    return terms, right


def _without_dots(terms, kept, ranks):
    """The letters as lists, with numbers in place of `...`, counted from the last axis that it stands for."""
    made, longest = [], 0
    for term, rank in zip(terms, ranks):
        before, dots, after = term.partition("...")
        n = rank - len(before) - len(after)
        if n < 0 or (n > 0 and not dots):
            raise errors.make("shape_mismatch", f"einsum: {term!r} names {len(before) + len(after)} axes, but the array has "
                               f"{rank} axes")
        longest = max(longest, n)
        made.append([*before, *range(n - 1, -1, -1), *after])
    before, dots, after = kept.partition("...")
    if not dots and longest:
        raise errors.make("bad_option", "einsum: '...' stands for axes that are missing in the output; write '...' after '->'")
    return made, [*before, *range(longest - 1, -1, -1), *after]


def _extents(terms, given):
    """How many elements each letter's axes have."""
    extents = {}
    for term, x in zip(terms, given):
        for letter, n in zip(term, shape_of("einsum", x)):
            there = extents.setdefault(letter, n)
            if there == n or n == 1:
                continue
            if there != 1:
                raise errors.make("shape_mismatch", f"einsum: axis {letter!r} has extents {there} and {n}; they must agree")
            extents[letter] = n
    return extents


def _diagonal(x, term):
    """The array with one axis for each letter, and its letters."""
    term = list(term)
    for letter in [c for k, c in enumerate(term) if c in term[:k]]:
        first = term.index(letter)
        second = term.index(letter, first + 1)
        if x.shape[first] != x.shape[second]:
            raise errors.make("shape_mismatch", f"einsum: axis {letter!r} has extents {x.shape[first]} and {x.shape[second]}; "
                               "they must agree")
        x = x.diagonal(0, first, second)
        term = [c for k, c in enumerate(term) if k not in (first, second)] + [letter]
    return x, term


def _of_two(operands, kept, extents, keywords):
    """The answer of two arrays: a product of matrices for each of the letters that both have and the answer keeps."""
    (a, in_a), (b, in_b) = operands
    batch = [c for c in kept if c in in_a and c in in_b]
    rows, columns = ([c for c in kept if c in own and c not in batch] for own in (in_a, in_b))
    inner = [c for c in extents if c not in kept]
    left = _reshaped(a, in_a, (batch, rows, inner), extents)
    right = _reshaped(b, in_b, (batch, inner, columns), extents)
    answer = matmul(left, right, **keywords)
    answer = answer.reshape([extents[c] for c in batch + rows + columns])
    answer = _ordered(answer, batch + rows + columns, kept)
    return answer if kept else answer[()]


def _reshaped(x, term, groups, extents):
    """The array with an axis for each group of letters; those that it lacks, or has once, are repeated."""
    order = [c for group in groups for c in group]
    x = _ordered(x, term, [c for c in order if c in term])
    missing = tuple(slice(None) if c in term else None for c in order)
    shape = [extents[c] for c in order]
    x = x[missing]
    if list(x.shape) != shape:
        x = x.expand(shape) if hasattr(x, "expand") else _broadcast(x, shape)
    return x.reshape([math.prod(extents[c] for c in group) for group in groups])


def _broadcast(x, shape):
    return sys.modules[library_of(x)].broadcast_to(x, shape)


def _ordered(x, term, order):
    """The array with its letters in another order."""
    return x if list(term) == list(order) else permuted(x, [term.index(c) for c in order])
