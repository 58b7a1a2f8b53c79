"""DataFusion: exact_sum(DOUBLE) and the others of aggregates.py, whose partial states merge exactly.

    ctx = datafusion.SessionContext()
    onefold_datafusion.register(ctx)
    ctx.sql("SELECT k, exact_sum(x), exact_corr(y, x) FROM t GROUP BY k")

A plan of any number of partitions has the same bits: a partial state is State.save(), and DataFusion
hands it to whoever merges.
"""

import datafusion
import onefold
import pyarrow as pa
from aggregates import AGGREGATES, answer, gather


class ExactAccumulator(datafusion.Accumulator):
    def __init__(self, name):
        self.name, self.gathered = name, onefold.State()

    def update(self, *values):
        self.gathered.merge(gather(self.name, values))

    def state(self):
        return [pa.scalar(self.gathered.save(), pa.binary())]

    def merge(self, states):
        for saved in states[0]:
            self.gathered.merge(onefold.State.load(saved.as_py()))

    def evaluate(self):
        return pa.scalar(answer(self.name, self.gathered), pa.float64())


def register(ctx):
    """Makes the aggregates known to the SQL of a SessionContext."""
    for name, (_, _, inputs, _) in AGGREGATES.items():
        ctx.register_udaf(datafusion.udaf(
            lambda name=name: ExactAccumulator(name), [pa.float64()] * inputs, pa.float64(),
            [pa.binary()], "immutable", name=name))
