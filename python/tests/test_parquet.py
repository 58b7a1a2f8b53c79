"""Columns of Parquet and Arrow files: what onefold reads is what pyarrow reads, to the last bit."""

import os
import pathlib

import numpy as np
import pytest

import onefold
from containers import TYPES, numbers, same

pa = pytest.importorskip("pyarrow")
PLUGIN = pathlib.Path(os.environ.get("ONEFOLD_ARROW_PLUGIN", "/nowhere"))
with_plugin = pytest.mark.skipif(not PLUGIN.exists(), reason="onefold_arrow.so is not here")


def write_table(path, table, **how):
    import pyarrow.feather
    import pyarrow.parquet

    if path.endswith(".parquet"):
        pyarrow.parquet.write_table(table, path, **how)
    else:
        pyarrow.feather.write_feather(table, path, chunksize=how.get("row_group_size"),
                                      compression=how.get("compression", "uncompressed"))


@with_plugin
@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
@pytest.mark.parametrize("seed", range(3))
def test_columns_of_parquet_and_arrow_are_what_pyarrow_reads(tmp_path, name, seed):
    rng = np.random.default_rng(seed)
    path, n = str(tmp_path / name), int(rng.choice([1, 1000, 9000]))
    columns, expected = {}, {}
    for dtype in TYPES:
        x = numbers(rng, n, dtype)
        if dtype in ("i8", "u8"):
            x = x >> np.array(11, dtype)
        nulls = rng.random(n) < 0.3
        columns["n_" + dtype] = pa.array(x, mask=nulls)
        as_float = x if x.dtype.kind == "f" else x.astype("f8")
        expected["n_" + dtype] = np.where(nulls, np.array(np.nan, as_float.dtype), as_float)
        columns[dtype] = pa.array(x)
        expected[dtype] = x if name == "a.parquet" or x.dtype.kind == "f" else x.astype("f8")
    fields = [pa.field(k, v.type) for k, v in columns.items()]
    table = pa.table(list(columns.values()), schema=pa.schema(fields))
    write_table(path, table, row_group_size=int(rng.choice([70, 3000, 100000])) if n > 1 else None,
                compression=["zstd", "lz4", "none" if name == "a.parquet" else "uncompressed"][seed])
    for column, x in expected.items():
        if column.startswith("n_") and n == 1 and name == "a.parquet":
            continue  # a column without nulls keeps its type
        same(f"{path}:{column}", x, axes=((), 0))


@with_plugin
def test_parquet_that_cannot_be_folded_is_refused_in_one_line(tmp_path):
    path = str(tmp_path / "a.parquet")
    wide = pa.array([2**53 + 1, None])
    table = pa.table({"s": ["a", "b"], "l": [[1], [2]], "x": [1.5, None], "wide": wide, "y": [1, 2]})
    write_table(path, table)
    assert tuple(onefold.fold("sum,count_nan", path + ":x", nan="omit")) == (1.5, 1)
    assert onefold.sum(path + ":y") == 3
    for column, says in [("s", "type string"), ("l", "type list"), ("wide", "cannot hold 9007199254740993"),
                         ("nope", "it holds x, wide, y")]:
        with pytest.raises(Exception) as error:
            onefold.sum(f"{path}:{column}")
        assert says in str(error.value) and "\n" not in str(error.value)
    whole = pathlib.Path(path).read_bytes()
    for cut in range(0, len(whole), 41):
        pathlib.Path(path).write_bytes(whole[:cut])
        with pytest.raises((onefold.Error, OSError)) as error:
            onefold.sum(path + ":x")
        assert "\n" not in str(error.value)


@with_plugin
def test_a_page_whose_checksum_is_wrong_is_refused(tmp_path):
    import pyarrow.parquet

    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(pa.table({"x": pa.array(range(1000))}), path, compression="none", use_dictionary=False,
                                write_page_checksum=True)
    assert onefold.fold("sum", str(path), columns="x").sum == 499500
    data = bytearray(path.read_bytes())
    data[data.index((500).to_bytes(8, "little"))] ^= 1
    path.write_bytes(data)
    with pytest.raises(onefold.Error, match="(?i)crc|checksum"):
        onefold.fold("sum", str(path), columns="x")


@with_plugin
def test_a_column_of_type_null_has_only_missing_values(tmp_path):
    empty, full = str(tmp_path / "n.parquet"), str(tmp_path / "v.parquet")
    write_table(empty, pa.table({"k": ["a"], "v": pa.nulls(1)}))
    write_table(full, pa.table({"k": ["a"], "v": [2]}))
    for files in ([empty, full], [full, empty]):
        with pytest.warns(onefold.TableWarning, match="a value is missing"):
            assert onefold.fold("sum,count,max", files, columns="v") == (2, 1, 2)


@with_plugin
@pytest.mark.parametrize("form", ["parquet", "arrow", "arrows"])
def test_members_of_structures_are_columns(tmp_path, form):
    inner = pa.struct([("w", pa.float64()), ("n", pa.int8())])
    kind = pa.struct([("x", pa.int64()), ("y", pa.string()), ("z", inner), ("l", pa.list_(pa.int8()))])
    rows = [{"x": 1, "y": "p", "z": {"w": 0.5, "n": 3}}, None, {"x": 4, "y": "q", "z": None}, {"x": None, "y": "p", "z": {"w": 8.0}}]
    table = pa.table({"u": [9.0, 8.0, 7.0, 6.0], "s": pa.array(rows, kind), "k": ["a", "a", "b", "b"]})
    path = str(tmp_path / f"s.{form}")
    if form == "parquet":
        write_table(path, table, row_group_size=3)
    else:
        with pa.OSFile(path, "wb") as f, (pa.ipc.new_file if form == "arrow" else pa.ipc.new_stream)(f, table.schema) as writer:
            for batch in table.to_batches(max_chunksize=3):
                writer.write_batch(batch)
    with pytest.warns(onefold.TableWarning, match="columns without numbers are left out: s.y, s.l, k"):
        found = onefold.fold("sum,count", path)
    assert found == {"u": (30, 4), "s.x": (5, 2), "s.z.w": (8.5, 2), "s.z.n": (3, 1)}
    keys, answers = onefold.fold("sum", path, columns="u", by="s.y")
    assert (keys.tolist(), answers.sum.tolist()) == (["p", "q", None], [15, 7, 8])
    keys, answers = onefold.fold("sum", path, columns="u", by="s.x")
    assert (keys.tolist(), answers.sum.tolist()) == ([1, 4, None], [9, 7, 14])
    if form == "arrows":
        return
    assert onefold.fold("sum", path, columns="u", where="`s.z.w` > 1 or `s.x` == 4").sum == 13
    assert onefold.sum(f"{path}:s.x", nan="omit") == 5
    names = {item["name"]: item["type"] for item in onefold.info(path)["contents"]}
    assert list(names) == ["u", "s.x", "s.y", "s.z.w", "s.z.n", "s.l", "k"]


@with_plugin
def test_a_long_type_is_cut_with_dots(tmp_path):
    path = str(tmp_path / "l.parquet")
    write_table(path, pa.table({"l": pa.array([[]], pa.list_(pa.struct([(f"member_{k}", pa.int64()) for k in range(9)]))), "v": [1]}))
    assert onefold.info(path)["contents"][0]["type"].endswith("...")
