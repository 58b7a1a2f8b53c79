"""The keywords of _core's functions."""


def keywords_of(request, **more):
    """A request's options as _core takes them; `more` replaces some."""
    return {"axis": request.axis, "keepdims": request.keepdims, "nan": request.nan, "ddof": request.ddof,
            "correction": request.correction, "where": request.where, "weights": request.weights,
            "fweights": request.fweights, "result": request.result, "threads": request.threads,
            "initial": request.initial, "out": request.out, "wide": request.wide, "empty_nan": request.empty_nan,
            "progress": request.progress, **more}
