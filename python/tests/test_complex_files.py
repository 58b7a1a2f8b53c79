"""Files of complex numbers: an answer has the bits of that of the same array in memory, by Python and by the program."""

import json
import os
import subprocess

import numpy as np
import pytest

import onefold

PROGRAM = os.environ.get("ONEFOLD_PROGRAM")
OPS = ("sum", "mean", "var", "std", "norm2", "sumsq", "count")
R = np.random.default_rng(23)


def complexes(shape, dtype="c16"):
    z = R.normal(size=shape) * 10.0 ** R.integers(-6, 7, shape) + 1j * R.normal(size=shape)
    return z.astype(dtype)


def same(found, wanted):
    wanted = np.asarray(wanted)
    if isinstance(found, (float, int)):  # a real number of files is Python's
        found = np.asarray(found, wanted.dtype)
    assert np.shape(found) == wanted.shape and np.asarray(found).dtype == wanted.dtype, (found, wanted)
    assert np.asarray(found).tobytes() == wanted.tobytes() or np.array_equal(found, wanted, equal_nan=True), (found, wanted)


def check(path, z, **keywords):
    """Compares all ops, alone and together, with those of the array."""
    in_memory = {op: getattr(onefold, op)(z, **keywords) for op in OPS}
    for op in OPS:
        same(getattr(onefold, op)(path, **keywords), in_memory[op])
    together = onefold.fold(",".join(OPS), path, **keywords)
    for op in OPS:
        same(getattr(together, op), in_memory[op])


@pytest.mark.parametrize("dtype", ["<c16", "<c8", ">c16", ">c8"])
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("shape", [(), (1,), (7,), (0,), (5, 6), (3, 0, 2), (4, 5, 6), (1, 300, 1), (70, 50)])
def test_npy_of_any_order_and_axes(tmp_path, shape, order, dtype):
    z, path = np.asarray(complexes(shape, dtype), order=order), tmp_path / "z.npy"
    np.save(path, z)
    axes = [None, *range(-len(shape), len(shape)), *([(0, 2), (), (0, 1)] if len(shape) == 3 else [])]
    for axis in axes:
        for keepdims in (False, True):
            check(path, z, axis=axis, keepdims=keepdims)
    if shape:
        same(onefold.var(path, axis=0, ddof=1), onefold.var(z, axis=0, ddof=1))


def test_long_files_are_folded_in_pieces(tmp_path):
    # 3.4 MB: pieces are of 1 MiB at least
    z = complexes(70_001).reshape(-1, 1) * np.array([1, 1j, 1 + 1j])
    for order in "CF":
        np.save(tmp_path / "z.npy", np.asarray(z, order=order))
        for axis in (None, 0, 1):
            check(tmp_path / "z.npy", z, axis=axis)
        same(onefold.sum(tmp_path / "z.npy", threads=2), onefold.sum(z))


def test_several_files_are_one_array(tmp_path):
    parts = [complexes((n, 4)) for n in (3, 1, 5)]
    paths = [tmp_path / f"{k}.npy" for k in range(3)]
    for p, z in zip(paths, parts):
        np.save(p, z)
    for axis in (None, 0, 1):
        z = np.concatenate(parts)
        together = onefold.fold(",".join(OPS), paths, axis=axis)
        for op in OPS:
            same(getattr(together, op), getattr(onefold, op)(z, axis=axis))
    np.save(tmp_path / "real.npy", np.zeros((2, 4, 2)))
    with pytest.raises(onefold.DTypeError, match="it holds f64, and .* holds complex128; all files must have the same type"):
        onefold.fold("sum", [paths[0], tmp_path / "real.npy"])
    np.save(tmp_path / "wide.npy", complexes((2, 5)))
    with pytest.raises(onefold.ShapeError, match=r"its shape is \(2, 5\), and that of .* is \(3, 4\)"):
        onefold.fold("sum", [paths[0], tmp_path / "wide.npy"])


def test_archives_and_packed_files(tmp_path):
    import gzip

    z = complexes((6, 5))
    np.savez(tmp_path / "z.npz", a=z, b=np.ones(3))
    np.savez_compressed(tmp_path / "y.npz", a=z)
    check(f"{tmp_path}/z.npz:a", z, axis=1)
    np.save(tmp_path / "z.npy", z)
    (tmp_path / "z.npy.gz").write_bytes(gzip.compress((tmp_path / "z.npy").read_bytes()))
    for path in (f"{tmp_path}/y.npz:a", tmp_path / "z.npy.gz"):  # packed files are read once
        same(onefold.sum(path, axis=0), onefold.sum(z, axis=0))
        same(onefold.norm2(path), onefold.norm2(z))
        with pytest.raises(onefold.Error, match="several times, but a stream can be read only once"):
            onefold.fold("sum,norm2", path)


@pytest.mark.parametrize("dtype", ["<c16", "<c8", ">c16"])
def test_hdf5_of_any_chunks_and_filters(tmp_path, dtype):
    h5py, path = pytest.importorskip("h5py"), f"{tmp_path}/z.h5"
    z, late = complexes((40, 30), dtype), complexes((9,), dtype)
    ways = [{}, {"chunks": (7, 30)}, {"chunks": (8, 8), "compression": "gzip"}, {"chunks": (40, 3), "shuffle": True, "compression": "gzip"},
            {"chunks": (5, 5), "compression": "lzf", "fletcher32": True}]
    with h5py.File(path, "w") as file:
        for k, way in enumerate(ways):
            file.create_dataset(f"g/z{k}", data=z, **way)
        file["one"], file["late"] = z[0, 0], late
        file.create_dataset("never", (8,), dtype, chunks=(4,), fillvalue=2 + 1j)
        file["halves"] = np.zeros(3, [("r", "f4"), ("i", "f8")])
    for k in range(len(ways)):
        for axis in (None, 0, 1):
            check(f"{path}:/g/z{k}", z, axis=axis)
    check(f"{path}:/one", z[0, 0])
    assert onefold.sum(f"{path}:/never") == 16 + 8j
    with pytest.raises(onefold.UnsupportedError, match="elements of compound type cannot be folded; only complex numbers with two float members r and i"):
        onefold.sum(f"{path}:/halves")
    types = {a["name"]: a["type"] for a in onefold.info(path)["contents"]}
    assert types["/late"] == ("complex64" if dtype == "<c8" else "complex128")


def test_masks_select_whole_numbers(tmp_path):
    z, where = complexes((5, 6)), R.random((5, 6)) < 0.6
    np.save(tmp_path / "z.npy", z)
    for mask in (where, where[0]):
        for axis in (None, 0, 1):
            check(tmp_path / "z.npy", z, axis=axis, where=mask)
    with pytest.raises(onefold.ShapeError, match=r"\(5,\).*\(5, 6\)"):
        onefold.sum(tmp_path / "z.npy", where=np.ones(5, bool))


def test_nan_infinities_and_zeros_are_those_of_the_parts(tmp_path):
    path = tmp_path / "z.npy"
    for z in (np.array([1 + 2j, complex(np.nan, 3)]), np.array([complex(4, np.inf), 1]), np.array([complex(-0.0, 0.0)] * 2)):
        np.save(path, z)
        check(path, z)
    assert str(onefold.sum(path)) == str(z[0])


@pytest.mark.parametrize("call, text", [
    (lambda p: onefold.norm1(p), "norm1 of complex numbers is not supported: it sums square roots"),
    (lambda p: onefold.norminf(p), "it compares the values"), (lambda p: onefold.min(p), "complex numbers have no order"),
    (lambda p: onefold.argmax(p, axis=0), "have no order"),
    (lambda p: onefold.skewness(p), "skewness of complex numbers is not supported"),
    (lambda p: onefold.sum(p, initial=1), "initial= is not supported"), (lambda p: onefold.sum(p, dtype="f2"), " other than .* is not supported"),
    (lambda p: onefold.median(p), "its elements are complex numbers"), (lambda p: onefold.gather("sum", p), "numpy.load"),
    (lambda p: onefold.explain("sum", p), "its elements are complex numbers"), (lambda p: onefold.sum(p, axis=2), "axis 2 is out of range.*-2..1"),
    (lambda p: onefold.describe(p), "complex numbers is not supported")])
def test_what_has_no_answer_is_refused_in_a_line(tmp_path, call, text):
    np.save(tmp_path / "z.npy", complexes((3, 4)))
    with pytest.raises(onefold.Error, match=text) as error:
        call(tmp_path / "z.npy")
    assert "\n" not in str(error.value)


def test_files_cut_short_are_refused(tmp_path):
    np.save(tmp_path / "z.npy", complexes(10))
    whole = (tmp_path / "z.npy").read_bytes()
    (tmp_path / "z.npy").write_bytes(whole[:-1])
    for op in OPS:
        with pytest.raises(onefold.Error, match="promises 160 bytes of data, but the file has only 159"):
            getattr(onefold, op)(tmp_path / "z.npy")


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float4_e2m1fn", "int4", "bfloat16"])
def test_npy_files_without_the_name_of_a_type_say_what_to_write(tmp_path, name):
    ml = pytest.importorskip("ml_dtypes")
    x = np.ones(5, getattr(ml, name))
    np.save(tmp_path / "x.npy", x)
    says = {"bfloat16": "bfloat16 like this, without its name", "float8_e5m2": "NumPy writes float8_e5m2 like this"}.get(
        name, "float8, int4 and other types of ml_dtypes like this, without their names")
    with pytest.raises(onefold.UnsupportedError, match=says + r".*save x.astype\('f4'\)") as error:
        onefold.sum(tmp_path / "x.npy")
    assert "\n" not in str(error.value)
    np.save(tmp_path / "x.npy", x.astype("f4"))
    assert onefold.sum(tmp_path / "x.npy") == onefold.sum(x) == 5


def test_the_types_and_shapes_of_files_are_told(tmp_path):
    np.save(tmp_path / "z.npy", complexes((3, 4), "c8"))
    np.savez(tmp_path / "z.npz", a=complexes(2))
    (array,), (member,) = onefold.info(tmp_path / "z.npy")["contents"], onefold.info(tmp_path / "z.npz")["contents"]
    assert (array["type"], tuple(array["shape"])) == ("complex64", (3, 4)) and (member["type"], tuple(member["shape"])) == ("complex128", (2,))


def said(*words, data=None):
    done = subprocess.run([PROGRAM, *map(str, words)], input=data, capture_output=True)
    assert done.returncode == 0 and done.stderr == b"", done.stderr
    return done.stdout.decode()


@pytest.mark.skipif(not PROGRAM, reason="the program is not here")
def test_the_program_prints_what_numpy_prints(tmp_path):
    path = tmp_path / "z.npy"
    z = complexes((5, 3))
    np.save(path, z)
    assert complex(said("sum", path)) == onefold.sum(z) and said("sum", path) == f"{onefold.sum(z)}\n"
    np.save(path, np.array([1, 2 - 3j]))
    assert said("sum", path) == "(3-3j)\n" and said("mean", path, "--keepdims") == "(1.5-1.5j)\n"
    assert said("sum,norm2,count", path) == "sum\t(3-3j)\nnorm2\t3.7416573867739413\ncount\t2\n"
    assert said("sum", path, "--json") == '{"sum": [3.0, -3.0]}\n'
    np.save(path, np.array([[1, 2j], [complex(np.nan, np.inf), -1.5 - 0j]]))
    assert said("sum", "--axis", 1, path) == "(1+2j)\n(nan+infj)\n"
    assert said("sum", "--axis", "1", "--keepdims", path) == "(1+2j)\n(nan+infj)\n"
    assert said("sum,norm2", "--axis", "0", path).splitlines()[0] == "index\tsum\tnorm2"
    assert json.loads(said("sum", "--axis", "1", "--json", path)) == {"sum": [[1, 2], [None, "inf"]]}
    assert said("sum", data=path.read_bytes()) == "(nan+infj)\n"
    assert "complex128" in said("info", path)


@pytest.mark.skipif(not PROGRAM, reason="the program is not here")
@pytest.mark.parametrize("shape", [(4,), (4, 5), (2, 3, 4), (2, 3, 2, 2), (2, 1, 2, 1, 2)])
def test_the_program_writes_npy_files_of_complex_numbers(tmp_path, shape):
    for dtype in ("c16", "c8"):
        z = complexes(shape, dtype)
        np.save(tmp_path / "z.npy", z)
        for op in ("sum", "var", "norm2"):
            for axis in (None, *range(len(shape))):
                for keepdims in (False, True):
                    words = [op, tmp_path / "z.npy", "--output", tmp_path / "out.npy"]
                    words += [] if axis is None else ["--axis", axis]
                    said(*words, *(["--keepdims"] if keepdims else []))
                    same(np.load(tmp_path / "out.npy"), getattr(onefold, op)(z, axis=axis, keepdims=keepdims))
    refused = subprocess.run([PROGRAM, "sum,norm2", tmp_path / "z.npy", "--output", tmp_path / "a.csv"], capture_output=True, text=True)
    assert refused.returncode != 0 and "one op to a .npy file" in refused.stderr and refused.stderr.count("\n") == 1
    assert not (tmp_path / "a.csv").exists()


@pytest.mark.skipif(not PROGRAM, reason="the program is not here")
def test_the_program_folds_each_file(tmp_path):
    np.save(tmp_path / "a.npy", np.array([1, 2 - 3j]))
    np.save(tmp_path / "b.npy", np.array([[1j, 2], [4, -8]]))
    a, b = tmp_path / "a.npy", tmp_path / "b.npy"
    assert said("sum,norm2", "--each", a) == f"file\tsum\tnorm2\n{a}\t(3-3j)\t3.7416573867739413\n"
    assert said("sum", "--each", "--axis", 0, b).splitlines()[1:] == [f"{b}\t0\t(4+1j)", f"{b}\t1\t(-6+0j)"]
    assert json.loads(said("sum", "--each", "--json", a)) == {"file": str(a), "answers": {"sum": [3, -3]}}
