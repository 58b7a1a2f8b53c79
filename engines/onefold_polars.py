"""Polars: the aggregates of aggregates.py as expressions, whole, by groups and over windows.

    from onefold_polars import exact
    frame.group_by("k").agg(exact("exact_sum", "x"), r=exact("exact_corr", "y", "x"))

Polars hands over the columns of all groups at once, as Arrow's lists; the answers have the same bits for
any order of rows, any chunks and any number of threads.
"""

import polars as pl
from aggregates import answer, answers_of_lists, check_columns, gather


def arrow_of(name, series):
    """The column, or the lists, for Arrow, which has no 128-bit integers; bools and all-NULL columns have no numbers."""
    lists = series.dtype == pl.List
    dtype = series.dtype.inner if lists else series.dtype
    if dtype in (pl.Int128, pl.UInt128, pl.Boolean, pl.Null):
        short = series.cast(pl.List(pl.Int64) if lists else pl.Int64, strict=False)
        before, after = (s.explode() if lists else s for s in (series, short))
        if before.null_count() != after.null_count():
            raise ValueError(f"{name}: column {series.name!r} is {dtype}, and a value is beyond Int64")
        series = short
    elif not dtype.is_integer() and not dtype.is_float():
        raise ValueError(f"{name}: column {series.name!r} is {dtype}; give integers or floats")
    return series.rechunk().to_arrow()


def exact(name, *columns, each=False):
    """An aggregate, as an expression, of columns of integers or floats (names or expressions).

    Polars gathers the rows of all groups, and calls once. With each=True it calls for each group, which takes less memory
    where groups overlap: `.rolling` of wide windows.
    """
    check_columns(name, columns)
    columns = [pl.col(c) if isinstance(c, str) else c for c in columns]
    if each:
        def aggregate(series):
            return answer(name, gather(name, [arrow_of(name, s) for s in series]))

        return pl.map_batches(columns, aggregate, return_dtype=pl.Float64, returns_scalar=True).alias(name)

    def aggregate_all(series):
        return pl.Series(answers_of_lists(name, [arrow_of(name, s) for s in series]), dtype=pl.Float64)

    return pl.map_batches([c.implode() for c in columns], aggregate_all, return_dtype=pl.Float64,
                          is_elementwise=True).alias(name)
