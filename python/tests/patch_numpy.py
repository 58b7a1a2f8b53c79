"""A pytest plugin: NumPy's and Bottleneck's own tests run on onefold.numpy's functions."""

import sys

import numpy

import onefold.numpy

for name, function in onefold.numpy.functions.items():
    setattr(numpy, name, function)
if "bottleneck" in sys.modules or any("bottleneck" in a for a in sys.argv):
    import bottleneck

    for name, function in onefold.numpy.functions.items():
        if name.startswith("nan"):
            setattr(bottleneck, name, function)
