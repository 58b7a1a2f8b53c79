"""The keywords of _core's functions."""

from . import _core, errors


def keywords_of(request, **more):
    """A request's options as _core takes them; `more` replaces some."""
    return {"axis": request.axis, "keepdims": request.keepdims, "nan": request.nan, "ddof": request.ddof,
            "correction": request.correction, "where": request.where, "weights": request.weights,
            "fweights": request.fweights, "result": request.result, "threads": request.threads,
            "initial": request.initial, "out": request.out, "wide": request.wide, "empty_nan": request.empty_nan,
            "progress": request.progress, **more}


def check(request):
    """Refuses wrong options, for folds of elements that _core does not take, where it would not see them."""
    options = {name: getattr(request, name) for name in ("nan", "ddof", "correction", "threads")}
    try:
        _core.fold_array("count", _core.pack("count", [0.0]), None, options)
    except errors.Error as error:
        raise errors.renamed(error, "count", request.called) from None
