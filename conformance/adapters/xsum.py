"""xsum: Neal's superaccumulators."""

import xsum
from arrays import array, version

TYPES, VERSION, NEEDS = ("f64", "f32"), version("xsum"), "`pip install xsum`"
answer = xsum.xsum_round


def chunks(parts, type):
    found = xsum.xsum_small_accumulator()
    for x in parts:
        xsum.xsum_add(found, array(x, "f64"))
    return answer(found)


def state(x, type):
    found = xsum.xsum_small_accumulator()
    xsum.xsum_add(found, array(x, "f64"))
    return found


def merge(a, b):
    xsum.xsum_add(a, b)
    return a


def sum(x, type):
    return answer(state(x, type))


def mean(x, type):
    return xsum.xsum_small_div_int(state(x, type), len(x))


def dot(x, y, type):
    found = xsum.xsum_small_accumulator()
    xsum.xsum_add_dot(found, array(x, "f64"), array(y, "f64"))
    return answer(found)
