"""The aggregates for engines with Python interfaces; aggregates.h has the table.

    AGGREGATES[name] = (op, ddof, inputs, least)
"""

import pathlib
import re

import onefold

ROW = re.compile(r'^  AGGREGATE\((\w+), "(\w+)", "(\d+)", (\d), (\d)\)', re.MULTILINE)
AGGREGATES = {
    f"exact_{name}": (op, int(ddof), int(inputs), int(least)) for name, op, ddof, inputs, least in
    ROW.findall(pathlib.Path(__file__).with_name("aggregates.h").read_text())}


def gather(name, columns):
    """The state of columns of Arrow; rows with a NULL are left out."""
    op, _, inputs, _ = AGGREGATES[name]
    if inputs == 1:
        return onefold.gather(op, columns[0].drop_null())
    import pyarrow.compute as pc

    both = pc.and_(pc.is_valid(columns[0]), pc.is_valid(columns[1]))
    y, x = (c.filter(both) for c in columns)
    return onefold.gather(op, x, y)


def answer(name, state):
    """A float, or None."""
    op, ddof, _, least = AGGREGATES[name]
    if state.count < least:
        return None
    return float(state.answer(op, ddof=ddof) if ddof else state.answer(op))
