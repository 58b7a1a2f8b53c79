"""What merging a small State of all processes costs beside a sum of one float of theirs.

    python bench/merge.py                     2 processes of torch.distributed by gloo
    mpirun -n 2 python bench/merge.py mpi     by mpi4py

Medians of 15 interleaved rounds of 100 calls; the ratios are medians of ratios within a round.
"""

import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onefold

PROCESSES = 2


def measure(rank, barrier, sum_float, gather, merge):
    """gather: a collective that gathers 4,096 bytes of each process, without Onefold."""
    x = np.random.default_rng(rank).standard_normal(10_000)
    calls = {"a float": sum_float, "4 kB gathered": gather}
    for ops in ("sum", "mean,var", "mean,var,min,max"):
        calls[f"`{ops}`"] = lambda state=onefold.gather(ops, x): merge(state)
    times = {name: [] for name in calls}
    for _ in range(15):
        for name, call in calls.items():
            barrier()
            begin = time.perf_counter()
            for _ in range(100):
                call()
            times[name].append((time.perf_counter() - begin) * 1e4)
    if rank == 0:
        print("| merged | us | over a float's |\n|---|---|---|")
        for name, us in times.items():
            ratio = statistics.median(a / b for a, b in zip(us, times["a float"]))
            print(f"| {name} | {statistics.median(us):.0f} | {ratio:.1f} |", flush=True)


def by_gloo(rank, meet):
    import torch
    import torch.distributed as dist

    import onefold.torch

    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + meet, rank=rank, world_size=PROCESSES)
    number = torch.zeros(1, dtype=torch.float64)
    mine, every = torch.zeros(4096, dtype=torch.uint8), torch.zeros(4096 * PROCESSES, dtype=torch.uint8)
    measure(rank, dist.barrier, lambda: dist.all_reduce(number),
            lambda: dist.all_gather_into_tensor(every, mine), onefold.torch.all_reduce)
    dist.destroy_process_group()


def by_mpi():
    from mpi4py import MPI

    import onefold.mpi

    comm = MPI.COMM_WORLD
    number, total = np.zeros(1), np.zeros(1)
    mine, every = bytearray(4096), bytearray(4096 * comm.size)
    measure(comm.rank, comm.Barrier, lambda: comm.Allreduce(number, total),
            lambda: comm.Allgather(mine, every), onefold.mpi.allreduce)


if sys.argv[1:] == ["mpi"]:
    by_mpi()
elif sys.argv[1:]:
    by_gloo(int(sys.argv[1]), sys.argv[2])
else:
    with tempfile.TemporaryDirectory() as folder:
        runs = [subprocess.Popen([sys.executable, __file__, str(rank), folder + "/meet"])
                for rank in range(PROCESSES)]
        sys.exit(max(run.wait() for run in runs))
