"""States over MPI, by mpi4py: every rank gets the bytes that one process would have.

    state = onefold.mpi.allreduce(onefold.gather("mean,var", part))
    state = onefold.mpi.allreduce(lambda: onefold.gather("mean", read(part)))

The second form is for work that may fail: then all ranks raise an error, and none waits forever.
"""

import functools
import traceback

from mpi4py import MPI

from . import _ranks


def allreduce(state, comm=None):
    """The state of all ranks of `comm` (COMM_WORLD), on each of them.

    state   a State or States, or a function that returns one; a rank without data passes State()
    raises  on all ranks alike: StateError if two states differ in kind or cover the same elements; the
            error of the rank whose function failed, or that ran out of memory, with its number. A rank
            that cannot even say so ends all by MPI_Abort, with status 50
    cost    one MPI_Allgather of 4 kB for a small State. States of many slices, and small ones over 64
            ranks (of 512 bytes), take another one and a sum by MPI.SUM
    """
    comm = MPI.COMM_WORLD if comm is None else comm

    def add(words):
        total = bytearray(len(words))
        comm.Allreduce([words, MPI.INT64_T], [total, MPI.INT64_T], op=MPI.SUM)
        return bytes(total)

    def gather(data):
        every = bytearray(comm.size * len(data))
        comm.Allgather([data, MPI.BYTE], [every, MPI.BYTE])
        return [bytes(every[k:k + len(data)]) for k in range(0, len(every), len(data))]

    return _ranks.merge(state, gather, add, comm.size, functools.partial(_abort, comm))


def _abort(comm):
    """Ends all ranks, of which some wait for this one, with the status of `out_of_memory`."""
    if comm.size > 1:
        traceback.print_exc()
        comm.Abort(50)


__all__ = ["allreduce"]
