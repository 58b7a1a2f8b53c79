"""DuckDB with the extension."""

import os
import random
from decimal import Decimal
from fractions import Fraction

import pytest
from values import answers, hard

extension = os.path.join(os.environ.get("ONEFOLD_ENGINES", ""), "onefold.duckdb_extension")
duckdb = pytest.importorskip("duckdb", reason="there is no duckdb; pip install duckdb")
if not os.path.exists(extension):
    pytest.skip("the extension is not built: DuckDB's headers could not be fetched",
                allow_module_level=True)


@pytest.fixture
def db():
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute(f"load '{extension}'")
    yield connection
    connection.close()


def fill(db, x, y, groups=1):
    db.execute("create table t (i bigint, g bigint, x double, y double)")
    db.executemany("insert into t values (?, ?, ?, ?)",
                   [(i, i % groups, a, b) for i, (a, b) in enumerate(zip(x, y))])


def test_every_aggregate_is_exact(db):
    x, y = hard(200, 1), hard(200, 2)
    fill(db, x, y)
    expected = answers(x, y)
    assert db.execute(f"select {', '.join(expected)} from t").fetchone() == tuple(expected.values())


def test_groups_are_exact(db):
    x, y = hard(200, 3), hard(200, 4)
    fill(db, x, y, groups=7)
    names = answers(x[:9], y[:9])
    rows = db.execute(f"select {', '.join(names)} from t group by g order by g").fetchall()
    assert rows == [tuple(answers(x[g::7], y[g::7]).values()) for g in range(7)]


def test_windows_are_exact(db):
    x, y = hard(60, 5), hard(60, 6)
    fill(db, x, y)
    rows = db.execute("select exact_sum(x) over w, exact_corr(x, y) over w from t "
                      "window w as (order by i rows between 9 preceding and 3 following)").fetchall()
    for i, row in enumerate(rows):
        part = slice(max(0, i - 9), i + 4)
        expected = answers(x[part], y[part])
        assert row == (expected["exact_sum(x)"], expected["exact_corr(x, y)"])


def test_any_number_of_threads_and_any_order_give_the_same_bits(db):
    db.execute("create table t as select ((hash(i) % 1000003)::double - 500001) * "
               "power(2, (hash(i + 1) % 90)::double - 45) as x, (hash(i + 2) % 1000)::double as y, "
               "(hash(i) % 97)::bigint as g from range(400000) r(i)")
    whole, parts = set(), set()
    for threads in (1, 2, 3, 8):
        db.execute(f"set threads = {threads}")
        for source in ("t", "(select * from t order by y, x)"):
            whole.add(db.execute("select exact_sum(x), exact_avg(x), exact_var(x), exact_stddev(x), "
                                 f"exact_corr(x, y) from {source}").fetchone())
            parts.add(tuple(db.execute("select g, exact_sum(x), exact_var(x), exact_corr(x, y) "
                                       f"from {source} group by g order by g").fetchall()))
    assert len(whole) == 1 and len(parts) == 1


def test_rows_with_null_are_left_out_and_too_few_are_null(db):
    db.execute("create table t as select * from (values (1e16::double, 2::double), (null, 9), (1, 2), "
               "(-1e16, null)) v(x, y)")
    assert db.execute("select exact_sum(x), exact_avg(x), exact_dot(x, y), exact_dot(y, x) from t"
                      ).fetchone() == (1.0, 1 / 3, 2e16 + 2, 2e16 + 2)
    assert db.execute("select exact_sum(x), exact_var_pop(x), exact_var(x), exact_corr(x, x) from t "
                      "where x is null").fetchone() == (None,) * 4
    assert db.execute("select exact_var_pop(x), exact_var(x) from t where x = 1").fetchone() == (0.0, None)


def test_floats_and_integers_are_taken_as_they_are(db):
    assert db.execute("select exact_sum(x::float), exact_avg(x::float) from "
                      "(values (16777216), (1), (1)) v(x)").fetchone() == (16777218.0, 16777218 / 3)
    # A cast of each to DOUBLE would lose both ones.
    assert db.execute("select exact_sum(x::bigint) from (values (9007199254740992), (1), (1)) v(x)"
                      ).fetchone() == (9007199254740994.0,)
    assert db.execute("select exact_sum(x::bigint) from (values (9223372036854775807), "
                      "(9223372036854775807)) v(x)").fetchone() == (float(2**64 - 2),)


@pytest.mark.parametrize("kind", ["bigint", "ubigint"])
def test_integers_of_64_bits_are_exact(db, kind):
    big = 2**63 - 1 if kind == "bigint" else 2**64 - 1
    values = f"(values ({big}::{kind}, {2**53 + 1}::{kind}, 1), ({big}::{kind}, 1::{kind}, 2)) v(x, y, z)"
    row = db.execute(f"select exact_sum(x), exact_sum(y), exact_dot(x, y), exact_var_pop(x) from {values}").fetchone()
    assert row == (float(2 * big), 2.0**53 + 2, float(big * (2**53 + 2)), 0)
    # An INTEGER becomes a BIGINT.
    if kind == "bigint":
        assert db.execute(f"select exact_dot(y, z::integer) from {values}").fetchone() == (2.0**53 + 3,)
    else:
        with pytest.raises(duckdb.Error, match="exact_dot: a value is 2.53 or larger, and no DOUBLE equals it"):
            db.execute(f"select exact_dot(y, z::integer) from {values}").fetchone()


@pytest.mark.parametrize("kind", ["hugeint", "uhugeint"])
def test_integers_that_no_double_equals_are_refused(db, kind):
    values = f"(values ((1::{kind} << 100)), (1), (3)) v(x)"
    assert db.execute(f"select exact_sum(x), exact_avg(x) from {values}").fetchone() == (2.0**100, (2**100 + 4) / 3)
    assert db.execute(f"select exact_sum(x) from (values (({2**53 + 1}::{kind})), (1)) v(x)").fetchone() == (2.0**53 + 2,)
    with pytest.raises(duckdb.Error, match="exact_rms: a value is 2.53 or larger, and no DOUBLE equals it"):
        db.execute(f"select exact_rms(x) from (values (({2**53 + 1}::{kind})), (1)) v(x)").fetchone()
    with pytest.raises(duckdb.Error, match="exact_dot: a value is 2.53 or larger, and no DOUBLE equals it"):
        db.execute(f"select exact_dot(x, x) from (values ((1::{kind} << 100) + 1)) v(x)").fetchone()


@pytest.mark.parametrize("x", [2**127 - 1, 2**127, 2**127 + 1, 2**128 - 2**75, 2**128 - 1])
def test_the_longest_integers_are_taken(db, x):
    values = f"(values ('{x}'::uhugeint), (2), (null)) v(x)"
    row = db.execute(f"select exact_sum_text(x), exact_sum(x), exact_avg(x) from {values}").fetchone()
    assert row == (str(x + 2), float(x + 2), (x + 2) / 2)
    rows = db.execute(f"select x > 2, exact_sum_text(x) from {values} where x > 0 group by 1 order by 1").fetchall()
    assert rows == [(False, "2"), (True, str(x))]
    if int(float(x)) == x:
        assert db.execute(f"select exact_rms(x), exact_dot(x, 2) from {values} where x > 2").fetchone() == (x, 2.0 * x)
    else:
        with pytest.raises(duckdb.Error, match="exact_rms: a value is 2.53 or larger, and no DOUBLE equals it"):
            db.execute(f"select exact_rms(x) from {values}").fetchone()


@pytest.mark.parametrize("kind", ["bigint", "ubigint", "hugeint", "uhugeint"])
@pytest.mark.parametrize("beside", ["double", "float"])
def test_integers_beside_floats_are_exact_or_refused(db, kind, beside):
    for a, b in ((kind, beside), (beside, kind)):
        row = db.execute(f"select exact_dot(x::{a}, y::{b}), exact_covar_pop(x::{a}, y::{b}) from "
                         "(values (1, 2), (3, 7), (null, 1)) v(x, y)").fetchone()
        assert row == (23.0, 2.5)
        x, y = (2**53 + 1, 1) if a == kind else (1, 2**53 + 1)
        with pytest.raises(duckdb.Error, match="cast both columns to DOUBLE, BIGINT or UBIGINT"):
            db.execute(f"select exact_dot(x, y) from (values ({x}::{a}, {y}::{b})) v(x, y)").fetchone()
    assert db.execute(f"select exact_dot({2**60}::{kind}, 1::{beside})").fetchone() == (2.0**60,)


@pytest.mark.parametrize("width, scale", [(4, 1), (9, 3), (18, 0), (18, 6), (38, 0), (38, 10), (38, 30), (38, 38)])
def test_sums_of_decimals_are_those_of_their_digits(db, width, scale):
    draw = random.Random(width + scale)
    tens = (10 ** draw.randrange(1, width + 1) for _ in range(300))
    column = [Decimal(draw.randrange(-ten + 1, ten)).scaleb(-scale) for ten in tens]
    text = ", ".join(f"({i}, '{v:f}'::decimal({width}, {scale}))" for i, v in enumerate(column))
    db.execute(f"create table d as select * from (values {text}) v(i, x)")
    total = sum(map(Fraction, column))
    assert db.execute("select exact_sum(x), exact_avg(x) from d").fetchone() == (float(total), float(total / len(column)))
    for threads in (1, 4):
        db.execute(f"set threads = {threads}")
        rows = db.execute("select i % 3, exact_sum(x) from d group by 1 order by 1").fetchall()
        assert rows == [(g, float(sum(map(Fraction, column[g::3])))) for g in range(3)]
    spelt, = db.execute("select exact_sum_text(x) from d").fetchone()
    assert Fraction(spelt) == total and "e" not in spelt.lower()
    if abs(total) < 10**36:
        as_decimal, = db.execute("select exact_sum_text(x)::decimal(38, 2) from d").fetchone()
        assert abs(Fraction(as_decimal) - total) <= Fraction(1, 200)
    sliding = db.execute("select exact_sum(x) over (order by i rows between 4 preceding and current row) from d order by i")
    assert [r for r, in sliding.fetchall()] == [float(sum(map(Fraction, column[max(0, i - 4):i + 1]))) for i in range(300)]


def test_three_dimes_are_thirty_cents(db):
    assert db.execute("select exact_sum(x), exact_avg(x) from (values (0.1), (0.1), (0.1)) v(x)").fetchone() == (0.3, 0.1)
    assert db.execute("select exact_sum(x) from (values (170141183460469231731687303715884105727::hugeint), (1), (-2)) v(x)"
                      ).fetchone() == (2.0**127,)
    assert db.execute("select exact_sum(x), exact_sum_text(x) from (values (null::decimal(9, 2))) v(x)").fetchone() == (None, None)
    assert db.execute("select exact_sum_text(x), exact_sum_text(x::double), exact_sum_text(9007199254740993 + (x * 0)::bigint) from "
                      "(values (0.1), (0.1), (-0.3)) v(x)").fetchone() == ("-0.1", "-0.1", "27021597764222979")
    for values, spelt in (("0.5), (-0.50", "0"), ("'nan'::float), (1", "NaN"), ("'-inf'::float), (1", "-Infinity"),
                          ("'inf'::float), ('-inf'", "NaN")):
        assert db.execute(f"select exact_sum_text(x) from (values ({values})) v(x)").fetchone() == (spelt,)


@pytest.mark.parametrize("value", [f"{2**53 + 1}::decimal(38, 0)", f"-{2**53 + 1}.5", f"{2**53 + 1}::decimal(38, 3)"])
def test_decimals_that_would_lose_digits_are_refused(db, value):
    for name in ("exact_rms", "exact_var_pop"):
        with pytest.raises(duckdb.Error, match=name + ": a value is 2.53 or larger, and no DOUBLE equals it; cast the column"):
            db.execute(f"select {name}({value})").fetchone()
    assert db.execute(f"select exact_rms({2**60}::decimal(38, 3)), exact_sum({value})").fetchone() == (
        2.0**60, float(Decimal(value.split(":")[0])))


@pytest.mark.parametrize("value", ["'1'", "true", "date '2026-01-01'", "[1.5]", "1::bignum"])
def test_other_types_are_refused_in_one_line(db, value):
    with pytest.raises(duckdb.Error, match="exact_sum: a column is of another type; give integers, floats or DECIMAL$"):
        db.execute(f"select exact_sum({value})").fetchone()


@pytest.mark.parametrize("kind", ["tinyint", "utinyint", "smallint", "usmallint", "integer", "uinteger"])
def test_short_integers_are_exact(db, kind):
    least, most = db.execute(f"select min(x), max(x) from (values (-128), (-32768), (-2147483648), (0), (127), (255), (32767), "
                             f"(65535), (2147483647), (4294967295)) v(x) where try_cast(x as {kind}) is not null").fetchone()
    row = db.execute(f"select exact_sum(x), exact_dot(x, y), exact_sum(null) from (values (({least})::{kind}, {2**53 + 1}), "
                     f"({most}::{kind}, 1)) v(x, y)").fetchone()
    assert row == (float(least + most), float(least * (2**53 + 1) + most), None)


def test_infinities_and_nan_are_as_ieee_has_them(db):
    row = db.execute("select exact_sum(x), exact_avg(y) from (values ('inf'::double, 'inf'::double), "
                     "(1, '-inf'::double)) v(x, y)").fetchone()
    assert row[0] == float("inf") and row[1] != row[1]
