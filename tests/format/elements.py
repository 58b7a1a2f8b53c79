"""How elements enter the states of docs/format_reference.py: what gather does, by whole numbers.

Elements are given by their bits. NaN is left out of every sum, and infinities too.
"""

import pathlib
import sys
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "docs"))
from format_reference import (  # noqa: E402
    ACCUMULATORS, FLOATS, NONE, OPS, State, decode, merge_words, round_to, unit_of)

EMPTY = {"greatest": [-2**63, NONE, NONE], "least": [2**63 - 1, NONE, NONE]}
INFINITE = ("+inf", "-inf")


def order_key(dtype, bits):
    if dtype in FLOATS:
        sign = sum(FLOATS[dtype])
        return ~(bits & (1 << sign) - 1) if bits >> sign else bits
    return bits - 2**63 if dtype == "u64" else decode(dtype, bits)


def value_of(element):
    """The units of what is finite, else 0."""
    return element if isinstance(element, int) else 0


def two_f64(dtype, d):
    """A difference of d units as the nearest f64 and the f64 that is left; of integers d and 0."""
    if dtype not in FLOATS:
        return [d, 0]
    units = d << unit_of(dtype) + 1074
    high = round_to("f64", Fraction(units, 2**1074))
    if decode("f64", high) == "+inf":
        return [high, 0]
    return [high, round_to("f64", Fraction(units - decode("f64", high), 2**1074))]


def lift(name, dtype, bits, other, index):
    """The words of one element, or of a pair."""
    a, b = decode(dtype, bits), None if other is None else decode(dtype, other)
    x, y, factors = value_of(a), value_of(b), ACCUMULATORS[name][0]
    if name in EMPTY:
        return [*EMPTY[name][:2], index] if a == "nan" else [order_key(dtype, bits), index, NONE]
    if name == "zeros":
        return [int(a in (0, "-0"))]
    if name == "tally":
        return [1, a == "nan", a == "+inf", a == "-inf",
                dtype in FLOATS and a not in ("nan", "-0")]
    if name.startswith("sum") and name != "sumabsdiff":
        return [abs(x) if name == "sumabs" else x**factors]
    nan, infinite = "nan" in (a, b), a in INFINITE or b in INFINITE
    if name == "pairs":
        return [1, nan, infinite and not nan, b in INFINITE and not nan, a in INFINITE and a == b]
    if name == "dot":
        negative = (str(a)[0] == "-") != (str(b)[0] == "-")
        zero = a in (0, "-0") or b in (0, "-0")
        special = infinite and not nan
        return [0 if nan else x * y, 1, nan, special and zero, special and not zero and not negative,
                special and not zero and negative,
                dtype in FLOATS and not nan and not (zero and negative and not infinite)]
    if name in ("maxabsdiff", "sumabsdiff"):
        d = 0 if nan or infinite else abs(x - y)
        return [d] if name == "sumabsdiff" else two_f64(dtype, d)
    value = 0 if nan else x if name.startswith("left") else y
    return [value**factors]


def gather(ops, dtype, x, y=None, nan="propagate", first=0):
    """The state of elements, as onefold.gather makes it."""
    state, names = State(dtype, nan), ops.split(",")
    needs = {a for op in names for a in OPS[op][0]}
    state.count, state.indexed = len(x), int(bool({"argmin", "argmax"} & set(names)))
    if state.indexed and x:
        state.ranges = [(first, first + len(x))]
    for name in ACCUMULATORS:
        if name in needs:
            factors, more = ACCUMULATORS[name]
            words = state.words[name] = list(EMPTY.get(name, [0] * (more + (factors > 0))))
            for i, bits in enumerate(x):
                index = first + i if state.indexed else 0
                merge_words(name, words, [int(v) for v in lift(
                    name, dtype, bits, None if y is None else y[i], index)])
    return state
