"""DataFusion: exact_sum_f64(x) and the others of aggregates.py, whose partial states merge exactly.

    ctx = datafusion.SessionContext()
    onefold_datafusion.register(ctx)
    ctx.sql("SELECT k, exact_sum_f64(x), exact_corr_f64(y, x) FROM t GROUP BY k")

For many groups let DataFusion gather lists, since it calls once for each list of groups, and an aggregate
once for each group of each batch:

    ctx.sql("SELECT k, exact_sum_f64_list(array_agg(x)) FROM t GROUP BY k")

A plan of any number of partitions has the same bits: a partial state is State.save(), and DataFusion
hands it to whoever merges.

A Python function has one type of column here. DataFusion casts other types to it without a word, and the function
never sees them, so the caller names the type: _f64, _i64, _u64 or _decimal. A call of the plain name is an error.
No type that a Python function may declare takes DOUBLE and refuses DECIMAL (DataFusion 55).
"""

import decimal
import fractions

import datafusion
import onefold
import pyarrow as pa
from aggregates import AGGREGATES, answer, answers_of_lists, gather


TYPES = {"_f64": pa.float64(), "_i64": pa.int64(), "_u64": pa.uint64()}
MOST_WAITING = 1 << 16  # rows


def refusal(name, end=""):
    """The error of a name that does not say the column's type."""
    decimals = f", {name}_decimal for decimals" if (name, end) in [("exact_sum", ""), ("exact_avg", "")] else ""
    return ValueError(f"{name}{end}: DataFusion casts a column before this function sees its type; call {name}_f64{end} "
                      f"for floats, {name}_i64{end} or {name}_u64{end} for integers{decimals}")


class Untyped(datafusion.Accumulator):
    """Refuses every call."""

    def __init__(self, name):
        self.name = name

    def update(self, *values):
        raise refusal(self.name)

    def state(self):
        raise refusal(self.name)

    def merge(self, states):
        raise refusal(self.name)

    def evaluate(self):
        raise refusal(self.name)


class ExactAccumulator(datafusion.Accumulator):
    def __init__(self, name):
        self.name, self.gathered = name, onefold.State()
        self.waiting, self.rows = [], 0

    def update(self, *values):
        """A gather takes some 50 us, so the few rows of a group in one batch wait for more rows."""
        self.waiting.append(values)
        self.rows += len(values[0])
        if self.rows >= MOST_WAITING:
            self.settle()

    def settle(self):
        if self.waiting:
            self.gathered.merge(gather(self.name, [pa.concat_arrays(c) for c in zip(*self.waiting)]))
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
        self.name, self.is_mean, self.least = name, AGGREGATES[name][0] == "mean", AGGREGATES[name][3]
        self.count, self.sum = 0, decimal.Decimal(0)

    def add(self, count, total):
        self.count += count
        self.sum = EXACT.add(self.sum, decimal.Decimal(total))

    def update(self, texts):
        for text in texts.drop_null().to_pylist():
            try:
                self.add(1, text)
            except decimal.InvalidOperation as e:
                raise ValueError(f"{self.name}_decimal: {text!r} is not a number") from e

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


def integers_of_texts(name, column, lists):
    """Lists of texts as lists of integers of the column's type; texts of floats and decimals are an error."""
    try:
        return lists.cast(pa.list_(column))
    except pa.ArrowInvalid as e:
        raise ValueError(f"{name}: a value is not an integer of type {column}: {e}") from e


def register_lists(ctx, name, end, column, inputs):
    # DataFusion casts the floats of a list to integers without a word (1.5 becomes 1), but not to texts.
    integer = pa.types.is_integer(column)

    def of_lists(*lists):
        if integer:
            lists = [integers_of_texts(f"{name}{end}_list", column, c) for c in lists]
        return answers_of_lists(name, lists)

    declared = pa.list_(pa.string() if integer else column)
    ctx.register_udf(datafusion.udf(of_lists, [declared] * inputs, pa.float64(), "immutable", name=f"{name}{end}_list"))


def register_refusals(ctx, name, inputs):
    """Adds the names without a type, so that a call of one says which names there are."""
    ctx.register_udaf(datafusion.udaf(lambda: Untyped(name), [pa.string()] * inputs, pa.float64(), [pa.binary()],
                                      "immutable", name=name))

    def refuse(*lists):
        raise refusal(name, "_list")

    ctx.register_udf(datafusion.udf(refuse, [pa.list_(pa.string())] * inputs, pa.float64(), "immutable",
                                    name=f"{name}_list"))


def register(ctx):
    """Adds the aggregates to the SQL of a SessionContext."""
    for name, (_, _, inputs, _) in AGGREGATES.items():
        register_refusals(ctx, name, inputs)
        for end, column in TYPES.items():
            ctx.register_udaf(datafusion.udaf(lambda name=name: ExactAccumulator(name), [column] * inputs,
                                              pa.float64(), [pa.binary()], "immutable", name=name + end))
            register_lists(ctx, name, end, column, inputs)
    for name in ("exact_sum", "exact_avg"):
        ctx.register_udaf(datafusion.udaf(
            lambda name=name: DecimalAccumulator(name), [pa.string()], pa.float64(), [pa.binary()], "immutable",
            name=name + "_decimal"))
