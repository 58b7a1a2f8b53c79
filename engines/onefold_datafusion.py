"""DataFusion: exact_sum(x) and the others of aggregates.py, whose partial states merge exactly.

    ctx = datafusion.SessionContext()
    onefold_datafusion.register(ctx)
    ctx.sql("SELECT k, exact_sum(x), exact_corr(y, x) FROM t GROUP BY k")

For many groups let DataFusion gather lists, since it calls once for each list of groups, and an aggregate
once for each group of each batch:

    ctx.sql("SELECT k, exact_sum_list(array_agg(x)), exact_corr_list(array_agg(y), array_agg(x)) FROM t GROUP BY k")

A plan of any number of partitions has the same bits: a partial state is State.save(), and DataFusion
hands it to whoever merges. A function has one type of columns here, and DataFusion casts what it gets
to that type without a word, so integers beyond 2^53 would arrive rounded. exact_sum takes numbers
below 2^53, which no cast has rounded to a whole number; a name with _i64, _u64 or _f64 says the type.
DataFusion's cast of a decimal of more than 15 digits rounds twice. exact_sum_decimal and exact_avg_decimal take
decimals as texts, and their answers are those of the decimals, rounded once.
"""

import decimal
import fractions

import datafusion
import onefold
import pyarrow as pa
import pyarrow.compute as pc
from aggregates import AGGREGATES, answer, answers_of_lists, gather


TYPES = {"": pa.float64(), "_f64": pa.float64(), "_i64": pa.int64(), "_u64": pa.uint64()}
MOST_WAITING = 1 << 16  # rows
WHOLE = 2.0**53  # an integer below it is a double


def check_cast(name, column):
    """Raises an error if DataFusion may have rounded an integer to a double."""
    large = pc.and_(pc.greater_equal(pc.abs(column), WHOLE), pc.is_finite(column))
    if pc.any(large).as_py():
        raise ValueError(f"{name}: a value is 2^53 or larger, and DataFusion may have rounded it from an "
                         f"integer; call {name}_i64 or {name}_u64 for integers, {name}_f64 for floats")


class ExactAccumulator(datafusion.Accumulator):
    def __init__(self, name, typed):
        self.name, self.typed, self.gathered = name, typed, onefold.State()
        self.waiting, self.rows = [], 0

    def update(self, *values):
        """A gather takes some 50 us, so the few rows of a group in one batch wait for more rows."""
        self.waiting.append(values)
        self.rows += len(values[0])
        if self.rows >= MOST_WAITING:
            self.settle()

    def settle(self):
        if self.waiting:
            columns = [pa.concat_arrays(c) for c in zip(*self.waiting)]
            if not self.typed:
                for column in columns:
                    check_cast(self.name, column)
            self.gathered.merge(gather(self.name, columns))
        self.waiting, self.rows = [], 0

    def state(self):
        self.settle()
        return [pa.scalar(self.gathered.save(), pa.binary())]

    def merge(self, states):
        for saved in states[0]:
            self.gathered.merge(onefold.State.load(saved.as_py()))

    def evaluate(self):
        self.settle()
        return pa.scalar(answer(self.name, self.gathered), pa.float64())


# Adds decimals of DataFusion's 76 digits exactly, as many as there are.
EXACT = decimal.Context(prec=1000, traps=[decimal.Inexact, decimal.InvalidOperation])


class DecimalAccumulator(datafusion.Accumulator):
    """The exact sum of texts that spell decimals; a partial state is "COUNT SUM"."""

    def __init__(self, name):
        self.is_mean, self.least = AGGREGATES[name][0] == "mean", AGGREGATES[name][3]
        self.count, self.sum = 0, decimal.Decimal(0)

    def add(self, count, total):
        self.count += count
        self.sum = EXACT.add(self.sum, decimal.Decimal(total))

    def update(self, texts):
        for text in texts.drop_null().to_pylist():
            self.add(1, text)

    def state(self):
        return [pa.scalar(f"{self.count} {self.sum}".encode(), pa.binary())]

    def merge(self, states):
        for saved in states[0]:
            count, total = saved.as_py().decode().split()
            self.add(int(count), total)

    def evaluate(self):
        if self.count < self.least:
            return pa.scalar(None, pa.float64())
        if not self.is_mean or not self.sum.is_finite():
            return pa.scalar(float(self.sum), pa.float64())
        return pa.scalar(float(fractions.Fraction(self.sum) / self.count), pa.float64())


def register(ctx):
    """Adds the aggregates to the SQL of a SessionContext."""
    for name, (_, _, inputs, _) in AGGREGATES.items():
        for end, column in TYPES.items():
            ctx.register_udaf(datafusion.udaf(
                lambda name=name, typed=bool(end): ExactAccumulator(name, typed), [column] * inputs,
                pa.float64(), [pa.binary()], "immutable", name=name + end))

            def of_lists(*lists, name=name, typed=bool(end)):
                if not typed:
                    for column in lists:
                        check_cast(name, column.flatten())
                return answers_of_lists(name, lists)

            ctx.register_udf(datafusion.udf(
                of_lists, [pa.list_(column)] * inputs, pa.float64(), "immutable", name=f"{name}{end}_list"))
    for name in ("exact_sum", "exact_avg"):
        ctx.register_udaf(datafusion.udaf(
            lambda name=name: DecimalAccumulator(name), [pa.string()], pa.float64(), [pa.binary()], "immutable",
            name=name + "_decimal"))
