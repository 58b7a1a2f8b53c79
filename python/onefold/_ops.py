"""What the library says of each op. Every list of ops in this package reads it here."""

import typing

from . import _core


class Op(typing.NamedTuple):
    name: str
    idea: str
    inputs: int
    uses_index: bool  # the answer depends on where an element stands
    uses_ddof: bool
    types: dict  # the type of the answer, by that of the elements
    takes_initial: bool
    takes_weights: bool
    needs_element: bool  # the answer to nothing is the error empty_input
    is_element: bool  # the answer is one of the elements
    merged_by: str | None  # the op that makes one answer of the answers to parts
    index_of: str | None  # the op whose answer is the element at this index
    fits: dict  # fewer elements of a type than this never overflow an integer answer


ops = {row[0]: Op(*row) for row in _core.op_table()}
