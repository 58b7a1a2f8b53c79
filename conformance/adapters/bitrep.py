"""bitrep: exact sums, moments and dot products."""

import bitrep
from arrays import SCALARS, added, version

TYPES, VERSION, NEEDS = ("f64", "f32"), version("bitrep"), "`pip install bitrep`"


def state(x, type):
    return added(bitrep.SumF32() if type == "f32" else bitrep.SumF64(), x), SCALARS[type]


def merge(a, b):
    a[0].merge(b[0])
    return a


def answer(state):
    return state[1](state[0].value())


def chunks(parts, type):
    found = state([], type)
    added(found[0], *parts)
    return answer(found)


def sum(x, type):
    return chunks([x], type)


def mean(x, type):
    return added(bitrep.MomentsF64(), x).mean()


def var(x, type):
    return added(bitrep.MomentsF64(), x).variance()


def dot(x, y, type):
    return bitrep.dot(x, y)
