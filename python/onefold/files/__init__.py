"""Folds of files and tables. The library does all the work on files; this module converts its answers to
Python's objects."""

import contextlib
import operator
import os
import sys
import warnings

from .. import _core, errors
from .._keywords import keywords_of
from . import delta


class TableWarning(UserWarning):
    """Lists what was left out of a table: missing values, columns of text, bad lines."""

    __module__ = "onefold"


def is_path(x):
    return isinstance(x, (str, os.PathLike))


def paths_of(x):
    """The files that x, a path or a list of paths, names: those of a Delta table by its log, and file:///tmp/x.npy by its path."""
    paths = []
    for path in map(os.fspath, [x] if is_path(x) else x):
        if isinstance(path, str) and path.startswith("file:///"):
            from urllib.parse import unquote

            path = unquote(path[len("file://"):], errors="surrogateescape")
        paths += delta.files_of(path) if delta.is_delta(path) else [path]
    return paths


def paths_of_both(request):
    """The files that x and y name."""
    return paths_of(request.x) + ([] if request.y is None else paths_of(request.y))


def _no_path(op, x):
    """Returns the error for a value that does not name a file."""
    hint = "; bytes would be read as elements; for a path pass os.fsdecode(x)" if isinstance(x, bytes) else ""
    return errors.make("type_mismatch", f"{op}: x={errors.shown(x)} is not a file path (a str or an os.PathLike){hint}")


def are_paths(x):
    return is_path(x) or (isinstance(x, (list, tuple)) and len(x) > 0 and all(map(is_path, x)))


_of_arrow = (".parquet", ".pq", ".arrow", ".arrows", ".feather", ".ipc")


def _name_of(op, path):
    """A path as _core takes it."""
    try:
        return os.fsencode(path)
    except UnicodeEncodeError as error:
        raise errors.make("bad_option", f"{op}: {errors.shown(path)} cannot be the name of a file or a column: "
                           f"{error.object[error.start]!r} cannot be encoded as {error.encoding}") from None


def names_of(op, paths):
    """Paths as _core takes them. The plugin for Parquet and Arrow takes the libraries of PyArrow that the program
    has loaded; those that it is linked to may lie elsewhere."""
    names = [_name_of(op, p) for p in paths]
    if "pyarrow" not in sys.modules and [n for n in names if os.fsdecode(n).split(":")[0].lower().endswith(_of_arrow)
                                         or os.path.isdir(n)]:
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError:
            pass  # the plugin's error says what to install
    return names


def _is_extent(n):
    try:
        return abs(operator.index(n)) < 2**63
    except TypeError:
        return False


def _read_so(op, keywords):
    """Checks shape=, and returns the keywords of files."""
    shape = keywords.get("shape")
    extents = shape if isinstance(shape, (tuple, list)) else () if shape is None else (shape,)
    if len(extents) > 16 or not all(map(_is_extent, extents)):
        raise errors.make("bad_option", f"{op}: shape={errors.shown(shape)} is neither an integer nor a tuple of at most 16 "
                           "integers of 64 bits, such as (1000, 3)")
    return keywords


def prepared(request):
    """The keywords as _core takes them: paths as bytes, masks as arrays of bools."""
    ops, ready = request.ops, {**keywords_of(request), **_read_so(request.called, request.reading)}
    for name in ("weights", "fweights"):
        given = ready[name]
        if given is None:
            continue
        if not is_path(given):
            raise errors.make("bad_option", f"{ops}: for files, {name}= must name a file or a column, but an array was given")
        ready[name] = _name_of(ops, given)
    where = ready["where"]
    if is_path(where):
        ready["where"] = _name_of(ops, where)
    elif where is not None and where is not True:
        from ..operands.masks import bools

        ready["where"] = bools(ops, where)
    let = ready.get("let")
    if isinstance(let, dict):
        ready["let"] = ", ".join(f"`{str(name).replace('`', '``')}` = ({text})" for name, text in let.items()) or None
    dates = ready.get("date_format")
    if isinstance(dates, dict):
        ready["date_format"] = "; ".join('"' + str(name).replace('"', '""') + f'"={text}' for name, text in dates.items()) or None
    if any(delta.is_delta(os.fspath(p)) for p in ([request.x] if is_path(request.x) else request.x if are_paths(request.x) else ())):
        ready["union"] = True
    if isinstance(ready.get("by"), os.PathLike):
        ready["by"] = os.fspath(ready["by"])
    return ready


def warn(sentences):
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "onefold":
        level, frame = level + 1, frame.f_back
    for sentence in sentences:
        warnings.warn(sentence, TableWarning, stacklevel=level)


def only(found, asked):
    """Returns the only value of a dict by columns if the caller named one column, else the dict."""
    one = isinstance(asked, str) and _core.is_one_column(asked) and len(found) == 1
    return next(iter(found.values())) if one else found


def load(name, x, keywords):
    """The array in a file, in memory; keywords say how it is read."""
    if not are_paths(x):
        raise _no_path(name, x)
    path, *others = paths_of(x)
    if others:
        raise errors.make("unsupported", f"{name}: {1 + len(others)} files were given, but this call reads one; "
                           "call it for each of them")
    return _core.read_array(name, names_of(name, [path])[0], _read_so(name, keywords))


def hold_complex(name, paths, keywords):
    """Whether one of the files is an array of complex numbers."""
    return _core.hold_complex(names_of(name, paths), _read_so(name, keywords))


def fold(request):
    """The answer of files: of an array; of each column of a table, as a dict by names, unless one column is named; with
    by= the keys come first."""
    for name in ("out", "errors"):
        if request.single and getattr(request, name) is not None:
            raise errors.make("bad_option", f"{request.called}: {name}= is not available for files; leave it out")
    request.refuse_errors()
    if request.y is not None and not are_paths(request.y):
        raise errors.make("bad_option", f"{request.called}: x is a path, so y must also be one")
    paths = paths_of_both(request)
    values, keys, said, why = (request.read or read)(request, names_of(request.called, paths))
    warn(said)
    if not isinstance(values, dict):
        return request.make(values, why)
    made = {name: request.make(v, why[name] if why else None) for name, v in values.items()}
    made = only(made, request.reading.get("columns"))
    return made if keys is None else (only(keys, request.reading.get("by")), made)


def read(request, paths, lenient=False):
    """The answers as _core gives them: values, keys, what is to be said, and why there are no values.

    lenient  an answer without a value is None, and no error
    """
    with told_progress(request.ops, request.progress) as callback:
        return _core.fold_files(request.ops, paths, {**prepared(request), "progress": callback}, lenient)


@contextlib.contextmanager
def told_progress(ops, asked):
    """progress= as a function of the bytes that were read and all bytes; True means tqdm's bar."""
    if asked is None or asked is False:
        yield None
    elif callable(asked):
        yield asked
    elif asked is not True:
        raise errors.make("type_mismatch", f"{ops}: progress= is a {type(asked).__qualname__}, but must be a function of "
                           "two numbers, or True for tqdm")
    else:
        try:
            from tqdm.auto import tqdm
        except ModuleNotFoundError:
            raise errors.make("unsupported", f"{ops}: progress=True needs tqdm, which is not installed: pip install "
                               "tqdm") from None
        with tqdm(total=None, unit="B", unit_scale=True) as bar:
            def show(done, total):
                bar.total = total or None
                bar.update(done - bar.n)

            yield show


def explain(request):
    paths = paths_of(request.x)
    return {"files": [os.fsdecode(p) for p in paths],
            **_core.explain_files(request.ops, names_of(request.ops, paths), prepared(request))}


def contents(path, keywords):
    if not is_path(path):
        raise _no_path("info", path)
    names = names_of("info", [path])
    return {"file": os.fsdecode(names[0]), **_core.contents(names, _read_so("info", keywords))[0]}
