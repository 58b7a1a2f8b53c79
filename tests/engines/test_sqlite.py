"""SQLite's shell with the extension."""

import os
import shutil
import subprocess

import pytest
from values import answers, hard

extension = os.path.join(os.environ.get("ONEFOLD_ENGINES", ""), "onefold_sqlite.so")
if not shutil.which("sqlite3"):
    pytest.skip("there is no sqlite3; apt-get install sqlite3", allow_module_level=True)
if not os.path.exists(extension):
    pytest.skip("the extension is not built: sqlite3ext.h is missing", allow_module_level=True)


def ask(*lines):
    script = [f".load {extension}", *lines]
    return subprocess.run(["sqlite3", ":memory:"], input="\n".join(script), text=True,
                          capture_output=True, timeout=60)


def table(x, y):
    rows = ",".join(f"({a!r},{b!r})" for a, b in zip(x, y))
    return f"create table t(x, y); insert into t values {rows};"


def test_every_aggregate_is_exact():
    x, y = hard(300, 1), hard(300, 2)
    expected = answers(x, y)
    done = ask(table(x, y), *(f"select printf('%!.17g', {name}) from t;" for name in expected))
    assert done.stderr == ""
    assert [float(v) for v in done.stdout.split()] == list(expected.values())


def test_nothing_and_too_few_rows_are_null():
    done = ask("create table t(x);", "select exact_sum(x) is null, exact_corr(x, x) is null from t;",
               "insert into t values (1), (null);",
               "select exact_sum(x), exact_var(x) is null, exact_var_pop(x) from t;")
    assert done.stdout.split() == ["1|1", "1.0|1|0.0"]


def test_rows_with_null_are_left_out_and_groups_stay_apart():
    done = ask("create table t(g, x); insert into t values (1, 1e16), (2, 5), (1, 1), (1, null), "
               "(1, -1e16), (2, '2.5');", "select g, exact_sum(x) from t group by g;")
    assert done.stdout.split() == ["1|1.0", "2|7.5"]


@pytest.mark.parametrize("value", ["9007199254740993", "9223372036854775807", "'a'", "x'00'", "'9007199254740993'", "'9007199254740993.0'",
                                   "' -9007199254740992.5'", "'9223372036854775809'", f"'{10**400}'", "''", "'1e3x'"])
def test_what_no_double_holds_is_refused(value):
    done = ask(f"select exact_sum({value});")
    assert done.stdout == "" and "exact_sum: a value is not a number" in done.stderr


def test_texts_of_numbers_are_taken():
    done = ask("select exact_sum(column1) from (values ('1e16'), (' -1e16'), ('0.5'), ('007'), ('+9007199254740992.000'), "
               "('-009007199254740992'));", "select exact_sum('18446744073709551616') = 18446744073709551616.0;")
    assert done.stdout.split() == ["7.5", "1"]


def test_integers_that_doubles_hold_are_taken():
    done = ask("select printf('%!.17g', exact_sum(column1)) from "
               "(values (9007199254740992), (-9223372036854775808));")
    assert float(done.stdout) == 9007199254740992 - 9223372036854775808


def test_a_nan_is_shown_as_null():
    done = ask("select exact_sum(column1) is null from (values (9e999), (-9e999));",
               "select exact_sum(column1) > 1e308 from (values (9e999), (1));")
    assert done.stdout.split() == ["1", "1"]


def test_both_names_of_the_entry_point_are_there():
    done = subprocess.run(["sqlite3", ":memory:"], input=f".load {extension} sqlite3_onefold_init\nselect exact_sum(2);",
                          text=True, capture_output=True, timeout=60)
    assert done.stdout.split() == ["2.0"]


@pytest.mark.parametrize("text", ["1e400", "-1e400", "1e-400", "0.5e-330", "inf", "abc"])
def test_texts_that_no_double_holds_are_refused(text):
    for call in (f"exact_sum('{text}')", f"exact_corr(null, '{text}')", f"exact_corr('{text}', null)"):
        done = ask(f"select {call};")
        assert "a value is not a number" in done.stderr and done.stdout == "", call
    assert ask("select exact_sum('0e9'), exact_sum('1e-300'), exact_corr(null, '1') is null;").stdout.split() == ["0.0|1.0e-300|1"]
