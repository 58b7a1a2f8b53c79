"""Quantiles on a GPU beside torch's, and a plain read, as rows of a table for results/gpu_quantiles.md.

    python3 bench/gpu_quantiles.py [--quick | --some | --weights | --order]

--some: quantiles of some elements instead: under masks, of segments, by labels, each compared with the processor's bits.
--weights: weighted medians, the same. --order: modes, means of the middle, histograms of 2^27 elements.

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


quick_ms = functools.partial(gpu_scans.ms, rounds=3, calls=2)


def some_row(what, x, call, theirs, host, pick=lambda answer: answer):
    """A row: ours, a read, torch's, and whether what pick() takes of ours has the bits of `host`."""
    t, read = ms(call), ms(lambda: onefold.max(x))
    try:
        other = quick_ms(theirs)
    except (RuntimeError, TypeError):
        other = None
    bits = {8: torch.int64, 4: torch.int32, 2: torch.int16}[x.element_size()]
    same = torch.equal(pick(call()).cpu().view(bits), host.view(bits))
    shown = "- | -" if other is None else f"{other:.3f} | {other / t:.2f}"
    print(f"| {str(x.dtype)[6:]} | {what} | {t:.3f} | {read / t:.2f} | {shown} | {same} |", flush=True)


def masked_rows(dtype, n):
    x = torch.randn(n, device="cuda").to(dtype)
    for share in (0.5, 0.01):
        where = torch.rand(n, device="cuda") < share
        some_row(f"{share} of 2^{n.bit_length() - 1} elements, under a mask", x, lambda: onefold.median(x, where=where),
                 lambda: torch.nanmedian(torch.where(where, x, float("nan"))), onefold.median(x[where].cpu()))
    where = torch.rand(n, device="cuda") < 0.5
    rows, where, some = x.reshape(-1, 1024), where.reshape(-1, 1024), 2048
    some_row("0.5 of rows of 1,024", x, lambda: onefold.median(rows, -1, where=where),
             lambda: torch.nanmedian(torch.where(where, rows, float("nan")), -1),
             onefold.median(rows[:some].cpu(), -1, where=where[:some].cpu()), lambda answer: answer[:some])


def by_two_sorts(x, labels, groups):
    """Lower medians by label, as torch can: sorts by number and then by label."""
    order = torch.argsort(x)
    order = order[torch.argsort(labels[order], stable=True)]
    ends = torch.searchsorted(labels[order], torch.arange(groups + 1, device="cuda", dtype=labels.dtype))
    return x[order[((ends[:-1] + ends[1:] - 1) // 2).clamp(0)]]


def segment_rows(what, x, lengths):
    offsets = torch.zeros(len(lengths) + 1, dtype=torch.int64, device="cuda")
    offsets[1:] = torch.cumsum(lengths, 0)
    x = x[:int(offsets[-1])]
    labels = torch.repeat_interleave(torch.arange(len(lengths), device="cuda", dtype=torch.int32), lengths)
    some_row(what, x, lambda: onefold.median(x, offsets=offsets), lambda: by_two_sorts(x, labels, len(lengths)),
             onefold.median(x.cpu(), offsets=offsets.cpu()))


def by_sums(x, weights):
    """Weighted medians of rows, as torch can: a sort, sums of weights as f64, a search. Sums are rounded."""
    ordered, order = torch.sort(x, -1)
    sums = torch.cumsum(weights.gather(-1, order).double(), -1)
    return ordered.gather(-1, torch.searchsorted(sums, sums[..., -1:] / 2))


def weights():
    torch.manual_seed(7)
    print("| type | elements | ms | of a read | torch | torch / ours | the processor's bits |\n|---|---|---|---|---|---|---|")
    makes = {"f32 in [0, 1)": lambda x: torch.rand(x.shape, device="cuda"), "f64, lognormal": lambda x: torch.randn_like(x).double().exp(),
             "i32 below 50": lambda x: torch.randint(0, 50, x.shape, device="cuda", dtype=torch.int32)}
    for dtype, bits in ((torch.float32, 27), (torch.float64, 26)):
        for rows in (1, 1 << (bits - 16), 1 << (bits - 10), 1 << (bits - 7), 1 << (bits - 5)):
            x = torch.randn(rows, (1 << bits) // rows, device="cuda").to(dtype)
            for name, make in makes.items():
                w, some = make(x), min(rows, 1 << 11)
                what = f"{rows:,} x {x.shape[1]:,}, weights {name}"
                some_row(what, x, lambda: onefold.quantile(x, 0.5, -1, weights=w, method="inverted_cdf"), lambda: by_sums(x, w),
                         onefold.quantile(x[:some].cpu(), 0.5, -1, weights=w[:some].cpu(), method="inverted_cdf"),
                         lambda answer: answer[:some])


def order():
    """Statistics of order beside torch's own, where it has one."""
    torch.manual_seed(8)
    print("| type | call | ms | of a read | torch | torch / ours |\n|---|---|---|---|---|---|")
    x = torch.randn(1 << 27, device="cuda").mul_(100).round_()
    rows = x.reshape(-1, 1024)
    edges = torch.linspace(-300, 300, 101, device="cuda")
    calls = {
        "mode, rows of 1,024": (lambda: onefold.mode(rows, -1), lambda: torch.mode(rows, -1)),
        "nunique": (lambda: onefold.nunique(x), lambda: torch.unique(x).numel()),
        "nunique, rows of 1,024": (lambda: onefold.nunique(rows, -1), None),
        "trimmed_mean 0.1, rows of 1,024": (lambda: onefold.trimmed_mean(rows, 0.1, -1),
                                            lambda: torch.sort(rows, -1)[0][:, 102:-102].mean(-1)),
        "winsorized_mean 0.1, rows of 1,024": (lambda: onefold.winsorized_mean(rows, 0.1, -1), None),
        "argquantile 0.5, rows of 1,024": (lambda: onefold.argquantile(rows, 0.5, -1), lambda: torch.median(rows, -1)),
        "argquantile 0.5": (lambda: onefold.argquantile(x, 0.5), lambda: torch.median(x, 0)),
        "histogram of 100 bins": (lambda: onefold.histogram(x, 100, (-300, 300)), lambda: torch.histc(x, 100, -300, 300)),
        "histogram of 100 edges": (lambda: onefold.histogram(x, edges.tolist()), lambda: torch.bincount(torch.bucketize(x, edges)))}
    read = ms(lambda: onefold.max(x))
    for what, (ours, theirs) in calls.items():
        t, other = quick_ms(ours), None if theirs is None else quick_ms(theirs)
        print(f"| float32 | {what} | {t:.3f} | {read / t:.2f} | " + ("- | - |" if other is None else f"{other:.3f} | {other / t:.2f} |"), flush=True)


def some():
    torch.manual_seed(6)
    print("| type | elements | ms | of a read | torch | torch / ours | the processor's bits |\n|---|---|---|---|---|---|---|")
    for dtype, bits in ((torch.float32, 28), (torch.float64, 27), (torch.bfloat16, 28)):
        masked_rows(dtype, 1 << bits)
    for dtype, bits in ((torch.float32, 27), (torch.float64, 25)):
        n = 1 << bits
        x, device = torch.randn(n, device="cuda").to(dtype), {"device": "cuda"}
        for mean in (1000, 30_000, 130_000):
            lengths = torch.randint(0, 2 * mean, (n // mean * 9 // 10,), **device)
            segment_rows(f"{len(lengths):,} segments of random lengths, mean {mean:,}", x, lengths)
        lengths = torch.randint(0, 2000, (10_000,), **device)
        lengths[5000] = n // 4
        segment_rows(f"one segment of {n // 4:,} among 10,000 of mean 1,000", x, lengths)
        labels = torch.randint(0, 1000, (n,), dtype=torch.int32, **device)
        ordered, order = torch.sort(labels, stable=True)
        ends = torch.searchsorted(ordered, torch.arange(1001, dtype=torch.int32, **device))
        some_row("1,000 labels", x, lambda: onefold.median(x, by=labels)[1], lambda: by_two_sorts(x, labels, 1000),
                 onefold.median(x[order].cpu(), offsets=ends.cpu()))


def main():
    if "--some" in sys.argv:
        return some()
    if "--weights" in sys.argv:
        return weights()
    if "--order" in sys.argv:
        return order()
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
