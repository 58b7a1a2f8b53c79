"""Facts of torch, CuPy, JAX and other frameworks: their types, memory and current stream."""

import functools
import os
import sys

from .. import _core, errors
from .found import type_name, unsupported
from .small import widened
from .views import exported
from .wrap import as_bfloat16, as_jax, jax_type, long_names

_typestr = {"|b1": "bool", "|i1": "i8", "|u1": "u8", "<i2": "i16", "<i4": "i32", "<i8": "i64",
            "<u2": "u16", "<u4": "u32", "<u8": "u64", "<f2": "f16", "<f4": "f32", "<f8": "f64"}


@functools.cache
def find_nvrtc():
    """Finds NVRTC in pip's nvidia packages, unless the user has named another one."""
    if "ONEFOLD_NVRTC" in os.environ:
        return
    import glob
    import importlib.util

    spec = importlib.util.find_spec("nvidia")
    for folder in (spec.submodule_search_locations if spec else ()):
        for pattern in ("cu13/lib", "cuda_nvrtc/lib"):
            found = [f for f in sorted(glob.glob(os.path.join(folder, pattern, "libnvrtc.so.*")))
                     if "alt" not in f]
            if found:
                os.environ["ONEFOLD_NVRTC"] = found[0]
                return


def dtype_of(x):
    return _core.dtype_name(x.dtype)


def kind_of(x):
    """The kind of x's elements: "f", "i", "u", or "b" for bools."""
    dtype = dtype_of(x)
    return "f" if "f" in dtype else dtype[0]


_mantissa = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}


def common_type(a, b):
    """The narrowest type that holds all elements of two types; None: no type does."""
    if a == b or b == "bool":
        return a
    if a == "bool":
        return b
    if a in _mantissa and b in _mantissa:
        wider = max(a, b, key=_mantissa.get)
        return wider if wider in ("f32", "f64") else "f32"
    if a in _mantissa or b in _mantissa:
        real, whole = (a, b) if a in _mantissa else (b, a)
        return next((t for t in (real, "f32", "f64") if _mantissa[t] >= max(
            int(whole[1:]), _mantissa[real])), None)
    signed = [int(t[1:]) for t in (a, b) if t[0] == "i"]
    unsigned = [int(t[1:]) for t in (a, b) if t[0] == "u"]
    if not signed:
        return f"u{max(unsigned)}"
    bits = max(signed + [2 * n for n in unsigned])
    return f"i{bits}" if bits <= 64 else None


class _Framework:
    """A framework's functions on arrays; `numpy` is its module with NumPy's functions."""

    def cast(self, x, dtype):
        made = x if dtype_of(x) == dtype else x.astype(long_names[dtype])
        if dtype_of(made) != dtype:  # JAX without jax_enable_x64
            raise unsupported(self.op, f"{dtype_of(x)} elements need {dtype} here; set jax_enable_x64")
        return made

    def alike(self, op, *arrays):
        """Arrays, converted to the narrowest type that holds the elements of all."""
        arrays = [widened(a) for a in arrays]
        dtype = dtype_of(arrays[0])
        for a in arrays[1:]:
            common = common_type(dtype, dtype_of(a))
            if common is None:
                raise errors.make("type_mismatch", f"{op}: no common type holds both {dtype} and "
                                   f"{dtype_of(a)} exactly; convert one of them")
            dtype = common
        return [self.cast(a, dtype) for a in arrays]

    def paired(self, op, x, y):
        """Pairs of elements, in one type; those of dot do not broadcast, as in NumPy."""
        x, y = self.alike(op, x, y)
        if tuple(x.shape) == tuple(y.shape):
            return x, y
        shapes = f"{op}: the arrays have shapes {tuple(x.shape)} and {tuple(y.shape)}"
        if "dot" in op.split(","):
            raise errors.make("shape_mismatch", f"{shapes}; they must agree")
        try:
            return self.spread(x, y)
        except (ValueError, RuntimeError):
            raise errors.make("shape_mismatch", f"{shapes}, which do not broadcast") from None

    def spread(self, a, b):
        """Two arrays with one shape."""
        return self.numpy.broadcast_arrays(a, b)

    def broadcast(self, a, b, axis):
        """Two arrays with `axis` last and one shape."""
        return self.spread(*(self.numpy.moveaxis(x, axis, -1) for x in (a, b)))

    def stack(self, parts, axis):
        """Arrays of one shape as one, along a new axis."""
        return self.numpy.stack(parts, axis=axis)

    def order(self, x, axes):
        return self.numpy.transpose(x, axes)

    def grouped(self, labels, groups):
        """The elements' places group by group, in order, and where each group begins and the last one ends."""
        order = self.numpy.argsort(labels, kind="stable")
        return order, self.numpy.searchsorted(labels[order], self.numpy.arange(groups + 1))

    def repeats(self, x):
        """Whether an axis has stride 0, so that one element is repeated."""
        return False

    # Of _device_order: sorts are along the last axis.

    def sort(self, x):
        return self.numpy.sort(x, axis=-1)

    def argsort(self, x):
        return self.numpy.argsort(x, axis=-1, kind="stable")

    def take(self, x, order):
        return self.numpy.take_along_axis(x, order, -1)

    def concatenate(self, parts):
        return self.numpy.concatenate(parts, axis=-1)

    def nonzero(self, x):
        return self.numpy.flatnonzero(x)

    def least(self, a, b):
        return self.numpy.minimum(a, b)

    def signbit(self, x):
        return self.numpy.signbit(x)

    def unique(self, x):
        return self.numpy.unique(x)

    def choose(self, where, a, b):
        return self.numpy.where(where, a, b)

    def search(self, borders, x, right=True):
        return self.numpy.searchsorted(borders, x, side="right" if right else "left")

    def bincount(self, x, n):
        return self.numpy.bincount(x, minlength=n)

    def arange(self, n):
        return self.numpy.arange(n)

    def from_host(self, numbers):
        return self.numpy.asarray(numbers)

    def dense(self, x):
        return self.numpy.ascontiguousarray(x)


@functools.cache
def torch_names(torch):
    return {getattr(torch, long): short for short, long in long_names.items() if hasattr(torch, long)}


class _Torch(_Framework):
    def __init__(self, op, x):
        self.op = op
        if x.requires_grad:
            raise unsupported(op, "the tensor requires grad; fold x.detach(), or see onefold.torch")
        self.torch = sys.modules["torch"]
        self.device = x.device

    @property
    def stream(self):
        return self.torch.cuda.current_stream(self.device).cuda_stream

    def view(self, x):
        name = torch_names(self.torch).get(x.dtype)
        if name is None or x.layout is not self.torch.strided or x.requires_grad or x.is_neg():
            # This call raises for such tensors. -1: do not wait, since the fold runs on the stream on which x is used.
            return exported(self.op, x, stream=-1)
        size, index = x.element_size(), x.device.index  # in a third of the time of a capsule
        return _core.View.at(x.data_ptr(), name, x.shape, [size * step for step in x.stride()],
                             -1 if index is None else index, x)

    def cast(self, x, dtype):
        return x.to(getattr(self.torch, long_names[dtype]))

    def spread(self, a, b):
        return self.torch.broadcast_tensors(a, b)

    def broadcast(self, a, b, axis):
        return self.spread(*(x.movedim(axis, -1) for x in (a, b)))

    def stack(self, parts, axis):
        return self.torch.stack(parts, axis)

    def order(self, x, axes):
        return x.permute(axes)

    def grouped(self, labels, groups):
        labels, order = self.torch.sort(labels, stable=True)
        return order, self.torch.searchsorted(labels, self.torch.arange(groups + 1, dtype=labels.dtype, device=labels.device))

    def repeats(self, x):
        return any(step == 0 and extent > 1 for step, extent in zip(x.stride(), x.shape))

    def sort(self, x):
        return self.torch.sort(x, -1)[0]

    def argsort(self, x):
        return self.torch.sort(x, dim=-1, stable=True)[1]

    def take(self, x, order):
        return x.gather(-1, order)

    def concatenate(self, parts):
        return self.torch.cat(parts, -1)

    def nonzero(self, x):
        return x.nonzero().reshape(-1)

    def least(self, a, b):
        return self.torch.minimum(a, b)

    def signbit(self, x):
        return self.torch.signbit(x)

    def unique(self, x):
        return self.torch.unique(x)

    def choose(self, where, a, b):
        return self.torch.where(where, a, b)

    def search(self, borders, x, right=True):
        return self.torch.searchsorted(borders, x, right=right, out_int32=right)

    def bincount(self, x, n):
        return self.torch.bincount(x, minlength=n)

    def arange(self, n):
        return self.torch.arange(n, device=self.device)

    def from_host(self, numbers):
        return self.torch.as_tensor(numbers, device=self.device)

    def dense(self, x):
        return x.contiguous()

    def empty(self, dtype, shape=()):
        made = self.torch.empty(
            shape, dtype=getattr(self.torch, long_names[dtype]), device=self.device)
        return made, made.data_ptr()

    def bytes_of(self, x):
        return x.cpu().numpy().tobytes()

    def copy(self, out, value):
        out.copy_(value)

    def capturing(self):
        return self.torch.cuda.is_current_stream_capturing()


class Host(_Framework):
    """NumPy, of arrays on the host."""

    @property
    def numpy(self):
        return sys.modules["numpy"]


class _Cupy(_Framework):
    def __init__(self, op, x):
        self.op = op
        self.cupy = self.numpy = sys.modules["cupy"]
        self.device = x.device
        with self.device:
            self.stream = self.cupy.cuda.get_current_stream().ptr

    def view(self, x):
        strides = None if x.flags.c_contiguous else list(x.strides)
        name = _typestr.get(x.dtype.str.replace("=", "<"))
        if name is None:
            raise unsupported("onefold", f"a cupy.ndarray of {x.dtype} cannot be folded; convert it to bools, integers or floats")
        return _core.View.at(x.data.ptr, name, list(x.shape), strides, x.device.id, x)

    def empty(self, dtype, shape=()):
        with self.device:
            made = self.cupy.empty(shape, long_names[dtype])
        return made, made.data.ptr

    def bytes_of(self, x):
        return x.get().tobytes()

    def copy(self, out, value):
        with self.device:
            out[...] = value

    def repeats(self, x):
        return any(step == 0 and extent > 1 for step, extent in zip(x.strides, x.shape))

    def capturing(self):
        with self.device:
            return self.cupy.cuda.get_current_stream().is_capturing()


class Waiting(_Framework):
    """A framework whose memory other libraries may not write to: the call waits, and copies the
    answer."""

    stream = 0
    capturing = staticmethod(lambda: False)

    def __init__(self, op, x):
        self.is_jax = type(x).__module__.partition(".")[0] in ("jax", "jaxlib")
        self.op, self.x = op, x

    @property
    def numpy(self):
        if not self.is_jax:
            raise unsupported("onefold", f"this call does not support a {type_name(self.x)} on a device; "
                              "pass torch, CuPy or JAX arrays")
        return sys.modules["jax"].numpy

    def type_of(self, dtype):
        """The framework's type for a float answer."""
        return jax_type(dtype) if self.is_jax else dtype

    def view(self, x):
        if hasattr(x, "block_until_ready"):
            x.block_until_ready()
        if hasattr(x, "view") and not hasattr(x, "__dlpack__"):  # of _jax_ffi
            return x.view()
        if hasattr(x, "__dlpack__"):
            return exported(self.op, x, stream=1)  # 1: CUDA's default stream
        interface = x.__cuda_array_interface__
        name = _typestr.get(interface["typestr"])
        if name is None or interface.get("mask") is not None:
            raise unsupported("onefold", f"a {type_name(x)} of {interface['typestr']}, or with a mask, is not supported; "
                              "convert it to numbers without a mask")
        strides = interface.get("strides")
        return _core.View.at(interface["data"][0] or 0, name, list(interface["shape"]),
                             None if strides is None else list(strides), 0, x)

    def host_memory(self, dtype, n):
        """An array of NumPy, to be filled and given to put()."""
        import numpy

        self.numpy  # raises for other libraries than JAX: put() would leave the array on the host
        return numpy.empty(n, long_names[dtype])

    def put(self, value, dtype):
        if self.is_jax:
            jax = sys.modules["jax"]
            return jax.device_put(as_jax(value, dtype), next(iter(self.x.devices())))
        import numpy

        if dtype == "bf16" and getattr(value, "dtype", None) == "uint16":
            return as_bfloat16(self.op, value)
        return numpy.asarray(value, long_names[dtype])[()]


def framework_of(op, x):
    library = type(x).__module__.partition(".")[0]
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        return _Torch(op, x)
    return _Cupy(op, x) if library == "cupy" else Waiting(op, x)
