"""Scans of tensors on a GPU beside torch.cumsum, as rows of a table for results/gpu_scans.md.

    python3 bench/gpu_scans.py [--log2 28] [--segments]

Medians of 15 calls between events, in ms; "of a copy" is the time of y.copy_(x) by that of the scan. Before each
line the scan is compared with the processor's, which rounds exact sums, on the first 2^22 elements.
"""

import argparse
import math

import onefold
import torch


def ms(call, rounds=15, calls=1):
    """The median time of a call, over rounds of so many."""
    for _ in range(2):
        call()
    times = []
    for _ in range(rounds):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(calls):
            call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / calls)
    return sorted(times)[rounds // 2]


def line(what, x, axis=0):
    some = x if x.numel() <= 2**22 else x[:max(2**22 // max(x[0].numel(), 1), 1)]
    there, here = onefold.cumsum(some, axis).cpu(), onefold.cumsum(some.cpu(), axis)
    wrong = int((there.nan_to_num(7e7) != here.nan_to_num(7e7)).sum())
    y = torch.empty_like(x)
    copy, ours = ms(lambda: y.copy_(x)), ms(lambda: onefold.cumsum(x, axis))
    theirs = ms(lambda: torch.cumsum(x, axis))
    print(f"| {what} | {ours:.3f} | {theirs:.3f} | {theirs / ours:.2f} | {copy / ours:.2f} | {wrong} of {some.numel():,} |",
          flush=True)


def lines(log2):
    n = 2**log2
    normal = torch.randn(n, device="cuda")
    for name, m in (("float32", n), ("float64", n // 2), ("bfloat16", n), ("float16", n)):
        yield f"{name}, N(0,1), {m:,}", normal[:m].to(getattr(torch, name)), 0
    for name, m in (("int8", n), ("int32", n), ("int64", n // 2)):
        yield f"{name}, -100 to 100, {m:,}", torch.randint(-100, 101, (m,), device="cuda", dtype=getattr(torch, name)), 0
    yield f"float32, lognormal(3), {n:,}", (3 * normal).exp(), 0
    holes = normal.clone()
    holes[n // 2] = math.nan
    yield f"float32, N(0,1) with a NaN in the middle, {n:,}", holes, 0
    bits = torch.randint(-2**31, 2**31, (n // 8,), device="cuda").to(torch.int32).view(torch.float32)
    yield f"float32, random bits that are finite, {n // 8:,}", bits.nan_to_num(1, 1, 1), 0
    yield f"float32, not at a multiple of 16 bytes, {n - 1:,}", normal[1:], 0
    for m in (2**12, 2**16, 2**20, 2**24):
        yield f"float32, N(0,1), {m:,}", normal[:m], 0
    for shape, axis in (((n >> 13, 1 << 13), 1), ((n >> 10, 1 << 10), 1), ((n // 1000, 1000), 1), ((n // 255, 255), 1),
                        ((n >> 4, 16), 1), ((1 << 13, n >> 13), 0), ((n >> 10, 1 << 10), 0)):
        yield f"float32, {shape}, axis {axis}", normal[:shape[0] * shape[1]].reshape(shape), axis


def segments(log2):
    """Scans that begin anew at offsets of the host; torch has none."""
    x, random = torch.randn(2**log2, device="cuda"), torch.Generator().manual_seed(1)
    print(f"| segments of about | their number | ms |\n|---|---|---|\n| all | 1 | {ms(lambda: onefold.cumsum(x)):.3f} |")
    for length in (10, 100, 1000, 10_000, 2**20):
        ends = torch.randint(0, 2**log2, (2**log2 // length,), generator=random)
        offsets = torch.cat((torch.tensor([0, 2**log2]), ends)).unique().numpy()
        print(f"| {length:,} | {len(offsets) - 1:,} | {ms(lambda: onefold.cumsum(x, offsets=offsets), 5):.3f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log2", type=int, default=28, help="elements of a long array, as a power of two")
    parser.add_argument("--segments", action="store_true", help="only scans that begin anew at offsets")
    asked = parser.parse_args()
    log2 = asked.log2
    if asked.segments:
        return segments(log2)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}\n")
    print("| array | Onefold, ms | torch.cumsum, ms | times as quick | of a copy | not the processor's bits |")
    print("|---|---|---|---|---|---|")
    for what, x, axis in lines(log2):
        line(what, x, axis)


if __name__ == "__main__":
    main()
