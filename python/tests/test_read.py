"""Arrays of files in memory: read(), and functions whose methods need all elements at hand."""

from pathlib import Path

import numpy as np
import pytest

import onefold

X = np.random.default_rng(3).normal(0, 30, (40, 6))


@pytest.fixture
def path(tmp_path):
    np.save(tmp_path / "x.npy", X)
    return str(tmp_path / "x.npy")


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "u2", "?"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_is_read_as_numpy_reads_it(tmp_path, dtype, order):
    for shape in ((40, 6), (240,), (0, 6), ()):
        x = np.asarray(X.astype(dtype).reshape(-1)[:int(np.prod(shape))].reshape(shape), order=order)
        np.save(tmp_path / "x.npy", x)
        got = onefold.read(tmp_path / "x.npy")
        assert got.dtype == x.dtype and got.shape == x.shape and np.array_equal(got, x)
        if got.size:
            got[...] = 0  # it is the caller's own


def test_keywords_say_how_a_file_is_read(tmp_path):
    (tmp_path / "x.bin").write_bytes(b"head" + X.astype("<f4").tobytes())
    got = onefold.read(tmp_path / "x.bin", dtype="f4", shape=(40, 6), offset=4)
    assert np.array_equal(got, X.astype("f4"))
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["a/b"] = X
        file["c"] = X[0]
    assert np.array_equal(onefold.read([f"{tmp_path}/x.h5:/a/b"]), X)


CALLS = {
    "rolling": lambda x: onefold.rolling(x, 7, axis=1, min_periods=2).std(),
    "rolling.median": lambda x: onefold.rolling(x, 7).median(),
    "expanding": lambda x: onefold.expanding(x).max(),
    "cumsum": lambda x: onefold.cumsum(x, axis=0),
    "cummax": lambda x: onefold.cummax(x, axis=1),
    "logsumexp": lambda x: onefold.logsumexp(x, axis=1),
    "logmeanexp": onefold.logmeanexp,
    "softmax": lambda x: onefold.softmax(x, axis=1),
    "log_softmax": lambda x: onefold.log_softmax(x, axis=0),
    "layer_norm": onefold.layer_norm,
    "rms_norm": onefold.rms_norm,
    "trimmed_mean": lambda x: onefold.trimmed_mean(x, 0.1),
    "winsorized_mean": lambda x: onefold.winsorized_mean(x, 0.1, axis=0),
    "mode": onefold.mode,
    "nunique": onefold.nunique,
    "histogram": lambda x: onefold.histogram(x, 20)[0],
    "histogram2d": lambda x: onefold.histogram2d(x, x, 5)[0],
    "cov_matrix": onefold.cov_matrix,
    "corr_matrix": onefold.corr_matrix,
    "gram": onefold.gram,
    "vecdot": lambda x: onefold.vecdot(x, x),
    "matmul": lambda x: onefold.matmul(x, X.T),
    "tensordot": lambda x: onefold.tensordot(X.T, x, axes=1),
    "einsum": lambda x: onefold.einsum("ij,ij->i", x, x),
    "fold_segments": lambda x: onefold.fold_segments("sum", x, [0, 7, 40])[0],
    "fold_segments.y": lambda x: onefold.fold_segments("dot", X, [0, 7, 40], y=x)[0],
}


@pytest.mark.parametrize("name", CALLS)
def test_functions_of_whole_arrays_read_files(name, path):
    assert np.array_equal(CALLS[name](path), CALLS[name](X), equal_nan=True)


def test_the_highest_byte_may_be_first(tmp_path):
    for dtype in (">f2", ">f4", ">f8", ">i4", ">u8"):
        x = np.arange(6).astype(dtype)
        x.tofile(tmp_path / "x.bin")
        for said in (dtype, np.dtype(dtype)):
            assert np.array_equal(onefold.read(tmp_path / "x.bin", dtype=said), x)
            assert onefold.fold("max", tmp_path / "x.bin", dtype=said)[0] == 5


@pytest.mark.skipif(Path("/proc/sys/vm/overcommit_memory").read_text().strip() == "1", reason="the system promises any memory")
def test_what_does_not_fit_in_memory_is_refused_at_once(tmp_path):
    with open(tmp_path / "x.bin", "wb") as file:
        file.truncate(1 << 43)  # without blocks
    with pytest.raises(MemoryError):
        onefold.read(tmp_path / "x.bin", dtype="f8")


def test_what_is_no_array_is_refused(tmp_path, path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    for call, words in ((lambda: onefold.read(tmp_path / "t.csv"), "not an array file"),
                        (lambda: onefold.cumsum(str(tmp_path / "t.csv"), axis=0), "not an array file"),
                        (lambda: onefold.read([path, path]), "2 files were given"),
                        (lambda: onefold.read(X), "is not a file path"),
                        (lambda: onefold.read(b"x.npy"), "bytes would be read as elements"),
                        (lambda: onefold.info(b"x.npy"), r"os.fsdecode\(x\)"),
                        (lambda: onefold.logsumexp(X, weights=path), r"onefold.read\(path\)"),
                        (lambda: onefold.rolling(path, 3).cov(path), r"onefold.read\(path\)"),
                        (lambda: onefold.read(tmp_path / "none.npy"), "none.npy")):
        with pytest.raises((onefold.Error, OSError), match=words):
            call()


@pytest.mark.parametrize("call", [
    onefold.sum, onefold.median, onefold.logsumexp, onefold.softmax, onefold.layer_norm, onefold.mode, onefold.cumsum,
    lambda x: onefold.fold("sum", x)[0], lambda x: onefold.rolling(x, 2).mean(), lambda x: onefold.histogram(x)[0],
    lambda x: onefold.vecdot(x, x), lambda x: onefold.fold_segments("sum", x, [0, 2, 5])[0]])
def test_bytes_are_elements_in_every_function(call, tmp_path, monkeypatch):
    np.save(tmp_path / "x.npy", X)
    monkeypatch.chdir(tmp_path)
    assert np.array_equal(call(b"x.npy"), call(np.frombuffer(b"x.npy", "u1")), equal_nan=True)


@pytest.mark.parametrize("call", [
    onefold.sum, onefold.read, onefold.info, onefold.logsumexp, onefold.describe, lambda p: onefold.quantile(p, 0.5),
    lambda p: onefold.explain("sum", p), lambda p: onefold.agg(p, "sum(a)"), lambda p: onefold.fold("sum", "t.csv", where=p),
    lambda p: onefold.fold("mean", "t.csv", weights=p)])
def test_a_path_that_no_file_can_have_is_refused(call):
    with pytest.raises(onefold.OptionError, match=r"cannot be the name of a file or a column: '\\ud800' cannot be encoded as utf-8$"):
        call("a\ud800.npy")


@pytest.mark.parametrize("shape", [2.0, (2.0, 5), "2,5", {}, (1,) * 17, (2**70, 5), np.array([2, 5]), (np.array([2, 5]),)])
def test_a_shape_of_a_file_is_of_integers(tmp_path, shape):
    path = tmp_path / "x.bin"
    X.tofile(path)
    for call in (onefold.read, onefold.info, lambda p, **k: onefold.fold("sum", p, **k), lambda p, **k: onefold.explain("sum", p, **k)):
        with pytest.raises(onefold.OptionError) as caught:
            call(path, dtype="f8", shape=shape)
        assert f"shape={' '.join(repr(shape).split())} is neither an integer nor a tuple" in str(caught.value)
    assert onefold.read(path, dtype="f8", shape=np.int64(240)).shape == (240,)
