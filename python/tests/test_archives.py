"""Tables in zip archives, and arrays of JSON."""

import bz2
import gzip
import io
import json
import lzma
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
    for wrong, why in ((path, "it holds 3 files: data/a.csv, b.jsonl, c.npy; name one as"), (path + ":d.csv", "it has no file of that name")):
        with pytest.raises(onefold.OptionError, match=why):
            onefold.fold("sum", wrong)
    assert [(c["name"], c["type"], c["shape"]) for c in onefold.info(path)["contents"]] == [
        ("data/a.csv", "a table of 2 columns", None), ("b.jsonl", "a table of 1 column", None), ("c.npy", "f64", (7,))]
    one = str(tmp_path / "one.zip")
    with zipfile.ZipFile(one, "w", method) as archive:
        archive.writestr("only.csv", "x\n1\n2.5\n")
    assert onefold.fold("sum", one, columns="x").sum == 3.5
    told = str(tmp_path / "told.zip")
    with zipfile.ZipFile(told, "w", method) as archive:
        archive.writestr("doc/README.txt", "about x")
        archive.writestr("only.csv", "x\n1\n2.5\n")
        archive.writestr("LICENSE", "any")
    assert onefold.fold("sum", told, columns="x").sum == 3.5
    data = bytearray((tmp_path / "one.zip").read_bytes())
    data[data.index(b"only.csv") + 9] ^= 1
    (tmp_path / "one.zip").write_bytes(data)
    with pytest.raises(onefold.Error):
        onefold.fold("sum", one, columns="x")


def test_an_empty_array_of_json_is_empty(tmp_path):
    for name, texts in (("e.json", ("[]", " [\n]\n", "\ufeff[ ]")), ("e.jsonl", ("", "\n"))):
        path = tmp_path / name
        for text in texts:
            path.write_text(text)
            assert onefold.fold("sum,count", str(path)) == (0, 0)
            assert onefold.fold("max", str(path), empty_nan=True).max != 0
            with pytest.raises(onefold.OptionError, match='it is empty, so it has no column "x"'):
                onefold.fold("sum", str(path), columns="x")
    path = tmp_path / "e.json"
    for text in ("[] []", "[],[x]\n1,2\n", "[[]]", "[1]"):
        path.write_text(text)
        with pytest.raises(onefold.Error):
            onefold.fold("sum", str(path))


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
    for text, why in (('[{"x": 1},\n{"x": 2}', "it ends inside the array"),
                      ('[{"x": 1}]\n[{"x": 2}]', "something follows the array"),
                      ('[{"x": 1},]', "a comma in the array has no object"),
                      ('[{"x": 1},,{"x": 2}]', "a comma in the array has no object"),
                      ('[{"x": 1}, 5]', '"5" was found where an object'), ('[{"x": 1}, {"x": }]', "a value is expected")):
        path.write_text(text)
        with pytest.raises(onefold.Error, match=why):
            onefold.fold("sum", str(path), columns="x")
    ran = subprocess.run([PROGRAM, "sum"], input='[\n  {"x": 0.1},\n  {"x": 0.2}\n]\n', capture_output=True, text=True)
    assert ran.stdout == "0.3\n", ran.stderr


@pytest.mark.parametrize("text", ["[1,\n2]", "[ 1,\n2 ]", "[ 1,\r\n2 ]\r\n", "\ufeff[ 1,\n\n2 ]", '["a" ,\n1 ,\n2 ]', "[ null,\n1 ]", "\n[true ,\n2 ]",
                                  "[[1, 2],\n[3, 4]]", "[[ 1 ,\n2 ], [ 3 ]]", "[1]\n[2]", "[\n", "[[1 2]\n [3 4]]", "[1. 2.\n 3. 4.]"])
def test_arrays_without_objects_are_refused(text, tmp_path):
    for name in ("a.json", "a.txt", "a.csv"):
        (tmp_path / name).write_text(text, newline="")
        with pytest.raises(onefold.Error, match="is a JSON array that does not begin with an object") as error:
            onefold.fold("sum", tmp_path / name)
        assert "\n" not in str(error.value) and error.value.code == "unsupported"
    for name in ("a.jsonl", "a.ndjson"):
        (tmp_path / name).write_text(text, newline="")
        with pytest.raises(onefold.Error, match="was found where an object"):
            onefold.fold("sum", tmp_path / name)
    ran = subprocess.run([PROGRAM, "sum"], input=text.encode(), capture_output=True)
    assert ran.returncode == 34 and ran.stdout == b"" and b"a JSON array that does not begin" in ran.stderr


def test_names_in_brackets_are_names(tmp_path):
    path = tmp_path / "a.csv"
    for header, more in (("[x],[y]", {}), ("[1],[a]", {}), ("[1]", {"header": True}), ("[1,2]", {"header": True})):
        path.write_text(f"{header}\n" + ",".join("3" for _ in header.split(",")) + "\n")
        assert onefold.fold("sum", path, columns="1", **more).sum == 3


PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lambda text: lzma.compress(text, preset=0)}


@pytest.mark.parametrize("packer", PACKERS)
def test_texts_within_compressed_files_and_archives_are_converted(packer, tmp_path):
    rows = [{"x": k / 4, "s": f"n{k % 3}"} for k in range(30000)]
    array, wide = json.dumps(rows, indent=1).encode(), "".join(f"{r['x']}\n" for r in rows).encode("utf-16")
    pack = PACKERS[packer]
    for name, text, column in (("a.json", array, "x"), ("u.csv", wide, "1"), ("w.json", json.dumps(rows).encode("utf-16"), "x")):
        packed, data = tmp_path / f"{name}.{packer}", pack(text)
        packed.write_bytes(data)
        assert onefold.fold("sum,count", packed, columns=column) == (112496250, 30000)
        ran = subprocess.run([PROGRAM, "sum", "--columns", column], input=data, capture_output=True)
        assert ran.stdout.strip() == b"112496250", ran.stderr
        packed.write_bytes(data[:-20])
        with pytest.raises(onefold.Error, match="unpacked|end early"):
            onefold.fold("sum", packed, columns=column)
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as archive:
                archive.writestr(name, text)
                archive.writestr(f"{name}.{packer}", pack(text))
            for member in archive.namelist():
                assert onefold.fold("sum", f"{tmp_path / 'a.zip'}:{member}", columns=column) == (112496250,)
    numbers = tmp_path / f"r.bin.{packer}"
    numbers.write_bytes(pack(b"\xff\xfe" * 8))
    assert onefold.fold("sum", numbers, dtype="u16").sum == 8 * 0xfeff
    packed = tmp_path / f"n.json.{packer}"
    packed.write_bytes(pack(b"[1,\n2 ]"))
    with pytest.raises(onefold.Error, match="does not begin with an object"):
        onefold.fold("sum", packed)
