"""A reference for docs/format.md: reads, merges, removes, answers and writes states.

It shares no code with the library and computes with whole numbers and fractions. It does not
check what words mean (docs/format.md, What a reader checks). What is refused is a ValueError.
"""

import copy
import hashlib
import struct
import zlib
from fractions import Fraction
from math import isqrt, prod

MAGIC, MAGIC_SHARE, MAGIC_MANY = b"1fold\r\n\2", b"1fold\r\n\3", b"1folds\r\n"
NONE = 2**64 - 1  # stands for no index
FLOATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}  # exponent, mantissa
INTEGERS = {"bool": 8, **{f"{sign}{n}": n for sign in "iu" for n in (8, 16, 32, 64)}}
# Accumulators in order: limbs for elements (1), for so many factors or none; and the other words.
ACCUMULATORS = {
    "decimal": (1, 0), "dot": (2, 6), "greatest": (0, 3), "least": (0, 3), "sum": (1, 0),
    "sumabs": (1, 0), "sumcube": (3, 0), "sumfourth": (4, 0), "sumsq": (2, 0), "tally": (0, 5),
    "zeros": (0, 1), "left_sum": (1, 0), "left_sumsq": (2, 0), "maxabsdiff": (0, 2),
    "pairs": (0, 5), "right_sum": (1, 0), "right_sumsq": (2, 0), "sumabsdiff": (1, 0)}
EXTREMES = ("greatest", "least", "maxabsdiff")
# Ops with the accumulators that they need and the type of their answers.
OPS = {op: (needs.split("+"), result) for needs, result, *ops in map(str.split, """
    sumsq+tally unsigned sumsq; zeros+tally bool all any; right_sum+dot+pairs fraction average;
    least+greatest unsigned norminf ptp; least same min; sum+sumsq+sumcube+tally fraction skewness;
    sum+sumsq+sumcube+sumfourth+tally fraction kurtosis; least i64 argmin; greatest i64 argmax;
    left_sumsq+right_sumsq+dot+pairs fraction cosine distance mse rmse; greatest same max;
    left_sum+right_sum+left_sumsq+dot+pairs fraction intercept slope; sumabsdiff+pairs fraction mae;
    tally i64 count count_inf count_nan; left_sum+right_sum+dot+pairs fraction cov; dot signed dot;
    left_sum+left_sumsq+right_sum+right_sumsq+dot+pairs fraction corr; sum+tally fraction mean;
    maxabsdiff+pairs unsigned max_abs_diff; sumsq+tally fraction norm2 rms; sum+tally signed sum;
    zeros+tally i64 count_nonzero count_zero; sumabs+tally unsigned norm1;
    sum+sumsq+tally fraction std var""".split(";")) for op in ops}
ROOTS = ("std", "skewness", "norm2", "rms", "rmse", "distance", "corr", "cosine")

def unit_of(dtype):
    """Elements are integers times 2^unit; for floats 2^unit is the smallest subnormal."""
    if dtype not in FLOATS:
        return 0
    exponent, mantissa = FLOATS[dtype]
    return 2 - 2 ** (exponent - 1) - mantissa

def limbs_of(dtype, name):
    """The number of 32-bit limbs: for the bits of a value, and 64 bits for carries of additions."""
    factors = ACCUMULATORS[name][0]
    bits = 2 ** (FLOATS[dtype][0] - 1) - unit_of(dtype) if dtype in FLOATS else 64
    more = int(name == "sumabsdiff" and dtype in FLOATS)
    return 157 if name == "decimal" else (factors * bits + more + 95) // 32 if factors else 0

def decode(dtype, bits):
    """The element as a number of units, or "nan", "+inf", "-inf", "-0"."""
    if dtype in INTEGERS:
        negative = dtype[0] == "i" and bits >> INTEGERS[dtype] - 1
        return bits - (2 ** INTEGERS[dtype] if negative else 0)
    exponent, mantissa = FLOATS[dtype]
    e, m = bits >> mantissa & 2**exponent - 1, bits & 2**mantissa - 1
    sign = "-" if bits >> exponent + mantissa else "+"
    if e == 2**exponent - 1:
        return "nan" if m else sign + "inf"
    value = m if e == 0 else (m + 2**mantissa) << e - 1
    return value if sign == "+" else -value or "-0"

def bits_of_key(dtype, key):
    if dtype in FLOATS:
        return ~key | 1 << sum(FLOATS[dtype]) if key < 0 else key
    return key + 2**63 if dtype == "u64" else key % 2 ** INTEGERS[dtype]

def round_to(dtype, value, root=False):
    """The bits nearest to a fraction, ties to even; with `root` to its root, with its sign."""
    exponent, mantissa = FLOATS[dtype]
    infinity, unit = 2**exponent - 1 << mantissa, unit_of(dtype)
    if value == 0:
        return 0
    num, den = abs(value.numerator), value.denominator
    top = num.bit_length() - den.bit_length()
    if num << max(-top, 0) < den << max(top, 0):
        top -= 1  # 2^top <= |value| < 2^(top + 1)
    ulp = max(unit, (top // 2 if root else top) - mantissa)
    shift = (2 - ulp) * (2 if root else 1)  # two bits more than are kept
    q, rest = divmod(num << max(shift, 0), den << max(-shift, 0))
    if root:
        q, rest = isqrt(q), rest or isqrt(q) ** 2 != q
    kept, tail = q >> 2, q & 3 | (rest != 0)
    kept += tail == 3 or (tail == 2 and kept & 1)
    return (value < 0) << exponent + mantissa | min((ulp - unit << mantissa) + kept, infinity)

def answer_as(dtype, value, root):
    """(dtype, status, bits) of a fraction, "nan", "+inf", "-inf", "-0" or the name of a status."""
    if value in ("nan_found", "empty_input"):
        return (dtype, value, 0)
    if dtype in FLOATS:
        exponent, mantissa = FLOATS[dtype]
        inf, sign = 2**exponent - 1 << mantissa, 1 << exponent + mantissa
        named = {"nan": inf | 1 << mantissa - 1, "+inf": inf, "-inf": sign | inf, "-0": sign}
        return (dtype, "ok", named[value] if value in named else round_to(dtype, value, root))
    width, low = INTEGERS[dtype], -(2 ** (INTEGERS[dtype] - 1)) if dtype[0] == "i" else 0
    fits = low <= value < low + 2**width
    return (dtype, "ok", int(value) % 2**width) if fits else (dtype, "overflow", 0)

def with_flag(name, words):
    return [*words[:-1], int(words[-1] != 0)] if name in ("tally", "dot") else words

def merge_words(name, words, more):
    """Adds words. Of two extremes it keeps the better one; of equal ones, the first."""
    if name in ("greatest", "least"):
        better = more[0] > words[0] if name == "greatest" else more[0] < words[0]
        if better or (more[0] == words[0] and more[1] < words[1]):
            words[:2] = more[:2]
        words[2] = min(words[2], more[2])
    elif name == "maxabsdiff":
        words[:] = max(words, more, key=lambda w: (w[0], decode("f64", w[1])))
    else:
        words[:] = with_flag(name, [v + m for v, m in zip(words, more)])

def pack(*numbers):
    return struct.pack(f"<{len(numbers)}Q", *[n % 2**64 for n in numbers])

def text(s):
    return pack(len(s)) + s.encode()

def sealed(data):
    return data + struct.pack("<I", zlib.crc32(data))

def split(dtype, name, words, many=False):
    """A state's words: digits; the last has the sign (in states of many slices, every digit)."""
    n, base = limbs_of(dtype, name), 10**9 if name == "decimal" else 2**32
    if n == 0:
        return words
    sign = -1 if many and words[0] < 0 else 1
    value = sign * words[0]
    digits = [value // base**k % base for k in range(n - 1)] + [value // base ** (n - 1)]
    return [sign * d for d in digits] + words[1:]

def join(dtype, name, saved):
    n, base = limbs_of(dtype, name), 10**9 if name == "decimal" else 2**32
    if name in EXTREMES:  # indices and bits are unsigned, keys are not
        return saved[:name != "maxabsdiff"] + [v % 2**64 for v in saved[name != "maxabsdiff":]]
    value = [sum(d * base**k for k, d in enumerate(saved[:n]))] if n else []
    return with_flag(name, value + saved[n:])

class Reader:
    def __init__(self, data, *magics):
        if data[:8] not in magics or sealed(data[:-4]) != data:
            raise ValueError("these are not states of a known version, or they are damaged")
        self.rest = data[8:-4]

    def raw(self, n):
        if n > len(self.rest):
            raise ValueError("the bytes end early")
        taken, self.rest = self.rest[:n], self.rest[n:]
        return taken

    def numbers(self, n, code="Q"):
        return list(struct.unpack(f"<{n}{code}", self.raw(8 * n)))

    def text(self):
        return self.raw(self.numbers(1)[0]).decode()

    def state(self, whole=None):
        """A state without words: type, policy, number of elements, and their index ranges."""
        s = State(self.text(), self.text())
        if s.dtype not in {**FLOATS, **INTEGERS} or s.nan not in ("propagate", "omit", "raise"):
            raise ValueError("an element type or a NaN policy is not known")
        (s.count, s.indexed, ranges), s.whole = self.numbers(3), whole
        s.ranges = [tuple(self.numbers(2)) for _ in range(ranges)]
        return s

    def names(self):
        while name := self.text():
            if name not in ACCUMULATORS:
                raise ValueError("an accumulator is not known: " + name)
            yield name

class State:
    def __init__(self, dtype="f64", nan="propagate"):
        self.dtype, self.nan, self.count, self.indexed = dtype, nan, 0, 0
        self.ranges, self.whole, self.words = [], None, {}

    def kind(self):
        return (self.dtype, self.nan, self.indexed, list(self.words))

    def merge(self, other):
        if not self.words or not other.words:
            self.__dict__.update(copy.deepcopy((other if other.words else self).__dict__))
            return
        if self.kind() != other.kind() or len({self.whole, other.whole, None}) == 3:
            raise ValueError("merge: the states are not alike")
        ranges = []
        for begin, end in sorted(self.ranges + other.ranges):
            if ranges and begin < ranges[-1][1]:
                raise ValueError("merge: an element is in both states")
            joins = ranges and begin == ranges[-1][1]
            ranges.append((ranges.pop()[0] if joins else begin, end))
        if self.count + other.count >= 2**63:
            raise ValueError("merge: there are 2^63 elements or more")
        self.ranges, self.count = ranges, self.count + other.count
        self.whole = self.whole or other.whole
        for name, words in self.words.items():
            merge_words(name, words, other.words[name])

    def remove(self, other):
        if not other.words:
            return
        if self.kind() != other.kind() or other.whole not in (None, self.whole):
            raise ValueError("remove: the states are not alike")
        if any(name in EXTREMES for name in self.words):
            raise ValueError("remove: extremes have no inverse")
        left = {name: [v - o for v, o in zip(words, other.words[name])]
                for name, words in self.words.items()}
        for name in {"tally", "dot"} & set(left):
            left[name][-1] = self.flag_left(name, left, other.words[name][-1])
        counts = [v for name, w in left.items() for v in w[limbs_of(self.dtype, name) > 0:]]
        if self.count < other.count or min(counts) < 0:
            raise ValueError("remove: these elements were not merged")
        self.words, self.count = left, self.count - other.count

    def flag_left(self, name, left, removed):
        """Whether some remaining number differs from -0; perhaps, if no answer can be -0."""
        flag, w = self.words[name][-1], left[name]
        signed = {"decimal", "sum", "sumcube"} & set(left)
        if name == "dot":
            numbers, known, signed = w[1] - w[2], any(w[3:6]) or w[0] != 0, True
        else:
            numbers, finite = w[0] - w[1], w[0] - sum(w[1:4])
            known = finite < numbers or left.get("zeros", [finite])[0] < finite or \
                any(left.get(a, [0])[0] for a in ("decimal", "sum", "sumabs", "sumsq"))
        if removed and (not flag or (numbers and signed and not known)):
            raise ValueError("remove: not merged, or not known whether what is left is -0")
        return int(known or numbers > 0 and not signed) if removed or not numbers else flag

    def head(self):
        return text(self.dtype) + text(self.nan) + pack(
            self.count, self.indexed, len(self.ranges), *[end for r in self.ranges for end in r])

    def save(self, share=True):
        data = MAGIC_SHARE + pack(*self.whole) if self.whole and share else MAGIC
        words = (text(a) + pack(*split(self.dtype, a, w)) for a, w in self.words.items())
        return sealed(data + self.head() + b"".join(words) + text(""))

    def digest(self):
        return hashlib.sha256(self.save(share=False)).hexdigest()

    @staticmethod
    def load(data):
        r = Reader(data, MAGIC, MAGIC_SHARE)
        s = r.state(tuple(r.numbers(3)) if data[:8] == MAGIC_SHARE else None)
        for name in r.names():
            n = limbs_of(s.dtype, name) + ACCUMULATORS[name][1]
            s.words[name] = join(s.dtype, name, r.numbers(n, "q"))
        if s.save() != data or list(s.words) != [a for a in ACCUMULATORS if a in s.words]:
            raise ValueError("the bytes are not canonical")
        return s

    def answer(self, op, ddof=0):
        (needs, dtype), own = OPS[op], self.dtype
        if "decimal" in self.words and op in ("sum", "mean"):
            needs = ["decimal", "tally"]
        if not set(needs) <= set(self.words) or (op[:3] == "arg" and not self.indexed):
            raise ValueError("the state was not gathered for " + op)
        if dtype not in ("bool", "i64"):
            kind = "f64" if dtype == "fraction" else "u64" if "u" in (own[0], dtype[0]) else "i64"
            dtype = own if own in FLOATS or dtype == "same" else kind
        of = self.of_pairs if "pairs" in needs else self.of_extremes if needs[-1] in EXTREMES \
            else self.of_sums
        return answer_as(dtype, of(op, Fraction(ddof)), op in ROOTS)

    def of_extremes(self, op, _):
        ends = []
        for name in OPS[op][0]:
            key, index, nan_index = self.words[name]
            if nan_index != NONE and self.nan != "omit":
                return "nan_found" if self.nan == "raise" else nan_index if op[0] == "a" else "nan"
            if index == NONE:
                return 0 if op == "norminf" else "empty_input"
            ends.append(decode(self.dtype, bits_of_key(self.dtype, key)))
        if op[:3] == "arg":
            return index
        unit = Fraction(2) ** unit_of(self.dtype)
        if op in ("min", "max"):
            return ends[0] if isinstance(ends[0], str) else ends[0] * unit
        low, high = (0 if v == "-0" else v for v in ends)
        if isinstance(low, str) or isinstance(high, str):
            return "nan" if op == "ptp" and low == high else "+inf"
        return (high - low if op == "ptp" else max(abs(low), abs(high))) * unit

    def of_sums(self, op, ddof):
        w, unit, invalid = self.words, Fraction(2) ** unit_of(self.dtype), 0
        if op == "dot":
            total, n, nan, invalid, plus, minus, flag = w["dot"]
            unit *= unit
        else:
            (n, nan, plus, minus, flag), total = w["tally"], w.get("sum", [0])[0]
        numbers, n = n - nan, n - nan if self.nan == "omit" else n
        if op in ("count", "count_nan"):
            return n if op == "count" else nan
        if nan and self.nan == "raise":
            return "nan_found"
        if OPS[op][1] in ("bool", "i64"):
            zeros = w.get("zeros", [0])[0]
            return {"all": zeros == 0, "any": n != zeros, "count_inf": plus + minus,
                    "count_nonzero": n - zeros, "count_zero": zeros}[op]
        if (nan and self.nan != "omit") or (n == 0 and op in ("mean", "rms")) or invalid:
            return "nan"
        q, c, f = (w.get(a, [0])[0] for a in ("sumsq", "sumcube", "sumfourth"))
        if op in ("var", "std", "skewness", "kurtosis"):
            spread, with_ddof = n * q - total**2, op in ("var", "std")
            if plus + minus or n == 0 or (n <= ddof if with_ddof else spread == 0):
                return "nan"
            third = n**2 * c - 3 * n * total * q + 2 * total**3
            fourth = n**3 * f - 4 * n**2 * total * c + 6 * n * total**2 * q - 3 * total**4
            return spread * unit**2 / (n * (n - ddof)) if with_ddof else \
                Fraction(third * abs(third), spread**3) if op == "skewness" else \
                Fraction(fourth, spread**2) - 3
        if op in ("norm1", "norm2", "rms", "sumsq"):
            return "+inf" if plus + minus else w["sumabs"][0] * unit if op == "norm1" else \
                q * unit**2 / (n if op == "rms" else 1)
        if plus or minus:
            return "nan" if plus and minus else "+inf" if plus else "-inf"
        negative_zero = self.dtype in FLOATS and numbers and not flag
        if "decimal" in w and op in ("sum", "mean"):
            total, unit = w["decimal"][0], Fraction(1, 10**1080)
        return "-0" if negative_zero else total * unit / (n if op == "mean" else 1)

    def of_pairs(self, op, ddof):
        w, unit = self.words, Fraction(2) ** unit_of(self.dtype)
        n, nan, infinite, right_infinite, same_infinity = w["pairs"]
        n -= nan if self.nan == "omit" else 0
        if nan and self.nan != "omit":
            return "nan_found" if self.nan == "raise" else "nan"
        if n == 0:
            return {"distance": 0, "max_abs_diff": "empty_input"}.get(op, "nan")
        sx, qx, sy, qy, p = (w.get(a, [0])[0] for a in (
            "left_sum", "left_sumsq", "right_sum", "right_sumsq", "dot"))
        if op == "average":
            invalid, plus, minus, flag = w["dot"][3:]
            if right_infinite or invalid or (plus and minus) or sy == 0:
                return "nan"
            if plus or minus:
                return "-inf" if (minus > 0) != (sy < 0) else "+inf"
            return "-0" if self.dtype in FLOATS and not flag and sy > 0 else p * unit / sy
        if op in ("mse", "rmse", "distance", "mae", "max_abs_diff"):
            if infinite:
                return "nan" if same_infinity else "+inf"
            if op == "max_abs_diff" and self.dtype in FLOATS:
                high, low = (decode("f64", bits) for bits in w["maxabsdiff"])
                return high if high == "+inf" else Fraction(high + low, 2**1074)
            if op in ("mae", "max_abs_diff"):
                return w["sumabsdiff"][0] * unit / n if op == "mae" else w["maxabsdiff"][0]
            return (qx + qy - 2 * p) * unit**2 / (1 if op == "distance" else n)
        spread_x, spread_y, common = (qx, qy, p) if op == "cosine" else (
            n * qx - sx**2, n * qy - sy**2, n * p - sx * sy)
        if infinite or (n <= ddof if op == "cov" else spread_x == 0 or (
                op in ("corr", "cosine") and spread_y == 0)):
            return "nan"
        if op == "cov":
            return common * unit**2 / (n * (n - ddof))
        if op in ROOTS:  # the square of the answer, with the answer's sign
            return Fraction(common * abs(common), spread_x * spread_y)
        return Fraction(common, spread_x) if op == "slope" else (sy * qx - sx * p) * unit / spread_x

def save_slices(shape, kind, slices):
    """Bytes of many slices: an array of states of one kind, which merge and answer one by one."""
    head, names = copy.copy(kind), list(kind.words)
    head.count = max((s.count for s in slices), default=0)
    rows = [[v for a in names for v in split(s.dtype, a, s.words[a], True)] + [s.count]
            for s in slices]
    used, at = [], 0
    for name in names:
        limbs = range(at, at := at + limbs_of(head.dtype, name))
        others = range(at, at := at + ACCUMULATORS[name][1])
        held = [k for k in limbs if any(row[k] for row in rows)]
        used += range(held[0], held[-1] + 1) if held else []
        used += [k for k in others if name in EXTREMES or any(row[k] for row in rows)]
    used.append(at)
    return sealed(MAGIC_MANY + head.head() + pack(len(shape), *shape) +
                  b"".join(map(text, [*names, ""])) + pack(len(used), *used) +
                  b"".join(pack(*[row[k] for k in used]) for row in rows))

def load_slices(data):
    """The shape, an empty state of the same kind, and the states in C order."""
    r = Reader(data, MAGIC_MANY)
    kind, slices = r.state(), []
    shape = r.numbers(r.numbers(1)[0])
    kind.words = {name: [] for name in r.names()}
    used = r.numbers(r.numbers(1)[0])
    for _ in range(prod(shape)):
        row, s, at = dict(zip(used, r.numbers(len(used), "q"))), copy.deepcopy(kind), 0
        for name in kind.words:
            n = limbs_of(s.dtype, name) + ACCUMULATORS[name][1]
            s.words[name] = join(s.dtype, name, [row.get(at + k, 0) for k in range(n)])
            at += n
        s.count = row[at]
        slices.append(s)
    if save_slices(shape, kind, slices) != data:
        raise ValueError("the bytes are not canonical")
    return shape, kind, slices
