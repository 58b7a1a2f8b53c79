"""Rolling folds of tensors on a GPU beside torch's pooling, as rows of a table for results/gpu_windows.md.

    python3 bench/gpu_windows.py [--log2 28] [--only median]

Medians of 15 calls between events, in ms; "of a copy" is the time of y.copy_(x) by that of the windows. Before each
line the windows of the first 2^20 elements (of a list: all) are compared with the processor's. torch has avg_pool1d and
max_pool1d of neighbouring windows, and x.unfold(0, width, 1) for other ops, here of the first 2^22 elements (medians: 2^20
or 2^18), scaled to all.
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
    if isinstance(width, tuple) or axis != x.ndim - 1 or width > 1000 or not x.dtype.is_floating_point:
        return None
    most = 2**22 if op != "median" else 2**20 if width <= 100 else 2**18
    some = x.reshape(-1)[:most] if x.ndim == 1 else x[:max(2**22 // x.shape[1], 1)]
    windows = some.unfold(axis, width, 1)
    call = {"sum": windows.sum, "mean": windows.mean, "var": windows.var, "std": windows.std, "max": windows.amax,
            "median": windows.median}[op]
    return ms(lambda: call(-1)) * (x.numel() / some.numel())


def line(op, what, x, width, axis=0, **rule):
    def fold(t):
        own = tuple(border.cpu() for border in width) if there and not t.is_cuda else width
        windows = onefold.rolling(t, own, axis=axis, **rule)
        return windows.median() if op == "median" else windows.fold(op)[0]

    of_list = isinstance(width, tuple)
    there = of_list and isinstance(width[0], torch.Tensor)
    some = x if of_list or x.numel() <= 2**20 else x[:max(2**20 // max(x[0].numel(), 1), 1)]
    ours, here = fold(some).cpu(), fold(some.cpu())
    wrong = int((ours.nan_to_num(7e7) != here.nan_to_num(7e7)).sum())
    y = torch.empty_like(x)
    copy, ours, theirs = ms(lambda: y.copy_(x)), ms(lambda: fold(x)), peer(op, x, width, axis)
    said = "a list there" if there else "a list" if of_list else width
    words = "-" if theirs is None else f"{theirs:.2f}"
    print(f"| {op} | {what} | {said} | {ours:.3f} | {words} | {copy / ours:.2f} | {wrong} of {here.numel():,} |", flush=True)


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
    for width in (7, 50, 200, 1000):
        yield "median", f"float32, N(0,1), {n // 16:,}", normal[:n // 16], width
    begin = torch.randint(n // 16 - 100, (n // 64,)).sort().values
    for op in ("sum", "median"):
        for first in (begin.numpy(), begin.cuda()):
            yield op, f"float32, N(0,1), {n // 16:,}, {n // 64:,} windows of 50", normal[:n // 16], (first, first + 50)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log2", type=int, default=28, help="elements of a long array, as a power of two")
    parser.add_argument("--only", help="only lines of this op")
    args = parser.parse_args()
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}\n")
    print("| op | array | width | Onefold, ms | torch, ms | of a copy | not the processor's bits |")
    print("|---|---|---|---|---|---|---|")
    for one in lines(args.log2):
        if args.only in (None, one[0]):
            line(*one)


if __name__ == "__main__":
    main()
