"""What torch, CuPy, JAX and others ask for: their types, their memory, their current stream."""

import sys

from . import _core, _errors
from ._found import type_name, unsupported

torch_types = {"bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
                "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "f16": "float16",
                "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
_typestr = {"|b1": "bool", "|i1": "i8", "|u1": "u8", "<i2": "i16", "<i4": "i32", "<i8": "i64",
            "<u2": "u16", "<u4": "u32", "<u8": "u64", "<f2": "f16", "<f4": "f32", "<f8": "f64"}


def torch_answer(value, dtype):
    """A torch tensor of NumPy's or Python's answer on the CPU, of the type `dtype`."""
    torch = sys.modules["torch"]
    wanted = getattr(torch, torch_types[dtype])
    if not hasattr(value, "dtype"):
        return torch.tensor(value, dtype=wanted)
    import numpy

    if dtype == "bf16":
        return torch.from_numpy(numpy.asarray(value).view("int16")).view(wanted)
    return torch.from_numpy(numpy.asarray(value))


def jax_type(dtype):
    """What JAX makes of a type: without jax_enable_x64 it has none of 64 bits."""
    canonical = sys.modules["jax"].dtypes.canonicalize_dtype(torch_types[dtype])
    return _core.dtype_name(canonical.name)


def jax_answer(value, dtype):
    import numpy

    jax = sys.modules["jax"]
    canonical = torch_types[jax_type(dtype)]
    if dtype[0] in "iu":
        info = numpy.iinfo(canonical)
        if numpy.any((numpy.asarray(value) < info.min) | (numpy.asarray(value) > info.max)):
            raise _errors.make(
                "overflow", f"the exact value does not fit JAX's {canonical}; set jax_enable_x64")
    return jax.numpy.asarray(value, dtype=canonical)


def _capsule(x, stream):
    try:
        return x.__dlpack__(stream=stream, max_version=(1, 1))
    except TypeError:
        return x.__dlpack__(stream=stream)


class _Torch:
    def __init__(self, op, x):
        if x.requires_grad:
            raise unsupported(op, "the tensor requires grad; fold x.detach(), or see onefold.torch")
        self.torch = sys.modules["torch"]
        self.device = x.device
        self.stream = self.torch.cuda.current_stream(x.device).cuda_stream

    def view(self, x):
        # -1: no waiting, for the fold runs on the stream that x is used on.
        return _core.View.from_dlpack(_capsule(x, -1))

    def empty(self, dtype, shape=()):
        made = self.torch.empty(
            shape, dtype=getattr(self.torch, torch_types[dtype]), device=self.device)
        return made, made.data_ptr()

    def copy(self, out, value):
        out.copy_(value)

    def capturing(self):
        return self.torch.cuda.is_current_stream_capturing()

    def put(self, value, dtype):
        return self.torch.tensor(
            value, dtype=getattr(self.torch, torch_types[dtype]), device=self.device)


class _Cupy:
    def __init__(self, op, x):
        self.cupy = sys.modules["cupy"]
        self.device = x.device
        with self.device:
            self.stream = self.cupy.cuda.get_current_stream().ptr

    def view(self, x):
        strides = None if x.flags.c_contiguous else list(x.strides)
        name = _typestr.get(x.dtype.str.replace("=", "<"))
        if name is None:
            raise unsupported("onefold", f"a cupy.ndarray of {x.dtype} cannot be folded")
        return _core.View.at(x.data.ptr, name, list(x.shape), strides, x.device.id, x)

    def empty(self, dtype, shape=()):
        with self.device:
            made = self.cupy.empty(shape, torch_types[dtype])
        return made, made.data.ptr

    def copy(self, out, value):
        with self.device:
            out[...] = value

    def capturing(self):
        with self.device:
            return self.cupy.cuda.get_current_stream().is_capturing()

    def put(self, value, dtype):
        with self.device:
            return self.cupy.asarray(value, torch_types[dtype])


class Waiting:
    """Frameworks whose memory nobody else may write: the answer is waited for."""

    stream = 0
    capturing = staticmethod(lambda: False)

    def __init__(self, op, x):
        self.library = type(x).__module__.partition(".")[0]
        self.x = x

    def view(self, x):
        if hasattr(x, "block_until_ready"):
            x.block_until_ready()
        if hasattr(x, "__dlpack__"):
            return _core.View.from_dlpack(_capsule(x, 1))  # 1: CUDA's default stream
        interface = x.__cuda_array_interface__
        name = _typestr.get(interface["typestr"])
        if name is None or interface.get("mask") is not None:
            raise unsupported("onefold", f"a {type_name(x)} of {interface['typestr']}, or masked")
        strides = interface.get("strides")
        return _core.View.at(interface["data"][0] or 0, name, list(interface["shape"]),
                             None if strides is None else list(strides), 0, x)

    def put(self, value, dtype):
        if self.library in ("jax", "jaxlib"):
            jax = sys.modules["jax"]
            return jax.device_put(jax_answer(value, dtype), next(iter(self.x.devices())))
        import numpy

        return numpy.asarray(value, torch_types[dtype])[()]


def framework_of(op, x):
    library = type(x).__module__.partition(".")[0]
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        return _Torch(op, x)
    return _Cupy(op, x) if library == "cupy" else Waiting(op, x)
