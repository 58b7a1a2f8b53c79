"""The lab from Python: experiments with GPU kernels, simulated or on a GPU, and your own kernels.

    r = onefold.lab.reduce(rung="modulo,sequential", n=4096)
    r["rungs"][0]["name"]                 # the JSON of `onefold lab reduce`; a notebook shows its page
    r = onefold.lab.run(source, "sum", grid=4, block=256, args={"x": "i32[1000]=iota", "y": [0]})
    r.arrays["y"], r["flaws"]
    onefold.lab.puzzle("barrier")         # a kernel to mend; onefold.lab.puzzle("barrier", mended)

The program `onefold` does the work. It is the one that ONEFOLD_PROGRAM names, or else the one of the
source tree that the package comes from (`make demo` builds it, `make python` the package), or else the
one in PATH.
"""

import os
import sys

from . import _core, errors
from .operands.frameworks import find_nvrtc

_types = {"b": "i8", "B": "u8", "h": "i16", "H": "u16", "i": "i32", "I": "u32", "l": "i64", "L": "u64",
          "q": "i64", "Q": "u64", "e": "f16", "f": "f32", "d": "f64", "?": "bool"}


_does_not_compile = 62  # the statuses of the lab: docs/lab-ci.md


class Report(dict):
    """The program's report of a run; a notebook shows its page."""

    page = None  # HTML

    def _repr_html_(self):
        import html

        if self.page is None:
            import json

            return f"<pre>{html.escape(json.dumps(self, indent=1))}</pre>"
        # Without this, links within the page would open the notebook's address inside the frame.
        page = self.page.replace("<head>", '<head><base href="about:srcdoc">', 1)
        return (f'<iframe srcdoc="{html.escape(page)}" width="100%" height="700" '
                'style="border: 0"></iframe>')

    @property
    def arrays(self):
        """What the arrays of a run hold afterwards, by name."""
        return {a["name"]: a["values"] for a in self.get("arguments", ()) if "values" in a}


def _built():
    """The program of the build tree that this package is in, or of the tree whose .venv it is in."""
    for tree in (os.path.join(__file__, "../../.."), os.path.join(sys.prefix, "../build/release")):
        program = os.path.normpath(os.path.join(tree, "onefold"))
        if os.path.isfile(program) and os.access(program, os.X_OK):
            return program
    return None


def _program():
    import shutil

    found = os.environ.get("ONEFOLD_PROGRAM") or _built() or shutil.which("onefold")
    if not found:
        raise errors.make(
            "cannot_open", "lab: the program onefold was not found; build it with make demo, and add it to PATH or set "
                           "ONEFOLD_PROGRAM to its path")
    return found


def _words(options):
    words = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append(",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value))
    return words


def _extent(name, value):
    """The size of a grid or block as the program takes it: 256 and "16x16" as they are, (16, 16) as "16x16"."""
    if value is None or isinstance(value, str):
        return value
    sizes = value if isinstance(value, (list, tuple)) else (value,)
    if not 1 <= len(sizes) <= 3 or any(isinstance(s, bool) or not hasattr(s, "__index__") or s < 1 for s in sizes):
        raise errors.make("bad_option", f"lab: {name}={errors.shown(value)} is not a size; pass a whole number from 1, or up to "
                           "three, such as (16, 16)")
    return "x".join(str(s.__index__()) for s in sizes)


def _check(words):
    """Raises bad_option for words that cannot be passed on a command line."""
    for word in words:
        try:
            wrong = "it holds a null character" if b"\0" in os.fsencode(word) else None
        except UnicodeEncodeError as error:
            wrong = f"{word[error.start]!r} cannot be encoded as {error.encoding}"
        if wrong:
            raise errors.make("bad_option", f"lab: {errors.shown(word)} cannot be passed to the program: {wrong}")


def _run(words, kind=None, text=None):
    """The program's JSON, which reads `text` from stdin; raises if there is none."""
    import json
    import subprocess

    _check(words)
    find_nvrtc()
    try:
        done = subprocess.run([_program(), "lab", *words, "--json"], input=text, capture_output=True,
                              encoding="utf-8", errors="replace")
    except OSError as error:
        raise errors.make("cannot_open", f"lab: {error}") from None
    try:
        return (kind or Report)(json.loads(done.stdout))
    except ValueError:
        code = "unsupported" if done.returncode == _does_not_compile else next(
            (code for code, status, _ in _core.error_table() if status == done.returncode), "internal")
        lines = done.stderr.strip().splitlines() or [f"lab: the program exited with status {done.returncode}"]
        raise errors.make(code, lines[-1].removeprefix("onefold: ")) from None


def experiment(name, **options):
    """An experiment of `onefold lab`, with its options: chip="cc12", n=4096, machine="sim".

    returns  its JSON as a dict, with `.page`, which a notebook shows
    raises   Error: what the program says; FileError where it is not found
    """
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        report = _run([name, *_words(options), "--page", page])
        with open(page) as f:
            report.page = f.read()
    return report


def reduce(**options):
    """Every kernel of the ladder of reductions: experiment("reduce", rung="modulo", n=4096)."""
    return experiment("reduce", **options)


def _listed(name, values):
    """A list of numbers as an array: of f64 if one is a float, else of i32."""
    from array import array

    kind = "d" if any(isinstance(v, float) for v in values) else "i"
    for k, v in enumerate(values):
        if not isinstance(v, float) and not hasattr(v, "__index__"):
            raise errors.make("type_mismatch", f"lab: {name}[{k}] is {errors.shown(v)}; a list must hold whole numbers or "
                                                "floats")
        if kind == "i" and not -2**31 <= v < 2**31:
            raise errors.make("bad_option", f"lab: {name}[{k}] is {v}, but a list of whole numbers is i32, which cannot "
                                             "hold it; pass a NumPy array, or array.array of type q")
    return array(kind, values)


def _argument(name, value, folder):
    if isinstance(value, str):  # "i32[1000]=iota"
        return f"{name}:{value}"
    if isinstance(value, (bool, int, float)):
        return f"{name}={float(value) if isinstance(value, float) else int(value)}"
    if isinstance(value, (list, tuple)):
        value = _listed(name, value)
    try:
        view = memoryview(value)
    except (TypeError, ValueError):  # no buffer; or one whose elements are dates
        raise errors.make("type_mismatch", f"lab: {name} is {errors.shown(value)}; pass a number, a list of numbers, an array of "
                           'one dimension, or a fill, such as "i32[1000]=iota"') from None
    if view.ndim == 0:  # a scalar of NumPy
        return _argument(name, view.tolist(), folder)
    kind = _types.get(view.format.lstrip("<=@"))
    if kind is None or view.ndim != 1:
        raise errors.make(
            "bad_option", f"lab: {name} is a {type(value).__name__} of format {view.format!r} and {view.ndim} dimensions; "
            "pass one dimension of integers or floats")
    # In a file, since a command line's length is limited (128 KB on Linux).
    path = os.path.join(folder, f"{len(os.listdir(folder))}.raw")
    with open(path, "wb") as f:
        f.write(view.tobytes())
    return f"{name}:{kind}[{len(view)}]=@{path}"


class Verdict(dict):
    """The verdict on a puzzle; a notebook shows it as a table."""

    def _repr_html_(self):
        import html

        rows = "".join(f"<tr><td>{t['n']}</td><td style='text-align: left'>"
                       f"{html.escape(t['wrong']) or 'right'}</td></tr>" for t in self["tries"])
        said = "solved" if self["solved"] else "not yet"
        return f"<table><tr><th>n</th><th>{html.escape(self['name'])}: {said}</th></tr>{rows}</table>"


def puzzle(name=None, source=None, hints=0, seed=None):
    """Kernels to complete, repair or improve: `onefold lab puzzle`.

        onefold.lab.puzzle()                       # their names, and what each is about
        print(onefold.lab.puzzle("barrier"))       # the kernel; hints=2: the first two of three hints
        onefold.lab.puzzle("barrier", mended)      # judged at several lengths: ["solved"], ["tries"]

    source   the text of the mended kernel, or the path of its .cu file
    seed     of the random lengths and elements: ["seed"] of an earlier result; None: a new seed
    raises   Error: of a text that does not compile
    """
    if name is None:
        return {p["name"]: p["goal"] for p in _run(["puzzle"], list)}
    if source is None:
        found = _run(["puzzle", name])
        return "\n".join(found["hints"][:hints]) if hints else found["text"]
    file, text = _source(source)
    return Verdict(_run(["puzzle", name, file, *([] if seed is None else ["--seed", str(seed)])], text=text))


def _source(source):
    """The path of a kernel and None; or "-" and its text, which the program reads from stdin. Then it has
    one name, so that the program knows a text that it has compiled before."""
    path = os.fspath(source) if isinstance(source, os.PathLike) else source
    if not isinstance(path, str):
        raise errors.make("type_mismatch", f"lab: the source is a {type(source).__name__}, but must be a str: the text of a "
                                            "kernel, "
                           "or the path of its file")
    if "\n" not in path and "__global__" not in path:
        return path, None
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise errors.make("bad_option", f"lab: line {path.count(chr(10), 0, error.start) + 1} of the source is not valid "
                           f"UTF-8: it holds {path[error.start]!r}") from None
    return "-", path


def _bring_back(value, values):
    """Writes the contents of a kernel's array to the caller's array."""
    from array import array

    view = memoryview(value)
    if view.readonly:
        return
    kind = view.format.lstrip("<=@")
    if kind in "e?":  # array() has no such types
        import struct

        view.cast("B")[:] = struct.pack(f"{len(view)}{kind}", *map(float if kind == "e" else bool, values))
    else:
        view[:] = memoryview(array(kind, map(float if kind in "fd" else int, values)))


def run(source, kernel=None, grid=None, block=None, args=(), *more, **options):
    """Runs your CUDA kernel on the simulated GPU: `onefold lab run`.

        onefold.lab.run(source, "reduce0", 64, 256, x, out, len(x))   # out holds the sums then

    source   the text of a .cu file, or the path of a .cu or .ptx file
    grid, block  a whole number, or up to three: (16, 16)
    args     a dict of the kernel's arguments in their order: numbers, sequences, arrays of one
             dimension, or fills such as "i32[1000]=iota"; or the text that the program takes for them; or the
             arguments one after another, as for a kernel: the kernel's results are written back to arrays
    options  shared=, launch=, expect=, chip=, schedules= and others, as the program has them;
             page=True: a notebook shows the run step by step
    returns  its JSON as a dict: counters, flaws by source line; `.arrays` has the arrays after the run
    """
    import tempfile

    places = {}
    if more or not isinstance(args, (str, dict)):
        listed = (args, *more) if more or not isinstance(args, tuple) else args
        args = places = {f"p{k}": value for k, value in enumerate(listed)}
    if not isinstance(args, str):
        options.setdefault("print", [k for k, v in args.items() if getattr(v, "shape", True) != () and
                                     not isinstance(v, (bool, int, float))] or None)
    with tempfile.TemporaryDirectory() as folder:
        if not isinstance(args, str):
            args = ", ".join(_argument(name, value, folder) for name, value in args.items())
        options.update(kernel=kernel, grid=_extent("grid", grid), block=_extent("block", block), args=args or None)
        page = os.path.join(folder, "page.html") if options.get("page") is True else None
        if page:
            options["page"] = page
        file, text = _source(source)
        report = _run(["run", file, *_words(options)], text=text)
        if page:
            with open(page) as f:
                report.page = f.read()
    for name, values in report.arrays.items():
        if name in places and not isinstance(places[name], (str, list, tuple)):
            _bring_back(places[name], values)
    return report


__all__ = ["Report", "Verdict", "experiment", "puzzle", "reduce", "run"]
