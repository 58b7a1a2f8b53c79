"""docs/format.md: states as the reference in Python makes, reads, merges, removes and answers them.

The reference (docs/format_reference.py) shares no code with the library; tests/format/elements.py
makes states of elements; tests/format/vectors.json has states whose bytes never change.
"""

import hashlib
import json
import pathlib
import random
import struct
import sys

import numpy as np
import pytest

import onefold

TREE = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(TREE / "docs"), str(TREE / "tests" / "format")]
import elements  # noqa: E402
import format_reference as reference  # noqa: E402

ONE = [op for op in reference.OPS if not {"dot", "pairs", "sumabsdiff"} & set(reference.OPS[op][0])]
TWO = [op for op in reference.OPS if op not in ONE]
NUMPY = {"bool": "?", "f16": "<f2", "f32": "<f4", "f64": "<f8",
         **{f"{s}{n}": f"<{s}{n // 8}" for s in "iu" for n in (8, 16, 32, 64)}}


def test_the_reference_has_400_lines_as_its_page_says():
    text = pathlib.Path(reference.__file__).read_text()
    assert text.count("\n") <= 400 and "in 400 lines of" in (TREE / "docs/format.md").read_text()


def special_bits(dtype):
    exponent, mantissa = reference.FLOATS[dtype]
    infinity, sign = 2**exponent - 1 << mantissa, 1 << exponent + mantissa
    return [0, sign, 1, sign | 1, infinity - 1, sign | infinity - 1, infinity, sign | infinity,
            infinity | 1 << mantissa - 1, sign | infinity | 1, 1 << mantissa, (1 << mantissa) - 1]


def random_elements(r, dtype, n):
    """Random bits: any, special values, numbers near each other, or pairs x and -x."""
    width = sum(reference.FLOATS[dtype]) + 1 if dtype in reference.FLOATS else \
        reference.INTEGERS[dtype]
    if dtype == "bool":
        return [r.randrange(2) for _ in range(n)]
    some = r.choice(["any", "special", "near", "cancel", "small", "negative zeros"])
    if dtype not in reference.FLOATS or some == "any":
        span = r.choice([2**width, 3])
        return [r.randrange(span) if r.random() < 0.9 else 2**width - 1 for _ in range(n)]
    sign = 1 << width - 1
    if some == "special":
        return [r.choice(special_bits(dtype)) for _ in range(n)]
    if some == "negative zeros":
        return [sign if r.random() < 0.95 else 0 for _ in range(n)]
    exponent, mantissa = reference.FLOATS[dtype]
    top = r.randrange(1, 2**exponent - 3) << mantissa if some != "small" else 0
    near = [top + r.randrange(3 << mantissa) | r.choice([0, sign]) for _ in range(n)]
    return near[:n // 2] + [b ^ sign for b in near[:n - n // 2]] if some == "cancel" else near


def array_of(dtype, bits):
    kind = NUMPY[dtype]
    return np.array(bits, f"<u{np.dtype(kind).itemsize}").view(kind)


def random_ops(r, ops):
    return ",".join(r.sample(ops, r.choice([1, 1, 2, 4, len(ops)])))


def made(ops, dtype, x, y, nan, first):
    """Makes the state by the library and by the reference."""
    want = elements.gather(ops, dtype, x, y, nan, first)
    if dtype in NUMPY:
        arrays = [array_of(dtype, v) for v in (x, y) if v is not None]
        state = onefold.gather(ops, *arrays, nan=nan, first=first)
    else:  # NumPy has no bf16
        state = onefold.State.load(want.save())
    return state, want


def bits_of(value, dtype):
    """The bits of an answer that Python returned."""
    if dtype not in reference.FLOATS:
        return int(value) % 2 ** reference.INTEGERS[dtype]
    if value != value:
        return reference.answer_as(dtype, "nan", False)[2]
    double = struct.unpack("<Q", struct.pack("<d", value))[0]
    exact = reference.decode("f64", double)
    if isinstance(exact, str):
        return reference.answer_as(dtype, exact, False)[2]
    bits = reference.round_to(dtype, reference.Fraction(exact, 2**1074))
    back = reference.decode(dtype, bits) << reference.unit_of(dtype) + 1074
    assert back == exact, "the answer is none of its type"
    return bits


STATUS = {onefold.OverflowError: "overflow", onefold.NanError: "nan_found",
          onefold.EmptyError: "empty_input"}


def check_answers(state, want, ops, ddof):
    for op in ops.split(","):
        dtype, status, bits = want.answer(op, ddof)
        takes = {"ddof": ddof} if op in ("var", "std", "cov", "total_var", "total_std") else {}
        try:
            got = (dtype, "ok", bits_of(state.answer(op, **takes), dtype))
        except tuple(STATUS) as e:
            got = (dtype, STATUS[type(e)], 0)
        if got != (dtype, status, bits) and status == "empty_input" and want.nan == "omit":
            # Python returns NaN for a slice that has only NaN.
            assert got == reference.answer_as(dtype, "nan", False), op
            continue
        assert got == (dtype, status, bits), op


def removed(state, other):
    """Removes `other` from the state; None if that is refused."""
    try:
        state.remove(other)
    except (onefold.StateError, ValueError):
        return None
    return state


def are_restored(rest, part):
    """Whether a removal left the words from before the merge, except a flag that no answer depends on."""
    words, before = dict(rest.words), dict(part.words)
    if "tally" in words and not {"decimal", "sum", "sumcube"} & set(words):
        words["tally"], before["tally"] = words["tally"][:-1], before["tally"][:-1]
    return words == before and rest.count == part.count and rest.ranges == part.ranges


def check_one(r):
    dtype = r.choice([*reference.FLOATS, *reference.INTEGERS, "f64", "f32"])
    nan, pairs = r.choice(["propagate", "omit", "raise"]), r.random() < 0.35
    ops = random_ops(r, TWO if pairs else ONE)
    n, m = r.choice([0, 1, 2, 5, 20]), r.choice([0, 1, 3, 8])
    x = random_elements(r, dtype, n + m)
    y = random_elements(r, dtype, n + m) if pairs else None
    first = r.randrange(1000)
    of = [made(ops, dtype, x[a:b], y and y[a:b], nan, first + a) for a, b in ((0, n), (n, n + m))]
    for state, want in of:
        assert state.save() == want.save() and state.digest() == want.digest()
        assert reference.State.load(state.save()).save() == state.save()
    (a, part), (b, more) = of
    check_answers(a, part, ops, r.choice([0, 1, 0.5, -1, 3]))
    both, whole = a | b, reference.State.load(part.save())
    whole.merge(more)
    assert both.save() == whole.save()
    left = removed(both, b)
    rest = removed(whole, more)
    assert (left is None) == (rest is None)
    if left is not None:
        assert left.save() == rest.save() and are_restored(rest, part)


def check_slices(r):
    dtype, rows, columns = r.choice(list(NUMPY)), r.randrange(0, 6), r.choice([0, 1, 2, 5])
    ops, nan = random_ops(r, ONE), r.choice(["propagate", "omit", "raise"])
    parts = []
    for k in range(2):
        bits = random_elements(r, dtype, rows * columns)
        states = onefold.gather(ops, array_of(dtype, bits).reshape(rows, columns), axis=0, nan=nan,
                                first=k * rows)
        slices = [elements.gather(ops, dtype, bits[c::columns], None, nan, k * rows)
                  for c in range(columns)]
        empty = elements.gather(ops, dtype, [], None, nan)
        if empty.indexed and rows:
            empty.ranges = [(k * rows, (k + 1) * rows)]
        shape = (columns,)
        assert states.save() == reference.save_slices(shape, empty, slices)
        loaded = reference.load_slices(states.save())
        assert loaded[0] == [columns] and [s.save() for s in loaded[2]] == [s.save() for s in slices]
        parts.append((states, slices, empty))
    (a, mine, kind), (b, theirs, _) = parts
    both = a | b
    whole = [reference.State.load(s.save()) for s in mine]
    for one, other in zip(whole, theirs):
        one.merge(other)
    if kind.indexed and rows:
        kind.ranges = [(0, 2 * rows)]
    assert both.save() == reference.save_slices((columns,), kind, whole)
    left = removed(both, b)
    refused = any([removed(one, other) is None for one, other in zip(whole, theirs)]) or \
        any(name in reference.EXTREMES for name in kind.words)
    assert (left is None) == refused
    if left is not None:
        assert left.save() == reference.save_slices((columns,), kind, whole)
        assert all(map(are_restored, whole, mine))


def check_states(seed, n):
    for k in range(n):
        r = random.Random(f"{seed} {k}")
        try:
            (check_slices if k % 5 == 4 else check_one)(r)
        except Exception as e:
            raise AssertionError(f"check_states: seed {seed}, case {k}") from e


VECTORS = json.loads((TREE / "tests" / "format" / "vectors.json").read_text())["vectors"]


def test_the_library_makes_the_vectors():
    pytest.importorskip("ml_dtypes")
    import make_vectors

    made = make_vectors.Vectors()
    make_vectors.add_all(made)
    assert len(VECTORS) == 246
    for got, want in zip(made.list, VECTORS):
        assert got == want, want["name"]
    assert len(made.list) == 246


def bits_of_list(texts):
    return texts and [int(t, 16) for t in texts]


def state_of(v, others):
    """The state that a vector describes, made by the reference."""
    x, y = bits_of_list(v.get("x")), bits_of_list(v.get("y"))
    if "rows" in v:
        columns = len(x) // v["rows"]
        slices = [elements.gather(v["ops"], v["dtype"], x[c::columns], None, v["nan"])
                  for c in range(columns)]
        kind = elements.gather(v["ops"], v["dtype"], [], None, v["nan"])
        kind.ranges = slices[0].ranges
        return ([columns], kind, slices)
    if "x" in v:
        state = elements.gather(v["ops"], v["dtype"], x, y, v["nan"], v.get("first", 0))
        whole, times = reference.State(), v.get("times", 1)
        while times:  # adds the state to itself, bit by bit of `times`
            if times & 1:
                whole.merge(state)
            times >>= 1
            state.merge(reference.State.load(state.save())) if times else None
        return whole
    for verb in ("merge", "remove"):
        if verb in v:
            a, b = (reference.State.load(others[name]) for name in v[verb])
            getattr(a, verb)(b)
            return a
    state = reference.State.load(others[v["of"]]) if "of" in v else reference.State()
    state.whole = tuple(v["share"]) if "share" in v else None
    return state


def test_the_reference_makes_the_vectors():
    others = {v["name"]: bytes.fromhex(v["bytes"]) for v in VECTORS if "digest" in v}
    assert len({v["name"] for v in VECTORS}) == len(VECTORS)
    for v in VECTORS:
        if "refused" in v:
            with pytest.raises(ValueError):
                if "bytes" in v:
                    data = bytes.fromhex(v["bytes"])
                    reference.State.load(data)
                    # The form is right; the library finds that no data give these words.
                    with pytest.raises(onefold.StateError, match="no data have such a state"):
                        onefold.State.load(data)
                    raise ValueError
                state_of(v, others)
            continue
        state = state_of(v, others)
        data = reference.save_slices(*state) if "rows" in v else state.save()
        assert data.hex() == v["bytes"], v["name"]
        if "rows" in v:
            assert hashlib.sha256(data).hexdigest() == v["digest"]
            assert reference.save_slices(*reference.load_slices(data)) == data
            continue
        assert reference.State.load(data).digest() == v["digest"]
        for op, (dtype, status, bits) in v["answers"].items():
            assert state.answer(op) == (dtype, status, int(bits, 16)), (v["name"], op)


@pytest.mark.parametrize("seed", range(4))
def test_random_states_have_the_bytes_and_bits_of_the_reference(seed):
    check_states(seed, 150)


def share(x, whole):
    state = elements.gather("sum", "f64", x)
    state.whole = whole
    return onefold.State.load(state.save())


def test_shares_of_different_data_do_not_merge():
    one = special_bits("f64")[10:11]
    here, there, plain = share(one, (4, 0, 7)), share(one, (4, 0, 8)), share(one, None)
    with pytest.raises(onefold.StateError, match="shares of different files"):
        here | there
    with pytest.raises(onefold.StateError, match="a share of different files"):
        here.remove(there)
    # The digest depends on the data and not on the files from which a share comes.
    assert here.digest() == there.digest() == plain.digest() and here != plain
    assert hashlib.sha256(plain.save()).hexdigest() == plain.digest()
    assert (here | plain).save() == (plain | here).save()
