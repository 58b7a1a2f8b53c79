"""The time of a call until it returns, in microseconds, compared with torch: python
bench/gpu_enqueue.py [--calls N].

A call on a device only queues its work. Calls are so short that the queue never fills: after every 100 the
device is waited for, outside the time. Of 9 such runs the median.
"""

import argparse
import statistics
import time

import torch

import onefold
from onefold import _core
from onefold.reduce import convert, tensors

arguments = argparse.ArgumentParser()
arguments.add_argument("--calls", type=int, default=20)
rounds = arguments.parse_args().calls


def microseconds(call):
    for _ in range(20):
        call()
    torch.cuda.synchronize()
    runs = []
    for _ in range(9):
        took = 0
        for _ in range(rounds):
            begin = time.perf_counter()
            for _ in range(100):
                call()
            took += time.perf_counter() - begin
            torch.cuda.synchronize()
        runs.append(took / (rounds * 100) * 1e6)
    return statistics.median(runs)


x, y = torch.randn(2, 1000, device="cuda")
rows, offsets = torch.randn(20, 50, device="cuda"), torch.tensor([0, 100, 1000], device="cuda")
mask, w = torch.rand(20, 50, device="cuda") < 0.5, torch.rand(20, 50, device="cuda")


def spread():
    total = w.sum(1, keepdim=True)
    mean = (rows * w).sum(1, keepdim=True) / total
    return ((rows - mean).square() * w).sum(1, keepdim=True) / total


onefold.sum(x)
row = convert._rows["sum", torch.float32]
place, stream = torch.empty((), device="cuda"), tensors.current_stream[0]
cases = {
    "onefold.sum(x)": (lambda: onefold.sum(x), lambda: torch.sum(x)),
    "  of which the engine's call": (lambda: _core.fold_device_run(
        row[0], x.data_ptr(), row[1], 1000, 0, place.data_ptr(), stream(0)), None),
    "  of which x.new_empty(())": (lambda: x.new_empty(()), None),
    "onefold.mean(x)": (lambda: onefold.mean(x), lambda: torch.mean(x)),
    "onefold.sum(rows, axis=1)": (lambda: onefold.sum(rows, axis=1), lambda: torch.sum(rows, 1)),
    "onefold.fold('mean,var', rows, axis=0)": (lambda: onefold.fold("mean,var", rows, axis=0),
                                               lambda: torch.var_mean(rows, 0)),
    "onefold.sum(rows, axis=1, where=mask)": (lambda: onefold.sum(rows, axis=1, where=mask),
                                              lambda: torch.where(mask, rows, 0).sum(1)),
    "onefold.var(rows, axis=1, weights=w)": (lambda: onefold.var(rows, axis=1, weights=w), lambda: spread()),
    "onefold.dot(x, y)": (lambda: onefold.dot(x, y), lambda: torch.dot(x, y)),
    "onefold.fold_segments('sum', x, offsets, errors='defer')": (
        lambda: onefold.fold_segments("sum", x, offsets, errors="defer"),
        lambda: torch.segment_reduce(x, "sum", offsets=offsets, unsafe=True))}
print(f"onefold {onefold.__version__}, torch {torch.__version__}, {torch.cuda.get_device_name()}")
print(f"{'call':60}{'us':>8}{'torch':>8}")
for name, (ours, theirs) in cases.items():
    print(f"{name:60}{microseconds(ours):8.2f}{microseconds(theirs) if theirs else float('nan'):8.2f}")
