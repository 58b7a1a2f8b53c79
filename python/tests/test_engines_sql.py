"""The engines of engines/ with Python interfaces: same bits for any partitions, chunks, order."""

import decimal
import pathlib
import sys

import numpy as np
import onefold
import pytest

pa = pytest.importorskip("pyarrow")
TREE = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(TREE / "engines"))
from aggregates import AGGREGATES  # noqa: E402

N, GROUPS = 20_000, 7
R = np.random.default_rng(35)
K = R.integers(0, GROUPS, N)
X, Y = (R.normal(size=N) * 10.0 ** R.integers(-18, 18, N) for _ in range(2))
NULL = R.random((2, N)) < 0.05  # missing values of x and of y


def table(order):
    return pa.table({"k": K[order], "x": pa.array(X[order], mask=NULL[0][order]),
                     "y": pa.array(Y[order], mask=NULL[1][order])})


def expected(name, rows):
    """The library's answer for the rows without a NULL."""
    op, ddof, inputs, least = AGGREGATES[name]
    rows = rows & ~NULL[0] & (~NULL[1] if inputs == 2 else True)
    if rows.sum() < least:
        return None
    arrays = [X[rows], Y[rows]][:inputs]
    state = onefold.gather(op, *arrays)
    return state.answer(op, ddof=ddof)


def arguments(name):
    return ["y", "x"] if AGGREGATES[name][2] == 2 else ["x"]


def test_all_aggregates_of_the_table_are_there():
    assert len(AGGREGATES) == (TREE / "engines/aggregates.h").read_text().count("\n  AGGREGATE(") > 10


@pytest.mark.parametrize("partitions", [1, 4])
def test_datafusion_has_the_same_bits_for_any_plan(partitions):
    datafusion = pytest.importorskip("datafusion")
    import onefold_datafusion

    ctx = datafusion.SessionContext(
        datafusion.SessionConfig().with_target_partitions(partitions).with_batch_size(1000))
    onefold_datafusion.register(ctx)
    order = np.random.default_rng(partitions).permutation(N)
    batches = table(order).to_batches(max_chunksize=N // 6)
    ctx.register_record_batches("t", [[b] for b in batches])  # six partitions
    calls = ", ".join(f"{name}_f64({', '.join(arguments(name))}) AS {name}" for name in AGGREGATES)
    lists = ", ".join(f"{name}_f64_list({', '.join(f'array_agg({c})' for c in arguments(name))}) AS {name}"
                      for name in AGGREGATES)
    for asked in (calls, lists):
        rows = ctx.sql(f"SELECT k, {asked} FROM t GROUP BY k ORDER BY k").to_pydict()
        assert rows["k"] == list(range(GROUPS))
        for name in AGGREGATES:
            assert rows[name] == [expected(name, K == k) for k in range(GROUPS)], name
    whole = ctx.sql(f"SELECT {calls} FROM t").to_pydict()
    assert whole == {name: [expected(name, K >= 0)] for name in AGGREGATES}
    plan = str(ctx.sql("SELECT exact_sum_f64(x) FROM t").execution_plan())
    assert "mode=Partial" in plan  # states are merged


def test_datafusion_gives_null_for_too_few_rows():
    datafusion = pytest.importorskip("datafusion")
    import onefold_datafusion

    ctx = datafusion.SessionContext()
    onefold_datafusion.register(ctx)
    values = "(VALUES (CAST(1 AS DOUBLE)), (NULL)) AS t(x)"
    got = ctx.sql(f"SELECT exact_sum_f64(x) AS a, exact_var_f64(x) AS b FROM {values}").to_pydict()
    assert got == {"a": [1.0], "b": [None]}
    got = ctx.sql(f"SELECT exact_sum_f64(x) AS a FROM {values} WHERE x > 5").to_pydict()
    assert got == {"a": [None]}


@pytest.mark.parametrize("threads", [False, True])
def test_pyarrow_has_the_same_bits_for_any_chunks_and_order(threads):
    import onefold_pyarrow

    onefold_pyarrow.register()
    onefold_pyarrow.register()  # a second time changes nothing
    order = np.random.default_rng(5).permutation(N)
    chunks = pa.Table.from_batches(table(order).to_batches(max_chunksize=700))
    asked = [(arguments(name) if len(arguments(name)) == 2 else "x", name) for name in AGGREGATES]
    for got in (chunks.group_by("k", use_threads=threads).aggregate(asked), onefold_pyarrow.aggregate(chunks, ["k"], asked)):
        got = got.sort_by("k").to_pydict()
        for name in AGGREGATES:
            column = "_".join([*arguments(name), name])
            assert got[column] == [expected(name, K == k) for k in range(GROUPS)], name


def test_polars_has_the_same_bits_by_groups_and_over_windows():
    pl = pytest.importorskip("polars")
    from onefold_polars import exact

    order = np.random.default_rng(6).permutation(N)
    chunks = pa.Table.from_batches(table(order).to_batches(max_chunksize=700))
    frame = pl.from_arrow(chunks, rechunk=False)
    asked = {name: exact(name, *arguments(name)) for name in AGGREGATES}
    for got in (frame.group_by("k").agg(**asked),
                frame.group_by("k").agg(**{name: exact(name, *arguments(name), each=True) for name in AGGREGATES}),
                frame.lazy().group_by("k").agg(**asked).collect(),
                frame.with_columns(**{n: e.over("k") for n, e in asked.items()})
                .unique("k")):
        got = got.sort("k").to_dict(as_series=False)
        for name in AGGREGATES:
            assert got[name] == [expected(name, K == k) for k in range(GROUPS)], name
    whole = frame.select(**asked).to_dict(as_series=False)
    assert whole == {name: [expected(name, K >= 0)] for name in AGGREGATES}
    few = pl.DataFrame({"x": [1.0, None]}).select(exact("exact_sum", "x"), exact("exact_var", "x"))
    assert few.to_dict(as_series=False) == {"exact_sum": [1.0], "exact_var": [None]}
    with pytest.raises(ValueError, match="exact_corr takes 2 columns"):
        exact("exact_corr", "x")
    with pytest.raises(ValueError, match="no aggregate is called 'sum'"):
        exact("sum", "x")


def test_groups_of_engines_may_be_empty_or_of_integers():
    pl = pytest.importorskip("polars")
    import onefold_pyarrow
    from onefold_polars import exact

    big = 2**62 + 1
    frame = pl.DataFrame({"k": [1, 1, 2, 3], "i": [big, 1, None, 5], "f": [0.1, None, 0.5, float("nan")]})
    exacts = [exact("exact_sum", "i"), exact("exact_var", "i").alias("v"), exact("exact_sum", "f").alias("f")]
    got = frame.group_by("k").agg(exacts).sort("k").rows()
    assert got[:2] == [(1, float(big + 1), float(big - 1) ** 2 / 2, 0.1), (2, None, None, 0.5)]
    assert got[2][:3] == (3, 5.0, None) and np.isnan(got[2][3])
    assert frame.clear().group_by("k").agg(exacts).rows() == []
    assert frame.clear().select(exacts).rows() == [(None, None, None)]
    assert frame.select(pl.col("i").filter(pl.col("k") > 7).pipe(lambda e: exact("exact_sum", e))).rows() == [(None,)]
    with pytest.raises((ValueError, pl.exceptions.ComputeError), match="different numbers of rows"):
        frame.group_by("k").agg(exact("exact_dot", pl.col("i").filter(pl.col("i") > 1), "f"))
    rows = onefold_pyarrow.aggregate(frame.to_arrow(), ["k"], [("i", "exact_sum")]).sort_by("k").to_pylist()
    assert rows == [{"k": 1, "i_exact_sum": float(big + 1)}, {"k": 2, "i_exact_sum": None}, {"k": 3, "i_exact_sum": 5.0}]
    frame = pa.record_batch({"x_list": [1, 1, 2], "x": pa.array([0.5, 0.25, 1], pa.float16())})
    rows = onefold_pyarrow.aggregate(frame, "x_list", [("x", "exact_sum")]).sort_by("x_list").to_pylist()
    assert rows == [{"x_list": 1, "x_exact_sum": 0.75}, {"x_list": 2, "x_exact_sum": 1.0}]
    with pytest.raises(ValueError, match="name one key or more"):
        onefold_pyarrow.aggregate(frame, [], [("x", "exact_sum")])
    frame = pl.from_arrow(pa.table({"i": [1], "k": [1]}))
    with pytest.raises(ValueError, match="exact_dot takes 2 columns, and there are 1"):
        onefold_pyarrow.aggregate(frame.to_arrow(), ["k"], [("i", "exact_dot")])


def test_polars_has_windows_that_slide():
    pl = pytest.importorskip("polars")
    from onefold_polars import exact

    frame = pl.DataFrame({"i": range(5), "x": [1e16, 1.0, -1e16, 2.0, 1.0]})
    got = frame.select(exact("exact_sum", "x").rolling("i", period="3i"))
    assert got["exact_sum"].to_list() == [1e16, 1e16, 1.0, -1e16 + 3, 3 - 1e16]


def test_polars_takes_integers_as_they_are():
    pl = pytest.importorskip("polars")
    from onefold_polars import exact

    big = 2**53 + 1
    for kind in (pl.Int64, pl.UInt64, pl.Int128):
        frame = pl.DataFrame({"i": pl.Series([big, 1, None], dtype=kind)})
        assert frame.select(exact("exact_sum", "i")).item() == big + 1
    # The sum of two 2^63 - 1 does not fit i64, nor is it a double.
    frame = pl.DataFrame({"i": [2**63 - 1] * 2, "b": [True, False], "f": [1.0, 2.0],
                          "s": ["1", "2"], "n": [None, None],
                          "u": pl.Series([2**64, 1], dtype=pl.Int128)})
    assert frame.select(exact("exact_sum", "i")).item() == 2.0**64
    assert frame.select(exact("exact_dot", "i", "i")).item() == 2.0**127
    assert frame.select(exact("exact_sum", "b")).item() == 1
    assert frame.select(exact("exact_sum", "n")).item() is None
    assert frame.select(exact("exact_dot", "f", "b")).item() == 1
    for columns, said in (("if", "does not fit double exactly"), ("s", "column 's' is String"),
                          ("u", "beyond Int64")):
        name = "exact_dot" if len(columns) == 2 else "exact_sum"
        with pytest.raises((ValueError, pl.exceptions.ComputeError), match=said):
            frame.select(exact(name, *columns))


def test_datafusion_sums_integers_under_their_own_names():
    datafusion = pytest.importorskip("datafusion")
    import onefold_datafusion

    ctx = datafusion.SessionContext()
    onefold_datafusion.register(ctx)
    ctx.from_arrow(pa.table({"i": [2**53 + 1, 1, None], "f": [1.5, 2.5, 3.5],
                             "u": pa.array([2**64 - 1, 1, 0], pa.uint64())}), "t")
    got = ctx.sql("SELECT exact_sum_i64(i) AS s, exact_dot_i64(i, i) AS d, exact_sum_u64(u) AS u "
                  "FROM t").to_pydict()
    assert got == {"s": [2.0**53 + 2], "d": [float((2**53 + 1)**2 + 1)], "u": [2.0**64]}
    text = "SELECT exact_sum_f64(f) OVER (ORDER BY f{}) AS s FROM t ORDER BY f"
    assert ctx.sql(text.format("")).to_pydict() == {"s": [1.5, 4.0, 7.5]}
    with pytest.raises(Exception, match="sliding accumulator"):
        ctx.sql(text.format(" ROWS BETWEEN 1 PRECEDING AND CURRENT ROW")).collect()
    with pytest.raises(Exception, match="coerce"):
        ctx.sql("SELECT exact_sum_i64(f) FROM t").collect()


@pytest.mark.parametrize("column", ["i", "u", "d", "f"])
def test_datafusion_has_no_name_that_hides_the_type(column):
    datafusion = pytest.importorskip("datafusion")
    import onefold_datafusion

    ctx = datafusion.SessionContext()
    onefold_datafusion.register(ctx)
    ctx.from_arrow(pa.table({
        "k": [1, 1, 2], "f": [1.5, float("inf"), float("nan")], "i": [2**53 + 1, 1, None],
        "u": pa.array([2**64 - 1, 1, None], pa.uint64()),
        "d": pa.array([decimal.Decimal("75479012.7884551090"), None, None], pa.decimal128(18, 10))}), "t")
    for name, (_, _, inputs, _) in AGGREGATES.items():
        for end, argument in (("", column), ("_list", f"array_agg({column})")):
            call = f"{name}{end}({', '.join([argument] * inputs)})"
            for groups in ("", " GROUP BY k"):
                with pytest.raises(Exception, match=f"{name}{end}: .*call {name}_f64{end} for floats") as error:
                    ctx.sql(f"SELECT {call} FROM t{groups}").collect()
                assert "\n" not in str(error.value)
    with pytest.raises(Exception, match="exact_sum_decimal for decimals"):
        ctx.sql("SELECT exact_sum(d) FROM t WHERE k > 5").collect()


@pytest.mark.parametrize("column", ["f", "d", "u", "s"])
def test_datafusion_truncates_nothing_in_lists_of_integers(column):
    datafusion = pytest.importorskip("datafusion")
    import onefold_datafusion

    ctx = datafusion.SessionContext()
    onefold_datafusion.register(ctx)
    ctx.from_arrow(pa.table({"f": [1.5, 2.5], "d": [decimal.Decimal("1.5"), decimal.Decimal("2.5")],
                             "u": pa.array([2**64 - 1, 1], pa.uint64()), "s": ["1", "x"], "i": [2**53 + 1, -1]}), "t")
    with pytest.raises(Exception, match="exact_sum_i64_list: a value is not an integer of type int64"):
        ctx.sql(f"SELECT exact_sum_i64_list(array_agg({column})) FROM t").collect()
    got = ctx.sql("SELECT exact_sum_i64_list(array_agg(i)) AS i, exact_dot_i64_list(array_agg(i), array_agg(i)) AS d, "
                  "exact_sum_u64_list(array_agg(u)) AS u FROM t").to_pydict()
    assert got == {"i": [2.0**53], "d": [float((2**53 + 1)**2 + 1)], "u": [2.0**64]}


def test_pyarrow_refuses_integers():
    import onefold_pyarrow

    onefold_pyarrow.register()
    integers = pa.table({"k": [1, 1], "x": [2**53 + 1, 1]})
    with pytest.raises(pa.ArrowNotImplementedError, match="int64"):
        integers.group_by("k").aggregate([("x", "exact_sum")])


@pytest.mark.parametrize("partitions", [1, 3])
def test_datafusion_sums_decimals_by_their_digits(partitions):
    datafusion = pytest.importorskip("datafusion")
    import fractions

    import onefold_datafusion

    ctx = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(partitions))
    onefold_datafusion.register(ctx)
    r = np.random.default_rng(5)
    values = [decimal.Decimal(int(v)).scaleb(-10) for v in r.integers(-10**18, 10**18, 600)]
    for some in ([decimal.Decimal("0.1")] * 3, [decimal.Decimal("65624738.1085762037")], values):
        column = pa.array(some, pa.decimal128(28, 10))
        batches = pa.table({"x": column}).to_batches(max_chunksize=100)
        ctx.deregister_table("d")
        ctx.register_record_batches("d", [[b] for b in batches])
        row = ctx.sql("SELECT exact_sum_decimal(x) AS s, exact_avg_decimal(x) AS a FROM d").to_pydict()
        exact = sum(map(fractions.Fraction, some))
        assert row == {"s": [float(exact)], "a": [float(exact / len(some))]}
    assert ctx.sql("SELECT exact_sum_decimal(x) AS s FROM d WHERE x > 1e9").to_pydict() == {"s": [None]}
    with pytest.raises(Exception, match="exact_sum_decimal: 'abc' is not a number"):
        ctx.sql("SELECT exact_sum_decimal('abc') FROM d").collect()
