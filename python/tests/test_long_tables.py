"""The same of test_tables.py, over 10^4 tables."""

import pytest

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
generated_tables = pytest.importorskip("generated_tables")


def test_ten_thousand_tables_are_read_as_pandas_and_pyarrow_read_them(tmp_path):
    for seed in range(1000, 11000):
        generated_tables.check(seed, tmp_path / "t.csv")
