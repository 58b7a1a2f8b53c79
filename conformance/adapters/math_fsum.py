"""CPython's math.fsum."""

import itertools
import math
import platform

TYPES, VERSION, NEEDS = ("f64", "f32"), f"of CPython {platform.python_version()}", "Python"


def sum(x, type):
    return math.fsum(x)


def chunks(parts, type):
    return math.fsum(itertools.chain.from_iterable(parts))
