"""A pytest plugin: runs NumPy's own tests on onefold.numpy's functions."""

import numpy

import onefold.numpy

for name, function in onefold.numpy.functions.items():
    setattr(numpy, name, function)
