"""weights= of a column of a table: the answers of arrays with the same weights."""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

import onefold

PROGRAM = os.environ.get("ONEFOLD_PROGRAM", "")
PLUGIN = pathlib.Path(os.environ.get("ONEFOLD_ARROW_PLUGIN", "/nowhere"))
ONE, TWO = "average,mean,var,std,skewness,kurtosis", "corr,cov,intercept,mae,mse,rmse,slope"
pytestmark = pytest.mark.filterwarnings("ignore::onefold.TableWarning")


def columns_of(seed, dtype):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 3000))
    if np.dtype(dtype).kind == "f":
        x, y = ((rng.standard_normal(n) * 10.0 ** rng.integers(-3, 6, n)).astype(dtype) for _ in range(2))
        w = rng.standard_normal(n).astype(dtype)
    else:
        x, y, w = (rng.integers(-50, 2**40, n).astype(dtype) for _ in range(3))
    return {"k": rng.choice(["a", "b", "c"], n), "x": x, "y": y, "w": w}


def same(found, right):
    assert len(found) == len(right)
    for a, b in zip(found, right):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


def check(path, columns, **more):
    k, x, y, w = columns.values()
    all_columns = onefold.fold(ONE, path, columns=["x", "y"], weights="w", **more)
    same(all_columns["x"], onefold.fold(ONE, x, weights=w))
    same(all_columns["y"], onefold.fold(ONE, y, weights=w))
    same(onefold.fold(TWO, path, columns=["x", "y"], weights="w", **more), onefold.fold(TWO, x, y, weights=w))
    keys, groups = onefold.fold(ONE, path, columns="x", weights="w", by="k", **more)
    right_keys, right = onefold.fold_by(ONE, k, x, weights=w)
    assert keys.tolist() == right_keys.tolist()
    same(groups, right)
    keys, groups = onefold.fold(TWO, path, columns=["x", "y"], weights="w", by="k", **more)
    same(groups["x,y"], onefold.fold_by(TWO, k, x, y=y, weights=w)[1])


@pytest.mark.parametrize("dtype", ["float64", "int64", "float32"])
@pytest.mark.parametrize("seed", range(3))
def test_columns_of_texts_have_the_answers_of_arrays(tmp_path, seed, dtype):
    columns = columns_of(seed, dtype)
    path = tmp_path / "t.csv"
    rows = zip(*(c.tolist() for c in columns.values()))
    path.write_text("k,x,y,w\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    check(path, columns, dtype=dtype)


@pytest.mark.skipif(not PLUGIN.exists(), reason="onefold_arrow.so is not here")
@pytest.mark.parametrize("seed", range(3))
def test_columns_of_parquet_have_the_answers_of_arrays(tmp_path, seed):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    columns = columns_of(seed, "float64")
    pyarrow.parquet.write_table(pa.table(columns), tmp_path / "t.parquet", row_group_size=500)
    check(tmp_path / "t.parquet", columns)


@pytest.mark.skipif(not PLUGIN.exists(), reason="onefold_arrow.so is not here")
def test_nulls_and_decimals_of_parquet(tmp_path):
    """A null is left out, and so is a row whose weight is null. A decimal is the f64 next to it."""
    pa = pytest.importorskip("pyarrow")
    import decimal

    import pyarrow.parquet

    path = tmp_path / "t.parquet"
    cents = [None if text is None else decimal.Decimal(text) for text in ("0.10", "0.20", None, "1.10", "7.00")]
    pyarrow.parquet.write_table(pa.table({
        "k": ["a", "b", "a", None, "c"], "x": [1.5, None, 4.0, 8.0, 3.0], "d": cents,
        "w": [2.0, 1.0, -0.5, 1.0, None]}), path)
    of = onefold.fold("mean,var", path, columns=["x", "d"], weights="w")
    same(of["x"], onefold.fold("mean,var", [1.5, 4.0, 8.0], weights=[2.0, -0.5, 1.0]))
    same(of["d"], onefold.fold("mean,var", [0.1, 0.2, 1.1], weights=[2.0, 1.0, 1.0]))
    keys, groups = onefold.fold("mean,var", path, columns="x", weights="w", by="k")
    assert keys.tolist() == ["a", "b", "c", None]
    same(groups.mean, [(3.0 - 2.0) / 1.5, np.nan, np.nan, 8.0])


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_of_frames_are_named_as_those_of_files(library):
    make = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}[library]
    frame = getattr(pytest.importorskip(library), make)({
        "k": ["a", "b", "a"], "x": [1.0, 2, 4], "y": [5.0, 5, 7], "w": [1.0, 3, 2], "n": [2, 0, 1]})
    right = onefold.fold("mean,var", [1.0, 2, 4], weights=[1.0, 3, 2])
    same(onefold.fold("mean,var", frame, columns="x", weights="w"), right)
    same(onefold.fold("mean,var", frame, columns=["x", "w"], weights="w")["x"], right)
    of_all = onefold.fold("mean,var", frame, weights="w")
    if library == "pandas":
        assert list(of_all.mean.index) == ["x", "y", "n"] and of_all.var["x"] == right.var
    else:
        assert list(of_all) == ["x", "y", "n"] and of_all["x"] == right
    keys, groups = onefold.fold("mean,var", frame, weights="w", by="k")
    assert list(groups) == ["x", "y", "n"] and keys.tolist() == ["a", "b"]
    same(groups["x"], onefold.fold_by("mean,var", ["a", "b", "a"], [1.0, 2, 4], weights=[1.0, 3, 2])[1])
    assert onefold.fold("sum", frame, columns="x", fweights="n").sum == 6
    assert list(onefold.fold("mean", frame, weights="n", by="n")[1]) == ["x", "y", "w"]
    with pytest.raises(onefold.OptionError, match="weights='v': there is no column 'v'"):
        onefold.fold("mean", frame, weights="v")
    with pytest.raises(onefold.OptionError, match=r"columns=\[\] is an empty list of columns"):
        onefold.fold("mean", frame, columns=["w"], weights="w")


def test_arrays_in_files_are_no_columns(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = str(tmp_path / "a.h5")
    x, w = np.array([1.0, 2, 4]), np.array([3, 0, 1])
    with h5py.File(path, "w") as file:
        file["x"], file["w"], file["n"] = x, w.astype("f8"), w
    assert onefold.fold("mean,var", f"{path}:x", weights=f"{path}:w") == onefold.fold("mean,var", x, weights=w * 1.0)
    assert onefold.fold("mean,var", f"{path}:x", fweights=f"{path}:n") == onefold.fold("mean,var", x, fweights=w)


def test_errors_have_the_names_of_python(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("k,x,w\na,1,2\nb,,3\n")
    for what, keywords in (("sum: weights= applies only to average", {}), ("ddof", {"ops": "var", "ddof": 1}),
                           ("axis= does not apply", {"ops": "mean", "axis": 0}),
                           ("fweights= does not apply", {"ops": "mean", "fweights": "x"}),
                           ('it has no column "v"', {"ops": "mean", "weights": "v"})):
        with pytest.raises(onefold.OptionError, match=what):
            onefold.fold(keywords.pop("ops", "sum"), path, **{"weights": "w", **keywords})
    assert onefold.fold("mean,std", path, weights="w") == {"x": (1.0, 0.0)}


@pytest.mark.skipif(not PROGRAM, reason="the program is not here")
def test_the_program_and_python_answer_alike(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("k,x,w\na,1,2\nb,7,3\na,4,0.5\n")
    out = subprocess.run([PROGRAM, "mean,var", "--weights", "w", "--by", "k", "--json", str(path)],
                         capture_output=True, text=True, check=True).stdout
    keys, groups = onefold.fold("mean,var", path, columns="x", weights="w", by="k")
    told = [json.loads(line) for line in out.splitlines()]
    assert [t["by"]["k"] for t in told] == keys.tolist()
    assert [t["x"]["var"] for t in told] == groups.var.tolist()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_functions_of_one_op_take_the_name_of_a_column_of_a_frame(library):
    columns = {"w": [1.0, 2.0, 3.0], "x": [4.0, 5.0, 7.0], "y": [1.0, 1.0, 4.0]}
    module = pytest.importorskip(library)
    frame = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}[library]
    frame = getattr(module, frame)(columns)
    right = {name: onefold.average(np.array(columns[name]), weights=np.array(columns["w"])) for name in ("x", "y")}
    for axis in (None, 0, -2):
        assert dict(onefold.average(frame, axis=axis, weights="w")) == right
    if library == "pandas":
        assert dict(onefold.fold("average", frame, weights="w").average) == right
    with pytest.raises(onefold.AxisError, match="weights='w' is a column, with a weight for each row, so the frame is folded along "
                                                "axis 0, not 1"):
        onefold.average(frame, axis=1, weights="w")
    with pytest.raises(onefold.OptionError, match="weights='v': there is no column 'v'"):
        onefold.average(frame, weights="v")
