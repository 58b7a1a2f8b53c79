"""logsumexp, softmax and log_softmax of rows on a GPU beside torch's, as rows of a table for results/gpu_logsumexp.md.

    python3 bench/gpu_logsumexp.py

Medians of 9 rounds of 5 calls between events, in ms a call. "of a copy": the time in which the bytes of this function are read, and written
where elements have answers, by x.sum or x.clone. "theirs": the share of torch's answers that are not ours, which are
rounded once.
"""

import sys

import gpu_scans
import onefold
import torch

SHAPES = ((1 << 21, 64), (1 << 18, 1024), (1 << 16, 4096), (1 << 13, 32768), (1 << 11, 131072), (1, 1 << 26), (262144, 1000))


def ms(call):
    return gpu_scans.ms(call, rounds=9, calls=5)


def data(name, rows, n, dtype):
    x = torch.randn(rows, n, device="cuda")
    if name == "logits":  # of a model: one leads most rows
        x = 3 * x
        x[torch.arange(rows), torch.randint(n, (rows,))] += 18
    if name == "causal":
        x = x.masked_fill(torch.rand(rows, n, device="cuda") < 0.5, -torch.inf)
    if name == "N(0,1e3)":
        x = 1000 * x
    return x.to(dtype)


def line(dtype, rows, n, name, axis=1):
    x = data(name, rows, n, dtype)
    for function, theirs in ((onefold.logsumexp, torch.logsumexp), (onefold.softmax, torch.softmax),
                             (onefold.log_softmax, torch.log_softmax)):
        ours = function(x, axis=axis)
        peer = theirs(x, axis)
        share = ((ours != peer) & ~(ours.isnan() & peer.isnan())).float().mean().item()
        limit = ms(lambda: x.amax()) if function is onefold.logsumexp else ms(lambda: x.clone())
        del peer
        t, p = ms(lambda: function(x, axis=axis)), ms(lambda: theirs(x, axis))
        print(f"| {str(dtype)[6:]} | {rows:,} x {n:,}{'' if axis else ' by columns'} | {name} | {function.__name__} | {t:.3f} | {limit / t:.2f} | {p:.3f} "
              f"| {t / p:.2f} | {share:.2g} |", flush=True)


def states():
    """States of rows, and answers of four states a row, queued; and gathered, which copies 200 bytes a row to the host."""
    from onefold.reduce.device_rows import logsumexp_of_words, logsumexp_words

    print("\n| type | shape | logsumexp, ms | torch.logsumexp, ms | states, ms | answers of 4 states a row, ms | gather_logsumexp, ms |\n|---|---|---|---|---|---|---|")
    for dtype in (torch.float32, torch.bfloat16, torch.float64):
        for rows, n in SHAPES[1:6:2]:
            x = data("N(0,1)", max(rows // (2 if dtype == torch.float64 else 1), 1), n, dtype)
            words = torch.stack([logsumexp_words(x, 1)] * 4)
            times = [ms(call) for call in (lambda: onefold.logsumexp(x, axis=1), lambda: torch.logsumexp(x, 1), lambda: logsumexp_words(x, 1),
                                           lambda: logsumexp_of_words(words, x.dtype), lambda: onefold.gather_logsumexp(x, axis=1))]
            print(f"| {str(dtype)[6:]} | {x.shape[0]:,} x {n:,} | {' | '.join(f'{t:.3f}' for t in times)} |", flush=True)


def main():
    torch.manual_seed(5)
    if "--states" in sys.argv:
        return states()
    print("| type | shape | data | function | ms | of a copy | torch | ratio | theirs |\n|---|---|---|---|---|---|---|---|---|")
    f32, f64, bf16, f16 = torch.float32, torch.float64, torch.bfloat16, torch.float16
    quick = "--quick" in sys.argv
    for dtype in (f32, bf16, f64) if quick else (f32, f64, bf16, f16):
        for rows, n in SHAPES[1:6:2] if quick else SHAPES:
            line(dtype, rows // (2 if dtype == f64 else 1) or 1, n, "N(0,1)")
    for name in ("logits", "causal", "N(0,1e3)"):
        for dtype in (f32,) if quick else (f32, bf16):
            line(dtype, 1 << 13, 32768, name)
    line(f32, 4096, 16384, "N(0,1)", axis=0)
    line(bf16, 4096, 16384, "N(0,1)", axis=0)


if __name__ == "__main__":
    main()
