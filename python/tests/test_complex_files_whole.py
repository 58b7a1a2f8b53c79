"""Folds of files of complex numbers that need the whole array in memory: answers have the bits of those of the same array."""

import os
import subprocess
from fractions import Fraction as F

import numpy as np
import pytest

import onefold

PROGRAM = os.environ.get("ONEFOLD_PROGRAM")
R = np.random.default_rng(59)
N = 24
KEYS, FLAGS, NAMES, WORDS = R.integers(-2, 3, N), R.random(N) < 0.5, R.choice(["b", "a", "äc"], N), R.choice([b"b", b"ac"], N)
OFFSETS = [0, 3, 3, 10, N]


def complexes(shape, dtype="c16"):
    return (R.normal(size=shape) * 10.0 ** R.integers(-6, 7, shape) + 1j * R.normal(size=shape)).astype(dtype)


def same(found, wanted):
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape and found.dtype == wanted.dtype, (found, wanted)
    assert found.tobytes() == wanted.tobytes() or np.array_equal(found, wanted, equal_nan=True), (found, wanted)


def same_fields(found, wanted):
    assert found._fields == wanted._fields
    for a, b in zip(found, wanted):
        same(a, b)


def npy(folder, name, array):
    np.save(folder / f"{name}.npy", array)
    return folder / f"{name}.npy"


def npz(folder, name, array):
    np.savez_compressed(folder / f"{name}.npz", other=np.ones(2), **{name: array})
    return f"{folder}/{name}.npz:{name}"


def hdf5(folder, name, array):
    with pytest.importorskip("h5py").File(folder / "all.h5", "a") as file:
        file.create_dataset(f"g/{name}", data=array, chunks=tuple(min(n, 5) for n in array.shape), compression="gzip")
    return f"{folder}/all.h5:/g/{name}"


def gz(folder, name, array):
    import gzip

    path = npy(folder, name, array)
    (folder / f"{name}.npy.gz").write_bytes(gzip.compress(path.read_bytes()))
    return folder / f"{name}.npy.gz"


saved = pytest.mark.parametrize("save", [npy, npz, hdf5, gz])


@saved
@pytest.mark.parametrize("dtype", ["<c16", ">c16", "<c8"])
@pytest.mark.parametrize("order", "CF")
def test_read_gives_the_array(tmp_path, save, dtype, order):
    for shape in ((N,), (6, 4), (2, 3, 4), (1, 0)):
        z = np.asarray(complexes(shape, dtype), order=order)
        if save is hdf5 and 0 in shape:
            continue
        found = onefold.read(save(tmp_path, f"z{len(shape)}{shape[0]}", z))
        assert found.dtype == z.dtype.newbyteorder("=") and found.flags.writeable
        assert found.shape == z.shape and np.array_equal(found, z)


def test_read_gives_text(tmp_path):
    for text in (NAMES, WORDS):
        found = onefold.read(npy(tmp_path, "t", text))
        assert found.dtype == text.dtype and found.tolist() == text.tolist()


@saved
@pytest.mark.parametrize("dtype", ["c16", "c8"])
def test_products(tmp_path, save, dtype):
    x, y, real = complexes(N, dtype), complexes(N, dtype), R.normal(size=N).astype("f4")
    px, py, pr = (save(tmp_path, name, a) for name, a in (("x", x), ("y", y), ("r", real)))
    same(onefold.dot(px, py), onefold.dot(x, y))
    same(onefold.fold("dot", px, py).dot, onefold.dot(x, y))
    same(onefold.fold("dot", [px, py]).dot, onefold.dot(x, y))
    same(onefold.dot(px, pr), onefold.dot(x, real))
    same(onefold.dot(pr, px), onefold.dot(real, x))
    same(onefold.vecdot(px, py), onefold.vecdot(x, y))
    same(onefold.vecdot(px, y), onefold.vecdot(x, y))
    same(onefold.dot(px, py, nan="omit", where=FLAGS), onefold.dot(x, y, where=FLAGS))


def test_products_are_fractions_rounded_once(tmp_path):
    x, y = complexes(N), complexes(N)
    px, py = npy(tmp_path, "x", x), npy(tmp_path, "y", y)
    pairs = [(F(a.real), F(a.imag), F(b.real), F(b.imag)) for a, b in zip(x.tolist(), y.tolist())]
    assert onefold.dot(px, py) == complex(float(sum(a * c - b * d for a, b, c, d in pairs)), float(sum(a * d + b * c for a, b, c, d in pairs)))
    assert onefold.vecdot(px, py) == complex(float(sum(a * c + b * d for a, b, c, d in pairs)), float(sum(a * d - b * c for a, b, c, d in pairs)))


def test_products_of_axes(tmp_path):
    x, y = complexes((4, 6)), complexes((4, 6))
    px, py = npy(tmp_path, "x", x), npy(tmp_path, "y", np.asfortranarray(y))
    same(onefold.dot(px, py), onefold.fold("dot", x, y).dot)
    for axis in (0, 1, -1):
        same(onefold.dot(px, py, axis=axis), onefold.dot(x, y, axis=axis))
        same(onefold.vecdot(px, py, axis=axis), onefold.vecdot(x, y, axis=axis))
    same(onefold.fold("dot", px, py, axis=0, keepdims=True).dot, onefold.fold("dot", x, y, axis=0, keepdims=True).dot)
    same(onefold.matmul(px, y.T), onefold.matmul(x, y.T))
    same(onefold.cumsum(px, axis=0), onefold.cumsum(x, axis=0))
    same(onefold.rolling(px, 3).sum(), onefold.rolling(x, 3).sum())


@saved
def test_weights(tmp_path, save):
    z, w = complexes(N), R.random(N)
    pz, pw = save(tmp_path, "z", z), save(tmp_path, "w", w)
    same(onefold.average(pz, pw), onefold.average(z, w))
    same(onefold.average(pz, weights=pw), onefold.average(z, weights=w))
    same(onefold.mean(pz, weights=pw), onefold.mean(z, weights=w))
    same_fields(onefold.fold("mean,var,std", pz, weights=pw), onefold.fold("mean,var,std", z, weights=w))


def test_weights_along_an_axis(tmp_path):
    z, w = complexes((4, 6)), R.random(6)
    pz, pw = npy(tmp_path, "z", z), npy(tmp_path, "w", w)
    same(onefold.fold("mean", pz, weights=pw, axis=1).mean, onefold.fold("mean", z, weights=w, axis=1).mean)


@saved
def test_nan_policies(tmp_path, save):
    z = complexes(N)
    z[3], z[7] = complex(np.nan, 1), complex(2, np.nan)
    path, ops = save(tmp_path, "z", z), "sum,mean,var,std,norm2,sumsq,count,count_nan,any,all,count_nonzero,count_zero"
    same_fields(onefold.fold(ops, path, nan="omit"), onefold.fold(ops, z, nan="omit"))
    same(onefold.nansum(path), onefold.nansum(z))
    same(onefold.nanvar(path, ddof=1), onefold.nanvar(z, ddof=1))
    same(onefold.count_nan(path), onefold.count_nan(z))
    for op in ("any", "all", "count_nonzero", "count_zero"):
        same(getattr(onefold, op)(path), getattr(onefold, op)(z))
    with pytest.raises(onefold.NanError) as error:
        onefold.sum(path, nan="raise")
    with pytest.raises(onefold.NanError) as in_memory:
        onefold.sum(z, nan="raise")
    assert str(error.value) == str(in_memory.value)


def test_masks_of_arrays_and_files(tmp_path):
    z, where = complexes((4, 6)), R.random((4, 6)) < 0.5
    pz, pw = npy(tmp_path, "z", z), npy(tmp_path, "where", where)
    for mask in (where, pw):
        for axis in (None, 0, 1):
            for nan in ("propagate", "omit"):
                same_fields(onefold.fold("sum,var,count", pz, axis=axis, where=mask, nan=nan),
                            onefold.fold("sum,var,count", z, axis=axis, where=where, nan=nan))
        same(onefold.dot(pz, pz, where=mask), onefold.fold("dot", z, z, where=where).dot)


@saved
def test_segments(tmp_path, save):
    z, y, w = complexes(N), complexes(N), R.random(N)
    pz, py, offsets = save(tmp_path, "z", z), save(tmp_path, "y", y), save(tmp_path, "o", np.array(OFFSETS))
    for given in (OFFSETS, np.array(OFFSETS), offsets):
        same_fields(onefold.fold_segments("sum,var,norm2,count", pz, given), onefold.fold_segments("sum,var,norm2,count", z, OFFSETS))
    same_fields(onefold.fold_segments("dot", pz, offsets, y=py), onefold.fold_segments("dot", z, OFFSETS, y=y))
    same_fields(onefold.fold_segments("mean", pz, OFFSETS[1:], weights=w), onefold.fold_segments("mean", z, OFFSETS[1:], weights=w))


@saved
@pytest.mark.parametrize("keys", [KEYS, FLAGS, NAMES, KEYS.astype("u1"), WORDS])
def test_keys(tmp_path, save, keys):
    z, y = complexes(N), complexes(N)
    pz, py = save(tmp_path, "z", z), save(tmp_path, "y", y)
    wanted, answers = onefold.fold_by("sum,mean,std,norm2,count", keys, z)
    given = [keys] if save is hdf5 and keys.dtype.kind in "SU" else [keys, save(tmp_path, "k", keys)]
    for k in given:
        found, other = onefold.fold_by("sum,mean,std,norm2,count", k, pz)
        same(found, wanted)
        same_fields(other, answers)
        same_fields(onefold.fold_by("dot", k, pz, y=py)[1], onefold.fold_by("dot", keys, z, y=y)[1])


def test_labels_of_groups(tmp_path):
    z, labels = complexes(N), KEYS + 2
    pz, pk = npy(tmp_path, "z", z), npy(tmp_path, "k", labels)
    same_fields(onefold.fold_by("sum,var", pk, pz, groups=6), onefold.fold_by("sum,var", labels, z, groups=6))


def test_files_of_real_numbers_go_by_keys_too(tmp_path):
    x = R.normal(size=N)
    found, answers = onefold.fold_by("sum,min", npy(tmp_path, "k", KEYS), npy(tmp_path, "x", x))
    wanted, other = onefold.fold_by("sum,min", KEYS, x)
    same(found, wanted)
    same_fields(answers, other)
    (tmp_path / "t.csv").write_text("k,x\n1,2\n")
    with pytest.raises(onefold.UnsupportedError, match=r"not an array file.*fold\('sum', path, by=...\) folds the columns of a table"):
        onefold.fold_by("sum", [1], tmp_path / "t.csv")


@pytest.mark.parametrize("keys", [KEYS, FLAGS, NAMES, WORDS])
@pytest.mark.parametrize("shape", [(N,), (N, 3)])
def test_by_has_the_form_of_real_numbers(tmp_path, keys, shape):
    z = complexes(shape)
    pz, pr, k, m = (npy(tmp_path, name, a) for name, a in (("z", z), ("r", z.real), ("k", keys), ("m", KEYS)))
    ops = "sum,var,count"
    for by in (str(k), k, [str(k)], [str(k), str(m)], f"{k},{m}"):
        found, answers = onefold.fold(ops, pz, by=by)
        wanted, real = onefold.fold(ops, pr, by=by)
        assert type(found) is type(wanted)
        for a, b in zip(*((v.values() if isinstance(v, dict) else [v] for v in (found, wanted)))):
            assert a.dtype == b.dtype and a.tolist() == b.tolist()
        assert list(answers) == [{"r": "z"}.get(name, name) for name in real]
        for at, one in enumerate(answers.values()):
            column = z if len(shape) == 1 else z[:, at]
            same_fields(one, onefold.fold_by(ops, keys=(keys, KEYS) if isinstance(found, dict) and len(found) == 2 else keys, x=column)[1])
    z.flat[4] = np.nan
    omitted = onefold.fold("sum", npy(tmp_path, "z", z), by=k, nan="omit")[1]
    same_fields(omitted["z" if len(shape) == 1 else "1"], onefold.fold_by("sum", keys, z if len(shape) == 1 else z[:, 1], nan="omit")[1])


def test_result_is_the_type_of_a_part(tmp_path):
    z, (px, py) = complexes(N), (npy(tmp_path, name, complexes(N)) for name in "xy")
    path = npy(tmp_path, "z", z)
    for keywords in ({}, {"nan": "omit"}):
        same(onefold.sum(path, dtype="f4", **keywords), onefold.sum(z, dtype="c8"))
        same(onefold.fold("mean", path, result=np.float64, **keywords).mean, onefold.mean(z))
        assert onefold.var(path, dtype="f4", **keywords) == float(onefold.var(z, dtype="f4"))
    same(onefold.dot(px, py, dtype="f4"), onefold.dot(np.load(px), np.load(py), dtype="c8"))


def test_real_numbers_of_files_are_of_python(tmp_path):
    path = npy(tmp_path, "z", complexes(5))
    found = onefold.fold("var,count,any,count_nonzero", path, nan="omit")
    assert [type(value) for value in found] == [float, int, bool, int]


def test_pipes_are_opened_once_and_refused(tmp_path):
    import threading

    os.mkfifo(tmp_path / "pipe")
    data = npy(tmp_path, "z", complexes(5)).read_bytes()
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(data,))
    writer.start()
    with pytest.raises(onefold.UnsupportedError, match="nan=.* is not supported"):
        onefold.nansum(tmp_path / "pipe")
    writer.join(20)
    assert not writer.is_alive()


def test_counts_of_elements_are_refused_in_memory_too():
    with pytest.raises(onefold.OptionError, match="fweights= is not supported for complex numbers"):
        onefold.fold("sum", complexes(3), fweights=np.arange(3))


@pytest.mark.parametrize("call, text", [
    (lambda p: onefold.fold("dot", p, p, axis=3), "axis 3 is out of range"),
    (lambda p: onefold.average(p, p), "the weights are complex, but must be real"),
    (lambda p: onefold.fold("sum", [p, p], nan="omit"), "2 files were given, but this call reads one"),
    (lambda p: onefold.fold("sum", p, by=p, sort="-sum"), "sort= is not supported for complex numbers"),
    (lambda p: onefold.fold("sum", p, by=p, top=2), "top= is not supported for complex numbers"),
    (lambda p: onefold.fold("sum", p, by=p.parent / "none.npy"), "none.npy"),
    (lambda p: onefold.sum(p, nan="omit", initial=1), "initial"),
    (lambda p: onefold.fold("sum", p, by=f"{p.parent}/n.npy,{p.parent}/n.npy"), "by= names n twice"),
    (lambda p: onefold.fold("sum", p, fweights=p.parent / "n.npy"), "fweights= is not supported for complex numbers"),
    (lambda p: onefold.fold("sum", p, nan="omit", progress=print), "progress= is not supported for complex numbers"),
    (lambda p: onefold.nanmin(p), "complex numbers have no order"), (lambda p: onefold.fold("sum,max", p, nan="omit"), "have no order"),
    (lambda p: onefold.moment(p, 2), "no moment of order 2 here"), (lambda p: onefold.softmax(p), "complex"),
    (lambda p: onefold.median(p), r"onefold.median\(onefold.read\(FILE\).real\)")])
def test_what_has_no_answer_is_refused_in_a_line(tmp_path, call, text):
    np.save(tmp_path / "n.npy", np.arange(5))
    np.save(tmp_path / "z.npy", complexes(5))
    with pytest.raises((onefold.Error, OSError), match=text) as error:
        call(tmp_path / "z.npy")
    assert "\n" not in str(error.value)


@pytest.mark.skipif(not PROGRAM, reason="the program is not here")
@pytest.mark.parametrize("words", [
    ("dot", "z", "z"), ("any", "z"), ("sum", "z", "--by", "k"), ("mean", "z", "--weights", "w"), ("sum", "z", "--offsets", "k"), ("sum", "z", "--nan", "omit"),
    ("quantile", "z", "--q", "0.5"), ("sum", "z", "--rolling", "2")])
def test_the_program_names_python(tmp_path, words):
    for name, array in (("z", complexes(4)), ("k", np.array([0, 1, 1, 4])), ("w", np.ones(4))):
        np.save(tmp_path / f"{name}.npy", array)
    done = subprocess.run([PROGRAM, *(str(tmp_path / f"{w}.npy") if w in list("zkw") else w for w in words)], capture_output=True, text=True)
    assert done.returncode != 0 and done.stderr.count("\n") == 1 and "in Python onefold." in done.stderr, done.stderr
