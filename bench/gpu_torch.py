"""Sums at places and norms of many tensors on a GPU beside torch's, as rows of tables for results/gpu_torch.md.

    python3 bench/gpu_torch.py [--log2 26] [--only scatter | norms] [--norms small large]

Medians of 9 rounds of 3 calls between events, in ms a call. Before each row the answers are compared with the processor's, bit by
bit, for at most 2^20 sources or elements, also in another order. "wrong": how many differ; anything but 0 ends with status 1.

    scatter   index_add, scatter_add, bincount and the gradient of an embedding: ours, torch, torch's deterministic mode
    norms     norm2_of, torch's _foreach_norm with stack and norm, and a plain read of as many bytes (a sum by torch)
    small     500 tensors of 10^3 to 10^5 elements; large: 8 tensors of 2^26
"""

import argparse
import contextlib
import functools

import gpu_scans
import onefold
import onefold.torch
import torch

ms = functools.partial(gpu_scans.ms, rounds=9, calls=3)
wrong_bits = 0


@contextlib.contextmanager
def deterministic():
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


def of_deterministic(call):
    """Milliseconds in torch's deterministic mode, or "-" if it has none for the call."""
    with deterministic():
        try:
            return f"{ms(call):.3f}"
        except RuntimeError as error:
            if "deterministic" not in str(error):
                raise
            return "-"


def differing(call, given):
    """How many answers of the device, also in another order, differ from the processor's; given: x, and rows that are added."""
    global wrong_bits
    x, index, source = given
    some = min(len(index), 2**20 // max(source[0].numel(), 1))
    index, source = index[:some], source[:some]
    order = torch.randperm(some, device="cuda")
    here = call(x.cpu(), index.cpu(), source.cpu())
    wrong = sum(int((call(x, i, s).cpu() != here).sum()) for i, s in ((index, source), (index[order], source[order])))
    wrong_bits += wrong
    return wrong


def gradient(function):
    """The gradient of an embedding's rows x, of function(index, x)."""
    def call(x, index, source):
        leaf = x.detach().requires_grad_()
        return torch.autograd.grad(function(index, leaf), leaf, source)[0]
    return call


def exactly(call):
    def within(*given):
        with onefold.torch.exact():
            return call(*given)
    return within


def across(index, source):
    return index.reshape(-1, *[1] * (source.ndim - 1)).expand(source.shape)


CALLS = {
    "index_add": (lambda x, i, s: onefold.torch.index_add(x, 0, i, s), lambda x, i, s: torch.index_add(x, 0, i, s)),
    "scatter_add": (lambda x, i, s: onefold.torch.scatter_add(x, 0, across(i, s), s),
                    lambda x, i, s: torch.scatter_add(x, 0, across(i, s), s)),
    "bincount": (lambda x, i, s: onefold.torch.bincount(i, s, len(x)), lambda x, i, s: torch.bincount(i, s, len(x))),
    "embedding, backward": (exactly(gradient(torch.nn.functional.embedding)), gradient(torch.nn.functional.embedding)),
    "x[index], backward": (exactly(gradient(lambda i, x: x[i])), gradient(lambda i, x: x[i]))}


def places_line(log2, name, dtype, width, places, spread):
    n = 2**log2 // (2 if dtype == torch.float64 else 1) // width
    source = torch.randn(n, width, device="cuda").squeeze(1)
    source = ((spread * source).exp() if spread else source).to(dtype)
    index = torch.randint(places, (n,), device="cuda")
    x = torch.zeros(places, width, device="cuda", dtype=dtype).squeeze(1)
    ours, theirs = (functools.partial(call, x, index, source) for call in CALLS[name])
    wrong = differing(CALLS[name][0], (x, index, source))
    t, p, d = ms(ours), ms(theirs), of_deterministic(theirs)
    ratio = "-" if d == "-" else f"{float(d) / t:.1f}"
    print(f"| {name} | {str(dtype)[6:]}, {'lognormal(3)' if spread else 'N(0,1)'}, {tuple(source.shape)} | {places:,} | {t:.3f} | {p:.3f} "
          f"| {d} | {ratio} | {wrong} |", flush=True)


def scatter(log2):
    print("| call | type, sources | places | ours, ms | torch | deterministic | deterministic / ours | wrong |\n|---|---|---|---|---|---|---|---|")
    rows = [(name, dtype, 1, places, spread) for name in ("index_add", "scatter_add", "bincount")
            for dtype in (torch.float32, torch.bfloat16, torch.float64) for places in (2**10, 2**16, 2**22)
            for spread in ((0, 3) if dtype == torch.float32 else (0,)) if (name, dtype) != ("bincount", torch.bfloat16)]
    rows += [(name, dtype, 1024, places, 0) for name in ("embedding, backward", "x[index], backward")
             for dtype in (torch.float32, torch.bfloat16) for places in (2**10, 2**15)]
    for row in rows:
        places_line(log2, *row)


def norm(kind, dtype):
    global wrong_bits
    sizes = (10 ** (3 + 2 * torch.rand(500, generator=torch.Generator().manual_seed(1)))).long().tolist()
    sizes = sizes if kind == "small" else [2**26] * 8
    tensors = [torch.randn(n, device="cuda").to(dtype) for n in sizes]
    some = [t[:max(2**20 // len(sizes), 1)] for t in tensors]
    here = onefold.torch.norm2_of([t.cpu() for t in some])
    wrong = sum(int(onefold.torch.norm2_of(each).cpu() != here) for each in (some, some[::-1], [torch.cat(some)]))
    wrong_bits += wrong
    t = ms(lambda: onefold.torch.norm2_of(tensors))
    p = ms(lambda: torch.linalg.vector_norm(torch.stack(torch._foreach_norm(tensors))))
    flat = torch.cat(tensors)
    read = ms(lambda: flat.sum())
    print(f"| {kind}: {len(sizes)}, {flat.numel():,} elements | {str(dtype)[6:]} | {t:.3f} | {p:.3f} | {t / p:.2f} | {read / t:.2f} "
          f"| {wrong} |", flush=True)


def norms(kinds):
    print("| tensors | type | norm2_of, ms | torch | ratio | of a plain read | wrong |\n|---|---|---|---|---|---|---|")
    for kind in kinds:
        for dtype in (torch.float32, torch.bfloat16):
            norm(kind, dtype)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log2", type=int, default=26, help="sources or elements of sums at places")
    parser.add_argument("--only", choices=("scatter", "norms"))
    parser.add_argument("--norms", nargs="+", choices=("small", "large"), default=["small", "large"])
    asked = parser.parse_args()
    torch.manual_seed(5)
    if asked.only != "norms":
        scatter(asked.log2)
    if asked.only != "scatter":
        norms(asked.norms)
    raise SystemExit(1 if wrong_bits else 0)


if __name__ == "__main__":
    main()
