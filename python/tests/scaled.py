"""How often loops over seeds run: tests/scaled.hpp says it of C++."""

import os

SCALE = float(os.environ.get("ONEFOLD_TEST_SCALE", .25))


def scaled(rounds):
    """The rounds to run of a loop over seeds; four or all of them at least."""
    return max(min(rounds, 4), int(rounds * SCALE))
