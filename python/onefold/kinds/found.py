"""Arrays that were found before: a step hands one to a step that takes any input."""

from .._found import Found
from .._kind import Kind


class _Found(Kind):
    by_type = True

    def owns(self, x):
        return type(x) is Found

    def found(self, op, x):
        return x


kind = _Found()
