"""Onefold: states, parts, threads."""

import onefold
from arrays import SCALARS, TYPES, array, of_lists

VERSION, NEEDS = onefold.__version__, "`make python`"
sum, mean, var, dot = of_lists(onefold.sum, onefold.mean, onefold.var, onefold.dot)


def chunks(parts, type):
    return answer((onefold.gather_parts("sum", [array(x, type) for x in parts]), type))


def threads(x, n, type):
    return onefold.sum(array(x, type), threads=n)


def state(x, type):
    return onefold.State.load(bytes(onefold.gather("sum", array(x, type)))), type


def merge(a, b):
    return a[0] | b[0], a[1]


def answer(state):
    return SCALARS[state[1]](state[0].answer("sum"))
