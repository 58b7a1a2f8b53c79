"""Expressions of arrays, which onefold.expr() makes."""

from ..expr import Expr, refused
from ..found import unsupported
from ..kind import Kind


class _Expressions(Kind):
    by_type = True

    def owns(self, x):
        return type(x) is Expr

    def found(self, op, x):
        raise unsupported(op, f"{x!r} works only in functions of one array, such as sum, and in fold(); pass an array here")

    def fold(self, request):
        from ...reduce import mapped, run

        if request.run not in (run.fold, run.fold_converted):
            self.found(request.called, request.x)
        if "dtype" in request.reading:
            request.refuse_reading()
        for name in (*request.reading, "y", "out", "weights", "fweights", "initial", "errors", "progress"):
            if name in request.reading or getattr(request, name) is not None:
                raise refused(request.called, name)
        values = mapped.fold(request)
        return values if request.make is None else request.make(values)


kind = _Expressions()
