"""The library's facts of each op. Every list of ops in this package reads them here."""

from . import _core


class Op:
    """The facts of an op.

    name, idea     the op, and one sentence
    inputs         arrays that it reads
    uses_index     the answer depends on where an element stands
    uses_ddof, takes_initial, takes_weights
    types          the type of the answer, by that of the elements
    needs_element  the answer to nothing is the error empty_input
    is_element     the answer is one of the elements
    merged_by      the op that makes one answer of the answers to parts, or None
    index_of       the op whose answer is the element at this index, or None
    fits           by type: fewer elements than this never overflow an integer answer
    """

    __slots__ = ("name", "idea", "inputs", "uses_index", "uses_ddof", "types", "takes_initial",
                 "takes_weights", "needs_element", "is_element", "merged_by", "index_of", "fits")

    def __init__(self, row):
        for field, fact in zip(self.__slots__, row, strict=True):
            setattr(self, field, fact)


ops = {row[0]: Op(row) for row in _core.op_table()}
