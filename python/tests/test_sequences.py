"""Lists of numbers, and columns that are read without a copy: their exact values."""

import collections
import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import onefold

NUMBERS = [0, 1, -1, True, False, 2**53 - 1, 2**53, -2**53, 2**62, 2**63 - 1, -2**63, 2**63, 2**64 - 1, 0.5, -7.0, 1e300]


def test_numbers_of_sequences_are_what_they_were():
    rng = np.random.default_rng(11)
    for _ in range(3000):
        some = [NUMBERS[k] for k in rng.integers(0, len(NUMBERS), rng.integers(1, 6))]
        kinds = {type(v) for v in some}
        exact = [v for v in some if float not in kinds or float(v) == v and int(float(v)) == v or type(v) is float]
        fits = len(exact) == len(some) and (float in kinds or kinds == {bool} or -2**63 <= min(some) and max(some) < (
            2**64 if min(some) >= 0 else 2**63))
        for given in (some, tuple(some), [some], [tuple(some), some]):
            if not fits:
                if float not in kinds:  # then Python's integers are folded
                    assert onefold.fold("min,max", given) == (min(some), max(some))
                    continue
                with pytest.raises(onefold.UnsupportedError, match="an integer of the sequence"):
                    onefold.max(given)
                continue
            low, high = onefold.fold("min,max", given)
            assert (low, high) == (min(some), max(some)) and type(high) is (
                float if float in kinds else bool if kinds == {bool} else int)
            assert onefold.argmax(given) == some.index(high) == onefold.fold("argmax", given)[0]


@pytest.mark.parametrize("x, text", [
    ([[1, 2], [3]], "rows of 1 and of 2 elements"), ([[1], 2], "rows and numbers side by side"),
    ([1, [2]], "rows and numbers side by side"), ([[[1]], [2]], "rows and numbers side by side"),
    ([[]] + [[1]], "rows of 0 and of 1 elements"), (["1", 2], "the sequence holds '1'")])
def test_sequences_that_are_no_arrays(x, text):
    with pytest.raises(onefold.UnsupportedError) as caught:
        onefold.sum(x)
    assert text in str(caught.value)
    endless = [np.float64(1)]
    endless.append(endless)
    with pytest.raises(onefold.UnsupportedError, match="more than 16 dimensions"):
        onefold.sum(endless)


class Once:
    """An Arrow stream that can be read only once."""

    def __init__(self, column):
        self.column = column

    def __arrow_c_stream__(self, schema=None):
        column, self.column = self.column, None
        return column.__arrow_c_stream__()


def test_columns_of_arrow_are_read_once():
    chunks = [pa.array([1.0, None, 4]), pa.array([], "f8"), pa.array([8.0])]
    for k in (1, 2, 3):
        column = pa.chunked_array(chunks[:k])
        assert onefold.sum(column) == (13 if k == 3 else 5) == onefold.sum(Once(column)) == onefold.sum(pl.Series(column))
        assert onefold.count(pa.chunked_array([c[1:] for c in chunks[:k]])) == 1
    assert onefold.argmax(chunks[0][1:]) == 1 and onefold.nanmax(pl.Series([float("nan"), None, 2])) == 2
    assert onefold.any(pa.array([False, None, True])[1:]) is True and onefold.sum(pl.Series([], dtype=pl.Int8)) == 0
    assert np.isnan(onefold.min(pa.array([None, None], "f8")))
    for empty in (pa.array([], "i4"), pl.Series([], dtype=pl.Float64), pd.Series([], dtype="f4")):
        with pytest.raises(onefold.EmptyError):
            onefold.max(empty)
    strided = pd.DataFrame(np.arange(6.0).reshape(3, 2)).iloc[::2, 0]
    assert onefold.sum(strided) == 4 and onefold.argmax(strided) == 1 and type(onefold.max(strided)) is float


def test_lists_of_dates_and_timedeltas_are_times():
    day, other = datetime.date(2024, 1, 1), datetime.date(2024, 1, 4)
    noon = datetime.datetime(2024, 1, 1, 12, 0, 0, 7)
    assert onefold.max([day, other]) == np.datetime64("2024-01-04") and onefold.argmin((other, day)) == 1
    assert onefold.max([[day, noon], [other, day]], axis=1).tolist() == [noon, datetime.datetime(2024, 1, 4)]
    assert onefold.sum([datetime.timedelta(1), datetime.timedelta(0, 2, 3)]) == np.timedelta64(86402000003, "us")
    assert onefold.median([day, other]) == np.datetime64("2024-01-02")
    for wrong, what in [([day, 3], "starts with a date, but holds 3"), ([day, None], "holds None"), ([day, datetime.timedelta(1)], "holds"),
                        ([noon.replace(tzinfo=datetime.timezone.utc)], "which has a time zone"), ([day, [day]], "are not a regular array")]:
        with pytest.raises(onefold.Error, match=what):
            onefold.max(wrong)


def test_a_deque_is_a_sequence():
    numbers = collections.deque([1.5, 2, 4], maxlen=3)
    for call in (onefold.sum, onefold.median, onefold.argmax, lambda x: list(onefold.cumsum(x)), lambda x: onefold.fold("min,var", x),
                 lambda x: list(onefold.rolling(x, 2, min_periods=1).max()), onefold.logsumexp):
        assert call(numbers) == call(list(numbers))
