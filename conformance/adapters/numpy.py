"""NumPy: pairwise sums."""

import numpy
from arrays import TYPES, of_lists

VERSION, NEEDS = numpy.__version__, "`pip install numpy`"
sum, mean, var, dot = of_lists(numpy.sum, numpy.mean, numpy.var, numpy.dot)
