"""Files of the package depend on each other in one direction, also by imports inside functions."""

import ast
import pathlib

import onefold

folder = pathlib.Path(onefold.__file__).parent


def imports():
    """The modules of the package that each module imports, at any level."""
    names = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    found = {}
    for name in names:
        tree = ast.parse((folder / f"{name}.py").read_text())
        nodes = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.level == 1]
        found[name] = {one for n in nodes for one in ([n.module] if n.module else [a.name for a in n.names])} & names
    return found


def test_no_module_imports_itself_by_way_of_others():
    left = imports()
    while leaves := {name for name, needed in left.items() if not needed & left.keys()}:
        left = {name: needed for name, needed in left.items() if name not in leaves}
    assert not left
