"""Models the time of merging over many ranks and of folding 10 TB: from measured parameters to the
tables of docs/scale.md.

    python3 bench/summary.py     writes them into the documents

Measured are merges within a machine and what files cost (bench/results/scale.md). No network was at hand: its
latency and rate are assumed, and stand in the tables.
"""

import math
import random

from result_tables import number, numbers, table

GREETING = 40  # bytes
SIZES = {"`sum` f64, 600 B": 600, "`mean,var` f64, 1,672 B": 1672}
HOP, BYTE = 2.0, 0.0001  # of a network, us: assumed
STORAGE = (1, 5)  # GB/s that a node reads: assumed
PROCESSES = 16  # of a node
PARTS, BYTES = 100_000, 10e12


def state_bytes():
    """Bytes of a partial sum of f64."""
    return str(SIZES["`sum` f64, 600 B"])


def grid(header, rows):
    return "\n".join(["| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *rows]])


def hops(ranks):
    return math.ceil(math.log2(ranks))


def measured():
    """[(ranks, name, us of a merge, us of MPI_Allreduce of its words)] within a machine."""
    t = table("scale.md", "Over MPI", "ranks")
    return [(int(row[0]), name, number(row[t.column(name)]), number(row[t.column(name) + 1]))
            for row in t.rows for name in SIZES]


def fitted():
    """us of a hop and of a byte, by least squares over MPI_Allreduce; us that a merge takes in
    addition."""
    points = [(SIZES[name], mpi / hops(ranks)) for ranks, name, _, mpi in measured()]
    n, x, y = len(points), sum(b for b, _ in points), sum(t for _, t in points)
    byte = (n * sum(b * t for b, t in points) - x * y) / (n * sum(b * b for b, _ in points) - x * x)
    hop = (y - byte * x) / n
    own = sorted(merge - 2 * hop * hops(ranks) - byte * (GREETING + SIZES[name]) * hops(ranks)
                 for ranks, name, merge, _ in measured())
    return hop, byte, own[len(own) // 2]


def merge_time(ranks, bytes_, hop, byte, own):
    return hops(ranks) * (2 * hop + byte * (GREETING + bytes_)) + own


def merges():
    """Compares the model with measurements within a machine."""
    hop, byte, own = fitted()
    rows = [[str(ranks), name, f"{merge_time(ranks, SIZES[name], hop, byte, own):.1f} us", f"{merge:.1f} us",
             f"{mpi:.1f} us"] for ranks, name, merge, mpi in sorted(measured())]
    return (f"Fitted: a hop {hop:.2f} us, a byte {1000 * byte:.2f} ns, a merge {own:.1f} us besides.\n\n"
            + grid(["ranks", "words", "model", "measured", "`MPI_Allreduce` alone"], rows))


def allreduce(clocks, hop, late, delay, draw):
    """The clocks of all ranks after one, by recursive doubling: each hop waits for the later of two ranks.

    late   share of the hops that are late on a rank, by `delay`
    """
    ranks = len(clocks)
    half = 1 << (ranks.bit_length() - 1)
    extra = ranks - half  # these ranks send their words to others first, and receive the sum last

    def noisy(ts):
        ts = [t + hop for t in ts]
        for _ in range(round(late * len(ts))):
            ts[draw.randrange(len(ts))] += delay
        return ts

    own = clocks[:half]
    if extra:
        own[:extra] = noisy(list(map(max, own[:extra], clocks[half:])))
    step = 1
    while step < half:
        pairs = own[:]
        for at in range(0, half, 2 * step) if step >= 64 else ():
            pairs[at:at + step], pairs[at + step:at + 2 * step] = own[at + step:at + 2 * step], own[at:at + step]
        if step < 64:
            for k in range(step):
                pairs[k::2 * step], pairs[k + step::2 * step] = own[k + step::2 * step], own[k::2 * step]
        own = noisy(list(map(max, own, pairs)))
        step *= 2
    return own + (noisy(own[:extra]) if extra else [])


def simulated(ranks, bytes_, late, delay):
    """us until the last of the ranks has merged."""
    draw, clocks = random.Random(ranks), [0.0] * ranks
    for b in (GREETING, bytes_):
        clocks = allreduce(clocks, HOP + BYTE * b, late, delay, draw)
    return max(clocks) + fitted()[2]


def parameter(words):
    return numbers(table("scale.md", "What the plan is made of", "measured").row(words)[1])[0]


def merge_plan():
    """A merge of mean,var over a network: the model, and each rank's clock simulated with ranks that are late."""
    own = fitted()[2]
    late, delay = parameter("share of moments that are late"), parameter("how late such a moment is")
    b = SIZES["`mean,var` f64, 1,672 B"]
    rows = []
    for ranks in (8, 1_000, 1_024, 100_000, 1_000_000):
        rows.append([f"{ranks:,}", str(hops(ranks)), f"{hops(ranks) * (HOP + BYTE * GREETING):.0f} us",
                     f"{hops(ranks) * (HOP + BYTE * b):.0f} us", f"{merge_time(ranks, b, HOP, BYTE, own):.0f} us",
                     f"{simulated(ranks, b, late, delay):.0f} us"])
    return grid(["ranks", "hops", "greeting", "sum", "a merge", "simulated, some late"], rows)


def seconds(s):
    return f"{s:,.0f} s" if s >= 10 else f"{s:.1f} s"


def ten_terabytes():
    """10 TB in 10^5 parts, each a program and a file of its own; their states merged by one process."""
    start = parameter("a program that gathers one number and writes its state, fsync included") / 1e3
    load = parameter("loading and merging a state of `mean,var` f64 from a file") * PARTS / 1e6
    rows = []
    for nodes in (1, 10, 100, 1_000):
        for rate in STORAGE:
            read, starts = BYTES / (nodes * rate * 1e9), PARTS * start / (nodes * PROCESSES)
            all_ = read + starts + load
            rows.append([f"{nodes:,}", f"{rate} GB/s", seconds(read), seconds(starts), seconds(load), seconds(all_),
                         f"{100 * (starts + load) / all_:.1f} %"])
    return grid(["nodes", "each reads", "reading", "starting and writing", "loading and merging", "together",
                 "not reading"], rows)


def saved_states():
    """What one process takes to load and merge states: processor time, without reading files."""
    rows = []
    for ops, size, load, merge in table("scale.md", "States on one thread", "state").rows:
        us = number(load) + number(merge)
        rows.append([ops, f"{int(size):,} B", f"{load} us", f"{merge} us", f"{us:.1f} ms", seconds(us)])
    return grid(["state, f64", "saved", "load, which checks all of it", "merge", "1,000 states", "1,000,000 states"], rows)


def parts_in_any_order():
    t = table("scale.md", "States on one thread", "parts of one element")
    return grid([t.header[0], "in order", "shuffled"],
                [[parts, f"{float(a):.2g} s", f"{float(b):.2g} s"] for parts, a, b in t.rows])
