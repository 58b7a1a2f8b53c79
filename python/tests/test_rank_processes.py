"""States of processes that mpirun or torch connects: the bytes of one process, and an end when one of them fails."""

import os
import subprocess
import sys

import pytest


PROGRAM = """
import numpy as np, onefold, onefold.mpi as mpi
from mpi4py import MPI
rank, size = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
x = np.random.default_rng(1).standard_normal(10_000)
part = np.array_split(np.arange(len(x)), size)[rank]
state = mpi.allreduce(onefold.gather("var,argmax", x[part], first=int(part[0])))
assert bytes(state) == bytes(onefold.gather("var,argmax", x))
try:
    mpi.allreduce(lambda: onefold.gather("mean", x if rank else 1j))
    raise SystemExit("a complex number was no error")
except onefold.UnsupportedError as e:
    assert str(e).startswith("rank 0: "), e
"""


def environment():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def launched(n, folder, program, *words):
    """The finished mpirun of n processes that run a program."""
    (folder / "ranks.py").write_text(program)
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
               "--mca", "btl", "self,vader", "--mca", "btl_vader_single_copy_mechanism", "none",
               "-n", str(n), sys.executable, "ranks.py", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, env=environment())


def connected(n, folder, program, *words):
    """What n processes of a group of torch write as errors, and their exit statuses. The last words are the rank and a file."""
    (folder / "ranks.py").write_text(program)
    runs = [subprocess.Popen([sys.executable, "ranks.py", *words, str(rank), str(folder / "meet")],
                             cwd=folder, stderr=subprocess.PIPE, text=True, env=environment()) for rank in range(n)]
    said = [run.communicate(timeout=120)[1] for run in runs]
    return said, [run.returncode for run in runs]


@pytest.mark.parametrize("n", [1, 3])
def test_mpi4py(n, tmp_path):
    pytest.importorskip("mpi4py")
    run = launched(n, tmp_path, PROGRAM)
    assert run.returncode == 0, run.stderr


# The rank has the fault instead of its collective number `call`.
FAULT = """
import os, signal, sys, time, numpy as np, onefold
kind, bad, call = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
left = call
def step(me):
    global left
    left -= 1
    if me == bad and left < 0:
        if kind == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if kind == "starved":
            raise MemoryError
        time.sleep(0.05)
"""
MPI_FAULT = FAULT + """
import onefold.mpi as mpi
from mpi4py import MPI
class Comm:
    rank, size, Abort = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size, MPI.COMM_WORLD.Abort
    def Allgather(self, *args):
        step(self.rank)
        MPI.COMM_WORLD.Allgather(*args)
    def Allreduce(self, *args, **keywords):
        step(self.rank)
        MPI.COMM_WORLD.Allreduce(*args, **keywords)
x = np.random.default_rng(1).standard_normal((40, 6))
state = mpi.allreduce(onefold.gather("mean,var", np.array_split(x, Comm.size)[Comm.rank], axis=0), Comm())
assert bytes(state) == bytes(onefold.gather("mean,var", x, axis=0))
"""


@pytest.mark.parametrize("call", range(3))
@pytest.mark.parametrize("kind, bad", [("killed", 0), ("killed", 1), ("starved", 1), ("late", 0)])
def test_mpi4py_ends_with_a_rank_that_fails(kind, bad, call, tmp_path):
    pytest.importorskip("mpi4py")
    run = launched(2, tmp_path, MPI_FAULT, kind, str(bad), str(call))
    assert (run.returncode == 0) == (kind == "late"), run.stderr
    assert (run.returncode == 50) == (kind == "starved"), run.stderr


GLOO_FAULT = FAULT + """
import onefold.torch, torch.distributed as dist
rank = int(sys.argv[-2])
dist.init_process_group("gloo", init_method="file://" + sys.argv[-1], rank=rank, world_size=2)
for name in ("all_gather_into_tensor", "all_reduce"):
    def wrapped(*args, f=getattr(dist, name), **keywords):
        step(rank)
        return f(*args, **keywords)
    setattr(dist, name, wrapped)
x = np.random.default_rng(1).standard_normal((40, 6))
state = onefold.torch.all_reduce(onefold.gather("mean,var", np.array_split(x, 2)[rank], axis=0))
assert bytes(state) == bytes(onefold.gather("mean,var", x, axis=0))
"""


@pytest.mark.parametrize("call", range(3))
@pytest.mark.parametrize("kind", ["killed", "starved", "late"])
def test_gloo_ends_with_a_process_that_fails(kind, call, tmp_path):
    pytest.importorskip("torch")
    said, codes = connected(2, tmp_path, GLOO_FAULT, kind, "1", str(call))
    assert all((code == 0) == (kind == "late") for code in codes), said


GLOO = """
import sys, numpy as np, onefold, onefold.torch, torch.distributed as dist
rank, size = int(sys.argv[-2]), 3
dist.init_process_group("gloo", init_method="file://" + sys.argv[-1], rank=rank, world_size=size)
x = np.random.default_rng(1).standard_normal(10_000)
part = np.array_split(np.arange(len(x)), size)[rank]
state = onefold.torch.all_reduce(onefold.gather("var,argmax", x[part], first=int(part[0])))
assert bytes(state) == bytes(onefold.gather("var,argmax", x))
dist.destroy_process_group()
"""


def test_torch_distributed_by_gloo(tmp_path):
    pytest.importorskip("torch")
    said, codes = connected(3, tmp_path, GLOO)
    assert codes == [0] * 3, said
