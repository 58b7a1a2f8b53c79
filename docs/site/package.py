"""The Python reference: signatures from the stubs, docstrings from the installed package."""

import ast
import importlib
import inspect
import pathlib
import pkgutil

import onefold

ROOT = pathlib.Path(__file__).parents[2]
# Docstrings have long lines: extra.css wraps them.
TEXT = "``` {.text .docstring}"


def stubs(module):
    """{name: [signature of each overload]} of a module's .pyi."""
    path = ROOT / "python" / (module.replace(".", "/") + ".pyi")
    if not path.exists():
        path = ROOT / "python" / module.replace(".", "/") / "__init__.pyi"
    found = {}
    if path.exists():
        for node in ast.parse(path.read_text()).body:
            add_stub(node, "", found)
    return found


def add_stub(node, owner, found):
    if isinstance(node, ast.ClassDef):
        for member in node.body:
            add_stub(member, f"{node.name}.", found)
    elif isinstance(node, ast.FunctionDef):
        returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        found.setdefault(owner + node.name, []).append(
            f"{owner}{node.name}({ast.unparse(node.args)}){returns}")
    elif isinstance(node, ast.AnnAssign) and owner:
        found[f"{owner}{node.target.id}"] = [f"{owner}{node.target.id}: {ast.unparse(node.annotation)}"]


def signature(name, thing, stub):
    if name in stub:
        return stub[name][-1]  # the last overload is the most general one
    try:
        return name + str(inspect.signature(thing))
    except (TypeError, ValueError):
        return name


def folded(line, width=96):
    """A signature in lines, cut at commas."""
    lines, rest = [], line
    while len(rest) > width and ", " in rest[:width]:
        cut = rest.rindex(", ", 0, width)
        lines.append(rest[:cut + 1])
        rest = "    " + rest[cut + 2:]
    return "\n".join([*lines, rest])


def entry(name, thing, stub, level):
    doc = inspect.getdoc(thing) or ""
    if "->" in doc.split("\n")[0]:  # nanobind writes a signature there
        doc = doc.partition("\n\n")[2]
    if doc.startswith("Alias for field number"):  # Python says it of each field of a named tuple
        doc = ""
    out = [f"{'#' * level} {name}", ""]
    if (callable(thing) and not inspect.isclass(thing)) or name in stub:
        out += ["```python", folded(signature(name, thing, stub)), "```", ""]
    return out + ([TEXT, doc, "```", ""] if doc else [])


def members(thing, name, stub):
    for member in vars(thing):
        if not member.startswith("_"):
            yield from entry(f"{name}.{member}", getattr(thing, member), stub, 3)


def is_error(thing):
    return inspect.isclass(thing) and issubclass(thing, BaseException)


def module_page(module):
    stub = stubs(module.__name__)
    opening, _, more = (inspect.getdoc(module) or "").partition("\n")
    out = [f"# {module.__name__}", "", opening, "", TEXT, more.strip(), "```", ""]
    names = getattr(module, "__all__", None) or [
        n for n, v in vars(module).items()
        if not n.startswith("_") and f"{getattr(v, '__module__', None)}.".startswith(f"{module.__name__}.")]
    if module is onefold:
        names = [*names, *(n for n in onefold._ops.ops if n not in names)]
        names = [n for n in names if not inspect.ismodule(getattr(module, n))]
    things = {n: getattr(module, n) for n in names if hasattr(module, n)}
    errors = {n: t for n, t in things.items() if is_error(t)}
    ops = {n: t for n, t in things.items() if module is onefold and n in onefold._ops.ops}
    for name, thing in sorted(things.items()):
        if name in errors or name in ops:
            continue
        out += entry(name, thing, stub, 2)
        if inspect.isclass(thing):
            out += members(thing, name, stub)
    if ops:
        out += ["## Ops", "", "Each has a page: " +
                ", ".join(f"[{n}](../ops/{n}.md)" for n in sorted(ops)) + ".", ""]
        for name, thing in sorted(ops.items()):
            out += ["```python", folded(signature(name, thing, stub)), "```"]
        out.append("")
    if errors:
        out += ["## Errors", "", "| error | is also | says |", "|---|---|---|"]
        for name, error in sorted(errors.items()):
            bases = ", ".join(f"`{b.__name__}`" for b in error.__mro__[1:]
                              if b not in (object, BaseException, Exception))
            doc = " ".join((error.__doc__ or "").split())
            out.append(f"| `{name}` | {bases} | {doc} |")
        out += ["", "`.code` has the name of the [errors](../../docs/errors.md) table."]
    return "\n".join(out) + "\n"


def unread_page(name):
    """The docstrings in a module's source, if its framework is not installed."""
    path = ROOT / "python" / name.replace(".", "/")
    tree = ast.parse((path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text())
    opening, _, more = (ast.get_docstring(tree) or "").partition("\n")
    out = [f"# {name}", "", opening, "", TEXT, more.strip(), "```", ""]
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            out += [f"## {node.name}", ""]
            if isinstance(node, ast.FunctionDef):
                line = f"{node.name}({ast.unparse(node.args)})"
                out += ["```python", folded(line), "```", ""]
            doc = ast.get_docstring(node)
            out += [TEXT, doc, "```", ""] if doc else []
    return opening, "\n".join(out) + "\n"


# Folders and modules that no program imports by name (docs/decisions/0083-python-packages.md).
INNER = ("errors", "files", "groups", "operands", "order", "reduce", "state", "windows")


def pages():
    made, lines = {}, []
    names = ["onefold", *(f"onefold.{m.name}" for m in pkgutil.iter_modules(onefold.__path__)
                          if not m.name.startswith("_") and m.name not in INNER)]
    for name in names:
        try:
            module = importlib.import_module(name)
        except ImportError:  # torch is not installed everywhere
            opening, made[f"reference/python/{name}.md"] = unread_page(name)
            lines.append(f"- [{name}]({name}.md): {opening}")
            continue
        made[f"reference/python/{name}.md"] = module_page(module)
        lines.append(f"- [{name}]({name}.md): {(inspect.getdoc(module) or '').partition(chr(10))[0]}")
    made["reference/python/README.md"] = "\n".join(["# Python: every module", "", *lines, ""])
    return made


if __name__ == "__main__":
    for where, text in pages().items():
        print("=====", where)
        print(text)
