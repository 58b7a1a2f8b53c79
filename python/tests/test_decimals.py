"""Numbers of a text are decimals: sums and means are those of Python's fractions, however they are folded.

Texts are of any length, sign and exponent; each way through the program must print the same number.
"""

import hashlib
import os
import pathlib
import random
import struct
import subprocess
import sys
import warnings
import zlib
from fractions import Fraction

import pytest

import onefold

TREE = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(TREE / "docs")]
import format_reference as reference  # noqa: E402

PROGRAM = os.environ.get("ONEFOLD_PROGRAM", "")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="the program is not here")


def run(words, text=None):
    ran = subprocess.run([PROGRAM, *map(str, words)], input=text, capture_output=True, timeout=100)
    assert ran.returncode == 0, (words, ran.stderr)
    return ran.stdout


def numbers(words, text=None):
    return [float(word) for word in run(words, text).split()]


def digits(rng, most, least=1):
    return "".join(rng.choice("0123456789") for _ in range(rng.randint(least, most)))


def token(rng):
    """A number as people and programs write it. Integers are those that f64 holds."""
    kind = rng.randrange(8)
    if kind < 2:
        s = f"{rng.randrange(10000)}.{digits(rng, 2, 2)}"
    elif kind == 2:
        s = digits(rng, rng.choice([3, 15]))
    elif kind == 3:
        s = repr(rng.random() * 10.0 ** rng.randrange(-5, 6))
    elif kind == 4:
        s = f"{rng.random():.18e}"
    elif kind == 5:
        s = f"{digits(rng, 12)}.{digits(rng, 60)}"
    elif kind == 6:
        s = f"{digits(rng, 1)}.{digits(rng, 20)}e{rng.randrange(-30, 30)}"
    else:
        s = f"{digits(rng, 1)}.{digits(rng, 25)}E{rng.randrange(-900, 300)}"
    return rng.choice(["", "", "-", "+"]) + s


def tokens(rng, n):
    """Several numbers of one kind, as in a column; some cancel each other."""
    prices = rng.random() < 0.3
    some = [f"{rng.randrange(-9999, 9999)}.{digits(rng, 2, 2)}" if prices else token(rng) for _ in range(n)]
    if rng.random() < 0.2:
        some += [s[1:] if s[0] == "-" else "-" + s.lstrip("+") for s in some[1:]]
        rng.shuffle(some)
    return some


def answers(some):
    exact = [Fraction(s) for s in some]
    return [float(sum(exact)), float(sum(exact) / len(exact))]


def as_text(rng, some):
    return "".join(s + rng.choice(["\n", " ", "\n", " \n"]) for s in some).encode()


@pytest.mark.parametrize("seed", range(8))
def test_sums_and_means_of_texts_are_those_of_fractions(seed):
    """10^5 numbers; each token is a decimal that differs from all others."""
    rng = random.Random(seed)
    for n in (1, 2, 3, 40, 400, 4000, 8000):
        some = tokens(rng, n)
        text = as_text(rng, some)
        got = [numbers([op, "--threads", rng.choice([1, 3])], text)[0] for op in ("sum", "mean")]
        assert got == answers(some), (seed, n)


@pytest.mark.parametrize("most", [10**6, 2**50 - 1, 2**50, 2**53 - 1])
def test_integers_add_up_past_64_bits(most):
    rng = random.Random(most)
    some = [str(rng.choice([most, most, most - 1, -1, 0])) for _ in range(20000)] + ["0.1"] * 7
    for sign in ("", "-"):
        assert numbers(["sum"], as_text(rng, [sign + s.lstrip("-") for s in some])) == answers(
            [sign + s.lstrip("-") for s in some])[:1]


def test_what_people_write():
    assert run(["sum"], b"0.1 0.2") == b"0.3\n"
    assert run(["mean"], b"0.1 0.2") == b"0.15\n"
    assert run(["sum"], b"0.1\n0.1\n0.1\n") == b"0.3\n"
    assert run(["sum"], b"1e-400 1e-400") == b"0\n" and run(["sum"], b"-1e-400 0") == b"-0\n"
    assert run(["sum"], b"-0 -0.000000000000000000000000") == b"-0\n"
    # A tie, and one digit below it.
    tie = b"9007199254740992 1.0000000000000000000000000000000000000000"
    assert run(["sum"], tie) == b"9007199254740992\n"
    assert run(["sum"], tie + b"1") == b"9007199254740994\n"
    assert run(["sum"], b"nan 0.1") == b"nan\n" and run(["sum", "--nan", "omit"], b"nan 0.1 0.2") == b"0.3\n"
    assert run(["sum"], b"inf 0.1") == b"inf\n"
    assert run(["sum", "--result", "f32"], b"0.1 0.2") == b"0.3\n"
    assert run(["sum", "--initial", "0.1"], b"0.2") == b"0.3\n"


def test_bits_are_summed_where_a_type_is_asked_for():
    assert run(["sum", "--dtype", "f64"], b"0.1 0.2") == b"0.30000000000000004\n"
    assert run(["sum", "--dtype", "f64", "--columns", "a"], b"a,b\n0.1,x\n0.2,y\n") == b"0.30000000000000004\n"


def test_texts_beside_arrays_are_f64(tmp_path):
    np = pytest.importorskip("numpy")
    np.save(tmp_path / "a.npy", np.array([0.1]))
    (tmp_path / "b.txt").write_text("0.2")
    assert run(["sum", tmp_path / "a.npy", tmp_path / "b.txt"]) == b"0.30000000000000004\n"
    assert run(["sum", tmp_path / "b.txt", tmp_path / "a.npy"]) == b"0.30000000000000004\n"


def test_what_has_too_many_digits_is_refused():
    for words, text in ((["sum"], b"1 1e-1081"), (["sum", "--axis", "1"], b"1 1e-1081\n1 1\n"),
                        (["mean", "--by", "k"], b"k,x\na,1e-2000\n")):
        ran = subprocess.run([PROGRAM, *words], input=text, capture_output=True)
        assert ran.returncode != 0 and ran.stdout == b"" and b"--dtype f64" in ran.stderr, words
    assert run(["max"], b"1 1e-1081") == b"1\n" and run(["sum", "--dtype", "f64"], b"1 1e-1081") == b"1\n"


def table(rng, rows, columns, gaps):
    body = [tokens(rng, columns)[:columns] for _ in range(rows)]
    if gaps:
        body = [[rng.choice(["", "NA"]) if rng.random() < 0.1 else s for s in row] for row in body]
    return body


def sum_of(some):
    return answers([s for s in some if s not in ("", "NA")] or ["0"])[0]


@pytest.mark.parametrize("seed", range(6))
def test_every_way_through_the_program_has_the_same_sums(seed, tmp_path):
    rng = random.Random(seed)
    rows, columns, gaps = rng.choice([3, 50, 700]), rng.choice([2, 5]), seed % 2 == 1
    body = table(rng, rows, columns, gaps)
    keys = [rng.choice("abcdefg") for _ in body]
    names = [f"c{k}" for k in range(columns)]
    csv = tmp_path / "t.csv"
    quoted = [[f'"{s}"' if rng.random() < 0.1 and s else s for s in row] for row in body]
    lines = [["k", *names], *([k, *row] for k, row in zip(keys, quoted))]
    csv.write_text("".join(",".join(row) + "\n" for row in lines))
    of_columns = [sum_of([row[c] for row in body]) for c in range(columns)]
    threads = ["--threads", rng.choice([1, 2, 3])]
    chosen = ["--columns", ",".join(names)]
    got = run(["sum", *threads, *chosen, csv]).decode().split("\n")[:columns]
    assert [float(line.split()[-1]) for line in got] == of_columns
    rowwise = numbers(["sum", "--axis", "1", *threads, *chosen, csv])
    assert rowwise == [sum_of(row) for row in body]
    whole = numbers(["sum", "--axis", "0,1", *chosen, csv])
    assert whole == [sum_of([s for row in body for s in row])]
    groups = run(["sum", "--by", "k", *threads, *chosen, csv]).decode().split("\n")[1:-1]
    want = {k: [sum_of([row[c] for row, key in zip(body, keys) if key == k]) for c in range(columns)]
            for k in sorted(set(keys))}
    assert {line.split("\t")[0]: [float(s) for s in line.split("\t")[1:]] for line in groups} == want
    # In Python, files are folded by the program's own code.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", onefold.TableWarning)
        assert [a.sum for a in onefold.fold("sum", csv, columns=names).values()] == of_columns
        found, folded = onefold.fold("sum", csv, columns=names, by="k")
        assert {k: [folded[n].sum[at] for n in names] for at, k in enumerate(found)} == want
    if gaps:
        return
    # The same numbers without a header, as one array.
    text = ("\n".join(" ".join(row) for row in body) + "\n").encode()
    assert numbers(["sum", "--axis", "0"], text) == of_columns
    assert numbers(["sum", "--axis", "1"], text) == rowwise
    assert numbers(["sum"], text) == whole


def gathered(words, text, to):
    run(["gather", *words, "--state", to], text)
    return to.read_bytes()


@pytest.mark.parametrize("seed", range(6))
def test_states_of_parts_merge_to_the_state_of_all(seed, tmp_path):
    rng = random.Random(seed)
    some = tokens(rng, rng.choice([2, 30, 500]))
    ops = rng.choice(["sum", "mean", "sum,mean,var", "mean,min,max", "var"])
    whole = gathered([ops], as_text(rng, some), tmp_path / "whole.of")
    cuts = sorted(rng.randrange(len(some) + 1) for _ in range(2))
    parts = [gathered([ops], as_text(rng, some[a:b]), tmp_path / f"{k}.of")
             for k, (a, b) in enumerate(zip([0, *cuts], [*cuts, len(some)]))]
    rng.shuffle(parts)
    state = onefold.State()
    for part in parts:
        state |= onefold.State.load(part)
    assert state.save() == whole and state.digest() == hashlib.sha256(whole).hexdigest()
    assert [state.answer(op) for op in ("sum", "mean")] == answers(some)
    # The reference also reads, merges and answers them.
    mine = reference.State()
    for part in parts:
        mine.merge(reference.State.load(part))
    assert mine.save() == whole
    assert mine.words["decimal"] == [sum(Fraction(s) for s in some) * 10**1080]
    for op in ("sum", "mean"):
        bits = reference.round_to("f64", reference.Fraction(state.answer(op)))
        assert mine.answer(op)[2] == bits or state.answer(op) == 0
    # A column of a table and the program's verbs, too.
    csv = ("x,y\n" + "".join(f"{s},0\n" for s in some)).encode()
    assert gathered([ops, "--columns", "x"], csv, tmp_path / "column.of") == whole
    names = [tmp_path / f"{k}.of" for k in range(3)]
    run(["merge", *names, "--state", tmp_path / "all.of"])
    assert numbers(["answer", "sum", tmp_path / "all.of"]) == answers(some)[:1]
    if not {"min", "max"} & set(ops.split(",")):
        left = onefold.State.load(whole)
        try:
            left.remove(onefold.State.load(parts[0]))
        except onefold.StateError as e:
            assert "-0" in str(e)
        else:
            left |= onefold.State.load(parts[0])
            assert left.save() == whole


def test_states_of_decimals_and_of_bits_do_not_merge(tmp_path):
    decimals = onefold.State.load(gathered(["sum"], b"0.1 0.2", tmp_path / "d.of"))
    bits = onefold.State.load(gathered(["sum", "--dtype", "f64"], b"0.1 0.2", tmp_path / "b.of"))
    assert decimals.answer("sum") == 0.3 and bits.answer("sum") == 0.1 + 0.2
    for a, b in ((decimals, bits), (bits, decimals)):
        with pytest.raises(onefold.StateError, match="gathers text as f64"):
            a | b
    assert onefold.gather("sum", [0.1, 0.2]).save() == bits.save()


def test_changed_states_are_refused_or_answer(tmp_path):
    """After changing a byte, the library and the reference agree: any of the first, and every fifth of the words."""
    whole = gathered(["mean,var"], b"1234567890.1 -0.25 1e-30 7", tmp_path / "whole.of")
    refused = 0
    for at in (*range(100), *range(100, len(whole) - 4, 5)):
        changed = bytearray(whole[:-4])
        changed[at] ^= 0x41
        changed += struct.pack("<I", zlib.crc32(changed))
        try:
            state = onefold.State.load(bytes(changed))
        except onefold.StateError:
            refused += 1
            continue
        mine = reference.State.load(bytes(changed))
        assert mine.save() == state.save() == bytes(changed)
        bits = struct.unpack("<Q", struct.pack("<d", state.answer("sum")))[0]
        assert mine.answer("sum")[2] == bits
    assert 0 < refused < len(whole) - 4


def test_ops_need_what_was_gathered(tmp_path):
    sums = onefold.State.load(gathered(["sum"], b"0.1 0.2", tmp_path / "sum.of"))
    assert sums.answer("mean") == 0.15
    with pytest.raises(onefold.OptionError, match="not gathered for this op"):
        sums.answer("var")  # var is computed from f64
    assert list(reference.State.load(sums.save()).words) == ["decimal", "tally"]
    both = onefold.State.load(gathered(["var"], b"0.1 0.2", tmp_path / "var.of"))
    assert both.answer("sum") == 0.3 and both.answer("var") == onefold.var([0.1, 0.2])
