"""Tables in zip archives, and arrays of JSON."""

import io
import json
import os
import subprocess
import zipfile

import numpy as np
import pytest

import onefold

PROGRAM = os.environ.get("ONEFOLD_PROGRAM", "onefold")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_of_zip_archives_are_tables_and_arrays(tmp_path, method):
    path, many = str(tmp_path / "a.zip"), "".join(f"{k},{k / 8}\n" for k in range(30000))
    array = io.BytesIO()
    np.save(array, np.arange(7.0))
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("data/", "")
        archive.writestr("data/a.csv", "x,y\n" + many)
        archive.writestr("b.jsonl", '{"x": 1}\n{"x": 2}\n')
        archive.writestr("c.npy", array.getvalue())
        archive.writestr("__MACOSX/._a.csv", "\0\1")
    assert onefold.fold("sum,max", f"{path}:data/a.csv") == {"x": (449985000, 29999), "y": (56248125, 29999 / 8)}
    keys, answers = onefold.fold("count", f"{path}:data/a.csv", columns="y", by="k", let="k = x % 3")
    assert answers.count.tolist() == [10000] * 3
    assert onefold.fold("sum", f"{path}:b.jsonl", columns="x").sum == 3
    assert onefold.sum(f"{path}:c.npy") == 21
    assert onefold.info(f"{path}:b.jsonl")["contents"][0]["name"] == "x"
    for wrong, why in ((path, "it holds 3 files: data/a.csv, b.jsonl, c.npy; name one as"), (path + ":d.csv", "it holds no file of that name")):
        with pytest.raises(onefold.OptionError, match=why):
            onefold.fold("sum", wrong)
    one = str(tmp_path / "one.zip")
    with zipfile.ZipFile(one, "w", method) as archive:
        archive.writestr("only.csv", "x\n1\n2.5\n")
    assert onefold.fold("sum", one, columns="x").sum == 3.5
    data = bytearray((tmp_path / "one.zip").read_bytes())
    data[data.index(b"only.csv") + 9] ^= 1
    (tmp_path / "one.zip").write_bytes(data)
    with pytest.raises(onefold.Error):
        onefold.fold("sum", one, columns="x")


def test_arrays_of_json_are_tables(tmp_path):
    rows = [{"x": k / 4, "s": f'a"[,{{\\{k % 2}', "in": {"y": [k, {"z": 1}], "t": k}} for k in range(5000)]
    for indent in (None, 1, 2, 4, "\t"):
        path = tmp_path / "a.json"
        path.write_text(json.dumps(rows, indent=indent))
        assert onefold.fold("sum,count", str(path), columns=["x", "in.t"]) == {"x": (3124375, 5000), "in.t": (12497500, 5000)}
        keys, answers = onefold.fold("count", str(path), columns="x", by="s")
        assert keys.tolist() == ['a"[,{\\0', 'a"[,{\\1'] and answers.count.tolist() == [2500, 2500]
    for before in ("\n", "\r\n\t ", "\ufeff", "\ufeff\n  "):
        path.write_text(before + '[ \n\n    {"x": 0.1}, {"x": 0.2} ]\n')
        assert onefold.fold("sum", str(path), columns="x").sum == 0.3
    for text, why in (('[{"x": 1},\n{"x": 2}', "it ends within the array"), ('[{"x": 1}]\n[{"x": 2}]', "it goes on behind the array"),
                      ('[{"x": 1},]', "a comma of the array has no object"), ('[{"x": 1},,{"x": 2}]', "a comma of the array has no object"),
                      ('[{"x": 1}, 5]', '"5" stands where an object'), ('[{"x": 1}, {"x": }]', "a value is expected")):
        path.write_text(text)
        with pytest.raises(onefold.Error, match=why):
            onefold.fold("sum", str(path), columns="x")
    ran = subprocess.run([PROGRAM, "sum"], input='[\n  {"x": 0.1},\n  {"x": 0.2}\n]\n', capture_output=True, text=True)
    assert ran.stdout == "0.3\n", ran.stderr
