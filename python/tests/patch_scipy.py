"""A pytest plugin: runs scipy's own tests of logsumexp and softmax on ours, with its signatures.

Calls with negative weights (b=), a sign or complex numbers stay scipy's.
"""

import numpy as np
import scipy.special
import scipy.special.tests.test_logsumexp as tests

import onefold


def _logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    if return_sign or np.iscomplexobj(a) or b is not None and (np.iscomplexobj(b) or not np.all(np.asarray(b) >= 0)):
        return scipy.special.logsumexp(a, axis=axis, b=b, keepdims=keepdims, return_sign=return_sign)
    if b is not None:
        a, b = np.broadcast_arrays(a, b)
    return onefold.logsumexp(np.asarray(a), axis, keepdims=keepdims, weights=b)


def _of_each(name):
    return lambda x, axis=None: getattr(onefold, name)(np.asarray(x), axis)


tests.logsumexp = _logsumexp
tests.softmax = _of_each("softmax")
tests.log_softmax = _of_each("log_softmax")
