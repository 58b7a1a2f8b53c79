"""Tables that Python's csv module writes and reads, in random dialects: columns, sums, means, counts and groups are
those of the rows that csv.reader gives, exact by fractions.Fraction."""

import csv
import io
import random
import warnings
from fractions import Fraction

import pytest

import onefold

WORDS = ["Oslo", "a,b", 'say "hi"', "two\nlines", "semi;colon", "tab\there", "pipe|", "x y", "1st", "n/a-ish", "ü"]
MISSING = ["", "NA", "null", "-", "None"]


def number(rng):
    kind = rng.randrange(7)
    if kind == 0:
        return str(rng.randrange(-1000, 1000))
    if kind == 1:
        return f"{rng.uniform(-1e4, 1e4):.2f}"
    if kind == 2:
        return repr(rng.lognormvariate(0, 30))
    if kind == 3:
        return f"{rng.uniform(-1, 1):.18e}"
    if kind == 4:
        return "".join(rng.choice("0123456789") for _ in range(rng.randrange(17, 40)))
    if kind == 5:
        return f"+{rng.randrange(10**6)}.{rng.randrange(10**6):06}"
    return f"{rng.randrange(-99, 99)}e{rng.randrange(-30, 30)}"


def table(rng):
    """Rows of text: a header, a column of keys, a column of words, columns of numbers with gaps."""
    names = ["key", "word", *(rng.choice(["n", "n, m", 'the "n"', "größe"]) + str(k) for k in range(rng.randint(1, 4)))]
    order = rng.sample(range(len(names)), len(names))
    rows = [[names[k] for k in order]]
    gaps = rng.choice([0, 0.1, 0.5])
    for _ in range(rng.choice([3, 20, 300])):
        row = [f"k{rng.randrange(4)}", rng.choice(WORDS)]
        row += [rng.choice(MISSING) if rng.random() < gaps else number(rng) for _ in names[2:]]
        rows.append([row[k] for k in order])
    return names, rows


def written(rng, rows):
    delimiter = rng.choice(",;\t|")
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=rng.choice(["\n", "\r\n"]),
                        quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]))
    writer.writerows(rows)
    return delimiter, text.getvalue()


def expected(read, name, key=None):
    header, *rows = read
    values = [row[header.index(name)] for row in rows if key is None or row[header.index("key")] == key]
    numbers = [Fraction(v) for v in values if v not in MISSING]
    total = sum(numbers, Fraction())
    return total, float(total / len(numbers)) if numbers else None, len(numbers)


def check(answers, wanted, what):
    total, mean, count = wanted
    # Integers that f64 does not hold keep their digits.
    assert answers.sum == (total if isinstance(answers.sum, int) else float(total)) and answers.count == count, what
    assert answers.mean == mean if mean is not None else answers.mean != answers.mean, what


@pytest.mark.parametrize("seed", range(8))
def test_tables_are_what_csv_reads(tmp_path, seed):
    rng = random.Random(seed)
    for turn in range(25):
        names, rows = table(rng)
        delimiter, text = written(rng, rows)
        path = tmp_path / f"{turn}.csv"
        path.write_bytes((b"\xef\xbb\xbf" if rng.random() < 0.2 else b"") + text.encode())
        read = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        assert read == rows
        columns = rng.sample(names[2:], len(names) - 2)
        more = {"delimiter": delimiter} if rng.random() < 0.5 else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", onefold.TableWarning)
            found = onefold.fold("sum,mean,count", path, columns=columns, **more)
            keys, groups = onefold.fold("sum,mean,count", path, columns=columns, by=["key"], **more)
        keys = keys["key"]
        assert list(found) == columns and list(keys) == sorted({row[read[0].index("key")] for row in read[1:]})
        for name in columns:
            check(found[name], expected(read, name), (seed, turn, name))
            for k, key in enumerate(keys):
                one = type(found[name])(*(field[k] for field in groups[name]))
                check(one, expected(read, name, key), (seed, turn, name, key))
