"""States over MPI, by mpi4py: every rank gets the bytes that one process would have.

    state = onefold.mpi.allreduce(onefold.gather("mean,var", part))
    state = onefold.mpi.allreduce(lambda: onefold.gather("mean", read(part)))

The second form is for work that may fail: then all ranks raise an error, and none waits forever.
"""

from mpi4py import MPI

from . import _ranks


def allreduce(state, comm=None):
    """The state of all ranks of `comm` (COMM_WORLD), on each of them.

    state   a State or States, or a function that returns one; a rank without data passes State()
    raises  on all ranks alike: StateError if two states differ in kind or cover the same elements; the
            error of the rank whose function failed, with its number
    cost    two messages: 24 bytes and those of extremes and ranges, and some hundred int64 by MPI.SUM
    """
    comm = MPI.COMM_WORLD if comm is None else comm

    def add(words):
        total = bytearray(len(words))
        comm.Allreduce([words, MPI.INT64_T], [total, MPI.INT64_T], op=MPI.SUM)
        return bytes(total)

    return _ranks.merge(state, comm.allgather, add)
