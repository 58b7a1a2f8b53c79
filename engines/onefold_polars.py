"""Polars: the aggregates of aggregates.py as expressions, whole, by groups and over windows.

    from onefold_polars import exact
    frame.group_by("k").agg(exact("exact_sum", "x"), r=exact("exact_corr", "y", "x"))

Polars hands over the column of a group, by the Arrow C interface and without a copy; the answer has
the same bits for any order of rows, any chunks and any number of threads.
"""

import polars as pl
from aggregates import AGGREGATES, answer, gather


def exact(name, *columns):
    """The expression of an aggregate of f64 columns, names or expressions."""
    if len(columns) != AGGREGATES[name][2]:
        raise ValueError(f"{name} takes {AGGREGATES[name][2]} columns, and there are {len(columns)}")

    def aggregate(series):
        return answer(name, gather(name, [s.to_arrow() for s in series]))

    columns = [pl.col(c) if isinstance(c, str) else c for c in columns]
    return pl.map_batches([c.cast(pl.Float64) for c in columns], aggregate,
                          return_dtype=pl.Float64, returns_scalar=True).alias(name)
