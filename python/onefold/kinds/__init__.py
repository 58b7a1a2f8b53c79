"""The kinds of input, each in one file with an object `kind` (see onefold/_kind.py).

A file that is called as a library is has that library's objects: a new library is one new file. The other kinds are
Python's and NumPy's, and interfaces that objects of many libraries have; these are asked in the order of the lists.
"""

import importlib
import importlib.util

from .._found import converted, on_device

_first = ("paths", "numpy", "sequences", "found")
_interfaces = ("buffers", "arrow", "quantities", "device", "dlpack", "arrays")
_by_type = {}  # of types that alone decide
_libraries = {}  # name -> the kind, or None
_most = 1000


def kind_of(x):
    """The kind of x: the first that owns it."""
    kind = _by_type.get(type(x))
    if kind is None:
        kind = _first_owner(x)
        if kind.by_type:
            if len(_by_type) >= _most:  # of a program that makes types
                _by_type.clear()
            _by_type[type(x)] = kind
    return kind


def _first_owner(x):
    for name in _first:
        if (kind := _kind_in(name)).owns(x):
            return kind
    library = type(x).__module__.partition(".")[0]
    if library not in _libraries:
        there = library.isidentifier() and importlib.util.find_spec(f"{__name__}.{library}") is not None
        _libraries[library] = _kind_in(library) if there else None
    kind = _libraries[library]
    if kind is not None and kind.owns(x):
        return kind
    return next(kind for kind in map(_kind_in, _interfaces) if kind.owns(x))


def _kind_in(file):
    return importlib.import_module(f"{__name__}.{file}").kind


def find(op, x):
    """The Found of any array; an error if it is none.

    op  how an error message begins; for an array that goes with another one, with its name
    """
    return kind_of(x).found(op, x)


def shape_of(op, x):
    """The shape of an array of any kind, on a device, too."""
    shape = converted(op, x, lambda: getattr(x, "shape", None))
    if shape is not None:
        return tuple(shape)
    try:
        return memoryview(x).shape
    except (TypeError, ValueError, BufferError):
        pass
    if on_device(x):
        return tuple(x.__cuda_array_interface__["shape"])
    return tuple(find(op, x).array.shape)
