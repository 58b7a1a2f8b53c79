"""Python examples of the README and of the documents print the output shown there."""

import doctest
import pathlib
import re

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGES = {str(path.relative_to(ROOT)): re.findall(r"^```python\n(.*?)^```", path.read_text(), re.M | re.S)
         for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]}


@pytest.mark.parametrize("page", [page for page, blocks in PAGES.items() if ">>>" in "".join(blocks)])
def test_examples(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    blocks = "\n".join(block for block in PAGES[page] if ">>>" in block)
    test = doctest.DocTestParser().get_doctest(blocks, {}, page, None, 0)
    with np.printoptions(legacy="2.1"):
        failed, tried = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL).run(test)
    assert failed == 0 and tried == len(test.examples)


def test_the_readme_has_examples():
    assert "".join(PAGES["README.md"]).count(">>>") == 3
    assert "".join(PAGES["docs/start/tour.md"]).count(">>>") == 9
