"""The package: names, help, types, import."""

import ast
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


def test_help_is_short_and_signatures_can_be_inspected():
    for name in onefold._functions:
        function = getattr(onefold, name)
        assert len(function.__doc__.splitlines()) < 25, name
        names = list(inspect.signature(function).parameters)
        assert names[0] == "x" and {"axis", "dtype", "out", "keepdims", "where"} <= set(names)
    assert "(nQ - S^2) / (n (n - ddof))" in onefold.var.__doc__
    for function in [onefold.fold, onefold.describe, onefold.gather, onefold.vecdot]:
        assert 0 < len(function.__doc__.splitlines()) < 25


def test_a_star_import_shadows_no_builtin():
    import builtins

    assert not set(onefold.__all__) & set(dir(builtins))
    for name in onefold.__all__:
        assert hasattr(onefold, name)


def test_a_name_of_numpy_that_is_called_otherwise_says_so():
    with pytest.raises(AttributeError, match=r"no attribute 'percentile'; quantile\(x, q / 100\) is what"):
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
