"""Exact products of matrices on a GPU beside torch's, as rows of a table for results/gpu_matmul.md.

    python3 bench/gpu_matmul.py

Medians of 15 calls between events, in ms. "wrong": entries of ours that are not the correctly rounded ones, of so many
that fractions have checked; torch's: the share of its entries that are not ours. TF32 is off.
"""

import math
import random
from fractions import Fraction

import onefold
import torch
from gpu_scans import ms

BITS = {2: torch.int16, 4: torch.int32, 8: torch.int64}
DATA = {"N(0,1)": lambda *shape: torch.randn(*shape, device="cuda"),
        "U(0,1)": lambda *shape: torch.rand(*shape, device="cuda"),
        "lognormal(3)": lambda *shape: (3 * torch.randn(*shape, device="cuda")).exp()}


def wrong_of(a, b, c, n):
    wrong = 0
    for _ in range(n):
        i, j = random.randrange(c.shape[0]), random.randrange(c.shape[1])
        exact = sum(Fraction(x) * Fraction(y) for x, y in zip(a[i].tolist(), b[:, j].tolist()))
        # The nearest number: the exact value lies no farther from it than from its neighbours.
        got = c[i, j].cpu()
        near = [(got.view(BITS[got.element_size()]) + step).view(got.dtype) for step in (1, -1)]
        away = [abs(Fraction(v.item()) - exact) for v in (got, *near)]
        wrong += away[0] > min(away[1:])
    return wrong


def line(dtype, m, k, n, name, *batch):
    a, b = DATA[name](*batch, m, k).to(dtype), DATA[name](*batch, k, n).to(dtype)
    c = onefold.matmul(a, b)
    theirs = a @ b
    checked = 20
    first = (0,) * len(batch)
    wrong = wrong_of(a[first], b[first], c[first], checked)
    ours, peer = ms(lambda: onefold.matmul(a, b)), ms(lambda: a @ b)
    share = (theirs != c).float().mean().item()
    products = math.prod(batch) * m * k * n
    times = "".join(f"{one:,} of " for one in batch)
    print(f"| {str(dtype)[6:]} | {times}{m:,} x {k:,} x {n:,} | {name} | {ours:.3f} | {2e-9 * products / ours:.1f} | {peer:.3f} "
          f"| {ours / peer:.2f} | {wrong} of {checked} | {share:.3g} |", flush=True)


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.manual_seed(5)
    random.seed(5)
    print("| type | shape | data | ms | TFLOPS | torch | ratio | wrong | of torch's entries |\n|---|---|---|---|---|---|---|---|---|")
    f32, f64, bf16, f16 = torch.float32, torch.float64, torch.bfloat16, torch.float16
    for dtype in (f32, f64, bf16, f16):
        for size in (512, 1024, 2048, 4096, 8192):
            line(dtype, size, size, size, "N(0,1)")
    for dtype in (f32, f64, bf16):
        for name in ("U(0,1)", "lognormal(3)"):
            line(dtype, 4096, 4096, 4096, name)
    for m, k, n in ((128, 4096, 4096), (32, 4096, 4096), (4096, 64, 4096), (1000, 100000, 1000), (50000, 512, 512)):
        line(f32, m, k, n, "N(0,1)")
    for dtype in (f64, bf16):
        line(dtype, 32, 4096, 4096, "N(0,1)")
    for dtype in (f32, f64, bf16):
        for batch, m, k, n in ((256, 512, 64, 512), (256, 512, 512, 64), (64, 1024, 128, 1024), (64, 300, 300, 300)):
            line(dtype, m, k, n, "N(0,1)", batch)


if __name__ == "__main__":
    main()
