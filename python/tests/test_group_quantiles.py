"""Quantiles of tables by keys against csv, sorting and exact fractions."""

import csv
import os
import pathlib
import random
from collections import defaultdict

import numpy as np
import pytest

import onefold
from test_quantiles import METHODS, by_definition

def test_null_keys_of_arrays_are_an_error_until_said():
    keys, x = ["a", None, "a"], [1, 2, 30]
    for call in (onefold.median, lambda x, **words: onefold.quantile(x, 0.5, **words)):
        with pytest.raises(onefold.UnsupportedError, match='some keys are null.*null_keys="drop"'):
            call(x, by=keys)
        found, values = call(x, by=keys, null_keys="keep")
        assert found.tolist() == ["a", None] and values.tolist() == [15.5, 2]
        found, values = call(x, by=keys, null_keys="drop", where=[True, True, False])
        assert found.tolist() == ["a"] and values.tolist() == [1]
        assert call(x, by=(keys, [1, 1, 1]), null_keys="drop")[1].tolist() == [15.5]
        with pytest.raises(onefold.OptionError, match="null_keys='x' is not one of"):
            call(x, by=keys, null_keys="x")
        with pytest.raises(onefold.OptionError, match="null_keys= needs by= and an array"):
            call(x, null_keys="drop")


PLUGIN = pathlib.Path(os.environ.get("ONEFOLD_ARROW_PLUGIN", "/nowhere"))


def write_table(path, seed, rows, keys):
    r = random.Random(seed)
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["shop", "kind", "price", "qty"])
        for _ in range(rows):
            price = r.choice(["", repr(r.gauss(0, 10 ** r.randrange(9))), repr(round(r.random(), 2))])
            out.writerow([f"s,{r.randrange(keys)}", r.choice("ab"), price, r.randrange(-9, 9)])


def groups_of(path, by, column):
    groups = defaultdict(list)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            groups[tuple(row[b] for b in by)] += [float(row[column])] if row[column] else []
    return groups


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("method", METHODS)
def test_quantiles_of_groups_are_those_of_their_numbers(tmp_path, seed, method):
    path = tmp_path / "t.csv"
    write_table(path, seed, rows=3000, keys=10 ** (seed % 4))
    qs = ["0", "0.25", "0.5", "0.999"]
    with pytest.warns(onefold.TableWarning, match="missing"):
        keys, values = onefold.quantile(path, qs, method=method, by=["shop", "kind"], columns=["price", "qty"])
    for column in ("price", "qty"):
        groups = groups_of(path, ("shop", "kind"), column)
        assert len(keys["shop"]) == len(groups)
        for g, key in enumerate(zip(keys["shop"], keys["kind"])):
            numbers = groups[key]
            for k, q in enumerate(qs):
                got = values[column][k][g]
                if not numbers:
                    assert np.isnan(got)
                else:
                    assert got == by_definition(np.array(numbers), q, method, np.dtype("f8")), (key, q)


def test_medians_of_groups_are_sorted_like_groups(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("k,x\na,1\nb,7\nc,3\na,2\n")
    keys, values = onefold.median(path, by="k", columns="x")
    assert keys.tolist() == ["a", "b", "c"] and values.tolist() == [1.5, 7, 3]
    keys, values = onefold.median(path, by="k", columns="x", top=2)
    assert keys.tolist() == ["b", "c"] and values.tolist() == [7, 3]


@pytest.mark.skipif(not PLUGIN.exists(), reason="onefold_arrow.so is not here")
def test_columns_of_parquet_have_quantiles_by_keys(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"k": [1, 2, None, 1], "x": pa.array([1, 5, 6, 4], pa.int64())})
    pq.write_table(table, tmp_path / "t.parquet")
    keys, values = onefold.median(tmp_path / "t.parquet", by="k", columns="x")
    assert keys.tolist() == [1, 2, None] and values.tolist() == [2.5, 5, 6]
