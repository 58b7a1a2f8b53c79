"""progress= of long folds: a function of bytes, or tqdm's bar; and Ctrl-C."""

import signal
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


@pytest.mark.parametrize("axis", [0, 1, None])
def test_progress_of_an_array_rises_to_its_bytes(axis):
    x = np.lib.stride_tricks.sliding_window_view(np.arange(1.0, 1 << 16), 1 << 15)[:1 << 13]  # 2 GiB
    seen = []
    found = onefold.fold("sum", x, axis=axis, progress=lambda done, total: seen.append((done, total)))
    np.testing.assert_array_equal(found.sum, onefold.sum(x, axis=axis))
    assert seen == sorted(seen) and seen[-1] == (x.size * 8, x.size * 8)
    seen.clear()
    onefold.fold("mean", [1.0, 2.0], progress=lambda done, total: seen.append((done, total)))
    assert seen == [(16, 16)]


def test_calls_of_one_op_say_who_takes_progress():
    with pytest.raises(TypeError, match=r"""argument 'progress'; fold\("var", x, progress=...\) takes it"""):
        onefold.var([1.0, 2.0], progress=True)


def test_a_signal_ends_a_long_fold_of_an_array():
    x = np.lib.stride_tricks.sliding_window_view(np.arange(1.0, 1 << 18), 1 << 17)  # 128 GiB
    seen = []

    def interrupt(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for folded in (lambda: onefold.fold("mse", x, x, axis=1, progress=lambda *now: seen.append(now)),
                       lambda: onefold.var(x, axis=0), lambda: onefold.sum(x)):
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            with pytest.raises(KeyboardInterrupt):
                folded()
    finally:
        signal.signal(signal.SIGALRM, before)
    assert all(done < total for done, total in seen)  # otherwise it would have run to its end


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
