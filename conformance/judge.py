#!/usr/bin/env python3
"""Says which promises a library's sums, means, variances and dot products keep on vectors/.

    python conformance/judge.py                      judges every library that is installed
    python conformance/judge.py onefold math.fsum    judges these
    python conformance/judge.py --program ./mine     judges a program; README.md has its protocol
    python conformance/judge.py --markdown docs/choosing.md   writes the table between its marks
"""

import argparse
import datetime
import functools
import importlib.util
import json
import numbers
import os
import pathlib
import platform
import random
import re
import shlex
import subprocess
import sys
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from vectors import hexadecimal, number, read  # noqa: E402

LONG = 2**16  # elements from which threads are asked for


NotOffered = type("NotOffered", (Exception,), {})
Refused = type("Refused", (Exception,), {})  # an error instead of an answer


def text(value):
    """An answer as its type and its number: "f64 0x1.8p+1"."""
    if value is None:
        raise Refused("null")
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Integral):
        return f"int {int(value)}"
    kind = "f32" if type(value).__name__ == "float32" else "f64"
    return f"{kind} {hexadecimal(float(value))}"


class Module:
    """A library behind a file of adapters/."""

    def __init__(self, stem):
        self.stem, self.name = stem, stem.replace("_", ".")
        spec = importlib.util.spec_from_file_location(f"adapter_{stem}",
                                                      HERE / f"adapters/{stem}.py")
        self.module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)
        self.version, self.needs = self.module.VERSION, self.module.NEEDS
        self.with_threads = functools.cache(self.with_threads)

    def with_threads(self, n):
        """The library in a process of its own, whose environment says the number of threads."""
        return Program([sys.executable, __file__, "--serve", self.stem],
                       os.environ | {self.module.THREADS: str(n)})

    def ask(self, what, type, *given):
        m = self.module
        if type not in m.TYPES:
            raise NotOffered
        if what == "threads" and hasattr(m, "THREADS"):
            return self.with_threads(given[1]).ask("sum", type, given[0])
        if not hasattr(m, "merge" if what == "merged" else what):
            raise NotOffered
        try:
            answer = m.answer(self.merged(given[0], type)) if what == "merged" else \
                getattr(m, what)(*given, type)
        except Exception as error:
            raise Refused(f"{error.__class__.__name__}: {error}".split("\n")[0]) from error
        return text(answer)

    def merged(self, tree, type):
        """The state of a part; of a list of parts, each merged into those before it."""
        if not tree or not isinstance(tree[0], list):
            return self.module.state(tree, type)
        return functools.reduce(self.module.merge, (self.merged(part, type) for part in tree))


class Program:
    """A program that answers each line, a request in JSON, with a line."""

    def __init__(self, command, environment=None):
        self.name, self.version, self.needs = command[0], "", shlex.join(command)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=environment)

    def ask(self, what, type, x, other=None):
        request = {"op": what, "type": type, "x": written(x)}
        if what == "dot":
            request["y"] = written(other)
        if what == "threads":
            request["threads"] = other
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        said = self.process.stdout.readline().strip()
        if said == "-":
            raise NotOffered
        if said.startswith("refused") or not said:
            raise Refused(said[8:] or "the program ended")
        kind, value = said.split()
        return f"{kind} {hexadecimal(number(value, 'i64' if kind == 'int' else kind))}"


def written(x):
    return [written(v) if isinstance(v, list) else hexadecimal(v) for v in x]


def parsed(x, type):
    return [parsed(v, type) if isinstance(v, list) else number(v, type) for v in x]


def serve(library):
    """Answers requests of Program by a library."""
    for line in sys.stdin:
        asked = json.loads(line)
        given = [parsed(asked[key], asked["type"]) for key in ("x", "y") if key in asked]
        given += [asked["threads"]] if "threads" in asked else []
        try:
            print(library.ask(asked["op"], asked["type"], *given), flush=True)
        except NotOffered:
            print("-", flush=True)
        except Refused as why:
            print("refused", why, flush=True)


def orders(x):
    """The elements in other orders."""
    draw = random.Random(len(x))
    yield x[::-1],
    yield sorted(x),
    yield sorted(x, key=abs, reverse=True),
    for _ in range(5):
        yield draw.sample(x, len(x)),


def cuts(x):
    """The elements in consecutive parts, some of them empty."""
    draw, n = random.Random(len(x)), len(x)
    yield [x[:n // 2], x[n // 2:]],
    yield [[], x[:n // 3], [], x[n // 3:]],
    if n <= 100:
        yield [[v] for v in x],
    for _ in range(2):
        at = sorted(draw.randrange(n + 1) for _ in range(min(n, 7)))
        yield [x[a:b] for a, b in zip([0, *at], [*at, n])],


def trees(x):
    """Such parts in any order and grouping."""
    draw = random.Random(len(x))
    for parts, in cuts(x):
        yield parts,
        yield parts[::-1],
        mixed = draw.sample(parts, len(parts))
        while len(mixed) > 1:
            mixed.append([mixed.pop(draw.randrange(len(mixed))) for _ in range(2)])
        yield mixed


def rounded(op, type=None, group="rounding"):
    """A promise: the answer is the exact value, rounded once."""
    def check(library, vector):
        said = vector["answers"][op]
        got = library.ask(op, vector["type"], *[vector[key] for key in ("x", "y") if key in vector])
        kind, value = got.split()
        right = said.get(kind, "an answer of type " + " or ".join(said))
        return got, value in (right if isinstance(right, list) else [right]), right
    return lambda v: v["group"] == group and op in v["answers"] and type in (None, v["type"]), check


def same(what, ways, sizes=range(2, LONG)):
    """A promise: the sum has the same bits in all ways."""
    def check(library, vector):
        x, type = vector["x"], vector["type"]
        try:
            library.ask(what, type, *next(ways(x[:2])))
        except Refused:
            pass  # but it is offered
        first, refused = library.ask("sum", type, x), None
        for way in ways(x):
            try:
                got = library.ask(what, type, *way)
                if got != first:
                    return got, False, first
            except Refused as why:
                refused = why
        if refused:
            raise refused
        return first, True, first
    return lambda v: v["group"] == "rounding" and "sum" in v["answers"] and len(v["x"]) in sizes, \
        check


PROMISES = {  # title: which vectors, check
    "sum f64": rounded("sum", "f64"), "sum f32": rounded("sum", "f32"),
    "sum i64": rounded("sum", "i64"), "NaN, inf": rounded("sum", group="special"),
    "-0": rounded("sum", group="zero"), "mean": rounded("mean"), "var": rounded("var"),
    "dot": rounded("dot"), "any order": same("sum", orders), "any chunks": same("chunks", cuts),
    "any threads": same("threads", lambda x: ((x, n) for n in (1, 2, 3, 4) * 6),
                        range(LONG, sys.maxsize)),
    "merged": same("merged", trees)}


class Verdict:
    def __init__(self):
        self.tried, self.wrong, self.refused = 0, [], []

    def __str__(self):
        bad = [f"no: {len(self.wrong)}"] * bool(self.wrong) + \
            [f"refuses {len(self.refused)}"] * bool(self.refused)
        return ", ".join(bad) or ("yes" if self.tried else "-")


def judge(library, vectors):
    """{title of a promise: Verdict}"""
    found = {}
    for title, (concerns, check) in PROMISES.items():
        found[title] = verdict = Verdict()
        for vector in filter(concerns, vectors):
            try:
                got, right, expected = check(library, vector)
                if not right:
                    verdict.wrong.append((vector["name"], expected, got))
            except NotOffered:
                continue
            except Refused as why:
                if not vector.get("may_refuse"):
                    verdict.refused.append((vector["name"], "an answer", f"refused: {why}"))
            verdict.tried += 1
    return found


def markdown(verdicts, vectors):
    """A table with a library a row, and where it was made."""
    counts = [sum(map(concerns, vectors)) for concerns, _ in PROMISES.values()]
    head = ["", *(f"{title} ({n})" for title, n in zip(PROMISES, counts)), "to run it"]
    rows = [[f"{library.name} {library.version}", *map(str, found.values()), library.needs]
            for library, found in verdicts.items()]
    lines = ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]]
    return "\n".join(lines) + f"\n\nMade by `python conformance/judge.py` on " \
        f"{datetime.date.today():%-d %B %Y}, {platform.machine()}, {os.cpu_count()} cores.\n"


def libraries(names):
    """Those of adapters/ that are asked for, or that are installed."""
    for name in names or sorted((p.stem for p in (HERE / "adapters").glob("*.py")),
                                key=str.lower):
        try:
            yield Module(name.replace(".", "_"))
        except ImportError as error:
            if names:
                raise
            print(f"not judged: {name}: {error}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", nargs="*", help="its file in adapters/")
    parser.add_argument("--program", help="a command that answers requests")
    parser.add_argument("--markdown", metavar="FILE", help="write a table between the marks of "
                        "FILE; print it if FILE is -")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # overflows
    if options.serve:
        return serve(Module(options.serve))
    judged = [Program(shlex.split(options.program))] if options.program else []
    if options.library or not judged:
        judged += libraries(options.library)
    vectors = list(read())
    verdicts = {library: judge(library, vectors) for library in judged}
    if options.markdown == "-":
        print(markdown(verdicts, vectors), end="")
    elif options.markdown:
        page = pathlib.Path(options.markdown)
        page.write_text(re.sub(r"(<!-- conformance -->\n).*?(?=<!-- end of it -->)",
                               lambda m: m[1] + markdown(verdicts, vectors), page.read_text(),
                               flags=re.S))
    else:
        for library, found in verdicts.items():
            print(f"\n{library.name} {library.version}")
            for title, verdict in found.items():
                print(f"  {title:12} {verdict}")
                for name, expected, got in (verdict.wrong + verdict.refused)[:1]:
                    print(f"    {name}: expected {expected}, got {got}")


if __name__ == "__main__":
    main()
