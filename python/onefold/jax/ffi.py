"""Calls of the library from programs that XLA runs, without a copy of the elements: a handler of XLA's FFI.

The handler is a Python function by ctypes. The structures are those of xla/ffi/api/c_api.h, of which only ends grow.
"""

import contextlib
import ctypes
import functools
import itertools
import json
import math
import operator
import pathlib
import re

import jax
import numpy

from .. import _core, _ops, errors
from ..operands.frameworks import find_nvrtc

_pointer, _size, _long, _int = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64, ctypes.c_int32


def _struct(name, *fields):
    return type(name, (ctypes.Structure,), {"_fields_": [("struct_size", _size), ("extension", _pointer), *fields]})


_Buffer = _struct("Buffer", ("dtype", _int), ("data", _pointer), ("rank", _long), ("dims", ctypes.POINTER(_long)))
_Buffers = _struct("Buffers", ("size", _long), ("types", _pointer), ("items", ctypes.POINTER(ctypes.POINTER(_Buffer))))
_Span = type("Span", (ctypes.Structure,), {"_fields_": [("data", _pointer), ("size", _size)]})
_Attributes = _struct("Attributes", ("size", _long), ("types", _pointer), ("names", _pointer),
                      ("items", ctypes.POINTER(ctypes.POINTER(_Span))))
_Version = _struct("Version", ("major", ctypes.c_int), ("minor", ctypes.c_int))
_Api = _struct("Api", ("version", _Version), ("internal", _pointer), ("error_create", _pointer), ("error_message", _pointer),
               ("error_destroy", _pointer), ("register", _pointer), ("stream_get", _pointer))
_Frame = _struct("Frame", ("api", ctypes.POINTER(_Api)), ("context", _pointer), ("stage", _int), ("arguments", _Buffers),
                 ("results", _Buffers), ("attributes", _Attributes))
_Error = _struct("Error", ("message", ctypes.c_char_p), ("code", _int))
_Stream = _struct("Stream", ("context", _pointer), ("stream", _pointer))
_Metadata = type("Metadata", (ctypes.Structure,), {"_fields_": [("struct_size", _size), ("version", _Version), ("traits", _int)]})
_About = type("About", (ctypes.Structure,), {
    "_fields_": [("struct_size", _size), ("type", _int), ("next", _pointer), ("metadata", ctypes.POINTER(_Metadata))]})
_function = ctypes.CFUNCTYPE(_pointer, _pointer)

# XLA's numbers of types.
_types = {1: "bool", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "uint8", 7: "uint16", 8: "uint32", 9: "uint64", 10: "float16",
          11: "float32", 12: "float64", 16: "bfloat16", 15: "complex64", 18: "complex128", 19: "float8_e5m2", 20: "float8_e4m3fn",
          23: "float8_e4m3b11fnuz", 24: "float8_e5m2fnuz", 25: "float8_e4m3fnuz", 28: "float8_e4m3", 29: "float8_e3m4",
          33: "float8_e8m0fnu"}
_of_devices = {*range(1, 13), 16}  # the others are folded on the host
names = frozenset(_types.values())  # of types that are taken


def _layout(buffer):
    """The shape and the type of a buffer's elements."""
    return tuple(buffer.dims[:buffer.rank]), jax.numpy.dtype(_types[buffer.dtype])


class _There:
    """A buffer of XLA on a GPU, as an array for _device."""

    is_cuda = True

    def __init__(self, buffer, device):
        self.address, self.ndim, self.device = buffer.data or 0, buffer.rank, device
        self.shape, self.dtype = _layout(buffer)

    def view(self, shape=None, strides=None):
        shape = list(self.shape if shape is None else shape)
        strides = strides and [step * self.dtype.itemsize for step in strides]
        return _core.View.at(self.address, _core.dtype_name(self.dtype.name), shape, strides, self.device, self)


def _here(buffer):
    """A buffer of the host as an ndarray of the same memory."""
    shape, dtype = _layout(buffer)
    size = math.prod(shape) * dtype.itemsize
    return numpy.frombuffer((ctypes.c_char * size).from_address(buffer.data) if size else b"", dtype).reshape(shape)


class _Driver:
    """CUDA's driver, which XLA has loaded, in the thread that launches for a device."""

    def __init__(self, frame):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        asked = _Stream(ctypes.sizeof(_Stream), None, frame.context, None)
        _function(frame.api.contents.stream_get)(ctypes.addressof(asked))
        self.stream = _pointer(asked.stream)
        device = _int()
        self._do("cuCtxGetDevice", ctypes.byref(device))
        self.device = device.value

    def _do(self, name, *arguments):
        if (code := getattr(self.cuda, name)(*arguments)) != 0:
            raise errors.make("device", f"{name} returned {code}")

    def wait(self):
        self._do("cuStreamSynchronize", self.stream)

    def copied(self, buffer):
        made = numpy.empty(*_layout(buffer))
        self._do("cuMemcpyDtoH_v2", _pointer(made.ctypes.data), _pointer(buffer.data), _size(made.nbytes))
        return made

    def put(self, buffer, value):
        self._do("cuMemcpyHtoDAsync_v2", _pointer(buffer.data), _pointer(value.ctypes.data), _size(value.nbytes), self.stream)
        self.wait()  # value is read until then


def _row_function(asked, x, out, stream):
    axes = sorted(a % x.ndim for a in asked["keywords"]["axis"])
    if not axes or axes != list(range(axes[0], axes[-1] + 1)) or 0 in x.shape:
        return False
    kept, behind = list(x.shape[:axes[0]]), list(x.shape[axes[-1] + 1:])
    shape = [*kept, math.prod(x.shape[axes[0]:axes[-1] + 1]), *behind]
    each = asked["name"] != "logsumexp"
    _core.exponential_on_device(asked["name"], x.view(shape), len(kept), shape if each else [*kept, *behind], out.data, 0, stream, {})
    return True


def _of_product(x, y):
    """Views of both arrays with axes for batches, rows, columns and the elements of a dot."""
    (m, k), n = x.shape[-2:], y.shape[-1]
    shape = [*(a if b == 1 else b for a, b in zip(x.shape[:-2], y.shape[:-2])), m, n, k]

    def batches(own):
        steps = itertools.accumulate(reversed(own[1:]), operator.mul, initial=1)
        return [0 if extent == 1 else step for extent, step in zip(own, [*steps][::-1])][:-2]

    return x.view(shape, [*batches(x.shape), k, 0, 1]), y.view(shape, [*batches(y.shape), 0, 1, n])


def _queued(asked, given, out, stream):
    """Lets the device write answers, without a wait; returns whether it can: none may need a status."""
    name, keywords = asked["name"], dict(asked["keywords"])
    x, y = (*given, None)[:2]
    if asked["masked"]:
        keywords["where"], y = given[-1].view(), None if len(given) == 2 else y
    if name in ("logsumexp", "softmax", "log_softmax"):
        return _row_function(asked, x, out, stream)
    if name == "matmul":
        name, keywords, views = "dot", {"axis": -1}, _of_product(x, y)
    else:
        views = x.view(), None if y is None else y.view()
        keywords["axis"] = tuple(keywords["axis"])
    plan = _core.plan_fold(name, *views, stream, keywords)
    if plan.ops[0][2] or plan.ops[0][1] != _core.dtype_name(_types[out.dtype]):
        return False
    if math.prod(_layout(out)[0]):
        plan.run([out.data], [])
    return True


def _answer(run, platform, frame):
    text = frame.attributes.items[0].contents
    asked = json.loads(ctypes.string_at(text.data, text.size))
    given = [frame.arguments.items[k].contents for k in range(frame.arguments.size)]
    out = frame.results.items[0].contents
    if platform == "cpu":
        _here(out)[...] = run(asked, [_here(b) for b in given])
        return
    find_nvrtc()
    driver = _Driver(frame)
    there = [_There(b, driver.device) for b in given]
    takes = all(b.dtype in _of_devices for b in given)
    with contextlib.suppress(errors.Error):  # what a device does not take, or what a wrong call is told below
        if takes and _queued(asked, there, out, driver.stream.value or 0):
            return
    driver.wait()
    try:
        value = run(asked, there if takes and asked["name"] in _ops.ops else [driver.copied(b) for b in given])
    except errors.UnsupportedError:
        value = run(asked, [driver.copied(b) for b in given])
    value = numpy.ascontiguousarray(value, _layout(out)[1])
    if value.nbytes:
        driver.put(out, value)


@functools.cache
def _version():
    """The version of the structures, of the headers that jaxlib brings."""
    text = (pathlib.Path(jax.ffi.include_dir()) / "xla/ffi/api/c_api.h").read_text()
    return [int(re.search(rf"XLA_FFI_API_{part} (\d+)", text)[1]) for part in ("MAJOR", "MINOR")]


def _handler(run, platform):
    def handle(address):
        frame = _Frame.from_address(address)
        if frame.extension:
            about = _About.from_address(frame.extension)
            version = about.metadata.contents.version
            version.major, version.minor = _version()
            return None
        try:
            _answer(run, platform, frame)
        except BaseException as error:  # none may leave a function that C calls
            message = " ".join(str(error).split()) or type(error).__name__
            asked = _Error(ctypes.sizeof(_Error), None, message.encode(), 3)
            return _function(frame.api.contents.error_create)(ctypes.addressof(asked))
        return None

    return _function(handle)


def register(name, run):
    """Lets programs of XLA call run(asked, arrays), which returns an array: on a GPU too, where arrays are there."""
    for platform in ("cpu", "CUDA"):
        handler = _handler(run, platform)
        _kept.append(handler)
        jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(ctypes.cast(handler, _pointer).value), platform=platform)


_kept = []  # XLA calls them as long as the process lives
