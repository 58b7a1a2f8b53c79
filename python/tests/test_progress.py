"""progress= of folds of files: a function of bytes, or tqdm's bar."""

import sys
import types

import numpy as np
import pytest

import onefold


def test_progress_tells_the_bytes_that_were_read(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.arange(1000.0))
    seen = []
    assert onefold.fold("sum", path, progress=lambda done, total: seen.append((done, total))).sum == 499500.0
    assert seen[-1] == (8000, 8000) and seen == sorted(seen)
    table = tmp_path / "t.csv"
    table.write_text("k,x\na,1\nb,2\n")
    seen.clear()
    onefold.fold("sum", table, by="k", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (table.stat().st_size,) * 2


def test_what_progress_raises_ends_the_fold(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.arange(1000.0))

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        onefold.fold("sum", path, progress=stop)
    with pytest.raises(onefold.DTypeError, match="progress= is a int"):
        onefold.fold("sum", path, progress=3)
    with pytest.raises(onefold.Error, match="progress= says how a file is read"):
        onefold.fold("sum", np.arange(3), progress=print)


def test_true_is_the_bar_of_tqdm(tmp_path, monkeypatch):
    class Bar:
        def __init__(self, total, unit, unit_scale):
            self.n, self.total = 0, total

        def update(self, more):
            self.n += more

        def __enter__(self):
            bars.append(self)
            return self

        def __exit__(self, *error):
            pass

    bars = []
    path = tmp_path / "x.npy"
    np.save(path, np.arange(10.0))
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    auto = types.ModuleType("tqdm.auto")
    auto.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm.auto", auto)
    assert onefold.fold("sum", path, progress=True).sum == 45.0
    assert (bars[0].n, bars[0].total) == (80, 80)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(onefold.UnsupportedError, match="pip install tqdm"):
        onefold.fold("sum", path, progress=True)
