"""Names that other programs have for ops: avg is mean."""

import numpy as np
import pytest

import onefold

X = np.array([1.0, 2.0, 4.0])


@pytest.mark.parametrize("alias, op", [("avg", "mean"), ("stddev", "std"), ("stdev", "std"), ("sd", "std"), ("variance", "var"),
                                       ("n", "count"), ("total", "sum"), ("maximum", "max"), ("range", "ptp")])
def test_an_alias_answers_as_its_op(alias, op):
    answers = onefold.fold(alias, X)
    assert answers == onefold.fold(op, X) and answers._fields == (op,)
    assert onefold.fold([alias, "min"], [1, 2, 4])._fields == (op, "min")
    assert onefold.gather(alias, X).answer(alias) == getattr(onefold, op)(X)
    assert onefold.fold_by(alias, [1, 1, 2], X)[1]._fields == (op,)
    assert onefold.fold_segments(alias, X, [0, 1, 3])._fields == (op,)


def test_an_alias_keeps_the_options_of_its_op():
    assert onefold.fold("stddev", X, ddof=1).std == onefold.std(X, ddof=1)
    assert onefold.fold("avg", X.reshape(1, 3), axis=0).mean.tolist() == X.tolist()


def test_an_op_goes_before_an_alias_of_its_name():
    assert onefold.fold("average", X, X).average == np.average(X, weights=X)


def test_an_op_and_its_alias_are_the_same_op():
    with pytest.raises(onefold.OptionError, match="names mean twice"):
        onefold.fold("mean,avg", X)


def test_agg_takes_aliases_and_keeps_what_was_written(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("k,x\na,1\na,2\nb,4\n")
    answers = onefold.agg(str(path), "avg(x), n(x)", by="k")[1]
    assert {name: list(values) for name, values in answers.items()} == {"avg(x)": [1.5, 4], "n(x)": [2, 1]}


@pytest.mark.parametrize("name, hint", [
    ("avg", r"write onefold\.mean\(x\)$"), ("stddev", r"write onefold\.std\(x\), which divides by n; ddof=1 divides by n - 1$"),
    ("percentile", r"write onefold\.quantile\(x, q / 100\)$"), ("prod", "call numpy.prod, which rounds$"), ("nothing", "'nothing'$")])
def test_a_missing_attribute_names_the_function_that_is_meant(name, hint):
    with pytest.raises(AttributeError, match=hint):
        getattr(onefold, name)
