"""Arrays of Dask: sum() and similar functions are those of onefold.dask, lazily; others fold whole slices of each chunk."""

from ... import errors
from ..found import unsupported
from ..kind import Kind


class _Dask(Kind):
    by_type = True

    def owns(self, x):
        return True

    def found(self, op, x):
        raise unsupported(op, "a Dask array is not supported here; see onefold.dask, or call x.compute()")

    def lazy(self, x):
        return x

    def fold(self, request):
        slices = not request.single or any(getattr(request, name) is not None for name in ("where", "weights", "fweights"))
        if request.y is not None or request.reading or request.make is None:
            return super().fold(request)
        if slices:
            from ...dask.slices import values

            return request.make(values(request))
        from ... import dask

        asked = {"axis": request.axis, "keepdims": request.keepdims, "nan": request.nan, "dtype": request.result,
                 "ddof": request.correction if request.ddof is None else request.ddof}
        for name in ("out", "initial", "errors"):
            if getattr(request, name) is not None:
                raise errors.make("bad_option", f"{request.called}: {name}= is not available for Dask arrays; leave it out, "
                                   "or call x.compute() first")
        return getattr(dask, request.ops)(request.x, **{name: v for name, v in asked.items() if v is not None})


kind = _Dask()
