"""A pytest plugin: runs Bottleneck's own tests on our functions with its signatures."""

import bottleneck

import onefold


def _of_one(name):
    fold = getattr(onefold, name)

    def function(a, axis=None):
        return fold(a, axis)

    return function


def _of_spread(name):
    fold = getattr(onefold, name)

    def function(a, axis=None, ddof=0):
        return fold(a, axis, ddof=ddof)

    return function


def anynan(a, axis=None):
    return onefold.count_nan(a, axis) > 0


def allnan(a, axis=None):
    return onefold.count_nan(a, axis) == onefold.count(a, axis)


_functions = {
    **{name: _of_one(name) for name in (
        "nansum", "nanmean", "nanmin", "nanmax", "nanargmin", "nanargmax")},
    **{name: _of_spread(name) for name in ("nanvar", "nanstd")},
    "ss": _of_one("sumsq"), "anynan": anynan, "allnan": allnan}
for _name, _function in _functions.items():
    _function.__name__ = _name
    setattr(bottleneck, _name, _function)
