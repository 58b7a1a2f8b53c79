"""Vectors of exact reductions: reads them, and computes their rounded answers by integers.

README.md defines the files of vectors/. It takes nothing but Python.

    python conformance/vectors.py          compares the files with what is computed here
    python conformance/vectors.py --write  writes them
"""

import itertools
import json
import math
import pathlib
import re
import struct
import sys

FOLDER = pathlib.Path(__file__).parent / "vectors"
# The digits of a significand, the exponent of the least subnormal, and of the first power of two
# that is too large.
FORMATS = {"f32": (24, -149, 128), "f64": (53, -1074, 1024)}


def hexadecimal(value):
    """A number as text: 0x1.8p+1, nan, inf, -inf; an integer in decimal digits."""
    if isinstance(value, int):
        return str(value)
    return re.sub(r"\.?0*p", "p", value.hex()) if math.isfinite(value) else str(value)


def number(text, type):
    return int(text) if type == "i64" else float.fromhex(text)


def splitmix64(seed):
    """Steele, Lea, Flood 2014: integers of 64 bits."""
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) % 2**64
        z = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        yield z ^ z >> 31


def wide(z, type, low, high):
    """A number whose exponent is from low to high: sign, exponent and significand from one z."""
    digits = FORMATS[type][0] - 1
    exponent = low + (z >> 52) % 2**11 % (high - low + 1)
    size = math.ldexp(2**digits + z % 2**digits, exponent - digits)
    return -size if z >> 63 else size


def bits(z, type):
    """The number of the first bits of z, or None for infinities and NaN."""
    if type == "i64":
        return z - 2**64 if z >> 63 else z
    value = struct.unpack("<d", z.to_bytes(8, "little"))[0] if type == "f64" else \
        struct.unpack("<f", (z >> 32).to_bytes(4, "little"))[0]
    return value if math.isfinite(value) else None


def made(recipe, type):
    """The elements of a recipe; README.md says what each kind is."""
    if recipe["kind"] == "repeat":
        head, body = ([number(t, type) for t in recipe[part]] for part in ("head", "body"))
        return head + body * recipe["times"]
    stream, n = splitmix64(recipe["seed"]), recipe["n"]
    if recipe["kind"] == "unit":
        digits = FORMATS[type][0]
        return [math.ldexp(next(stream) >> (64 - digits), -digits) for _ in range(n)]
    if recipe["kind"] == "bits":
        values = (bits(z, type) for z in stream)
        return [v >> recipe["shift"] if type == "i64" else v
                for v in itertools.islice((v for v in values if v is not None), n)]
    x = [wide(next(stream), type, recipe["low"], recipe["high"]) for _ in range(n)]
    if recipe["kind"] == "mirror":
        x += [-v for v in reversed(x)] + [number(t, type) for t in recipe["tail"]]
    return x


def nearest(above, below, type):
    """above / below, below > 0, rounded to nearest, ties to even."""
    digits, least, end = FORMATS[type]
    size = abs(above)
    exponent = size.bit_length() - below.bit_length() - digits
    if size << max(-exponent - digits, 0) >= below << max(exponent + digits, 0):
        exponent += 1
    exponent = max(exponent, least)
    unit = below << max(exponent, 0)
    whole, rest = divmod(size << max(-exponent, 0), unit)
    if 2 * rest > unit or (2 * rest == unit and whole % 2):
        whole += 1
    value = math.inf if whole >> max(end - exponent, 0) else math.ldexp(whole, exponent)
    return -value if above < 0 else value


def integers(x, type):
    """The elements as integers times 2^-unit, and that unit."""
    if type == "i64":
        return x, 0
    ratios = [v.as_integer_ratio() for v in x]
    unit = max((d.bit_length() - 1 for _, d in ratios), default=0)
    return [n << (unit + 1 - d.bit_length()) for n, d in ratios], unit


def rounded(above, below, type, zero=0.0):
    """The answer's text in each type that an implementation may answer in."""
    targets = ["f32", "f64"] if type == "f32" else ["f64"]
    return {t: hexadecimal(nearest(above, below, t) if above else zero) for t in targets}


def negative_zero(values):
    values = list(values)
    return -0.0 if values and all(v == 0 and math.copysign(1, v) < 0 for v in values) else 0.0


def not_finite(x, type):
    """What the sum of elements is of which some are not finite."""
    value = math.nan if any(map(math.isnan, x)) or len({v for v in x if math.isinf(v)}) > 1 \
        else next(v for v in x if math.isinf(v))
    return {t: hexadecimal(value) for t in (["f32", "f64"] if type == "f32" else ["f64"])}


def answers(vector):
    """{"sum": {"f64": "0x1p+0"}, ..}: each formula over the reals, rounded once."""
    type, x, y, n = vector["type"], vector["x"], vector.get("y"), len(vector["x"])
    if type != "i64" and not all(map(math.isfinite, x)):
        return {"sum": not_finite(x, type)}
    terms, unit = integers(x, type)
    if y is not None:
        others, other_unit = integers(y, type)
        total = sum(a * b for a, b in zip(terms, others))
        if type == "i64":
            return {"dot": {"int": str(total)}}
        zero = negative_zero(map(float.__mul__, x, y))
        return {"dot": rounded(total, 1 << unit + other_unit, type, zero)}
    total, squares = sum(terms), sum(a * a for a in terms)
    zero = 0.0 if type == "i64" else negative_zero(x)
    found = {"sum": rounded(total, 1 << unit, type, zero)}
    if type == "i64":
        found["sum"]["int"] = str(total)
    if not x:
        both = [hexadecimal(0.0), hexadecimal(-0.0)]  # ECMAScript answers -0
        found["sum"] = {t: both for t in found["sum"]}
    if vector["group"] == "zero":
        return found
    found["mean"] = rounded(total, n << unit, type, zero)
    found["var"] = rounded(n * squares - total * total, n * n << 2 * unit, type)
    return found


def read(path=None):
    """The vectors of a file, or of all files, each with its elements as numbers."""
    for file in [path] if path else sorted(FOLDER.glob("*.jsonl")):
        for line in file.read_text().splitlines():
            vector = json.loads(line)
            vector["written"] = {key: vector[key] for key in ("x", "y") if isinstance(
                vector.get(key), (list, dict))}
            for key, said in vector["written"].items():
                vector[key] = made(said, vector["type"]) if isinstance(said, dict) else \
                    [number(t, vector["type"]) for t in said]
            yield vector


def line(vector):
    """A vector as a line of a file, with its answers."""
    said = {key: value for key, value in vector.items() if key not in ("written", "answers")}
    said |= vector.get("written", {})
    found = answers(vector)
    whole = [int(by_type["int"]) for by_type in found.values() if "int" in by_type]
    if any(not -2**63 <= v < 2**63 for v in whole):
        said["may_refuse"] = True
    return json.dumps(said | {"answers": found})


def main(write):
    import cases
    files = cases.files()
    for path in FOLDER.glob("*.jsonl"):
        if path.stem not in files:  # facts: their elements are what the file says
            files[path.stem] = list(read(path))
    stale = []
    for name, vectors in sorted(files.items()):
        path, text = FOLDER / f"{name}.jsonl", "".join(line(v) + "\n" for v in vectors)
        if not path.exists() or path.read_text() != text:
            stale.append(path.name)
            if write:
                path.write_text(text)
    print(f"{'written' if write else 'differ'}: {', '.join(stale)}" if stale else "all are current")
    return 0 if write else len(stale)


if __name__ == "__main__":
    sys.exit(main("--write" in sys.argv[1:]))
