"""Labels of frames of pandas."""

import sys

from . import _errors


def columns(x, names, values):
    """A Series of the answers of a frame's columns. Each keeps its own type: integers stay integers, even
    beside floats."""
    kinds = {type(v) for v in values}
    chosen = set(names)
    index = x.columns[[name in chosen for name in x.columns]]  # also works for labels with several levels
    return sys.modules["pandas"].Series(values, index=index, dtype=None if len(kinds) == 1 else object)


def check_square(op, name, frame, other):
    """Refuses an array that may go with the rows or with the columns of a frame."""
    shape = frame.shape
    if shape[0] == shape[1] > 1 and name in ("where=", "fweights="):
        raise _errors.make("shape_mismatch", f"{op}: {name} of {len(other)} elements may go with the rows or with the "
                           f"columns of a frame of shape {tuple(shape)}; give a Series, or an array of that shape")
