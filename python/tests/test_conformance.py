"""conformance/: its vectors are what they say, Onefold keeps every promise, and a wrong library is found."""

import decimal
import fractions
import json
import math
import pathlib
import re
import struct
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "conformance"
sys.path.insert(0, str(FOLDER))

import judge  # noqa: E402
import vectors  # noqa: E402


@pytest.fixture(scope="module")
def given():
    return list(vectors.read())


def test_files_are_what_is_computed(capsys):
    assert vectors.main(write=False) == 0, capsys.readouterr().out
    assert sum(path.stat().st_size for path in (FOLDER / "vectors").iterdir()) < 300_000


def test_names_are_unique_and_elements_are_of_their_type(given):
    assert len({v["name"] for v in given}) == len(given) > 400
    for v in given:
        for x in (v["x"], v.get("y", [])):
            if v["type"] == "f32":
                narrowed = struct.unpack(f"<{len(x)}f", struct.pack(f"<{len(x)}f", *x))
                assert str(list(narrowed)) == str(x), v["name"]
            elif v["type"] == "i64":
                assert all(-2**63 <= e < 2**63 for e in x)


def nearest(value):
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def test_answers_are_those_of_fractions(given):
    for v in given:
        if v["group"] != "rounding" or len(v["x"]) > 2000:
            continue
        x, n = [fractions.Fraction(e) for e in v["x"]], len(v["x"])
        if "y" in v:
            exact = {"dot": sum(a * fractions.Fraction(b) for a, b in zip(x, v["y"]))}
        else:
            exact = {"sum": sum(x), "mean": sum(x) / n,
                     "var": sum(e * e for e in x) / n - (sum(x) / n) ** 2}
        for op, value in exact.items():
            said = v["answers"][op]
            if "f64" in said:
                assert float.fromhex(said["f64"]) == nearest(value), (v["name"], op)
            if "int" in said:
                assert int(said["int"]) == value, (v["name"], op)


def test_sources_say_the_same(given):
    stated = [v for v in given if "stated" in v]
    assert len(stated) == 36
    for v in stated:
        said = v["answers"]["sum"]["f64"]
        assert v["stated"] in (said if isinstance(said, list) else [said]), v["name"]
    decimal.getcontext().prec = 60
    certified = [v for v in given if "certified" in v]
    assert len(certified) == 8
    for v in certified:  # of the decimals, to all digits
        x = [decimal.Decimal(repr(e)) for e in v["x"]]
        mean = sum(x) / len(x)
        std = (sum((e - mean) ** 2 for e in x) / (len(x) - 1)).sqrt()
        for exact, said in ((mean, v["certified"]["mean"]), (std, v["certified"]["std"])):
            assert exact.quantize(decimal.Decimal(said)) == decimal.Decimal(said), v["name"]


def verdicts(library, vectors):
    return {title: str(verdict) for title, verdict in judge.judge(library, vectors).items()}


def test_onefold_keeps_every_promise(given):
    assert set(verdicts(judge.Module("onefold"), given).values()) == {"yes"}


def test_fsum_is_never_wrong_but_by_zeros(given):
    found = judge.judge(judge.Module("math_fsum"), given)
    assert all(not verdict.wrong for title, verdict in found.items() if title != "-0")
    refused = {name for verdict in found.values() for name, _, _ in verdict.refused}
    assert refused and all("overflow" in why or "inf" in why for verdict in found.values()
                           for _, _, why in verdict.refused)
    assert str(found["sum f32"]) == "yes" and str(found["mean"]) == "-"


def test_a_program_is_judged_by_lines(given, tmp_path):
    example = re.search(r"```python\n(.*?)```", (FOLDER / "README.md").read_text(), re.S)[1]
    (tmp_path / "mine.py").write_text(example)
    short = [v for v in given if len(v["x"]) < 200]
    program = judge.Program([sys.executable, str(tmp_path / "mine.py")])
    with program.process:
        by_program = verdicts(program, short)
    alike = verdicts(judge.Module("math_fsum"), short)
    assert by_program == alike | {"any chunks": "-"}


class Loop:
    """A library that adds in a loop, also within and among its states."""
    TYPES, VERSION, NEEDS = ("f64",), "", ""

    def sum(self, x, type):
        total = 0.0
        for v in x:
            total += v
        return total

    state = sum

    def merge(self, a, b):
        return a + b

    def answer(self, state):
        return state


def test_a_loop_is_found_out(given):
    library = judge.Module("math_fsum")
    library.module = Loop()
    found = verdicts(library, [v for v in given if len(v["x"]) < 200])
    for title in ("sum f64", "any order", "merged", "-0"):
        assert found[title].startswith("no: "), title
    assert found["sum f32"] == found["mean"] == found["any chunks"] == "-"


def test_the_table_of_the_documents_is_of_these_vectors_and_libraries(given):
    page = (ROOT / "docs/choosing.md").read_text()
    table = re.search(r"<!-- conformance -->\n(.*?)<!-- end of it -->", page, re.S)[1].splitlines()
    head = judge.markdown({}, given).splitlines()[0]
    assert table[0] == head
    rows = {row.split()[1]: row for row in table[2:] if row.startswith("| ")}
    assert set(rows) == {path.stem.replace("_", ".") for path in FOLDER.glob("adapters/*.py")}
    assert rows["onefold"].count("| yes ") == len(judge.PROMISES)


def test_vectors_are_json_that_others_read():
    for path in (FOLDER / "vectors").glob("*.jsonl"):
        for line in path.read_text().splitlines():
            found = json.loads(line, parse_constant=pytest.fail)
            assert found.keys() >= {"name", "type", "group", "source", "x", "answers"}
