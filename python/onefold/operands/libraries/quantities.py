"""Objects with a unit, which their answers would lose: refused."""

from ..found import type_name, unsupported
from ..kind import Kind


class _Quantities(Kind):
    def owns(self, x):
        return hasattr(x, "units") or hasattr(x, "unit")

    def found(self, op, x):
        name = "units" if hasattr(x, "units") else "unit"
        raise unsupported(op, f"a {type_name(x)} would lose its {name}; pass its plain numbers")


kind = _Quantities()
