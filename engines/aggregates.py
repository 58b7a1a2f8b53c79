"""The aggregates for engines with Python interfaces; aggregates.h has the table.

    AGGREGATES[name] = (op, ddof, inputs, least)
"""

import pathlib
import re

import onefold
import pyarrow as pa
import pyarrow.compute as pc

ROW = re.compile(r'^  AGGREGATE\((\w+), "(\w+)", "(\d+)", (\d), (\d)\)', re.MULTILINE)
AGGREGATES = {
    f"exact_{name}": (op, int(ddof), int(inputs), int(least)) for name, op, ddof, inputs, least in
    ROW.findall(pathlib.Path(__file__).with_name("aggregates.h").read_text())}


def table_row(name):
    if name not in AGGREGATES:
        raise ValueError(f"no aggregate is called {name!r}; they are {', '.join(AGGREGATES)}")
    return AGGREGATES[name]


def alike(name, columns):
    """Converts two columns to a type that holds all their values."""
    types = {c.type for c in columns}
    if len(types) == 1:
        return columns
    to = pa.int64() if all(map(pa.types.is_integer, types)) else pa.float64()
    try:
        return [c.cast(to) for c in columns]
    except pa.ArrowInvalid as e:
        raise ValueError(f"{name}: the columns are of {' and '.join(str(c.type) for c in columns)}, "
                         f"and an integer does not fit {to} exactly; cast them to one type") from e


def gather(name, columns):
    """The state of Arrow columns of integers or floats; rows with a NULL are left out."""
    op, _, inputs, _ = table_row(name)
    for c in columns:
        if not pa.types.is_integer(c.type) and not pa.types.is_floating(c.type):
            raise ValueError(f"{name}: a column is of {c.type}; give integers or floats")
    if inputs == 1:
        return onefold.gather(op, columns[0].drop_null())
    both = pc.and_(pc.is_valid(columns[0]), pc.is_valid(columns[1]))
    y, x = alike(name, [c.filter(both) for c in columns])
    return onefold.gather(op, x, y)


def answer(name, state):
    """A float, or None."""
    op, ddof, _, least = AGGREGATES[name]
    if state.count < least:
        return None
    return float(state.answer(op, dtype="f64", **({"ddof": ddof} if ddof else {})))
