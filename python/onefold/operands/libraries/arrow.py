"""Columns with the Arrow C data interface: chunk by chunk, without a copy; nulls are left out."""

from ... import _core
from ..found import Found
from ..kind import Kind
from ..wrap import as_python


class Arrow(Kind):
    by_type = chunked = True

    def owns(self, x):
        return hasattr(x, "__arrow_c_stream__") or hasattr(x, "__arrow_c_array__")

    def nullable(self, x):
        return True

    def chunks(self, op, x):
        if hasattr(x, "__arrow_c_stream__"):
            return _core.arrow_stream(op, x.__arrow_c_stream__())
        return _core.arrow_array(op, *x.__arrow_c_array__())

    def found(self, op, x):
        chunks = self.chunks(op, x)
        import numpy

        pieces = [chunk.expanded() for chunk in chunks]
        mask = None
        if any(chunk.nulls for chunk in chunks):
            mask = numpy.concatenate([
                numpy.ones(len(piece), bool) if there is None else there for piece, there in pieces])
        values = pieces[0][0] if len(pieces) == 1 else numpy.concatenate([piece for piece, _ in pieces])
        return Found(values, as_python, mask)


kind = Arrow()
