"""rms_norm and layer_norm of rows on a GPU beside torch's, as rows of a table for results/gpu_norms.md.

    python3 bench/gpu_norms.py

Medians of 9 rounds of 5 calls between events, in ms a call; with a weight, and layer_norm with a bias. "of a copy": the time of x.clone,
which reads and writes as much. "theirs": the share of torch's answers that are not ours, which are rounded once.
"""

import functools
import sys

import gpu_scans
import onefold
import torch

F = torch.nn.functional
SHAPES = ((1 << 21, 64), (1 << 19, 256), (1 << 17, 1024), (1 << 15, 4096), (1 << 14, 8192), (1 << 12, 32768), (1 << 10, 131072))
ms = functools.partial(gpu_scans.ms, rounds=9, calls=5)


def line(dtype, rows, n, centre=0.0):
    x = (torch.randn(rows, n, device="cuda") + centre).to(dtype)
    w, b = (torch.rand(n, device="cuda").to(dtype) for _ in range(2))
    calls = {
        "rms_norm": (lambda: onefold.rms_norm(x, weight=w, eps=1e-5), lambda: F.rms_norm(x, (n,), w, 1e-5)),
        "layer_norm": (lambda: onefold.layer_norm(x, weight=w, bias=b), lambda: F.layer_norm(x, (n,), w, b))}
    limit = ms(lambda: x.clone())
    for name, (ours, theirs) in calls.items():
        share = (ours() != theirs()).float().mean().item()
        t, p = ms(ours), ms(theirs)
        print(f"| {str(dtype)[6:]} | {rows:,} x {n:,}{f', mean {centre:g}' if centre else ''} | {name} | {t:.3f} | {limit / t:.2f} | {p:.3f} "
              f"| {t / p:.2f} | {share:.2g} |", flush=True)


def main():
    torch.manual_seed(5)
    print("| type | shape | function | ms | of a copy | torch | ratio | theirs |\n|---|---|---|---|---|---|---|---|")
    quick = "--quick" in sys.argv
    for dtype in (torch.float32, torch.bfloat16, torch.float64) if quick else (torch.float32, torch.bfloat16, torch.float16, torch.float64):
        for rows, n in SHAPES[1:6:2] if quick else SHAPES:
            line(dtype, rows // (2 if dtype == torch.float64 else 1), n)
    line(torch.float32, 1 << 15, 4096, 1000.0)
    line(torch.bfloat16, 1 << 15, 4096, 10.0)


if __name__ == "__main__":
    main()
