"""Queries like TPC-H Q1 and Q15 and TPC-DS Q67 on DOUBLE: the same bits for any number of threads and any order of rows.

The tables have the columns that the queries read, drawn by hashes; TPC's generators are not here. DuckDB skips its tests of
Q15 and Q67 on DOUBLE, since sums that differ in the last bit choose other rows (`total = max(total)`, `rank()`)."""

import os
import struct
from fractions import Fraction

import pytest

extension = os.path.join(os.environ.get("ONEFOLD_ENGINES", ""), "onefold.duckdb_extension")
duckdb = pytest.importorskip("duckdb", reason="there is no duckdb; pip install duckdb")
if not os.path.exists(extension):
    pytest.skip("the extension is not built: DuckDB's headers could not be fetched", allow_module_level=True)

ROWS = 300_000
TABLES = f"""
create table lineitem as select
  hash(i) % 60000 as l_orderkey, hash(i, 1) % 200 as l_suppkey,
  (1 + hash(i, 2) % 50)::double as l_quantity,
  (90000 + hash(i, 3) % 10000000)::double / 100 as l_extendedprice,
  (hash(i, 4) % 11)::double / 100 as l_discount, (hash(i, 5) % 9)::double / 100 as l_tax,
  ['A', 'N', 'R'][1 + (hash(i, 6) % 3)::int] as l_returnflag, ['F', 'O'][1 + (hash(i, 7) % 2)::int] as l_linestatus,
  date '1992-01-02' + (hash(i, 8) % 2500)::int as l_shipdate
from range({ROWS}) r(i);
create table store_sales as select
  (hash(i, 11) % 10)::int as i_category, (hash(i, 12) % 40)::int as i_brand, (hash(i, 13) % 4)::int as d_qoy,
  (hash(i, 14) % 12)::int as s_store, (1 + hash(i, 15) % 100)::double as ss_quantity,
  (hash(i, 16) % 20000)::double / 100 as ss_sales_price
from range({ROWS}) r(i);
"""

Q1 = """
select l_returnflag, l_linestatus, SUM(l_quantity), SUM(l_extendedprice), SUM(l_extendedprice * (1 - l_discount)),
  SUM(l_extendedprice * (1 - l_discount) * (1 + l_tax)), AVG(l_quantity), AVG(l_extendedprice), AVG(l_discount), count(*)
from {lineitem} where l_shipdate <= date '1998-09-02' group by all order by all"""

# Two suppliers have the greatest revenue, by the same prices in another order.
Q15 = """
with sold as (select * from {lineitem} union all
              select l_orderkey, 200 + s, l_quantity, l_extendedprice * 400, l_discount, l_tax, l_returnflag, l_linestatus,
                date '1996-02-01' from {lineitem}, range(2) r(s) where l_suppkey = 7),
revenue as (select l_suppkey, SUM(l_extendedprice * (1 - l_discount)) as total from sold
  where l_shipdate >= date '1996-01-01' and l_shipdate < date '1996-04-01' group by l_suppkey)
select l_suppkey, total from revenue where total = (select max(total) from revenue) order by l_suppkey"""

Q67 = """
select * from (
  select *, rank() over (partition by i_category order by sumsales desc) as rk from (
    select i_category, i_brand, d_qoy, s_store, SUM(coalesce(ss_sales_price * ss_quantity, 0)) as sumsales
    from {store_sales} group by rollup (i_category, i_brand, d_qoy, s_store)))
where rk <= 100 order by all"""


def connect():
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute(f"load '{extension}'")
    connection.execute(TABLES)
    return connection


@pytest.fixture(scope="module")
def db():
    connection = connect()
    yield connection
    connection.close()


def answers(db, query, exact):
    """The distinct answers for several numbers of threads and orders of rows, with the bits of their doubles."""
    text = query.replace("SUM(", "exact_sum(" if exact else "sum(").replace("AVG(", "exact_avg(" if exact else "avg(")
    found = set()
    for threads in (1, 2, 4, 8):
        db.execute(f"set threads = {threads}")
        for order in ("", " order by hash(rowid)"):
            rows = db.execute(text.format(lineitem=f"(from lineitem{order})", store_sales=f"(from store_sales{order})")).fetchall()
            found.add(tuple(tuple(struct.pack("d", v) if isinstance(v, float) else v for v in row) for row in rows))
    return found


@pytest.mark.parametrize("name", ["Q1", "Q15", "Q67"])
def test_a_query_has_one_answer_for_any_threads_and_order(db, name):
    assert len(answers(db, globals()[name], exact=True)) == 1


def test_duckdbs_own_sums_have_several(db):
    assert any(len(answers(db, query, exact=False)) > 1 for query in (Q1, Q15, Q67))


def test_both_suppliers_with_the_greatest_revenue_are_found(db):
    (rows,) = answers(db, Q15, exact=True)
    assert [row[0] for row in rows] == [200, 201]


def test_sums_of_q1_are_those_of_fractions(db):
    (rows,) = answers(db, Q1, exact=True)
    for row in rows[:2]:
        flag, status = row[:2]
        x = db.execute("select l_extendedprice, l_extendedprice * (1 - l_discount) from lineitem where l_shipdate <= "
                       "date '1998-09-02' and l_returnflag = ? and l_linestatus = ?", [flag, status]).fetchall()
        prices, reduced = (sum(map(Fraction, column)) for column in zip(*x))
        assert struct.unpack("d", row[3])[0] == float(prices) and struct.unpack("d", row[4])[0] == float(reduced)
        assert struct.unpack("d", row[7])[0] == float(prices / len(x))


def test_groups_and_windows_that_are_written_to_disk_have_the_same_bits(tmp_path):
    queries = ("select sum(hash(s)) from (select exact_sum(ss_sales_price * 1.1) as s from store_sales group by hash(rowid))",
               "select sum(hash(s)) from (select exact_sum(ss_sales_price * 1.1) over (partition by s_store order by rowid "
               "rows between 99 preceding and current row) as s from store_sales)")
    db = connect()
    roomy = [db.execute(query).fetchall() for query in queries]
    db.execute(f"set temp_directory = '{tmp_path}'; set memory_limit = '40MB'; set threads = 2")
    assert [db.execute(query).fetchall() for query in queries] == roomy
    assert db.execute("select sum(size) from duckdb_temporary_files()").fetchone()[0] > 0
    db.close()
