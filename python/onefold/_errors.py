"""The exceptions. Errors that programs catch together share a class; `code` is the row of docs/errors.md."""

import operator
import warnings


class Error(Exception):
    """What onefold raises. `code` is its name in docs/errors.md; the text is one line."""

    code = "internal"


def _derive(name, doc, *bases):
    return type(name, (Error, *bases), {"__doc__": doc, "__module__": "onefold"})


OptionError = _derive("OptionError", "An option or argument has no meaning here.", ValueError)
AxisError = _derive(
    "AxisError", "An axis is out of range or named twice.", ValueError, IndexError
)
ShapeError = _derive("ShapeError", "Shapes do not fit together.", ValueError)
DTypeError = _derive("DTypeError", "Element types do not fit together.", TypeError)
UnsupportedError = _derive("UnsupportedError", "A type that cannot be folded.", TypeError)
StateError = _derive("StateError", "States cannot be merged, or bytes are none.", ValueError)
EmptyError = _derive("EmptyError", "Nothing to fold, and no value for that.", ValueError)
NanError = _derive("NanError", "A NaN was found under nan='raise'.", ValueError)
OverflowError = _derive(
    "OverflowError", "The exact value does not fit the result type.", OverflowError
)
FileError = _derive("FileError", "A file cannot be read as what it should be.", OSError)
DeviceError = _derive("DeviceError", "A device or its driver reported an error.", RuntimeError)
PeerError = _derive("PeerError", "Another process failed, or the way to it.", RuntimeError)
NoBackendError = _derive("NoBackendError", "The device cannot be used.", RuntimeError)
OutOfMemoryError = _derive("OutOfMemoryError", "Memory ran out.", MemoryError)
InternalError = _derive("InternalError", "A defect in onefold.", RuntimeError)
Error.__module__ = "onefold"

by_code = {
    "bad_option": OptionError,
    "unknown_op": OptionError,
    "bad_axis": AxisError,
    "shape_mismatch": ShapeError,
    "type_mismatch": DTypeError,
    "no_backend": NoBackendError,
    "overlap": StateError,
    "bad_state": StateError,
    "misaligned": OptionError,
    "overflow": OverflowError,
    "nan_found": NanError,
    "empty_input": EmptyError,
    "cannot_open": FileError,
    "read_failed": FileError,
    "truncated": FileError,
    "bad_header": FileError,
    "unsupported": UnsupportedError,
    "bad_token": FileError,
    "out_of_range": FileError,
    "needs_seek": FileError,
    "cannot_write": FileError,
    "out_of_memory": OutOfMemoryError,
    "device_failed": DeviceError,
    "peer_failed": PeerError,
    "internal": InternalError,
}


class InexactWarning(UserWarning):
    """A drop-in for NumPy let NumPy fold an array, so the answer may be rounded more than once, or wrap."""


InexactWarning.__module__ = "onefold"


def warn_of_numpy(name, x, stacklevel):
    """Warns that NumPy's function of this name folds x."""
    said = f"{type(x).__module__}.{type(x).__qualname__}".removeprefix("builtins.")
    if hasattr(x, "dtype"):
        said += f" of {x.dtype}"
    warnings.warn(f"{name}: NumPy folds this {said}, not Onefold, so the answer may be rounded more than once",
                  InexactWarning, stacklevel=stacklevel)


def shown(value):
    """A value for a message, shortened to one line."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # its class may raise anything
        text = f"a {type(value).__qualname__}"
    return text if len(text) <= 80 else text[:80] + "..."


def renamed(error, op, instead):
    """An error of `op` as one of the function that was called."""
    text = str(error)
    return make(error.code, instead + text[len(op):] if text.startswith(op) else text)


def integer(op, name, value, code="bad_option"):
    """An argument as an int, if it is an integer of Python or NumPy; otherwise raises the error `code`."""
    try:
        return operator.index(value)
    except TypeError:
        raise make(code, f"{op}: {name}={shown(value)} is not an integer") from None


def make(code, message):
    """The exception for a code that the engine's tables name; any other code is a defect."""
    error = by_code.get(code, InternalError)(message)
    error.code = code
    return error
