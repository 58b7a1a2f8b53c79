"""Paths of files, and lists of paths."""

from ... import errors, files
from .. import numbers
from ..found import type_name, unsupported
from ..kind import Kind


class _Paths(Kind):
    has_files = sums_products = True

    def owns(self, x):
        return files.are_paths(x)

    def found(self, op, x):
        if not files.is_path(x):
            return numbers.sequence(op, x)  # which raises the error of a list that holds a str
        raise unsupported(op, f"a {type_name(x)} is not supported here; read the file with onefold.read(path) first")

    def load(self, name, x):
        return files.load(name, x, {})

    def fold(self, request):
        if request.single and not files.is_path(request.x):
            self.found(request.called, request.x)
        try:
            return files.fold(request)
        except errors.UnsupportedError:
            from ...groups import complex_files

            if request.read is not None or not complex_files.takes(request):
                raise
        return complex_files.fold(request)


kind = _Paths()
