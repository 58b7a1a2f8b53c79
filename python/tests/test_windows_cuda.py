"""Scans and windows of tensors on a CUDA device: the CPU's bits. Skipped where torch or a device is missing."""

import numpy as np
import pytest

import onefold
from cuda_tensors import NAMES, same, tensor, torch


@pytest.mark.parametrize("name", NAMES)
def test_scans_have_the_bits_of_the_cpu(name):
    x = tensor(name)
    same(onefold.cumsum(x), onefold.cumsum(x.cpu()))
    grid = x[:100_000].reshape(100, 1000)
    for axis in (0, 1):
        same(onefold.cumsum(grid, axis), onefold.cumsum(grid.cpu(), axis))
        same(onefold.cummean(grid.T, axis), onefold.cummean(grid.cpu().T, axis))
        same(onefold.cumsum(grid, axis, exclusive=True, reverse=True), onefold.cumsum(grid.cpu(), axis, exclusive=True, reverse=True))


def test_scans_that_are_called_again():
    """Plans are kept for tensors of the same layout, and for no other call."""
    for kind in (torch.float32, torch.bfloat16, torch.int64):
        for shape, axis in (((1000,), None), ((30, 40), 1), ((30, 40), 0)):
            for _ in range(3):
                x = (100 * torch.randn(shape, device="cuda")).to(kind)
                for call in (onefold.cumsum, onefold.cummean):
                    for exclusive in (False, True):
                        if exclusive and call is onefold.cummean and not kind.is_floating_point:
                            continue  # nothing has no mean
                        same(call(x, axis, exclusive=exclusive), call(x.cpu(), axis, exclusive=exclusive))
                same(onefold.cumsum(x, axis, dtype="f64"), onefold.cumsum(x.cpu(), axis, dtype="f64"))
                if x.ndim == 2:
                    same(onefold.cumsum(x.T, axis), onefold.cumsum(x.cpu().T, axis))


@pytest.mark.parametrize("name", ("float32", "float64"))
def test_scans_of_the_sizes_of_cub(name):
    """The sizes, magnitudes and repetitions of CUB's test of scans that are the same in each run (CCCL 571f2fc3)."""
    for n in (1, 31, 32, 33, 127, 128, 129, 1023, 1024, 1025, 1337, 3000, 3968, 10_000, 77_777, 1 << 22):
        x = (torch.rand(n, device="cuda", dtype=getattr(torch, name)) * 200 - 100)
        right = onefold.cumsum(x.cpu(), exclusive=True)
        for _ in range(10):
            same(onefold.cumsum(x, exclusive=True), right)
        near = torch.cumsum(x.double(), 0) - x.double()
        assert torch.allclose(right.double(), near.cpu(), rtol=1e-6, atol=1e-3)


def test_scans_that_fail_say_so():
    x = torch.full((1000,), 2**62, device="cuda")
    with pytest.raises(OverflowError):
        onefold.cumsum(x)
    assert onefold.cumsum(x[:1]).tolist() == [2**62]
    holes = torch.tensor([1.0, float("nan"), 2.0], device="cuda")
    assert onefold.cumsum(holes, nan="omit").tolist() == [1, 1, 3]
    with pytest.raises(ValueError, match="NaN"):
        onefold.cumsum(holes, nan="raise")
    with pytest.raises(onefold.UnsupportedError, match="a device"):
        onefold.cummax(holes)


@pytest.mark.parametrize("name", NAMES)
def test_windows_have_the_bits_of_the_cpu(name):
    x = tensor(name)[:20_000]
    grid = x.reshape(100, 200)
    for ops in ("sum,mean,max", "var", "argmin,count"):
        for width, rule in ((7, {}), (50, {"center": True}), (300, {"step": 3}), (5, {"closed": "left"})):
            for there, axis in ((x, 0), (grid, 0), (grid, 1), (grid.T, 1)):
                def fold(t):
                    return onefold.rolling(t, width, min_periods=0, axis=axis, **rule).fold(ops)

                if "closed" in rule and ("arg" in ops or ("max" in ops and "float" not in name)):
                    with pytest.raises(onefold.EmptyError):  # the first window is empty
                        fold(there)
                    continue
                for got, right in zip(fold(there), fold(there.cpu())):
                    same(got, right)
    if "float" in name:
        y = x.flip(0)
        same(onefold.rolling(x, 20).corr(y), onefold.rolling(x.cpu(), 20).corr(y.cpu()))
        same(onefold.rolling(x, 20, min_periods=3).mean(), onefold.rolling(x.cpu(), 20, min_periods=3).mean())


def test_windows_that_a_device_lacks_say_so():
    x = torch.arange(10, device="cuda")
    with pytest.raises(onefold.UnsupportedError, match="too few"):
        onefold.rolling(x, 3).sum()
    assert onefold.rolling(x, 3, min_periods=1).sum().tolist()[:3] == [0, 1, 3]
    for call in (lambda: onefold.rolling(x, 3, min_periods=1, closed="left").count(),
                 lambda: onefold.rolling(x, 1).count(where=x > 3)):
        with pytest.raises(onefold.UnsupportedError, match="min_periods=0"):
            call()
    with pytest.raises(ValueError, match="one array is on a device"):
        onefold.rolling(x.cpu(), 2).cov(x)
    with pytest.raises(onefold.UnsupportedError, match="supports f16, bf16, f32 and f64"):
        onefold.rolling(x, 3).median()
    with pytest.raises(onefold.UnsupportedError, match="a device supports only scans with one answer per element"):
        onefold.expanding(x.double()).median()


@pytest.mark.parametrize("name", NAMES)
def test_windows_of_lists_and_times_have_the_bits_of_the_cpu(name):
    x = tensor(name)[:20_000]
    random = np.random.default_rng(5)
    begin = random.integers(0, 19_000, 3_000)
    pairs = (begin, begin + 1 + random.integers(0, 900, 3_000)), (np.array([0, 5]), np.array([19_990, 6]))
    times = np.cumsum(random.integers(0, 4, 20_000))
    for there in (x, x.reshape(20_000, 1), x[:6_000].reshape(2, 3_000).T):
        n = there.shape[0]
        windows = [((b % n, np.minimum(e, n)), None) for b, e in pairs if n == 20_000] + [(30, times[:n])]
        for window, when in windows:
            for ops in ("sum,mean,max", "argmin,count"):
                def fold(t):
                    return onefold.rolling(t, window, min_periods=0, times=when).fold(ops)

                for got, right in zip(fold(there), fold(there.cpu())):
                    same(got, right)
            if "float" in name:
                def median(t):
                    return onefold.rolling(t, window, min_periods=5, times=when).median()

                same(median(there), median(there.cpu()))
    if "float" in name:
        for width, rule in ((1, {}), (7, {}), (50, {"center": True}), (300, {"step": 3}), (5, {"closed": "left", "min_periods": 2})):
            for there, axis in ((x, 0), (x.reshape(100, 200).T, 1)):
                same(onefold.rolling(there, width, axis=axis, **rule).quantile(0.3),
                     onefold.rolling(there.cpu(), width, axis=axis, **rule).quantile(0.3))


@pytest.mark.parametrize("name", NAMES)
def test_windows_of_lists_there_have_the_bits_of_the_cpu(name):
    x = tensor(name)[:20_000]
    random = np.random.default_rng(6)
    begin = random.integers(0, 19_000, 3_000)
    pair = torch.from_numpy(begin), torch.from_numpy(begin + 1 + random.integers(0, 900, 3_000))
    for kind in (torch.int64, torch.int32):
        there = tuple(border.to(kind).cuda() for border in pair)
        for ops in ("sum,mean,max", "argmin,count"):
            for got, right in zip(onefold.rolling(x, there, min_periods=0).fold(ops),
                                  onefold.rolling(x.cpu(), pair, min_periods=0).fold(ops)):
                same(got, right)
        if "float" in name:
            same(onefold.rolling(x, there).median(), onefold.rolling(x.cpu(), pair).median())
            same(onefold.rolling(x, there, step=2).mean(), onefold.rolling(x.cpu(), pair, step=2).mean())


def test_bad_lists_there_are_refused():
    x, rows = torch.arange(10.0, device="cuda"), torch.zeros(3, 10, device="cuda")

    def pair(begin, end):
        return torch.tensor(begin, device="cuda"), torch.tensor(end, device="cuda")

    for begin, end, which in (([0, 4, 2], [3, 3, 5], 1), ([0, 1, 2], [3, 3, 11], 2), ([-1, 0], [1, 1], 0)):
        for call in (lambda r: r.sum(), lambda r: r.median()):
            with pytest.raises(ValueError, match=f"window {which} ends before it begins, or lies outside its axis, which has 10"):
                call(onefold.rolling(x, pair(begin, end)))
            with pytest.raises(ValueError, match=f"window {which} ends before"):
                call(onefold.rolling(rows, pair(begin, end), axis=1))
    begin, end = pair([0, 1], [2, 3])
    for window, words in (((begin, end.cpu()), "begin is on a device, and end is not"), ((begin[:1], end), "begin has 1 elements and end has 2"),
                          ((begin[None], end[None]), "one dimension"), ((begin.double(), end.double()), "must be of i32 or i64"),
                          ((begin, end.int()), "both must have the same type")):
        with pytest.raises((ValueError, TypeError), match=words):
            onefold.rolling(x, window).sum()
    with pytest.raises(ValueError, match="begin and end are on a device, but the"):
        onefold.rolling(x.cpu(), (begin, end)).sum()


@pytest.mark.parametrize("most", [3, 60, 5000])
def test_scans_begin_anew_at_offsets(most):
    random = np.random.default_rng(most)
    offsets = np.minimum(np.concatenate([[0], np.cumsum(random.integers(0, most + 1, 200_000 // most + 200))]), 200_000)
    offsets = np.concatenate([offsets, [200_000, 1_200_000]])  # one that is long
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.int64):
        x = (100 * torch.randn(1_200_000)).to(dtype)
        for scan in (onefold.cumsum, onefold.cummean):
            same(scan(x.cuda(), offsets=offsets), scan(x, offsets=offsets))
            same(scan(x.cuda(), offsets=torch.tensor(offsets).cuda(), reverse=True), scan(x, offsets=offsets, reverse=True))
    with pytest.raises(onefold.UnsupportedError, match="a device supports scans of segments only for arrays with one dimension"):
        onefold.cumsum(torch.ones(4, 4).cuda(), 0, offsets=[0, 4])
