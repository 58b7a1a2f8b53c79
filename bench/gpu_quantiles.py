"""Quantiles on a GPU beside torch's, and a plain read, as rows of a table for results/gpu_quantiles.md.

    python3 bench/gpu_quantiles.py [--quick]

Medians of 9 rounds of 5 calls between events, in ms a call. "of a read": the time of onefold.max, which reads x once, and nothing else.
torch.quantile takes at most 2^24 elements; torch.median is the lower of two.
"""

import functools
import sys

import gpu_scans
import onefold
import torch

ms = functools.partial(gpu_scans.ms, rounds=9, calls=5)
NORMAL = ("normal", lambda n: torch.randn(n, device="cuda"))
DATA = (NORMAL, ("uniform", lambda n: torch.rand(n, device="cuda")),
        ("relu", lambda n: torch.randn(n, device="cuda").relu_()),
        ("ascending", lambda n: torch.arange(n, device="cuda", dtype=torch.float32)),
        ("5 values", lambda n: torch.randint(0, 5, (n,), device="cuda").float()))


def time_or_not(call):
    try:
        return ms(call)
    except (RuntimeError, TypeError):  # too long, or a type that it lacks
        return None


def row(what, x, axis, q=0.5):
    several = isinstance(q, list)
    level = torch.tensor(q, device="cuda", dtype=x.dtype) if x.dtype in (torch.float32, torch.float64) else None
    t = ms((lambda: onefold.quantile(x, q, axis)) if several or q != 0.5 else (lambda: onefold.median(x, axis)))
    read = ms(lambda: onefold.max(x, axis))
    dim = {} if axis is None else {"dim": axis}
    theirs = [time_or_not(call) for call in (
        lambda: torch.quantile(x, level, **dim), lambda: torch.median(x, **dim),
        lambda: torch.sort(x.reshape(-1) if axis is None else x))]
    shown = " | ".join("-" if p is None else f"{p:.3f} | {p / t:.2f}" for p in theirs[2:])
    others = " | ".join("-" if p is None else f"{p:.3f}" for p in theirs[:2])
    print(f"| {str(x.dtype)[6:]} | {what} | {q} | {t:.3f} | {read / t:.2f} | {others} | {shown} |", flush=True)


def main():
    torch.manual_seed(5)
    print("| type | data | q | ms | of a read | torch.quantile | torch.median | torch.sort | sort / ours |\n"
          "|---|---|---|---|---|---|---|---|---|")
    quick = "--quick" in sys.argv
    for name, make in DATA[:2] if quick else DATA:
        for dtype, bits in ((torch.float32, 28), (torch.float64, 24)) if quick else (
                (torch.float32, 28), (torch.float32, 24), (torch.float32, 20), (torch.float64, 27), (torch.float64, 24),
                (torch.bfloat16, 28), (torch.float16, 28)):
            x = make(1 << bits).to(dtype)
            row(f"{name}, 2^{bits}", x, None)
            if name == "normal":
                row(f"{name}, 2^{bits}", x, None, [0.25, 0.5, 0.75])
                row(f"{name}, 2^{bits}", x, None, 0.999)
            del x
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        for n in (1024, 8192) if quick else (32, 64, 256, 1024, 4096, 8192, 65536, 1 << 20):
            rows = (1 << 27) // n // (2 if dtype == torch.float64 else 1)
            x = torch.randn(rows, n, device="cuda").to(dtype)
            row(f"rows, {rows:,} x {n:,}", x, -1)
            if n == 1024:
                row(f"rows, {rows:,} x {n:,}", x, -1, [0.25, 0.5, 0.75])
                row(f"columns, {n:,} x {rows:,}", x.mT, 0)
            del x


if __name__ == "__main__":
    main()
