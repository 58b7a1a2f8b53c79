"""logsumexp, softmax and log_softmax beside scipy and torch, one thread, as tables for results/logsumexp.md.

    python bench/logsumexp.py [--elements 2000000]

The least time of 15 calls, in ns an element, for rows of a matrix of numbers like N(0, 3). "wrong" is the share of
answers that are not the exact value rounded once, of the first 200 rows: ours are, as tests show, so others are
compared with ours. Libraries that are not installed are left out.
"""

import argparse
import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import onefold


def libraries():
    """For each library its name, a function that makes its array of an ndarray, and its functions."""
    yield "Onefold", lambda x: x, {name: lambda x, f=getattr(onefold, name): f(x, 1, threads=1)
                                   for name in ("logsumexp", "softmax", "log_softmax")}
    try:
        import scipy
        from scipy import special

        yield f"scipy {scipy.__version__}", lambda x: x, {
            name: lambda x, f=getattr(special, name): f(x, axis=1) for name in ("logsumexp", "softmax", "log_softmax")}
    except ImportError:
        pass
    try:
        import torch

        torch.set_num_threads(1)
        yield f"torch {torch.__version__.partition('+')[0]}", torch.from_numpy, {
            name: lambda x, f=getattr(torch, name): f(x, 1) for name in ("logsumexp", "softmax", "log_softmax")}
    except ImportError:
        pass


def ns(call, elements):
    """The least time of a call, divided by elements."""
    times = []
    for _ in range(15):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times) / elements * 1e9


def states(elements):
    """Gathering states and answering them, as a table."""
    print("\n| rows | `logsumexp`, ns an element | `gather_logsumexp` | an answer of states, ns |\n|---|---|---|---|")
    for dtype in ("float32", "float64"):
        for length in (100, 1_000, 100_000):
            x = np.random.default_rng(1).normal(0, 3, (elements // length, length)).astype(dtype)
            s = onefold.gather_logsumexp(x, 1, threads=1)
            cells = (ns(lambda: onefold.logsumexp(x, 1, threads=1), x.size), ns(lambda: onefold.gather_logsumexp(x, 1, threads=1), x.size),
                     ns(lambda: s.logsumexp, len(s)))
            print(f"| {dtype}, {length:,} | " + " | ".join(f"{c:.2f}" for c in cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--elements", type=int, default=2_000_000)
    elements = parser.parse_args().elements
    found = list(libraries())
    names = [name for name, _, _ in found]
    print("| rows | function | " + " | ".join(f"{name}, ns | wrong" if k else f"{name}, ns"
                                              for k, name in enumerate(names)) + " |")
    print("|" + "---|" * (2 * len(names) + 1))
    for dtype in ("float32", "float64"):
        for length in (10, 100, 1_000, 100_000):
            x = np.random.default_rng(1).normal(0, 3, (elements // length, length)).astype(dtype)
            for function in ("logsumexp", "softmax", "log_softmax"):
                right = getattr(onefold, function)(x[:200], 1)
                cells = []
                for k, (_, array, functions) in enumerate(found):
                    given = array(x)
                    cells.append(f"{ns(lambda: functions[function](given), x.size):.2f}")
                    if k:
                        got = np.asarray(functions[function](given[:200]))
                        cells.append(f"{100 * np.mean(got != right):.0f} %")
                print(f"| {dtype}, {length:,} | `{function}` | " + " | ".join(cells) + " |", flush=True)
    states(elements)


if __name__ == "__main__":
    main()
