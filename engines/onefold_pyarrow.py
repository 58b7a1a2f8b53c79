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
from aggregates import AGGREGATES, answer, answers_of_lists, check_columns, gather


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
    keys = [keys] if isinstance(keys, str) else list(keys)
    if not keys:
        raise ValueError("aggregate: name one key or more; onefold.fold folds whole columns")
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    asked = [([names] if isinstance(names, str) else list(names), name) for names, name in calls]
    for names, name in asked:
        check_columns(name, names)
    # Columns by numbers, so that no name of a key is that of a list. Arrow makes no lists of float16.
    columns = list(dict.fromkeys(column for names, _ in asked for column in names))
    values = [table[c].cast(pa.float32()) if table[c].type == pa.float16() else table[c] for c in columns]
    plain = pa.table([*(table[k] for k in keys), *values], [str(k) for k in range(len(keys) + len(columns))])
    # With threads Arrow may order the rows of a group otherwise for each column.
    lists = plain.group_by([str(k) for k in range(len(keys))], use_threads=False).aggregate(
        [(str(len(keys) + k), "list") for k in range(len(columns))])
    grouped = {c: lists[f"{len(keys) + k}_list"].combine_chunks() for k, c in enumerate(columns)}
    answers = [answers_of_lists(name, [grouped[c] for c in names]) for names, name in asked]
    named = [*keys, *("_".join([*names, name]) for names, name in asked)]
    return pa.table([*(lists[str(k)] for k in range(len(keys))), *answers], named)
