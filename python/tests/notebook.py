"""Runs a notebook without Jupyter: python tests/notebook.py [--update] [PATH]; docs/python.ipynb by default.

Cells run in their order, as a kernel runs them: what they print, and the value of a last expression.
Cells tagged "varies" show times, devices or pages; of the others the output must be what is kept.
"""

import ast
import contextlib
import io
import json
import pathlib
import sys

PATH = pathlib.Path(__file__).parents[2] / "docs" / "python.ipynb"


def run_cell(source, namespace):
    """Returns the printed output of a cell, and the text and HTML of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), namespace)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace)
    outputs = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout",
                        "text": printed.getvalue().splitlines(keepends=True)})
    if value is not None:
        outputs.append({"output_type": "execute_result", "metadata": {}, "execution_count": None,
                        "data": {"text/plain": repr(value).splitlines(keepends=True)}})
    return outputs, value


def differences(path=PATH):
    """Returns the cells whose output differs from the stored one, and the notebook with new outputs."""
    notebook, namespace, wrong = json.loads(path.read_text()), {}, []
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        source = "".join(cell["source"])
        outputs, value = run_cell(source, namespace)
        if hasattr(value, "_repr_html_"):
            assert value._repr_html_()
            outputs.pop()  # a page is too long to keep
        varies = "varies" in cell["metadata"].get("tags", ())
        if not varies and outputs != cell["outputs"]:
            wrong.append((source, cell["outputs"], outputs))
        cell["outputs"] = outputs
    return wrong, notebook


if __name__ == "__main__":
    named = [pathlib.Path(word) for word in sys.argv[1:] if word != "--update"]
    path = named[0] if named else PATH
    wrong, notebook = differences(path)
    if "--update" in sys.argv[1:]:
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
    elif wrong:
        sys.exit(f"{len(wrong)} cells differ")
