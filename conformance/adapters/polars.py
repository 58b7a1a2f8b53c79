"""Polars: series of one chunk and of several; its streaming engine on threads."""

import polars
from arrays import TYPES, array

VERSION, NEEDS = polars.__version__, "`pip install polars`"
THREADS = "POLARS_MAX_THREADS"


def selected(series, expression):
    frame = polars.LazyFrame({"x": series})
    return frame.select(expression).collect(engine="streaming").to_series().to_numpy()[0]


def sum(x, type):
    return selected(polars.Series(array(x, type)), polars.col("x").sum())


def mean(x, type):
    return selected(polars.Series(array(x, type)), polars.col("x").mean())


def var(x, type):
    return selected(polars.Series(array(x, type)), polars.col("x").var(ddof=0))


def dot(x, y, type):
    frame = polars.DataFrame({"x": array(x, type), "y": array(y, type)})
    return frame.select(polars.col("x").dot("y")).to_series().to_numpy()[0]


def chunks(parts, type):
    series = polars.concat([polars.Series(array(x, type)) for x in parts], rechunk=False)
    return selected(series, polars.col("x").sum())
