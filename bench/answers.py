"""Counts the different sums that one array has: python bench/answers.py [--json FILE].

The sum and the mean of one f32 array of 10^6 numbers, in seven layouts, on one to eight threads, on
the CPU and on a CUDA device: bit patterns are counted for each package that is here.
"""

import argparse
import json

import numpy as np

import onefold

parser = argparse.ArgumentParser()
parser.add_argument("--json")
options = parser.parse_args()

X = (np.random.default_rng(7).lognormal(0, 3, 1_000_000)).astype("f4").reshape(1000, 1000)
THREADS = (1, 2, 4, 8)


def layouts(x, wide, turned):
    """The same numbers in several memory layouts."""
    yield "rows", x
    yield "one row", x.reshape(-1)
    yield "columns", wide(x.T.reshape(-1), 1)
    yield "rows, every second place", wide(x.reshape(-1), 2)
    yield "columns, every second place", wide(x.T.reshape(-1), 2)
    yield "rows backwards", turned(x, (0,))
    yield "all backwards", turned(x, (0, 1))


def bits(value):
    return np.float32(value).tobytes().hex()


found = {}


def count(package, place, name, value):
    found.setdefault(package, {}).setdefault(name, {}).setdefault(bits(value), []).append(place)


def maker(empty):
    def wide(flat, step):
        """The numbers in a new array, `step` elements apart."""
        places = empty(flat)
        places[: len(flat) * step : step] = flat
        return places[: len(flat) * step : step]

    return wide


def backwards(x, axes):
    return np.flip(x, axes)


for layout, x in layouts(X, maker(lambda flat: np.zeros(2 * flat.size, flat.dtype)), backwards):
    for name in ("sum", "mean"):
        count("NumPy", layout, name, getattr(np, name)(x))
        for threads in THREADS:
            count("Onefold", f"{layout}, {threads} threads", name,
                  getattr(onefold, name)(x, threads=threads))

try:
    import torch
except ImportError:
    torch = None
if torch is not None:
    torch_wide = maker(lambda flat: torch.zeros(
        2 * flat.numel(), dtype=flat.dtype, device=flat.device))
    devices = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
    for device in devices:
        t = torch.from_numpy(X).to(device)
        for layout, x in layouts(t, torch_wide, torch.flip):
            for threads in THREADS if device == "cpu" else (1,):
                torch.set_num_threads(threads)
                for name in ("sum", "mean"):
                    count("PyTorch", f"{device}, {layout}, {threads}", name,
                          getattr(torch, name)(x).item())
            if device == "cuda":
                for name in ("sum", "mean"):
                    try:
                        answer = getattr(onefold, name)(x)
                    except onefold.NoBackendError:
                        continue  # the library does not fold this layout
                    count("Onefold", f"cuda, {layout}", name, answer.item())

try:
    import cupy
except ImportError:
    cupy = None
if cupy is not None:
    cupy_wide = maker(lambda flat: cupy.zeros(2 * flat.size, flat.dtype))
    for layout, x in layouts(cupy.asarray(X), cupy_wide, cupy.flip):
        for name in ("sum", "mean"):
            count("CuPy", f"cuda, {layout}", name, getattr(cupy, name)(x).item())

summary = {package: {name: {"answers": len(patterns), "ways": sum(map(len, patterns.values()))}
                     for name, patterns in names.items()} for package, names in found.items()}
print(json.dumps(summary, indent=1))
if options.json:
    with open(options.json, "w") as f:
        json.dump({"what": "one f32 array of 10^6 lognormal numbers", "packages": summary}, f, indent=1)
