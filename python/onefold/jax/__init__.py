"""The ops in functions that JAX traces, and states over the processes of a JAX program.

    loss = jax.jit(lambda x, y: onefold.jax.mse(x, y))   # all ops, matmul, addmm, logsumexp, softmax, log_softmax
    slope = jax.grad(lambda x: onefold.jax.var(x))
    state = onefold.jax.gather("mean,var", x)            # of an array over all devices of all processes
    state = onefold.jax.all_reduce(onefold.gather("mean,var", part))

sum, mean, var, norm2, mse, dot, logsumexp and softmax have derivatives of both modes, matmul gradients; of other ops none is
defined. Of states every process gets the bytes that one would have.
"""

import functools

import jax
import numpy
from jax.experimental import multihost_utils

from .. import _core, _ops, _ranks, errors
from ..operands import chunks
from ..reduce import fold
from .traced import addmm, log_softmax, logsumexp, matmul, operators, softmax  # noqa: F401


def _everywhere(data):
    """The bytes of all processes, in their order; each process gives the same number."""
    # Words of 32 bits, which JAX has even without jax_enable_x64.
    words = numpy.frombuffer(data + bytes(-len(data) % 4), numpy.uint32)
    every = numpy.asarray(multihost_utils.process_allgather(words, tiled=False))
    return [row.tobytes()[:len(data)] for row in every.reshape(-1, len(words))]


@functools.cache
def _sum():
    """Where one row for each process is laid, and the function that adds the rows by psum."""
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    first = {}
    for device in jax.devices():
        first.setdefault(device.process_index, device)
    mesh = Mesh(numpy.array([first[process] for process in sorted(first)]), "process")
    rows = PartitionSpec("process")
    add = jax.shard_map(lambda row: jax.lax.psum(row, "process"), mesh=mesh, in_specs=rows,
                        out_specs=PartitionSpec())
    return NamedSharding(mesh, rows), jax.jit(add)


def _add(words):
    """The sum over all processes of bytes of int64, word by word."""
    rows, add = _sum()
    with jax.enable_x64(True):  # for this thread; the caller's JAX may have 32 bits only
        mine = numpy.frombuffer(words, numpy.int64)[None]
        total = add(jax.make_array_from_process_local_data(rows, mine))
        return numpy.asarray(total.addressable_data(0)).tobytes()


def all_reduce(state):
    """The state of all processes of jax.distributed, on each of them: equal bytes.

    state   a State or States, or a function that returns one (if it fails, all processes raise)
    """
    return _ranks.merge(state, _everywhere, _add, jax.process_count())


def gather(ops, x, *, nan="propagate"):
    """The State of a global array, on every process; all of them call this.

    x   sharded or replicated in any way; elements that several devices hold count once
    """
    ops = fold.names_of(ops)
    if chunks.has_places(ops):
        raise errors.make(
            "bad_option", f"{ops}: argmin and argmax need the position of each shard, which a shard does not know; call "
                          "onefold.gather with first= for each shard, and merge the states")

    def mine():
        shards = [s.data for s in x.addressable_shards if s.replica_id == 0]
        return fold.gather_parts(ops, shards, nan=nan) if shards else _core.State()

    return all_reduce(mine)


def __getattr__(name):
    if name in operators:
        return operators[name]
    raise AttributeError(f"module 'onefold.jax' has no attribute {name!r}")


def __dir__():
    return [*operators, *_ops.traced_too, "all_reduce", "gather"]


__all__ = [name for name in __dir__() if name not in ("sum", "min", "max", "any", "all")]  # which Python has
