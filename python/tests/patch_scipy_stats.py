r"""A pytest plugin: runs scipy's own tests of moments on our functions with its signatures.

    python -m pytest -p patch_scipy_stats --pyargs scipy.stats.tests.test_stats \
      -k "TestSEM or TestMoments or TestSkew or TestKurtosis"

With scipy 1.17.1 112 of 119 tests pass. These do not: six want warnings, one of which (test_skew_constant_value) wants NaN, too,
for lack of digits, where we answer with the skewness; test_rename_moment_order is of an old keyword.
"""

import numpy as np
import scipy.stats
from scipy._lib._array_api import xp_capabilities_table as _table

import onefold


def _fold(name, a, axis, nan_policy, keepdims, *arguments, **keywords):
    x = np.atleast_1d(np.asarray(a))
    x = x.astype(float) if x.dtype.kind == "O" else x
    if nan_policy not in ("propagate", "omit", "raise"):
        raise ValueError("nan_policy must be one of {'propagate', 'raise', 'omit'}")
    if nan_policy == "raise" and x.dtype.kind == "f" and np.isnan(x).any():
        raise ValueError("The input contains nan values")
    return getattr(onefold, name)(x, *arguments, axis=axis, nan=nan_policy, keepdims=keepdims, **keywords)


def skew(a, axis=0, bias=True, nan_policy="propagate", *, keepdims=False):
    return _fold("skewness", a, axis, nan_policy, keepdims, bias=bias)


def kurtosis(a, axis=0, fisher=True, bias=True, nan_policy="propagate", *, keepdims=False):
    return _fold("kurtosis", a, axis, nan_policy, keepdims, bias=bias, fisher=fisher)


def sem(a, axis=0, ddof=1, nan_policy="propagate", *, keepdims=False):
    return _fold("sem", a, axis, nan_policy, keepdims, ddof=ddof)


_scipys_moment = scipy.stats.moment


def moment(a, order=1, axis=0, nan_policy="propagate", *, center=None, keepdims=False):
    """Of orders 1 to 4 about the mean or 0; others are scipy's."""
    if np.ndim(order) != 0 and np.size(order) != 0:
        return np.stack([moment(a, k, axis, nan_policy, center=center, keepdims=keepdims) for k in np.asarray(order).tolist()])
    if order not in (1, 2, 3, 4) or center not in (None, 0) or np.iscomplexobj(a):
        return _scipys_moment(a, order, axis, nan_policy, center=center, keepdims=keepdims)
    return _fold("moment", a, axis, nan_policy, keepdims, int(order), center=center)


for _function in (skew, kurtosis, sem, moment):
    _table[_function] = _table[getattr(scipy.stats, _function.__name__)]
    setattr(scipy.stats, _function.__name__, _function)
