"""A server of PostgreSQL of its own, in a temporary folder, into which `make install` put the extension."""

import glob
import math
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
from decimal import Decimal
from fractions import Fraction

import pytest
from values import answers, hard

built = pathlib.Path(os.environ.get("ONEFOLD_ENGINES", ""))
root = pathlib.Path(__file__).parents[2]
servers = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
if not servers:
    pytest.skip("there is no PostgreSQL; apt-get install postgresql", allow_module_level=True)
if not (built / "onefold_postgres.so").exists():
    pytest.skip("the extension is not built: postgres.h is missing", allow_module_level=True)
version = pathlib.Path(servers[-1]).parents[1].name


def linked(source, to):
    to.mkdir(parents=True)
    for file in source.iterdir():
        (to / file.name).symlink_to(file)


class Server:
    """PostgreSQL finds its folders from where its programs are: a tree of links, and of programs, is one to install into."""

    def __init__(self, folder):
        self.folder = folder
        # initdb refuses root.
        self.user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.getuid() == 0 else []
        os.chmod(folder, 0o777)
        tree = folder / "lib/postgresql" / version
        shutil.copytree(f"/usr/lib/postgresql/{version}/bin", tree / "bin")
        linked(pathlib.Path(f"/usr/lib/postgresql/{version}/lib"), tree / "lib")
        linked(pathlib.Path("/usr/include/postgresql"), folder / "include/postgresql")
        share = pathlib.Path(f"/usr/share/postgresql/{version}")
        linked(share, folder / "share/postgresql" / version)
        extensions = folder / "share/postgresql" / version / "extension"
        extensions.unlink()
        linked(share / "extension", extensions)
        self.programs = tree / "bin"
        shutil.copytree(root / "engines", folder / "engines")
        self.environment = {**os.environ, "PGHOST": str(folder), "PGUSER": "test", "PG_CONFIG": str(tree / "bin/pg_config"),
                            "C_INCLUDE_PATH": str(root), "LIBRARY_PATH": str(built.parent), "LC_ALL": "C",
                            "LD_LIBRARY_PATH": str(folder)}
        shutil.copy(built.parent / "libonefold.so.1", folder)
        self.make("install", "with_llvm=no", "PG_CPPFLAGS=", "SHLIB_LINK=-lonefold")
        self.run("initdb", "-D", folder / "data", "-U", "test", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
        self.run("pg_ctl", "-D", folder / "data", "-w", "-l", folder / "log", "start", "-o",
                 f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off")

    def make(self, *words):
        done = subprocess.run(["make", "-C", str(self.folder / "engines/postgres"), *words], text=True, timeout=240,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=self.environment)
        differences = self.folder / "engines/postgres/regression.diffs"
        assert done.returncode == 0, done.stdout + (differences.read_text() if differences.exists() else "")

    def run(self, program, *words):
        done = subprocess.run([*self.user, str(self.programs / program), *map(str, words)], text=True, timeout=120,
                              env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.folder)
        assert done.returncode == 0, done.stdout

    def ask(self, text):
        done = subprocess.run([str(self.programs / "psql"), "-d", "postgres", "-XAtq", "-v", "ON_ERROR_STOP=1"], input=text,
                              text=True, capture_output=True, timeout=120, env=self.environment)
        assert done.returncode == 0, done.stderr
        return [line.split("|") for line in done.stdout.splitlines()]

    def stop(self):
        self.run("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "stop")


@pytest.fixture(scope="module")
def server():
    # A short path: that of a socket has 107 bytes.
    with tempfile.TemporaryDirectory(prefix="of", ignore_cleanup_errors=True) as name:
        s = Server(pathlib.Path(name))
        try:
            s.ask("create extension onefold;")
            yield s
        finally:
            s.stop()


def rows_of(x, y):
    return ",".join(f"({i}, {i % 5}, {a!r}, {b!r})" for i, (a, b) in enumerate(zip(x, y)))


def test_every_aggregate_is_exact_whole_and_in_groups(server):
    x, y = hard(200, 1), hard(200, 2)
    server.ask(f"create table t (i int, g int, x float8, y float8); insert into t values {rows_of(x, y)};")
    expected = answers(x, y)
    row, = server.ask(f"select {', '.join(expected)} from t;")
    assert [float(v) for v in row] == list(expected.values())
    rows = server.ask(f"select {', '.join(expected)} from t group by g order by g;")
    assert [[float(v) for v in row] for row in rows] == [list(answers(x[g::5], y[g::5]).values()) for g in range(5)]


def test_installcheck_passes(server):
    server.make("installcheck")


@pytest.mark.parametrize("value, rms", [
    ("0.1", .1), ("'9007199254740992.00'", 2.0**53), ("'18446744073709551616'", 2.0**64), ("'NaN'", math.nan),
    ("'Infinity'", math.inf), ("9007199254740991.4", 9007199254740991), ("'1e-400'", 0), ("'1e300'", None),
    ("9007199254740993", None), ("9007199254740992.5", None), ("'1e400'", None)])
def test_of_other_ops_a_numeric_is_the_nearest_float8_below_2_to_the_53(server, value, rms):
    query = f"select exact_rms({value}::numeric);"
    if rms is None:
        with pytest.raises(AssertionError, match="exact_rms: a numeric is 2.53 or larger, and no float8 equals it"):
            server.ask(query)
    else:
        (got,), = server.ask(query)
        assert float(got) == rms or math.isnan(rms) and got == "NaN"


def test_sums_of_numerics_are_those_of_their_digits(server):
    draw = random.Random(4)
    column = [Decimal(draw.randrange(-10**draw.randrange(1, 40), 10**30)).scaleb(-draw.randrange(0, 40)) for _ in range(120)]
    text = ", ".join(f"({i}, '{v:f}'::numeric)" for i, v in enumerate(column))
    server.ask(f"create table d (i int, x numeric); insert into d values {text};")
    total = sum(map(Fraction, column))
    (row,) = server.ask("select exact_sum(x), exact_avg(x) from d;")
    assert [float(v) for v in row] == [float(total), float(total / len(column))]
    rows = server.ask("select exact_sum(x) over (order by i rows between 4 preceding and current row) from d order by i;")
    assert [float(v) for v, in rows] == [float(sum(map(Fraction, column[max(0, i - 4):i + 1]))) for i in range(120)]
    for value, sum_of_it in (("0.1", .3), ("9007199254740993", 3 * 9007199254740993), ("'1e-400'", 0), ("'NaN'", math.nan)):
        (got,), = server.ask(f"select exact_sum(v) from (values ({value}::numeric), ({value}), ({value})) w(v);")
        assert float(got) == float(sum_of_it) or math.isnan(sum_of_it)
    (row,) = server.ask("select exact_sum_numeric(x) = sum(x), exact_sum_numeric(x) from d;")
    assert row[0] == "t" and Fraction(row[1]) == total
    rows = server.ask("select exact_sum_numeric(x) over w = sum(x) over w from d window w as (order by i rows 4 preceding);")
    assert rows == [["t"]] * 120
    (row,) = server.ask("select exact_sum_numeric(v), exact_sum_numeric(v) filter (where v > 9), exact_sum_numeric('NaN') from "
                        "(values (1), (2)) w(v);")
    assert list(row) == ["3", "", "NaN"]
    (row,) = server.ask("with s as (select i % 3 as g, onefold_gather('sum,mean', x) as s from d group by 1) select "
                        "onefold_answer(onefold_merge(s), 'sum'), onefold_answer(onefold_merge(s), 'mean') from s;")
    assert [float(v) for v in row] == [float(total), float(total / len(column))]
    (row,) = server.ask("select onefold_answer(onefold_gather('sum', v), 'sum'), onefold_answer(onefold_gather('mean,var', v), 'mean'), "
                        "onefold_answer(onefold_gather('count', v), 'count') from (values (0.1), (0.1), (0.1)) w(v);")
    assert [float(v) for v in row] == [0.3, 0.1, 3]
    with pytest.raises(AssertionError, match="beyond the range of doubles"):
        server.ask("select exact_sum('1e400'::numeric);")


def test_domains_are_their_base_types_and_states_have_an_equality(server):
    server.ask("create domain money_of as numeric check (value > 0); create domain whole as bigint;")
    (row,) = server.ask("select exact_sum(x::money_of), exact_sum(x::whole), exact_rms(x::money_of) from (values (1), (1)) v(x);")
    assert [float(v) for v in row] == [2, 2, 1]
    server.ask("create table states as select i % 2 as g, onefold_gather('sum', i::float8) as s from generate_series(0, 9) i "
               "group by 1; create index on states (s); create index on states using hash (s);")
    (row,) = server.ask("select count(distinct a.s), count(*) from states a join states b using (s);")
    assert list(map(int, row)) == [2, 2]


def test_windows_are_exact(server):
    x, y = hard(40, 3), hard(40, 4)
    server.ask(f"create table w (i int, g int, x float8, y float8); insert into w values {rows_of(x, y)};")
    # Frames that slide: rows are removed again.
    calls = ", ".join(f"{name} over w" for name in answers(x, y))
    rows = server.ask(f"select {calls} from w window w as (order by i rows between 9 preceding and 3 following);")
    assert [list(map(float, row)) for row in rows] == [
        list(answers(x[max(0, i - 9) : i + 4], y[max(0, i - 9) : i + 4]).values()) for i in range(len(x))]


def test_parallel_plans_merge_states_to_the_same_bits(server):
    server.ask("create table p as select (i * 7919 % 1000003 - 500001) * power(2::float8, i * 31 % 90 - 45) as x, "
               "i % 97 as y, i % 11 as g from generate_series(1::int8, 200000) i; analyze p;")
    settings = ("set parallel_setup_cost = 0; set parallel_tuple_cost = 0; set min_parallel_table_scan_size = 0; "
                "set max_parallel_workers_per_gather = {}; ")
    query = "select exact_sum(x), exact_var(x), exact_corr(x, y::float8) from p"
    plan = server.ask(settings.format(4) + "explain " + query)
    assert any("Partial Aggregate" in line[0] for line in plan), plan
    for text in (query + ";", query + " group by g order by 1;"):
        assert len({str(server.ask(settings.format(workers) + text)) for workers in (0, 1, 2, 4)}) == 1


def test_null_and_types(server):
    assert server.ask("select exact_sum(x), exact_var(x) is null, exact_corr(x, x) is null from "
                      "(values (1::float8), (null)) v(x);") == [["1", "t", "t"]]
    assert server.ask("select exact_sum(x) is null from (values (null::float8)) v(x);") == [["t"]]
    # A cast of each to float8 would lose both ones.
    row, = server.ask("select exact_sum(x), exact_sum(x::float4) from (values (9007199254740992::int8), (1), (1)) v(x);")
    assert float(row[0]) == 9007199254740994.0
    with pytest.raises(AssertionError, match="exact_sum: a column is of type date"):
        server.ask("select exact_sum('2026-01-01'::date);")
