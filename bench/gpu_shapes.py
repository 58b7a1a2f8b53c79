"""Compares PyTorch with us on a device, over axes, masks and pairs, in one process: graph replays,
medians of 7.

    python3 bench/gpu_shapes.py [--mib 256] [--only WORD]

Prints a line a fold: its shape, our time, the share of the best plain read of the run that all bytes
that must be read make of it, torch's share, and torch's time over ours. Both leave their answers on the device.
"""

import argparse

import gpu_peers
import torch

import onefold

parser = argparse.ArgumentParser()
parser.add_argument("--mib", type=int, default=256)
parser.add_argument("--only", default="")
options = parser.parse_args()


def microseconds(call):
    return gpu_peers.microseconds(lambda _: call(), [None] * 4)


def shapes(n):
    for row in (2, 4, 16, 64, 256, 1024, 8192):
        yield (n // row, row), (1,)
    for columns in (3, 4, 16, 64, 256, 1024, 65536):
        yield (n // columns, columns), (0,)
    yield (n // 4096, 64, 64), (1,)
    yield (n // 768, 256, 3), (1,)
    yield (n // (64 * 3136), 64, 56, 56), (0, 2, 3)


def folds():
    def of(name):
        ours, theirs = getattr(onefold, name), getattr(torch, name)
        return lambda x, axes: ours(x, axis=axes), lambda x, axes: theirs(x, dim=axes)

    axes = list(shapes((options.mib << 20) // 4))
    for name in ("sum", "mean"):
        yield name, torch.float32, axes, *of(name)
    yield "var", torch.float32, axes, lambda x, a: onefold.var(x, axis=a), \
        lambda x, a: torch.var(x, dim=a, correction=0)
    yield "max", torch.float32, axes, lambda x, a: onefold.max(x, axis=a), lambda x, a: torch.amax(x, dim=a)
    one = [(s, a) for s, a in axes if len(a) == 1]
    yield "argmax", torch.float32, one, lambda x, a: onefold.argmax(x, axis=a), \
        lambda x, a: torch.argmax(x, dim=a[0])
    for t, bytes_ in ((torch.bfloat16, 2), (torch.float64, 8)):
        yield "sum", t, list(shapes((options.mib << 20) // bytes_)), *of("sum")


def row(name, x, axes, bytes_, ours, theirs):
    mine, peer = microseconds(ours), microseconds(theirs)
    shape = "x".join(map(str, x.shape))
    print(f"{name:<12} {str(x.dtype)[6:]:<9} {shape:<18} {str(axes):<10} {mine:9.1f} us  "
          f"{bytes_ / mine / limit:5.2f}  torch {bytes_ / peer / limit:5.2f}  {peer / mine:6.2f}", flush=True)


big = torch.randn(1 << 28, device="cuda")
limit = big.nbytes / microseconds(lambda: torch.sum(big))  # torch's sum of 1 GiB, or ours
limit = max(limit, big.nbytes / microseconds(lambda: onefold.sum(big)))
del big
print(f"torch {torch.__version__}, onefold {onefold.__version__}, {torch.cuda.get_device_name()}, "
      f"best sum of 1 GiB {limit / 1e6:.3f} TB/s")

for name, dtype, all_shapes, ours, theirs in folds():
    for shape, axes in all_shapes:
        if options.only not in name:
            continue
        x = torch.randn(shape, device="cuda").to(dtype)
        answers = x.numel()
        for a in axes:
            answers //= shape[a]
        row(name, x, axes, x.nbytes + answers * x.element_size(), lambda: ours(x, axes), lambda: theirs(x, axes))
        del x

# Pairs over axes.
for dtype, bytes_ in ((torch.float32, 4), (torch.bfloat16, 2), (torch.float64, 8)):
    for shape, axes in shapes((options.mib << 20) // bytes_):
        if options.only not in "dot":
            continue
        x, y = (torch.randn(shape, device="cuda").to(dtype) for _ in range(2))
        row("dot", x, axes, 2 * x.nbytes, lambda: onefold.fold("dot", x, y, axis=axes)[0],
            lambda: (x * y).sum(dim=axes))
        del x, y

def correlation(x, y, at):
    a, b = (v - v.mean(**at, keepdim=True) if at else v - v.mean() for v in (x, y))
    return (a * b).sum(**at) / ((a * a).sum(**at) * (b * b).sum(**at)).sqrt()



def weighted_mean(x, w, at):
    return (x * w).sum(**at, keepdim=True) / w.sum(**at, keepdim=True) if at else (x * w).sum() / w.sum()


def weighted_spread(x, y, w, at):
    return weighted_mean((x - weighted_mean(x, w, at)) * (y - weighted_mean(y, w, at)), w, at)


def weighted_correlation(x, y, w, at):
    return weighted_spread(x, y, w, at) / (weighted_spread(x, x, w, at) * weighted_spread(y, y, w, at)).sqrt()


# Masks and pairs, as users of torch write them; torch has no single call for most.
n = (options.mib << 20) // 4
for shape, axes in (((n,), None), ((n // 64, 64), 1), ((n // 64, 64), 0), ((n // 1024, 1024), 1)):
    x, y = torch.randn(shape, device="cuda"), torch.randn(shape, device="cuda")
    mask = torch.rand(shape, device="cuda") < 0.5
    holes = x.where(torch.rand(shape, device="cuda") > 0.01, float("nan"))
    at = dict(dim=axes) if axes is not None else {}
    w, counts = torch.rand(shape, device="cuda"), torch.randint(0, 8, shape, device="cuda", dtype=torch.int32)
    for name, bytes_, mine, peer in (
            ("sum where", x.nbytes + mask.nbytes, lambda: onefold.sum(x, axis=axes, where=mask),
             lambda: torch.where(mask, x, 0).sum(**at)),
            ("nansum", x.nbytes, lambda: onefold.nansum(holes, axis=axes), lambda: torch.nansum(holes, **at)),
            ("nanmean", x.nbytes, lambda: onefold.nanmean(holes, axis=axes), lambda: torch.nanmean(holes, **at)),
            ("mse", 2 * x.nbytes, lambda: onefold.mse(x, y, axis=axes), lambda: (x - y).square().mean(**at)),
            ("mae", 2 * x.nbytes, lambda: onefold.mae(x, y, axis=axes), lambda: (x - y).abs().mean(**at)),
            ("max_abs_diff", 2 * x.nbytes, lambda: onefold.max_abs_diff(x, y, axis=axes),
             lambda: (x - y).abs().amax(**at)),
            ("corr", 2 * x.nbytes, lambda: onefold.corr(x, y, axis=axes), lambda: correlation(x, y, at)),
            ("dot", 2 * x.nbytes, lambda: onefold.fold("dot", x, y, axis=axes)[0],
             lambda: (x * y).sum(**at)),
            ("cosine", 2 * x.nbytes, lambda: onefold.cosine(x, y, axis=axes),
             lambda: torch.nn.functional.cosine_similarity(x, y, dim=axes or 0)),
            ("var weights", 2 * x.nbytes, lambda: onefold.var(x, axis=axes, weights=w),
             lambda: weighted_spread(x, x, w, at)),
            ("mse weights", 3 * x.nbytes, lambda: onefold.mse(x, y, axis=axes, weights=w),
             lambda: weighted_mean((x - y).square(), w, at)),
            ("corr weights", 3 * x.nbytes, lambda: onefold.corr(x, y, axis=axes, weights=w),
             lambda: weighted_correlation(x, y, w, at)),
            ("sum counts", 2 * x.nbytes, lambda: onefold.fold("sum", x, axis=axes, fweights=counts, errors="defer"),
             lambda: (x * counts).sum(**at)),
            ("var counts", 2 * x.nbytes, lambda: onefold.fold("var", x, axis=axes, fweights=counts, errors="defer"),
             lambda: weighted_spread(x, x, counts, at)),
            ("max counts", 2 * x.nbytes, lambda: onefold.fold("max", x, axis=axes, fweights=counts, errors="defer"),
             lambda: torch.where(counts != 0, x, -torch.inf).amax(**at))):
        if options.only in name:
            try:
                row(name, x, axes, bytes_, mine, peer)
            except (onefold.Error, TypeError, RuntimeError) as e:
                print(f"{name:<12} {tuple(shape)} {axes}: {str(e).splitlines()[0]}")

# Weights by segments. Torch has sums of segments; a mean, and the mean of squares, take three of them.
x, w = torch.randn(n, device="cuda"), torch.rand(n, device="cuda")
counts = torch.randint(0, 8, (n,), device="cuda", dtype=torch.int32)


def torch_spread(weights, offsets):
    total, first, second = (torch.segment_reduce(v, "sum", offsets=offsets, unsafe=True)
                            for v in (weights, weights * x, weights * x * x))
    return second / total - (first / total) ** 2


for mean in (16, 64, 1000):
    if options.only not in "segments weights counts":
        continue
    offsets = torch.sort(torch.randint(0, n, (n // mean,), device="cuda"))[0]
    offsets[0], offsets[-1] = 0, n
    row(f"seg {mean} w", x, None, 2 * x.nbytes + offsets.nbytes,
        lambda: onefold.fold_segments("var", x, offsets, weights=w, errors="defer"),
        lambda: torch_spread(w, offsets))
    row(f"seg {mean} n", x, None, 2 * x.nbytes + offsets.nbytes,
        lambda: onefold.fold_segments("var", x, offsets, fweights=counts, errors="defer"),
        lambda: torch_spread(counts.float(), offsets))
