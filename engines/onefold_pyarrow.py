"""PyArrow: exact_sum and the others of aggregates.py as aggregates of tables of f64 columns.

    onefold_pyarrow.aggregate(table, ["k"], [("x", "exact_sum"), (["y", "x"], "exact_corr")])
    onefold_pyarrow.register()
    table.group_by("k").aggregate([("x", "exact_sum"), (["y", "x"], "exact_corr")])

The first gathers the rows of all groups and calls once for each aggregate. After register() Arrow itself has the
aggregates, and calls once for each group. Answers have the same bits for any order of rows, any chunks and any number
of threads.
"""

import pyarrow as pa
import pyarrow.compute as pc
from aggregates import AGGREGATES, answer, answers_of_lists, gather, table_row


def register():
    """Adds the aggregates to Arrow's functions; a process needs one call."""
    for name, (op, _, inputs, _) in AGGREGATES.items():
        if name in pc.list_functions():
            continue

        def aggregate(_, *columns, name=name):
            return pa.scalar(answer(name, gather(name, columns)), pa.float64())

        doc = {"summary": f"{op} rounded once from the exact value",
               "description": "Rows with a null are left out."}
        columns = {k: pa.float64() for k in ("y", "x")[-inputs:]}
        pc.register_aggregate_function(aggregate, name, doc, columns, pa.float64())


def aggregate(table, keys, calls):
    """A table of the keys of each group and its answers, which are named as Arrow names them: x_exact_sum."""
    asked = [([names] if isinstance(names, str) else list(names), name) for names, name in calls]
    for names, name in asked:
        if len(names) != table_row(name)[2]:
            raise ValueError(f"{name} takes {table_row(name)[2]} columns, and there are {len(names)}")
    columns = dict.fromkeys(column for names, _ in asked for column in names)
    # With threads Arrow may order the rows of a group otherwise for each column.
    lists = table.group_by(keys, use_threads=False).aggregate([(column, "list") for column in columns])
    grouped = lists.drop_columns([f"{column}_list" for column in columns])
    for names, name in asked:
        groups = [lists[f"{column}_list"].combine_chunks() for column in names]
        grouped = grouped.append_column("_".join([*names, name]), answers_of_lists(name, groups))
    return grouped
