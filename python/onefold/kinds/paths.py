"""Paths of files, and lists of paths."""

from .. import _errors, _files, _numbers
from .._found import type_name, unsupported
from .._kind import Kind


class _Paths(Kind):
    has_files = sums_products = True

    def owns(self, x):
        return _files.are_paths(x)

    def found(self, op, x):
        if not _files.is_path(x):
            return _numbers.sequence(op, x)  # which raises the error of a list that holds a str
        raise unsupported(op, f"a {type_name(x)} is not supported here; read the file with onefold.read(path) first")

    def load(self, name, x):
        return _files.load(name, x, {})

    def fold(self, request):
        if request.single and not _files.is_path(request.x):
            self.found(request.called, request.x)
        try:
            return _files.fold(request)
        except _errors.UnsupportedError:
            from .. import _complex_files

            if request.read is not None or not _complex_files.takes(request):
                raise
        return _complex_files.fold(request)


kind = _Paths()
