"""The aggregates for engines with Python interfaces; aggregates.h has the table.

    AGGREGATES[name] = (op, ddof, inputs, least)
"""

import pathlib
import re

import numpy as np
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


def check_columns(name, columns):
    inputs = table_row(name)[2]
    if len(columns) != inputs:
        raise ValueError(f"{name} takes {inputs} columns, and there are {len(columns)}")


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


def without_nulls(name, columns):
    """Arrow columns of integers or floats without the rows in which one is NULL, and which rows stay (None: all)."""
    for c in columns:
        if not pa.types.is_integer(c.type) and not pa.types.is_floating(c.type):
            raise ValueError(f"{name}: a column is of {c.type}; give integers or floats")
    stay = None
    if any(c.null_count for c in columns):
        stay = pc.and_(pc.is_valid(columns[0]), pc.is_valid(columns[-1]))
        columns = [c.filter(stay) for c in columns]
    return (columns if len(columns) == 1 else alike(name, columns)), stay


def gather(name, columns):
    """The state of Arrow columns of integers or floats; rows with a NULL are left out."""
    columns, _ = without_nulls(name, columns)
    return onefold.gather(table_row(name)[0], *reversed(columns))


def answers_of_lists(name, lists):
    """The answers of the groups that are lists of Arrow columns, as an Arrow array of f64: one call for all groups."""
    op, ddof, _, least = table_row(name)
    lengths = [pc.fill_null(pc.list_value_length(c), 0).to_numpy(zero_copy_only=False) for c in lists]
    if not np.array_equal(lengths[0], lengths[-1]):
        raise ValueError(f"{name}: the columns of a group have different numbers of rows")
    offsets = np.concatenate([[0], np.cumsum(lengths[0], dtype=np.int64)])
    columns, stay = without_nulls(name, [c.flatten() for c in lists])
    if stay is not None:
        offsets = np.concatenate([[0], np.cumsum(stay.to_numpy(zero_copy_only=False))])[offsets]
    x, *y = reversed(columns)
    answers = onefold.fold_segments(op, x, offsets, y=y[0] if y else None, result="f64", **({"ddof": ddof} if ddof else {}))
    return pa.array(answers[0], mask=np.diff(offsets) < least)


def answer(name, state):
    """A float, or None."""
    op, ddof, _, least = AGGREGATES[name]
    if state.count < least:
        return None
    return float(state.answer(op, dtype="f64", **({"ddof": ddof} if ddof else {})))
