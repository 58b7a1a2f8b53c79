"""The kinds of input, each in one file with an object `kind` (see onefold/operands/kind.py).

A file that is called as a library is has that library's objects: a new library is one new file. The other kinds are
Python's and NumPy's, and interfaces that objects of many libraries have; these are asked in the order of the lists.
"""

import functools
import importlib
import importlib.util

from .found import Found, converted, library_of, on_device

_first = ("paths", "numpy", "sequences")
_interfaces = ("buffers", "arrow", "quantities", "device", "dlpack", "arrays")
_by_type = {}  # of types that alone decide
_most = 1000


def kind_of(x):
    """The kind of x: the first that owns it."""
    kind = _by_type.get(type(x))
    if kind is None:
        kind = next(kind for kind in _kinds_for(type(x).__module__.partition(".")[0]) if kind.owns(x))
        if kind.by_type or type(x) is dict:
            if len(_by_type) >= _most:  # of a program that makes types
                _by_type.clear()
            _by_type[type(x)] = kind
    return kind


@functools.lru_cache(_most)
def _kinds_for(library):
    """The kinds that are asked about objects of a library, in their order."""
    library = {"jaxlib": "jax"}.get(library, library)
    known = library.isidentifier() and importlib.util.find_spec(f"{__name__}.libraries.{library}") is not None
    files = *_first, *([library] if known else []), *_interfaces
    return [importlib.import_module(f"{__name__}.libraries.{file}").kind for file in files]


def in_memory(name, x):
    """x, or the array in the file that it names."""
    kind = kind_of(x)
    return kind.load(name, x) if kind.has_files else x


def find(op, x):
    """The Found of any array; an error if it is none.

    op  how an error message begins; for an array that goes with another one, with its name
    """
    return x if type(x) is Found else kind_of(x).found(op, x)


def giver(*given):
    """The array whose library answers have: the first of a framework, else the first of NumPy, else the first."""
    return min(given, key=lambda x: {"builtins": 2, "numpy": 1}.get(library_of(x), 0))


def like(x, answer):
    """An answer as one of x's library, without labels, if it is NumPy's."""
    return kind_of(x).like(x, answer) if library_of(answer) in ("numpy", "ml_dtypes") else answer


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
    kind = kind_of(x)
    if kind.has_times and kind.is_times(x):
        return tuple(kind.times(op, x)[0].shape)
    return tuple(find(op, x).array.shape)
