"""PyArrow: its compute functions."""

import pyarrow
import pyarrow.compute
from arrays import TYPES, array

VERSION, NEEDS = pyarrow.__version__, "`pip install pyarrow`"


def sum(x, type):
    return pyarrow.compute.sum(pyarrow.array(array(x, type)), min_count=0).as_py()


def mean(x, type):
    return pyarrow.compute.mean(pyarrow.array(array(x, type))).as_py()


def var(x, type):
    return pyarrow.compute.variance(pyarrow.array(array(x, type)), ddof=0).as_py()


def chunks(parts, type):
    whole = pyarrow.chunked_array([pyarrow.array(array(x, type)) for x in parts])
    return pyarrow.compute.sum(whole, min_count=0).as_py()


def threads(x, n, type):
    pyarrow.set_cpu_count(n)
    table = pyarrow.table({"x": array(x, type)})
    return table.group_by([]).aggregate([("x", "sum")])["x_sum"][0].as_py()
