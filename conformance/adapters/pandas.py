"""pandas: series; NaN is not skipped."""

import pandas
from arrays import TYPES, array

VERSION, NEEDS = pandas.__version__, "`pip install pandas`"


def sum(x, type):
    return pandas.Series(array(x, type)).sum(skipna=False)


def mean(x, type):
    return pandas.Series(array(x, type)).mean(skipna=False)


def var(x, type):
    return pandas.Series(array(x, type)).var(ddof=0, skipna=False)


def dot(x, y, type):
    return pandas.Series(array(x, type)).dot(pandas.Series(array(y, type)))
