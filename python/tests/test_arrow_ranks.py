"""Parquet and Arrow files by several ranks: each reads some groups of rows, and all answer as one process does."""

import os
import pathlib
import shutil
import subprocess

import pytest

pa = pytest.importorskip("pyarrow")
PROGRAM = os.environ.get("ONEFOLD_PROGRAM", "onefold")
PLUGIN = pathlib.Path(os.environ.get("ONEFOLD_ARROW_PLUGIN", "/nowhere"))
pytestmark = [pytest.mark.skipif(not PLUGIN.exists(), reason="onefold_arrow.so is not here"),
              pytest.mark.skipif(shutil.which("mpirun") is None, reason="mpirun is not here")]


def run(n, *words):
    """What the program answers and says on n ranks; 0: without MPI."""
    launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "btl", "self,vader",
                "--mca", "btl_vader_single_copy_mechanism", "none", "-n", str(n)] if n else []
    return subprocess.run([*launcher, PROGRAM, *words, *(["--mpi"] if n else [])], capture_output=True, text=True, timeout=120)


def write(folder):
    """A Parquet file of row groups of 300 rows, and an Arrow file of batches of 450."""
    import pyarrow.parquet

    n = 5_000
    table = pa.table({"x": [None if k % 11 == 0 else k * 0.7 - k % 13 * 1e6 for k in range(n)],
                      "key": ["abcd"[k * k % 4] + str(k % 7) for k in range(n)],
                      "i": [k * 7919 % 1001 for k in range(n)]})
    parquet, arrow, stream = (str(folder / name) for name in ("t.parquet", "t.arrow", "t.arrows"))
    pyarrow.parquet.write_table(table, parquet, row_group_size=300)
    for path, new in ((arrow, pa.ipc.new_file), (stream, pa.ipc.new_stream)):
        with pa.OSFile(path, "wb") as file, new(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=450)
    return parquet, arrow, stream


@pytest.mark.parametrize("n", [2, 5])
def test_ranks_answer_as_one_process(n, tmp_path):
    parquet, arrow, stream = write(tmp_path)
    for words in (["sum,argmax,mean", "--columns", "x", parquet, arrow, parquet],
                  ["sum,argmin", "--by", "key", "--columns", "x,i", parquet],
                  ["mean,argmax", "--columns", "i", "--where", "x > 1", arrow],
                  ["count", arrow, stream], ["median", "--columns", "x", parquet], ["corr", "--columns", "x,i", parquet],
                  ["average", "--columns", "i", "--weights", "x", "--where", "x > 0", parquet],
                  ["describe", "--columns", "x,i", arrow, stream]):
        alone, all = run(0, *words), run(n, *words)
        assert (all.returncode, all.stdout) == (alone.returncode, alone.stdout), (words, all.stderr)
        assert alone.returncode == 0 and alone.stderr == all.stderr, words


def test_each_rank_reads_its_groups(tmp_path):
    """A rank that meets broken bytes is named: the one whose row group they are in."""
    import pyarrow.parquet

    good = pathlib.Path(write(tmp_path)[0])
    metadata = pyarrow.parquet.ParquetFile(good).metadata
    for group, rank in ((0, 0), (8, 1), (metadata.num_row_groups - 1, 2)):
        data, column = bytearray(good.read_bytes()), metadata.row_group(group).column(0)
        begin = column.dictionary_page_offset or column.data_page_offset
        data[begin:begin + 30] = bytes(b ^ 0xff for b in data[begin:begin + 30])
        bad = tmp_path / "bad.parquet"
        bad.write_bytes(data)
        alone, all = run(0, "sum", "--columns", "x", str(bad)), run(3, "sum", "--columns", "x", str(bad))
        assert alone.returncode == all.returncode != 0 and all.stdout == ""
        assert f"rank {rank}: read {bad}: Arrow" in all.stderr, all.stderr


def test_a_bad_number_has_the_row_of_the_whole_file(tmp_path):
    path = str(tmp_path / "t.arrow")
    table = pa.table({"x": pa.array([1 if k != 1_700 else 2**53 + 1 for k in range(3_000)], pa.int64()),
                      "y": [0.5] * 3_000})
    with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=450)
    words = ["norm2", "--columns", "x,y", path]
    alone, all = run(0, *words), run(3, *words)
    assert alone.returncode == all.returncode != 0
    assert "row 1701, column x: f64 cannot hold 9007199254740993" in alone.stderr
    assert alone.stderr[alone.stderr.index("row"):].strip() in all.stderr
