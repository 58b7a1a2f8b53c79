"""Sums of f32 by keys on a GPU: PyTorch's unique and index_add_, and onefold.fold_by if the module is there.

python bench/gpu_keys.py [elements]

One line a case: type of the keys, distinct keys, how they are drawn (half of them one: hot), median ms of unique alone,
of unique and index_add_, and of fold_by.
"""

import statistics
import sys
import time

import torch

try:
    import onefold
except ImportError:
    onefold = None


def median(f, times=5):
    taken = []
    for _ in range(times + 1):
        torch.cuda.synchronize()
        start = time.perf_counter()
        f()
        torch.cuda.synchronize()
        taken.append(1e3 * (time.perf_counter() - start))
    return f"{statistics.median(taken[1:]):.2f}"


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 27
    x = torch.randn(n, device="cuda")

    def add():
        names, numbers = torch.unique(keys, return_inverse=True)
        return torch.zeros(len(names), device="cuda").index_add_(0, numbers, x)

    print("keys\tgroups\tdrawn\tunique\tunique+add\tfold_by")
    for dtype in (torch.int32, torch.int64):
        for drawn in ("even", "hot"):
            for groups in (10, 1000, 10**5, 10**6, 10**7):
                keys = torch.randint(groups, (n,), device="cuda", dtype=dtype)
                if drawn == "hot":
                    keys[torch.rand(n, device="cuda") < .5] = 1
                keys *= 2**31 // groups
                ours = median(lambda: onefold.fold_by("sum", keys=keys, x=x)) if onefold else "-"
                print(str(dtype)[6:], groups, drawn, median(lambda: torch.unique(keys, return_inverse=True)), median(add),
                      ours, sep="\t", flush=True)


if __name__ == "__main__":
    main()
