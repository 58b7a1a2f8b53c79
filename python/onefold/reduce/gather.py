"""States of arrays of any kind."""

from .. import _core
from ..files import is_path
from ..operands import chunks, find
from ..operands.complex_numbers import is_complex
from ..operands.found import on_device, unsupported
from ..operands.masks import mask_of


def gather(request):
    """The State of a request for one array, or for two, or with axis= the States of its slices."""
    kind, ops, x, y, nan, where, axis = (
        request.kind, request.ops, request.x, request.y, request.nan, request.where, request.axis)
    if is_path(x):
        raise unsupported(ops, f"gather() takes arrays, not files; run onefold gather {ops} FILE "
                          "--state part.of, or pass numpy.load(FILE, mmap_mode='r')")
    if is_complex(x) or is_complex(y):
        raise unsupported(ops, "states support only real numbers; gather x.real and x.imag separately, or for norm2 and sumsq "
                          "numpy.stack([x.real, x.imag])")
    if kind.has_devices and kind.on_device(x) or (y is not None and on_device(y)):
        from . import device

        return device.gather(ops, [x] if y is None else [x, y], request)
    keywords = nan, request.first, request.threads
    if where is None:
        state = _core.gather_array(ops, x, y, *keywords, None, axis, request.keepdims)
        if state is not None:  # None: x or y must be converted first
            return state
        if y is None and axis is None and not request.keepdims and kind.chunked:
            first = request.first or 0 if chunks.has_places(ops) else request.first
            return chunks.gather(ops, kind.chunks(ops, x), nan, first, request.threads)
    where = kind.agreeing(ops, "where=", x, where)
    found = [kind.found(ops, x), *(find(ops, kind.agreeing(ops, "y", x, a)) for a in [y] if y is not None)]
    if any(f.there for f in found):
        raise unsupported(ops, "states can be gathered from arrays on the CPU only; copy the array there")
    mask = mask_of(ops, found, where)
    return _core.gather_array(ops, found[0].array, found[1].array if y is not None else None, *keywords, mask, axis,
                              request.keepdims)
