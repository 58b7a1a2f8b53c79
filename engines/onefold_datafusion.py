"""DataFusion: exact_sum(DOUBLE), exact_sum_i64(BIGINT) and the others of aggregates.py, whose partial
states merge exactly.

    ctx = datafusion.SessionContext()
    onefold_datafusion.register(ctx)
    ctx.sql("SELECT k, exact_sum(x), exact_corr(y, x) FROM t GROUP BY k")

A plan of any number of partitions has the same bits: a partial state is State.save(), and DataFusion
hands it to whoever merges. A function has one type of columns here, and DataFusion casts what it gets
to that type: integers beyond 2^53 are exact in exact_sum_i64 alone.
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
        for end, column in (("", pa.float64()), ("_i64", pa.int64())):
            ctx.register_udaf(datafusion.udaf(
                lambda name=name: ExactAccumulator(name), [column] * inputs, pa.float64(),
                [pa.binary()], "immutable", name=name + end))
