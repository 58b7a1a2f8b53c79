"""Draws one-line faults in the sources: comparisons, constants, signs, ends of ranges, dropped statements."""

import pathlib
import random
import re
import subprocess
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Where faults are planted, and the folders of tests that must find them.
AREAS = {
    "core": (("onefold/core", "onefold/engine", "onefold/cpu"), ("core", "engine", "cpu", "law")),
    "tables": (("onefold/io", "onefold/tables", ":(glob)cli/*.cpp", "cli/verb", "cli/answer_format"), ("io", "tables", "cli")),
    "python": (("python/onefold",), ("python/tests",)),
}

# A kind of fault: what it looks for, and what stands there instead.
SWAPS = {
    "comparison": {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == "},
    "sign": {" + ": " - ", " - ": " + ", " += ": " -= ", " -= ": " += ", " && ": " || ", " || ": " && ",
             " and ": " or ", " or ": " and "},
    "end": {" + 1)": ")", " - 1)": ")", " + 1;": ";", " - 1;": ";", " + 1]": "]", " - 1]": "]", " + 1,": ",", " - 1,": ","},
}
CONSTANT = re.compile(r"(?<![\w.\"'<])\d+(?![\w.\"'])")
STATEMENT = re.compile(r"^\s*[a-z_][\w.>\-\[\]():]*( [+\-|&*]?= [^;{}]*|\([^;{}]*\));$")
PY_STATEMENT = re.compile(r"^\s+[a-z_][\w.\[\]]*( [+\-|&*]?= [^:{}]*|\([^:{}]*\))$")
NO_CODE = re.compile(r"^\s*(//|#|\*|static_assert|using|template|import|from|case|return [A-Z\"']|@|assert|typedef|extern)")


@dataclass(frozen=True)
class Fault:
    path: str
    line: int  # from 1
    kind: str
    old: str
    new: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.kind}: {self.old.strip()}  ->  {self.new.strip() or '(dropped)'}"

    def text(self):
        """The file with the fault."""
        lines = (ROOT / self.path).read_text().split("\n")
        assert lines[self.line - 1] == self.old, f"{self.path}:{self.line} has changed"
        lines[self.line - 1] = self.new
        return "\n".join(lines)


def faults_of_line(path, number, line):
    python = path.endswith(".py")
    if '"' in line or "'" in line or NO_CODE.match(line) or "//" in line or python and "#" in line:
        return
    for kind, swaps in SWAPS.items():
        for old, new in swaps.items():
            at = line.find(old)
            if at >= 0 and not (old in (" < ", " > ") and "template" in line):
                yield Fault(path, number, kind, line, line[:at] + new + line[at + len(old):])
    if (found := CONSTANT.search(line)) and len(found[0]) < 5:
        yield Fault(path, number, "constant", line, line[:found.start()] + str(int(found[0]) + 1) + line[found.end():])
    if (PY_STATEMENT if python else STATEMENT).match(line) and line.count("(") == line.count(")"):
        blank = line[:len(line) - len(line.lstrip())]
        yield Fault(path, number, "dropped statement", line, blank + "pass" if python else "")


def all_faults(area):
    folders, _ = AREAS[area]
    ends = (".py",) if area == "python" else (".cpp", ".inl", ".hpp")
    listed = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for path in sorted(p for p in listed.split() if p.endswith(ends)):
        in_text = False
        for number, line in enumerate((ROOT / path).read_text().split("\n"), 1):
            if path.endswith(".py") and line.count('"""') == 1:
                in_text = not in_text
            elif not in_text:
                yield from faults_of_line(path, number, line)


def draw(area, seed):
    """All faults of an area in a drawn order: the kinds in turn, a file again only after the others."""
    shuffled = sorted(all_faults(area), key=str)
    random.Random(f"{area} {seed}").shuffle(shuffled)
    kinds = {}
    for fault in shuffled:
        kinds.setdefault(fault.kind, []).append(fault)
    used = {}
    while any(kinds.values()):
        for kind in sorted(kinds):
            if kinds[kind]:
                least = min(used.get(f.path, 0) for f in kinds[kind][:50])
                fault = next(f for f in kinds[kind][:50] if used.get(f.path, 0) == least)
                kinds[kind].remove(fault)
                used[fault.path] = least + 1
                yield fault
