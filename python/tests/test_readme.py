"""The examples of README.md in Python print what stands there."""

import doctest
import os
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).parents[2]


def test_readme(monkeypatch):
    monkeypatch.chdir(ROOT)
    text = (ROOT / "README.md").read_text()
    blocks = [part.split("```")[0] for part in text.split("```python\n")[1:]]
    assert blocks and os.path.exists("data/elnino.npy")
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "README.md", None, 0)
    assert len(test.examples) > 10
    with np.printoptions(legacy="2.1"):
        failed, _ = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL).run(test)
    assert failed == 0
