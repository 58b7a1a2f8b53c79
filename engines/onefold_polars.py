"""Polars: the aggregates of aggregates.py as expressions, whole, by groups and over windows.

    from onefold_polars import exact
    frame.group_by("k").agg(exact("exact_sum", "x"), r=exact("exact_corr", "y", "x"))

Polars hands over the column of a group, by the Arrow C interface and without a copy; the answer has
the same bits for any order of rows, any chunks and any number of threads.
"""

import polars as pl
from aggregates import answer, gather, table_row


def arrow_of(name, series):
    """The column for Arrow, which has no 128-bit integers; bools and all-NULL columns have no numbers."""
    if series.dtype in (pl.Int128, pl.UInt128):
        short = series.cast(pl.Int64, strict=False)
        if short.null_count() != series.null_count():
            raise ValueError(f"{name}: column {series.name!r} is {series.dtype}, "
                             "and a value is beyond Int64")
        series = short
    elif series.dtype in (pl.Boolean, pl.Null):
        series = series.cast(pl.Int64)
    elif not series.dtype.is_integer() and not series.dtype.is_float():
        raise ValueError(f"{name}: column {series.name!r} is {series.dtype}; give integers or floats")
    return series.to_arrow()


def exact(name, *columns):
    """An aggregate, as an expression, of columns of integers or floats (names or expressions)."""
    inputs = table_row(name)[2]
    if len(columns) != inputs:
        raise ValueError(f"{name} takes {inputs} columns, and there are {len(columns)}")

    def aggregate(series):
        return answer(name, gather(name, [arrow_of(name, s) for s in series]))

    return pl.map_batches([pl.col(c) if isinstance(c, str) else c for c in columns], aggregate,
                          return_dtype=pl.Float64, returns_scalar=True).alias(name)
