"""Frames: folded by keys, as one array, or column by column."""

from .. import errors
from ..operands import frame_columns, kind_of


def fold(request):
    """The answer of a frame. columns= and by= name columns of it, and so may weights= and fweights=."""
    columns, by = request.reading.get("columns"), request.reading.get("by")
    if request.make is not None and not request.single and isinstance(request.where, str):
        from .frame_files import file_of

        with file_of(request.ops, request.x) as path:
            kind = kind_of(path)
            return kind.fold(request.replace(kind=kind, x=path))
    weights = next((f"{what}={name!r}" for what in ("weights", "fweights") if isinstance(name := getattr(request, what), str)), None)
    if weights is not None and frame_columns.axes_of(request.axis) not in (None, {0}):
        raise errors.make("bad_axis", f"{request.called}: {weights} is a column, with a weight for each row, so the frame is folded "
                           f"along axis 0, not {request.axis}; pass axis=0")
    request, columns = weighted_by(request, columns, by)
    if by is not None and request.make is not None:
        from . import grouping

        return grouping.fold_frame(request, by, columns)
    request = request.replace(reading={name: v for name, v in request.reading.items() if name != "columns"})
    request.refuse_reading()
    if columns is not None or weights is not None or not request.kind.is_array(request.x):
        return frame_columns.fold(request, columns)
    values = request.run(request)
    return values if request.make is None else request.make(values)


def weighted_by(request, columns, by):
    """The request and the columns to fold. A column that weights= or fweights= names is given instead of its name, and is
    not folded."""
    given = {what: name for what in ("weights", "fweights") if isinstance(name := getattr(request, what), str)}
    if not given:
        return request, columns
    kind, x = request.kind, request.x
    beside = {what: x[frame_columns.named(kind.names(x), column, f"{what}=")[0]] for what, column in given.items()}
    if isinstance(columns, (list, tuple)):
        columns = [name for name in columns if name not in given.values()]
    elif columns is None:
        keys = [by] if isinstance(by, str) else by or ()
        x = kind.without(x, [name for name in given.values() if name not in keys])
    return request.replace(x=x, **beside), columns
