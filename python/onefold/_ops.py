"""The library's facts of each op. Every list of ops in this package reads them here."""

from . import _core


class Op:
    """The facts of an op.

    name, idea     the op, and one sentence
    inputs         number of arrays that it reads
    uses_index     the answer depends on the index of an element
    uses_ddof, takes_initial, takes_weights
    estimates      ddof is 0, or 1 for the estimate from a sample; bias=False is the same
    types          the answer's type for each type of element
    needs_element  without elements the answer is the error empty_input
    is_element     the answer is one of the elements
    merged_by      the op that combines answers of parts into one, or None
    index_of       for an op that answers with an index: the op that answers with the element there; or None
    fits           by type: with fewer elements than this an integer answer never overflows
    """

    __slots__ = ("name", "idea", "inputs", "uses_index", "uses_ddof", "estimates", "types", "takes_initial",
                 "takes_weights", "needs_element", "is_element", "merged_by", "index_of", "fits")

    def __init__(self, row):
        for field, fact in zip(self.__slots__, row, strict=True):
            setattr(self, field, fact)


ops = {row[0]: Op(row) for row in _core.op_table()}
# What onefold.jax has beside the ops, for arrays that JAX traces.
traced_too = ("addmm", "log_softmax", "logsumexp", "matmul", "softmax")
