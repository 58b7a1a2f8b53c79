"""Rolling folds of tensors on a GPU beside torch's pooling, as rows of a table for results/gpu_windows.md.

    python3 bench/gpu_windows.py [--log2 28]

Medians of 15 calls between events, in ms; "of a copy" is the time of y.copy_(x) by that of the windows. Before each
line the windows of the first 2^20 elements are compared with the processor's. torch has avg_pool1d and max_pool1d of
neighbouring windows, and x.unfold(0, width, 1) for other ops, here of the first 2^22 elements, scaled to all.
"""

import argparse

import onefold
import torch
from gpu_scans import ms
from torch.nn.functional import avg_pool1d, max_pool1d


def peer(op, x, width, axis):
    """The time of torch for the same windows without those at the ends, or None."""
    if x.ndim == 1 and op in ("mean", "max") and x.dtype == torch.float32:
        pool = avg_pool1d if op == "mean" else max_pool1d
        return ms(lambda: pool(x[None, None], width, 1))
    if axis != x.ndim - 1 or width > 1000 or not x.dtype.is_floating_point:
        return None
    some = x.reshape(-1)[:2**22] if x.ndim == 1 else x[:max(2**22 // x.shape[1], 1)]
    windows = some.unfold(axis, width, 1)
    call = {"sum": windows.sum, "mean": windows.mean, "var": windows.var, "std": windows.std, "max": windows.amax}[op]
    return ms(lambda: call(-1)) * (x.numel() / some.numel())


def line(op, what, x, width, axis=0, **rule):
    def fold(t):
        return onefold.rolling(t, width, axis=axis, **rule).fold(op)[0]

    some = x if x.numel() <= 2**20 else x[:max(2**20 // max(x[0].numel(), 1), 1)]
    there, here = fold(some).cpu(), fold(some.cpu())
    wrong = int((there.nan_to_num(7e7) != here.nan_to_num(7e7)).sum())
    y = torch.empty_like(x)
    copy, ours, theirs = ms(lambda: y.copy_(x)), ms(lambda: fold(x)), peer(op, x, width, axis)
    words = "-" if theirs is None else f"{theirs:.2f}"
    print(f"| {op} | {what} | {width} | {ours:.3f} | {words} | {copy / ours:.2f} | {wrong} of {some.numel():,} |", flush=True)


def lines(log2):
    n = 2**log2
    normal = torch.randn(n, device="cuda")
    for op in ("sum", "mean", "var", "std", "max"):
        yield op, f"float32, N(0,1), {n:,}", normal, 50
    for op in ("mean", "var", "max"):
        yield op, f"float64, N(0,1), {n // 2:,}", normal[:n // 2].double(), 50
    for name in ("bfloat16", "int32"):
        yield "mean", f"{name}, {n:,}", (normal * 100).to(getattr(torch, name)), 50
    for width in (4, 10, 200, 700, 1000, 5000):
        yield "mean", f"float32, N(0,1), {n // 8:,}", normal[:n // 8], width
    yield "mean", f"float32, lognormal(3), {n:,}", (3 * normal).exp(), 50
    yield "var", f"float32, 10^4 + N(0,1), {n:,}", normal + 1e4, 50
    holes = normal.clone()
    holes[::100] = float("nan")
    yield "mean", f"float32, a NaN every 100, {n:,}", holes, 50
    for shape, axis in (((n >> 13, 1 << 13), 1), ((n >> 10, 1 << 10), 1), ((1 << 13, n >> 13), 0)):
        yield "mean", f"float32, {shape}, axis {axis}", normal.reshape(shape), 50, axis
    yield "mean", "float32, N(0,1), 4,096", normal[:4096], 50


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log2", type=int, default=28, help="elements of a long array, as a power of two")
    log2 = parser.parse_args().log2
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}\n")
    print("| op | array | width | Onefold, ms | torch, ms | of a copy | not the processor's bits |")
    print("|---|---|---|---|---|---|---|")
    for one in lines(log2):
        line(*one)


if __name__ == "__main__":
    main()
