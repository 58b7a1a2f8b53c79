"""States over the processes of a JAX program: every process gets the bytes that one would have.

    state = onefold.jax.gather("mean,var", x)            # of an array over all devices of all processes
    state = onefold.jax.all_reduce(onefold.gather("mean,var", part))
"""

import pickle

import numpy
from jax.experimental import multihost_utils

from . import _core, _errors, _fold, _frames, _ranks


def _everywhere(data):
    """The bytes of all processes, in their order; each process gives the same number."""
    # Words of 32 bits, which JAX has even without jax_enable_x64.
    words = numpy.frombuffer(data + bytes(-len(data) % 4), numpy.uint32)
    every = numpy.asarray(multihost_utils.process_allgather(words, tiled=False))
    return [row.tobytes()[:len(data)] for row in every.reshape(-1, len(words))]


def all_reduce(state):
    """The state of all processes of jax.distributed, on each of them: equal bytes.

    state   a State or States, or a function that returns one (if it fails, all processes raise)
    """
    def gather(thing):
        mine = pickle.dumps(thing)
        sizes = [int.from_bytes(s, "little") for s in _everywhere(len(mine).to_bytes(8, "little"))]
        padded = _everywhere(mine.ljust(max(sizes), b"\0"))
        return [pickle.loads(b[:n]) for b, n in zip(padded, sizes)]

    def add(words):
        return sum(numpy.frombuffer(w, numpy.int64) for w in _everywhere(words)).tobytes()

    return _ranks.merge(state, gather, add)


def gather(ops, x, *, nan="propagate"):
    """The State of a global array, on every process; all of them call this.

    x   sharded or replicated in any way; elements that several devices hold count once
    """
    ops = _fold._names_of(ops)
    if _frames.places_in(ops):
        raise _errors.make(
            "bad_option", f"{ops}: shards of any shape have no index; gather rows, each with its first=")

    def mine():
        shards = [s.data for s in x.addressable_shards if s.replica_id == 0]
        return _fold.gather_parts(ops, shards, nan=nan) if shards else _core.State()

    return all_reduce(mine)
