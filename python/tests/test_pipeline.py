"""Calls go one way through the package: docs/decisions/0060-python-pipeline.md lists what they pass."""

import ast
import pathlib
import re
import sys
import types

import numpy as np
import pytest

import onefold

FOLDER = pathlib.Path(onefold.__file__).parent
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "decisions" / "0060-python-pipeline.md"


# The folders, from below; the modules of the top are below all of them, the others above.
LAYERS = ("", "files", "operands", "reduce", "groups", "linalg", "order", "windows")
BASE = {"errors", "state", "_ops", "_keywords", "_ranks"}


def imports(deferred=True):
    """The modules of the package that each module imports, by relative or absolute names.

    deferred  whether to include imports in functions
    """
    paths = {".".join(path.relative_to(FOLDER).with_suffix("").parts): path for path in FOLDER.rglob("*.py")}
    names = {name.removesuffix(".__init__"): path for name, path in paths.items() if name != "__init__"}
    found = {}
    for name, path in names.items():
        parent = name if path.stem == "__init__" else name.rpartition(".")[0]
        found[name] = set()
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree) if deferred else tree.body:
            if not isinstance(node, ast.ImportFrom):
                continue
            if node.level:
                above = parent.split(".")[:max(parent.count(".") + 2 - node.level, 0)] if parent else []
                module = ".".join([*above, *([node.module] if node.module else [])])
            elif node.module.partition(".")[0] == "onefold":
                module = node.module.partition(".")[2]
            else:
                continue
            inside = {".".join(filter(None, (module, one.name))) for one in node.names} & names.keys()
            found[name] |= inside or ({module} & names.keys())
    return found


def test_no_module_imports_itself_by_way_of_others():
    left = imports()
    assert "operands.found" in left["operands.libraries.pandas"] and "operands" in left["operands.masks"]
    while leaves := {name for name, needed in left.items() if not needed & left.keys()}:
        left = {name: needed for name, needed in left.items() if name not in leaves}
    assert not left, left


def layer_of(module):
    folder = module.partition(".")[0]
    return 0 if folder in BASE else LAYERS.index(folder) if folder in LAYERS else len(LAYERS)


def test_a_folder_imports_only_those_below_it():
    assert all((FOLDER / folder).is_dir() for folder in LAYERS)
    wrong = [f"{name} imports {needed}" for name, all_needed in imports(deferred=False).items() for needed in all_needed
             if layer_of(needed) > layer_of(name)]
    assert not wrong, wrong


class Tensor:
    """A tensor of an imitation of torch, where torch is not installed."""

    is_cuda = requires_grad = False

    def __init__(self, array):
        self.array, self.dtype = array, array.dtype

    def is_neg(self):
        return False

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.fixture
def torch(monkeypatch):
    if "torch" not in sys.modules:
        imitation = types.SimpleNamespace(
            Tensor=Tensor, float64=np.float64, from_numpy=Tensor, tensor=lambda value, dtype: Tensor(dtype(value)))
        monkeypatch.setattr(Tensor, "__module__", "torch")
        monkeypatch.setitem(sys.modules, "torch", imitation)
    return sys.modules["torch"]


def passed(call):
    """The functions of the package that a call enters, in their order. The first call is not traced, since it imports."""
    call()
    seen = []

    def see(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(FOLDER)) and not code.co_name.startswith("<"):
            seen.append(f"{pathlib.Path(code.co_filename).relative_to(FOLDER).as_posix()} {code.co_name}")

    sys.setprofile(see)
    try:
        call()
    finally:
        sys.setprofile(None)
    return seen


def listed():
    """The lists of the page, by the calls that stand in their first column."""
    rows = re.findall(r"^\| `(.+?)` \| (.*) \|$", PAGE.read_text(), re.MULTILINE)
    return {call: re.findall(r"`([\w/]+\.py) (\w+)`", steps) for call, steps in rows if ".py" in steps or steps.startswith("none")}


def test_calls_pass_what_the_page_lists_and_nothing_twice(torch):
    x = np.arange(10.0)
    tensor = torch.from_numpy(x)
    calls = {'mean(x)': lambda: onefold.mean(x), 'fold("mean,var", x)': lambda: onefold.fold("mean,var", x),
             'sum(tensor)': lambda: onefold.sum(tensor)}
    lists = listed()
    for name, call in calls.items():
        steps = passed(call)
        assert steps == [" ".join(step) for step in lists[name]], name
        files = [step.split()[0] for step in steps]
        stays = [file for k, file in enumerate(files) if k == 0 or file != files[k - 1]]
        assert len(steps) <= 14 and len(set(steps)) == len(steps) and len(set(stays)) == len(stays), name


NEW_KIND = '''
from onefold.operands.found import Found
from onefold.operands.kind import Kind


class Boxes(Kind):
    def owns(self, x):
        return hasattr(x, "inside")

    def found(self, op, x):
        return Found(x.inside, wrap=lambda value, dtype=None: ("boxed", value))


kind = Boxes()
'''


def test_a_new_kind_of_input_is_one_new_file(tmp_path, monkeypatch):
    from onefold import operands
    from onefold.operands import libraries

    box = type("Box", (), {"__module__": "boxes.of_mine", "inside": np.array([1.0, 2.0])})()
    with pytest.raises(onefold.UnsupportedError, match="cannot be folded"):
        onefold.sum(box)
    operands._kinds_for.cache_clear()
    monkeypatch.setattr(operands, "_by_type", {})
    (tmp_path / "boxes.py").write_text(NEW_KIND)
    monkeypatch.setattr(libraries, "__path__", [*libraries.__path__, str(tmp_path)])
    assert onefold.sum(box) == ("boxed", 3.0)
    assert onefold.fold("max,mean", box) == (("boxed", 2.0), ("boxed", 1.5))
    assert onefold.fold_by("sum", [0, 1], box, groups=2)[0][1].tolist() == [1, 2]
    assert onefold.mse(box, np.zeros(2)) == ("boxed", 2.5)
    assert onefold.mean(np.ones(2), weights=box) == 1
