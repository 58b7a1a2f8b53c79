"""The exceptions. Errors that programs catch together share a class; `code` is the row of docs/errors.md."""

import operator
import warnings


class Error(Exception):
    """What onefold raises. `code` is its name in docs/errors.md; the text is one line."""

    code = "internal"


# Each class, what it says, the bases beside Error, and the codes of its rows.
_classes = (
    ("OptionError", "An option or argument has no meaning here.", (ValueError,), "bad_option unknown_op misaligned"),
    ("AxisError", "An axis is out of range or named twice.", (ValueError, IndexError), "bad_axis"),
    ("ShapeError", "Shapes do not fit together.", (ValueError,), "shape_mismatch"),
    ("DTypeError", "Element types do not fit together.", (TypeError,), "type_mismatch"),
    ("UnsupportedError", "A type that cannot be folded.", (TypeError,), "unsupported"),
    ("StateError", "States cannot be merged, or bytes are not a state.", (ValueError,), "overlap bad_state"),
    ("EmptyError", "There is nothing to fold, and no result is defined for that.", (ValueError,), "empty_input"),
    ("NanError", "A NaN was found under nan='raise'.", (ValueError,), "nan_found"),
    ("OverflowError", "The exact value does not fit the result type.", (OverflowError,), "overflow"),
    ("FileError", "A file is damaged, is not in its format, or cannot be read.", (OSError,),
     "cannot_open read_failed truncated bad_header bad_token out_of_range needs_seek cannot_write"),
    ("DeviceError", "A device or its driver reported an error.", (RuntimeError,), "device_failed"),
    ("PeerError", "Another process failed, or the connection to it.", (RuntimeError,), "peer_failed"),
    ("NoBackendError", "The device cannot be used.", (RuntimeError,), "no_backend"),
    ("OutOfMemoryError", "Memory ran out.", (MemoryError,), "out_of_memory"),
    ("InternalError", "A defect in onefold.", (RuntimeError,), "internal"))
Error.__module__ = "onefold"
by_code = {}
for _name, _doc, _bases, _codes in _classes:
    globals()[_name] = type(_name, (Error, *_bases), {"__doc__": _doc, "__module__": "onefold"})
    by_code.update(dict.fromkeys(_codes.split(), globals()[_name]))


class InexactWarning(UserWarning):
    """A drop-in for NumPy let NumPy fold an array, so the answer may be rounded more than once, or wrap."""


InexactWarning.__module__ = "onefold"


def warn_of_numpy(name, x, stacklevel):
    """Warns that NumPy's function of this name folds x."""
    said = f"{type(x).__module__}.{type(x).__qualname__}".removeprefix("builtins.")
    if hasattr(x, "dtype"):
        said += f" of {x.dtype}"
    warnings.warn(f"{name}: NumPy, not Onefold, reduces this {said}, so the answer may be rounded more than once",
                  InexactWarning, stacklevel=stacklevel)


def shown(value):
    """Formats a value for a message, shortened to one line."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # its class may raise anything
        text = f"a {type(value).__qualname__}"
    return text if len(text) <= 80 else text[:80] + "..."


def renamed(error, op, instead):
    """Returns the error of `op` with the name of the function that the user called."""
    text = str(error)
    return make(error.code, instead + text[len(op):] if text.startswith(op) else text)


def flag(op, name, value):
    """Converts an argument to a bool; raises bad_option for a str such as "no"."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return bool(value)
    except (TypeError, ValueError):
        raise make("bad_option", f"{op}: {name}={shown(value)} is neither True nor False") from None


def integer(op, name, value, code="bad_option"):
    """An argument as an int, if it is an integer of Python or NumPy; otherwise raises the error `code`."""
    try:
        return operator.index(value)
    except TypeError:
        raise make(code, f"{op}: {name}={shown(value)} is not an integer") from None


def axis_of(op, axis, shape):
    """An axis, counted from 0, of an array of this shape; otherwise raises bad_axis."""
    axis, shape = integer(op, "axis", axis, "type_mismatch"), tuple(shape)
    if not -len(shape) <= axis < len(shape):
        legal = f"; legal axes are {-len(shape)}..{len(shape) - 1}" if shape else ", which has no axes"
        raise make("bad_axis", f"{op}: axis {axis} is out of range for shape {shape}{legal}")
    return axis % len(shape)


def axes_of(op, axes, shape):
    """Like axis_of(), for several axes; an axis that is named twice raises bad_axis."""
    counted = [axis_of(op, axis, shape) for axis in axes]
    if len(set(counted)) != len(counted):
        raise make("bad_axis", f"{op}: {shown(axes)} names an axis twice")
    return counted


def make(code, message):
    """The exception for a code that the engine's tables name; any other code is a defect."""
    error = by_code.get(code, by_code["internal"])(message)
    error.code = code
    return error


def unsupported(op, text):
    return make("unsupported", f"{op}: {text}")


def numpy_for(op, what):
    """Imports NumPy, which few calls need."""
    try:
        import numpy
    except ModuleNotFoundError:
        raise unsupported(op, f"for {what} onefold needs NumPy, which is not installed: pip install numpy") from None
    return numpy
