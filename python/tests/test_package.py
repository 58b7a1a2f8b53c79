"""The package: names, help, types, import."""

import ast
import doctest
import importlib
import inspect
import pathlib
import pickle
import subprocess
import sys

import pytest

import onefold

FOLDER = pathlib.Path(__file__).parents[1]


def test_the_stub_is_the_one_that_the_op_table_makes():
    done = subprocess.run([sys.executable, "-B", FOLDER / "tests" / "generate_stub.py", "--check"],
                          env={"PYTHONPATH": str(pathlib.Path(onefold.__file__).parent.parent)},
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_stub_has_the_arguments_of_every_function():
    stub = ast.parse((FOLDER / "onefold" / "__init__.pyi").read_text())
    found = {}
    for node in stub.body:
        if isinstance(node, ast.FunctionDef) and node.name not in onefold._functions:
            a = node.args
            found.setdefault(node.name, set()).update(arg.arg for arg in (
                *a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if arg is not None)
    assert {"fold", "describe", "explain", "info", "read", "quantile"} <= set(found)
    for name, arguments in found.items():
        assert arguments == set(inspect.signature(getattr(onefold, name)).parameters), name


# The most used functions: all of one op, and these.
MOST_USED = (*onefold._functions, *"fold fold_by fold_segments gather describe agg median quantile rolling cumsum histogram "
             "mode nunique logsumexp softmax matmul linear_fit".split())


def sections(text):
    """{title: its lines} of a docstring by the rules of numpydoc."""
    lines, found = text.split("\n"), {}
    titles = [i for i in range(len(lines) - 1) if lines[i] and lines[i + 1] == "-" * len(lines[i])]
    for i, end in zip(titles, [*titles[1:], len(lines)]):
        found[lines[i]] = [line for line in lines[i + 2:end] if line]
    return found


@pytest.mark.parametrize("name", MOST_USED)
def test_help_says_each_argument_and_its_examples_run(name):
    function = getattr(onefold, name)
    help = sections(inspect.getdoc(function))
    assert [t for t in help if t != "Notes"] == ["Parameters", "Returns", "Raises", "Examples"]
    said = [word.strip(" *") for line in help["Parameters"] if line[0] != " " for word in line.split(" : ")[0].split(",")]
    assert len(said) == len(set(said))
    assert set(said) == set(inspect.signature(function).parameters)
    assert all(help.values())
    (test,) = doctest.DocTestFinder(recurse=False).find(function, name, module=False)
    assert test.examples and doctest.DocTestRunner(verbose=False).run(test).failed == 0


def test_signatures_can_be_inspected():
    for name in onefold._functions:
        names = list(inspect.signature(getattr(onefold, name)).parameters)
        assert names[0] == "x" and {"axis", "dtype", "out", "keepdims", "where"} <= set(names)
    assert "(nQ - S^2) / (n (n - ddof))" in onefold.var.__doc__
    assert len(MOST_USED) >= 60


def test_help_of_the_package_begins_with_its_functions():
    named = onefold.__doc__.split("\n\n")[2].split()
    public = {name for name in (*onefold.__all__, *onefold._functions) if callable(getattr(onefold, name))
              and not (inspect.isclass(getattr(onefold, name)) and issubclass(getattr(onefold, name), (BaseException, tuple)))}
    assert public <= set(named)
    assert {name for name in named if name in dir(onefold)} == public


def test_the_stub_has_the_text_of_help():
    stub, seen = ast.parse((FOLDER / "onefold" / "__init__.pyi").read_text()), set()
    for node in stub.body:
        if isinstance(node, ast.FunctionDef) and node.name not in seen:
            seen.add(node.name)
            assert ast.get_docstring(node) == inspect.getdoc(getattr(onefold, node.name)).strip(), node.name
    assert set(MOST_USED) - {"matmul"} <= seen


def test_the_stub_has_types_of_answers_for_ndarrays(tmp_path, monkeypatch):
    api = pytest.importorskip("mypy.api")
    monkeypatch.setenv("MYPYPATH", str(FOLDER))
    known = {
        "sum(f64)": "numpy.float64", "sum(f32)": "numpy.floating[numpy._typing._nbit_base._32Bit]", "sum(i64)": "i64", "sum(u8)": "u64",
        "mean(i64)": "numpy.float64", "argmax(f64)": "i64", "any(f64)": "numpy.bool[bool]", "max(u8)": "u8", "dot(f64, f64)": "numpy.float64",
        "corr(i64, i64)": "numpy.float64", "sum([1.0])": "float", "count([1.0])": "int", "median(f64)": "numpy.float64",
        "quantile(i64, 0.5)": "numpy.float64", "nunique(f64)": "i64", "mode(u8)": "u8", "gather('sum', f64)": "onefold.State"}
    short = {f"{kind}{bits}": f"numpy.{name}[numpy._typing._nbit_base._{bits}Bit]"
             for kind, name in (("i", "signedinteger"), ("u", "unsignedinteger")) for bits in (8, 64)}
    program = tmp_path / "program.py"
    program.write_text("""import numpy as np
from numpy.typing import NDArray
import onefold
def answers(f64: NDArray[np.float64], f32: NDArray[np.float32], i64: NDArray[np.int64], u8: NDArray[np.uint8]) -> None:
""" + "".join(f"    reveal_type(onefold.{call})\n" for call in known))
    said, _, status = api.run(["--strict", "--cache-dir", str(tmp_path / "cache"), "--config-file", "", str(program)])
    types = [line.split('"')[1] for line in said.splitlines() if "Revealed type" in line]
    assert status == 0, said
    assert dict(zip(known, types, strict=True)) == {call: short.get(t, t) for call, t in known.items()}


def test_a_star_import_shadows_no_builtin():
    import builtins

    assert not set(onefold.__all__) & set(dir(builtins))
    for name in onefold.__all__:
        assert hasattr(onefold, name)


def test_answers_are_tables_in_notebooks():
    assert onefold.fold("sum,max", [1.5, 2])._repr_html_() == (
        "<table><tr><th>sum</th><td>3.5</td></tr><tr><th>max</th><td>2.0</td></tr></table>")
    described = onefold.describe([1.0, 3.0])._repr_html_()
    assert "<tr><th>mean</th><td>2.0</td></tr>" in described and "&lt;" not in described
    np = pytest.importorskip("numpy")
    x = np.arange(4.0)
    fit = onefold.linear_fit(x, 2 * x + 1)
    assert "<tr><th>r2</th><td>1.0</td></tr>" in fit._repr_html_() and pickle.loads(pickle.dumps(fit))._fields == fit._fields


def test_modules_that_programs_import_list_their_names():
    import builtins

    for name in ("dask", "jax", "lab", "linalg", "mpi", "numpy"):
        try:
            module = importlib.import_module(f"onefold.{name}")
        except ImportError:
            continue
        assert module.__all__ and all(callable(getattr(module, each)) for each in module.__all__), name
        assert name in ("lab", "numpy") or not set(module.__all__) & set(dir(builtins)), name


def test_a_name_of_numpy_that_is_called_otherwise_says_so():
    with pytest.raises(AttributeError, match=r"no attribute 'percentile'; write onefold.quantile\(x, q / 100\)"):
        onefold.percentile
    with pytest.raises(AttributeError, match="no attribute 'convolve'$"):
        onefold.convolve
    assert all(not hasattr(onefold, name) for name in onefold._instead)


def test_ops_pickle():
    for name in onefold._functions:
        assert pickle.loads(pickle.dumps(getattr(onefold, name))) is getattr(onefold, name)


def test_import_needs_no_large_module():
    program = "import sys; sys.path[:0] = %r; import onefold; print(*sys.modules)" % sys.path
    loaded = subprocess.run([sys.executable, "-S", "-B", "-c", program], capture_output=True,
                            text=True, check=True).stdout.split()
    assert not {"numpy", "typing", "enum", "inspect", "dataclasses"} & set(loaded)


def test_info_says_what_is_here():
    facts = onefold.info()
    assert facts["version"] == onefold.__version__ and facts["threads"] >= 1
    assert "sum" in facts["ops"] and facts["devices"][0] == "cpu" and "f64" in facts["dtypes"]


@pytest.mark.parametrize("text, threads", [("3", 3), ("", 0), ("many", 0)])
def test_the_environment_names_the_threads(text, threads):
    program = "import sys; sys.path[:0] = %r; import onefold; print(onefold._core.get_threads())"
    done = subprocess.run([sys.executable, "-B", "-c", program % sys.path], capture_output=True,
                          env={"ONEFOLD_NUM_THREADS": text}, text=True, check=True)
    assert int(done.stdout) == threads
