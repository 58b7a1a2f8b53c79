"""Views of other libraries' memory, by DLPack."""

from .. import _core, errors
from .found import gives_no_array, type_name, unsupported


def exported(op, x, **stream):
    """A View of an array by DLPack."""
    if hasattr(x, "is_neg") and x.is_neg():  # torch's, whose memory holds the numbers with the other sign
        x = x.resolve_neg()

    try:  # `made` is kept until an error is raised, since its destructor may be Python's
        try:
            made = x.__dlpack__(max_version=(1, 1), **stream)
        except TypeError:
            made = x.__dlpack__(**stream)  # from before DLPack 1.0
    except (errors.Error, MemoryError):
        raise
    except Exception as error:
        raise gives_no_array(op, x, error) from error
    try:
        return _core.View.from_dlpack(made)
    except errors.Error as error:
        if not str(error).startswith("DLPack: "):
            raise
        raise unsupported(op, f"a {type_name(x)} of {getattr(x, 'dtype', 'no dtype')} cannot be folded: {error}") from None
