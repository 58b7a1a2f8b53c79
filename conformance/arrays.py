"""Elements as arrays of NumPy, for adapters."""

import importlib.metadata

import numpy as np

TYPES = ("f64", "f32", "i64")
SCALARS = {"f64": np.float64, "f32": np.float32, "i64": np.int64}


def array(x, type):
    return np.array(x, SCALARS[type])


def of_lists(*functions):
    """Functions of arrays as functions of lists and their type."""
    return [lambda *given, f=f: f(*(array(x, given[-1]) for x in given[:-1])) for f in functions]


def added(accumulator, *parts):
    """The accumulator, to which the elements have been added one by one."""
    for x in parts:
        for v in x:
            accumulator.add(v)
    return accumulator


def version(package):
    return importlib.metadata.version(package)
