"""Draws docs/start/drift.svg, or checks that it is current: how far a rolling variance of pandas drifts.

    python docs/start/drift.py           # needs pandas and onefold
    python docs/start/drift.py --check   # exits with 1 if the figure is not current
"""

import math
import pathlib
import sys

import pandas as pd

import onefold

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "course"))
import plots  # noqa: E402

ROUNDED_ONCE = 2.0 ** -53


def release():
    return ".".join(pd.__version__.split(".")[:2])


def figure():
    decay = pd.Series([1e6 * math.exp(-i / 50) for i in range(3000)])
    theirs, exact = decay.rolling(50).var(), onefold.rolling(decay, 50).var()
    error = (theirs / exact - 1).abs().clip(lower=ROUNDED_ONCE)
    drift = [(i, float(f"{error[i]:.2e}")) for i in range(50, 3000, 20)]
    bound = [(drift[0][0], ROUNDED_ONCE), (drift[-1][0], ROUNDED_ONCE)]
    return plots.lines("Relative error of the variance of 50 elements, each 2 % less than the one before", "element",
                       [(f"pandas {release()}", drift, False), ("onefold: at most 2^-53", bound, True)], log_y=True)


if __name__ == "__main__":
    path = HERE / "drift.svg"
    if "--check" in sys.argv[1:]:
        there = path.read_text()
        if f"pandas {release()}<" not in there:
            sys.exit(f"{path} is of another release of pandas than {release()}: run drift.py")
        sys.exit(0 if there == figure() else f"{path} is not current: run drift.py")
    path.write_text(figure())
