"""Counts phrases that are not plain English in string literals: messages, help and docstrings.

Each phrase has the number of literals that may still hold it, a number that only falls. Adjacent literals count as
one, and so does an f-string.

Usage: words.py SOURCE
"""
import ast
import os
import re
import sys

# phrase -> (pattern, plain phrases that the pattern also finds, number of literals allowed, what to write instead)
PHRASES = {
    "X is no Y": (r"\b(is|are) no\b", r"\b([Tt]here (is|are) no|(is|are) no longer)\b", 0, "X is not a Y"),
}
SOURCES = (".c", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".inl", ".py", ".pyi")
LITERAL = re.compile(
    r"""//[^\n]*|/\*.*?\*/"""  # comments, which may hold quotes
    r"""|R"(?P<mark>[^()\s]*)\((?P<raw>.*?)\)(?P=mark)"|"(?P<text>(?:[^"\\\n]|\\.)*)"|'(?:[^'\\\n]|\\.)+'""",
    re.DOTALL)


def c_literals(text):
    """(line, literal) of C++ or C; adjacent literals are joined."""
    found, end = [], -1
    for match in LITERAL.finditer(text):
        literal = match["raw"] if match["mark"] is not None else match["text"]
        if literal is None:
            continue
        if found and not text[end:match.start()].strip():
            found[-1][1] += literal
        else:
            found.append([text.count("\n", 0, match.start()) + 1, literal])
        end = match.end()
    return found


def python_literals(text):
    """(line, literal) of Python; the text of an f-string has {} for its values."""
    found, within = [], set()
    for node in ast.walk(ast.parse(text)):  # outer nodes first
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            within.update(id(part) for part in node.values)
            found.append([node.lineno, "".join(parts)])
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in within:
            found.append([node.lineno, node.value])
    return found


def sources(root):
    """The paths of the tree's sources, without build folders and this file."""
    for top in sorted(os.listdir(root)):
        if top.startswith((".", "build")) or not os.path.isdir(os.path.join(root, top)):
            continue
        for folder, folders, files in os.walk(os.path.join(root, top)):
            folders[:] = [f for f in folders if f not in ("node_modules", "target", "__pycache__")]
            for file in files:
                path = os.path.join(folder, file)
                if file.endswith(SOURCES) and not os.path.samefile(path, __file__):
                    yield path


def main(root):
    found = {phrase: [] for phrase in PHRASES}
    for path in sources(root):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for line, literal in (python_literals if path.endswith((".py", ".pyi")) else c_literals)(text):
            for phrase, (pattern, plain, _, _) in PHRASES.items():
                if re.search(pattern, re.sub(plain, "", literal)):
                    found[phrase].append(f"{os.path.relpath(path, root)}:{line}: {' '.join(literal.split())[:200]}")
    wrong = False
    for phrase, (_, _, allowed, instead) in PHRASES.items():
        count = len(found[phrase])
        print(f'"{phrase}": {count} literals, {allowed} allowed')
        if count > allowed:
            wrong = True
            print("\n".join(found[phrase]))
            print(f'instead of "{phrase}" write "{instead}"')
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
