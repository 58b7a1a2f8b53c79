"""PyArrow: exact_sum and the others of aggregates.py as aggregates of tables of f64 columns.

    onefold_pyarrow.register()
    table.group_by("k").aggregate([("x", "exact_sum"), (["y", "x"], "exact_corr")])

Arrow collects the rows of a group and calls once; the answer has the same bits for any order of rows,
any chunks and any number of threads.
"""

import pyarrow as pa
import pyarrow.compute as pc
from aggregates import AGGREGATES, answer, gather


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
