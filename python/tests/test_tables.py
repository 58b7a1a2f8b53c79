"""Tables of any spelling: each value is the one that pandas and pyarrow read, to the last bit."""

import pytest
from scaled import scaled

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
generated_tables = pytest.importorskip("generated_tables")


def test_tables_are_read_as_pandas_and_pyarrow_read_them(tmp_path):
    for seed in range(scaled(200)):
        generated_tables.check(seed, tmp_path / "t.csv")
