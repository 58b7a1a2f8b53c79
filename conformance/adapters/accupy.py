"""accupy: its most exact functions, fsum and fdot."""

import accupy
from arrays import array, version

TYPES, VERSION, NEEDS = ("f64", "f32"), version("accupy"), "`pip install accupy`, Eigen"


def sum(x, type):
    return float(accupy.fsum(array(x, "f64")))


def dot(x, y, type):
    return float(accupy.fdot(array(x, "f64"), array(y, "f64")))
