"""docs/python.ipynb runs from top to bottom and prints its stored output."""

import importlib

import numpy as np
import pytest

import notebook


def test_the_notebook_runs_and_prints_what_it_keeps():
    pytest.importorskip("dask")
    importlib.reload(notebook)
    with np.printoptions(legacy=False):
        wrong, whole = notebook.differences()
    assert wrong == []
    kinds = {"".join(cell["source"]).splitlines()[0] for cell in whole["cells"]
             if cell["cell_type"] == "markdown"}
    assert {"## Exact", "## Quick", "## NaN", "## Files", "## Dask", "## A GPU", "## The lab"} <= kinds
