"""The table of docs/engines.md has the aggregates of engines/aggregates.h, and no other."""

import pathlib
import re

from values import answers, hard

root = pathlib.Path(__file__).parents[2]


def test_the_table_has_every_aggregate_and_no_other():
    header = (root / "engines/aggregates.h").read_text()
    rows = re.findall(r'^  AGGREGATE\((\w+), "(\w+)", "(\d)", (\d), (\d)\)', header, re.M)
    page = (root / "docs/engines.md").read_text()
    table = {}
    for line in page.splitlines():
        for name in re.findall(r"`(exact_\w+)\(", line.split("|")[1]) if line.startswith("| `exact_") else []:
            table[name] = line
    assert sorted(table) == sorted("exact_" + row[0] for row in rows)
    for name, op, ddof, inputs, _ in rows:
        line = table["exact_" + name]
        assert f"`{op}`" in line and ("ddof 1" in line) == (ddof == "1"), line
        assert ("y" in line.split("|")[1]) == (inputs == "2"), line


def test_the_other_tests_ask_for_every_aggregate():
    header = (root / "engines/aggregates.h").read_text()
    names = {"exact_" + n for n in re.findall(r"^  AGGREGATE\((\w+),", header, re.M)}
    assert {n.split("(")[0] for n in answers(hard(4, 1), hard(4, 2))} == names
