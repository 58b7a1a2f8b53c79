"""Elements with a scale for each block: the numbers that they stand for, which f64 holds."""

from .. import errors
from ..operands import find
from ..operands.found import dtype_of, ndarray_of, type_name, unsupported

_exact = ("bool", "i8", "i16", "u8", "u16", "f16", "bf16", "f32")  # f64 holds the product of any two of these


def dequantize(x, scales, /, *, block=32):
    """The numbers x[i] * scale, one scale for each block of neighbours, exact: onefold.sum(onefold.dequantize(x, scales), axis=-1).

    x        an array on the CPU of float8, float6, float4 or int4 (of ml_dtypes, JAX, torch), of int8, int16, float16, bfloat16 or
             float32; uint8 is refused, since it may be the bits of another type: x.view(ml_dtypes.float8_e4m3fn)
    scales   an array of floats: float8_e8m0fnu are powers of 2, MX has one for 32 elements. It has x's axes, with
             ceil(n / block) scales for n elements
    block    the neighbours along the last axis that share a scale; (128, 128): along the last two
    returns  an ndarray of float64, which holds every product; dtype="float32" of a fold rounds its answer
    cost     8 bytes for each element, and as many meanwhile
    """
    import numpy

    elements, factors = _array("x", x), _array("scales", scales)
    blocks = block if isinstance(block, (tuple, list)) else (block,)
    blocks = [errors.integer("dequantize", "block", b, "type_mismatch") for b in blocks]
    shape = elements.shape
    if not blocks or len(blocks) > len(shape) or min(blocks) < 1:
        raise errors.make("bad_option", f"dequantize: block={errors.shown(block)} does not fit {len(shape)} axes; pass a positive "
                           "integer, or one for each of the last axes")
    blocks = [1] * (len(shape) - len(blocks)) + blocks
    wanted = tuple(-(-n // b) for n, b in zip(shape, blocks))
    if factors.shape != wanted:
        raise errors.make("shape_mismatch", f"dequantize: the scales have shape {factors.shape}; blocks of {errors.shown(block)} in "
                           f"an array of shape {shape} need scales of shape {wanted}")
    for axis, b in enumerate(blocks):
        if b > 1:
            factors = numpy.repeat(factors, b, axis)
    factors = factors[tuple(slice(n) for n in shape)]
    with numpy.errstate(invalid="ignore"):  # inf * 0 is NaN
        return numpy.multiply(elements, factors, dtype="f8")


def _array(name, x):
    """x or scales as an ndarray, f32 or narrower."""
    found = find(f"dequantize: {name}", x)
    if found.there:
        raise unsupported("dequantize", f"{name} is on a device; copy it to the CPU, or multiply on the device")
    if found.mask is not None:
        raise unsupported("dequantize", f"{name} has a mask or nulls, which would be lost; fill them first")
    array, given = ndarray_of("dequantize", found.array), str(getattr(x, "dtype", type_name(x)))
    dtype = dtype_of(array)
    if given.endswith("uint8") or dtype not in _exact:
        raise errors.make("type_mismatch", f"dequantize: {name} has type {given}; " + (
            "if these are the bits of another type, pass x.view(ml_dtypes.float8_e4m3fn); if they are numbers, convert them to int16"
            if given.endswith("uint8") else "products are exact only for floats up to 32 bits and integers up to 16 bits"))
    if name == "scales" and "f" not in dtype:
        raise errors.make("type_mismatch", f"dequantize: scales has type {given}, but must hold floats; for the bits of "
                           "powers of 2, pass scales.view(ml_dtypes.float8_e8m0fnu)")
    return array.astype("f4") if dtype == "bf16" else array
