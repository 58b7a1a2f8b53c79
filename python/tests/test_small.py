"""Small numbers: float8, float6, float4 and integers of 4 bits and less are folded as the wide numbers that they equal."""

import math
import pickle
import sys
import warnings
from fractions import Fraction as F

import numpy as np
import pytest

import onefold
import onefold.numpy
from onefold.operands import small

ml = pytest.importorskip("ml_dtypes", exc_type=ImportError)

BYTES = np.arange(256, dtype="u1")
# Name: bits of the exponent, of the fraction, the exponent's bias; infinities ("inf"), or the bytes that are NaN without infinities.
FLOATS = {"float8_e3m4": (3, 4, 3, "inf"), "float8_e4m3": (4, 3, 7, "inf"), "float8_e4m3fn": (4, 3, 7, (0x7f, 0xff)),
          "float8_e4m3fnuz": (4, 3, 8, (0x80,)), "float8_e4m3b11fnuz": (4, 3, 11, (0x80,)), "float8_e5m2": (5, 2, 15, "inf"),
          "float8_e5m2fnuz": (5, 2, 16, (0x80,)), "float6_e2m3fn": (2, 3, 1, ()), "float6_e3m2fn": (3, 2, 3, ()),
          "float4_e2m1fn": (2, 1, 1, ())}
INTEGERS = {"int2": -2, "int4": -8, "uint2": 0, "uint4": 0}
TORCH = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu")


def meant(name, byte):
    """The number that a byte stands for, by the format's definition: a Fraction, nan, or an infinity."""
    if name == "float8_e8m0fnu":
        return math.nan if byte == 255 else F(2) ** (byte - 127)
    exponent_bits, bits, bias, special = FLOATS[name]
    whole = byte & (1 << exponent_bits + bits) - 1
    exponent, fraction = whole >> bits, whole & (1 << bits) - 1
    sign = -1 if byte >> exponent_bits + bits & 1 else 1
    if special == "inf" and exponent == (1 << exponent_bits) - 1:
        return math.nan if fraction else sign * math.inf
    if special != "inf" and byte in special:
        return math.nan
    value = F(fraction, 1 << bits) + (1 if exponent else 0)
    return sign * value * F(2) ** (max(exponent, 1) - bias)


def bytes_of(name):
    """The bytes of a type; shorter types use the low bits."""
    short = sum(FLOATS[name][:2]) + 1 if name in FLOATS else 8
    return range(1 << (int(name[-1]) if name in INTEGERS else short))


def array(name, values=BYTES):
    return np.asarray(values, "u1").view(getattr(ml, name))


def finite(name, shape=(4, 5, 6), seed=1):
    """Random numbers of a type, without NaN and infinities."""
    kept = [byte for byte in bytes_of(name) if np.isfinite(array(name, [byte]).astype("f4"))]
    return array(name, np.random.default_rng(seed).choice(kept, shape))


def bits(x):
    return [np.asarray(a).dtype.str + np.asarray(a).tobytes().hex() for a in (x if isinstance(x, (tuple, list)) else [x])]


@pytest.mark.parametrize("name", [*FLOATS, "float8_e8m0fnu"])
def test_each_of_the_256_bytes_is_the_number_that_its_format_defines(name):
    wide = small.widened(array(name))
    assert wide.dtype == np.float32 and small.wide_name(np.dtype(getattr(ml, name))) == "float32"
    sign = 8 if name == "float8_e8m0fnu" else sum(FLOATS[name][:2])
    for byte in bytes_of(name):
        value = meant(name, byte)
        if isinstance(value, float):
            assert np.array_equal(wide[byte], np.float32(value), equal_nan=True), byte
        else:
            assert F(float(wide[byte])) == value, byte
            assert np.signbit(wide[byte]) == byte >> sign, byte


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_of_a_few_bits_are_widened(name):
    wide, width = small.widened(array(name)), int(name[-1])
    assert wide.dtype == ("i1" if name[0] == "i" else "u1")
    for byte in range(256):
        low = byte & (1 << width) - 1
        assert wide[byte] == low - ((low >> width - 1) << width if name[0] == "i" else 0)
    x = array(name).reshape(16, 16)
    assert onefold.sum(x) == wide.sum(dtype="i8") and onefold.sum(x).dtype == (np.int64 if name[0] == "i" else np.uint64)
    assert onefold.min(x) == INTEGERS[name] and onefold.mean(x).dtype == np.float64


DOORS = {
    "whole": lambda x: [getattr(onefold, op)(x) for op in (
        "sum", "mean", "var", "std", "min", "max", "argmin", "argmax", "ptp", "norm1", "norm2", "norminf", "sumsq", "rms", "any", "all",
        "count", "count_nonzero", "skewness", "kurtosis")],
    "nan": lambda x: [onefold.nansum(x, axis=0), onefold.nanmax(x, axis=1), onefold.count_nan(x)],
    "axis": lambda x: list(onefold.fold("sum,mean,var,min,argmax,norm2", x, axis=(0, 2), ddof=1)),
    "last axis": lambda x: list(onefold.fold("sum,std,max", x, axis=-1, keepdims=True)),
    "dtype": lambda x: [onefold.sum(x, dtype=t) for t in ("f2", "f4", "f8", ml.bfloat16)],
    "where": lambda x: list(onefold.fold("sum,mean,count", x, axis=1, where=np.arange(6) % 2 == 0)),
    "weights": lambda x: [onefold.average(x, weights=x, axis=0), onefold.mean(x, axis=1, weights=np.arange(5.0)),
                          *onefold.fold("mean,var", x, axis=0, weights=np.arange(4, dtype="i4"))],
    "fweights": lambda x: list(onefold.fold("mean,var", x, axis=0, fweights=np.arange(4)[:, None, None])),
    "pairs": lambda x: [onefold.dot(x.ravel(), x.ravel()), onefold.mse(x, x[::-1], axis=0), onefold.corr(x, x[:, ::-1])],
    "segments": lambda x: list(onefold.fold_segments("sum,var,max", x, [0, 1, 1, 4][:2] + [3, 4])),
    "groups": lambda x: list(onefold.fold_by("sum,mean,argmin", [1, 0, 1, 2], x[:, 0, 0], groups=3)),
    "keys": lambda x: list(onefold.fold_by("sum,max", ["b", "a", "b", "b"], x[:, 0])[1]),
    "states": lambda x: [onefold.gather("sum,var,max", x[:2]).merge(onefold.gather("sum,var,max", x[2:])) or 0,
                         onefold.gather("sum,var", x).sum, onefold.gather("mean", x, axis=0).mean],
    "quantiles": lambda x: [onefold.median(x), onefold.quantile(x, [0.1, 0.7], axis=0)],
    "order": lambda x: [onefold.mode(x), onefold.nunique(x), onefold.trimmed_mean(x, 0.1), onefold.histogram(x, 4)[0]],
    "softmax": lambda x: [onefold.logsumexp(x, axis=0), onefold.softmax(x, axis=1), onefold.log_softmax(x, axis=2)],
    "norms": lambda x: [onefold.rms_norm(x), onefold.layer_norm(x)],
    "windows": lambda x: [onefold.cumsum(x, axis=1), onefold.cummax(x, axis=0), onefold.rolling(x, 2, axis=1).mean()],
    "products": lambda x: [onefold.matmul(x, x.swapaxes(1, 2)), onefold.vecdot(x, x), onefold.tensordot(x, x, axes=([0, 1], [0, 1])),
                           onefold.linalg.vector_norm(x, ord=0)],
    "fits": lambda x: [onefold.cov_matrix(x[0]), onefold.gram(x[0])],
    "expressions": lambda x: [onefold.sum(onefold.expr("x * x - 1"), x=x), onefold.sum(onefold.expr("sqrt(abs(x))"), x=x)],
    "strides": lambda x: [onefold.sum(x[::2, ::-1, 1::2], axis=1), onefold.sum(x.T, axis=0), onefold.var(np.asfortranarray(x))],
    "one": lambda x: [onefold.sum(x[0, 0, 0]), onefold.mean(x[0, 0, :1].reshape(())), onefold.sum(x[:0]), onefold.mean(x[:, :0], axis=1)],
    "describe": lambda x: list(onefold.describe(x).values()) if isinstance(onefold.describe(x), dict) else list(onefold.describe(x)),
    "moments": lambda x: [onefold.moment(x, 3), onefold.moment(x, 4, axis=0)],
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float4_e2m1fn", "int4"])
def test_each_function_answers_as_for_the_wide_numbers(name, door):
    if name == "int4" and door in ("norms", "dtype", "weights"):
        pytest.skip("of floats")
    x = finite(name)
    x.flags.writeable = False
    assert bits(DOORS[door](x)) == bits(DOORS[door](small.widened(x)))


@pytest.mark.parametrize("name", [*FLOATS, "float8_e8m0fnu"])
def test_sums_are_fractions_rounded_once(name):
    x, exact = finite(name, 1000), {b: meant(name, b) for b in bytes_of(name)}
    total = sum(exact[int(b)] for b in x.view("u1"))
    found = onefold.sum(x, dtype="f8")
    assert abs(F(float(found)) - total) <= F(float(np.spacing(abs(found)))) / 2
    assert onefold.sum(x) == np.float32(0) + onefold.sum(x.astype("f8"), dtype="f4")


def test_an_answer_is_no_float8():
    x = np.ones(1000, ml.float8_e4m3fn)
    assert onefold.sum(x) == 1000 and onefold.sum(x).dtype == np.float32  # 448 is the greatest float8_e4m3fn
    assert onefold.max(x).dtype == np.float32 and onefold.sum(x, axis=0, keepdims=True).dtype == np.float32
    with pytest.raises(onefold.Error, match="float8_e4m3fn is not a type of an answer"):
        onefold.sum(x, dtype=ml.float8_e4m3fn)


@pytest.mark.parametrize("name", FLOATS)
def test_nan_and_infinities_of_each_format(name):
    special = FLOATS[name][3]
    if special == "inf":
        infinite = array(name)[np.isinf(array(name).astype("f4"))]
        assert onefold.sum(infinite[:1]) == np.inf and np.isnan(onefold.sum(infinite)) and onefold.norminf(infinite) == np.inf
    if special != ():
        assert np.isnan(onefold.sum(array(name))) and onefold.count_nan(array(name)) > 0
        with pytest.raises(onefold.NanError, match="sum: "):
            onefold.sum(array(name), nan="raise")
        assert np.isnan(onefold.min(array(name))) and not np.isnan(onefold.nanmin(array(name)))
    else:
        assert onefold.count_nan(array(name)) == 0


def test_masked_arrays_of_small_floats_have_masked_answers():
    x = np.ma.array(finite("float8_e4m3fn", (3, 4)), mask=[[True] * 4, [False] * 4, [True, False] * 2])
    wide = np.ma.array(small.widened(x.data), mask=x.mask)
    found, wanted = onefold.sum(x, axis=1), onefold.sum(wide, axis=1)
    assert (found.mask == [True, False, False]).all() and bits(found.compressed()) == bits(wanted.compressed())


def test_a_list_of_small_scalars_is_an_array():
    assert onefold.sum([ml.float8_e5m2(1.5), ml.float8_e5m2(2)]) == 3.5


def test_series_and_labels_of_small_floats():
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    x = finite("float8_e5m2", (3, 4))
    wide = small.widened(x)
    assert onefold.sum(pandas.Series(x[0])) == float(onefold.sum(wide[0])) and onefold.median(pandas.Series(x[0])) == float(onefold.median(wide[0]))
    found = onefold.mean(xarray.DataArray(x, dims=("a", "b")), dim="b")
    assert found.dims == ("a",) and found.dtype == "f4" and (found.values == onefold.mean(wide, axis=1)).all()


def test_states_of_small_floats_are_those_of_float32():
    x = finite("float8_e4m3fn")
    state = onefold.gather("mean,var", x)
    assert state == onefold.gather("mean,var", small.widened(x)) and pickle.loads(pickle.dumps(state)) == state


@pytest.mark.parametrize("axis", [None, 0, (0,)])
def test_long_arrays_are_folded_in_pieces(axis, monkeypatch):
    monkeypatch.setattr(small, "piece", 100)
    x = finite("float8_e5m2", 1234)
    wide, pieces = small.widened(x), []
    widened = small.widened
    monkeypatch.setattr(small, "widened", lambda a: pieces.append(a.size) or widened(a))
    for ops in ("sum,mean,var,min,argmax,count", "skewness,argmin", "any,norminf,ptp"):
        assert bits(list(onefold.fold(ops, x, axis=axis))) == bits(list(onefold.fold(ops, wide, axis=axis)))
    assert max(pieces) == 100
    x = x.reshape(2, 617)[:, ::-2]
    assert onefold.argmax(x) == onefold.argmax(widened(x)) and bits(onefold.sum(x, dtype="f8")) == bits(onefold.sum(widened(x), dtype="f8"))
    with pytest.raises(onefold.EmptyError):
        onefold.min(x[:, :0])


def test_jax_arrays_of_small_floats_give_jax_arrays():
    jax = pytest.importorskip("jax", exc_type=ImportError)
    for name in ("float8_e3m4", "float8_e4m3", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2", "float8_e5m2fnuz",
                 "float8_e8m0fnu", "float4_e2m1fn"):
        x = finite(name)
        every = array(name, BYTES[:16] if name == "float4_e2m1fn" else BYTES)
        assert np.array_equal(np.asarray(small.widened(jax.numpy.asarray(every))), small.widened(every), equal_nan=True)
        j, wide = jax.numpy.asarray(x), small.widened(x)
        found = onefold.sum(j, axis=1)
        assert type(found) is type(j) and found.dtype == "float32" and (np.asarray(found) == onefold.sum(wide, axis=1)).all()
        assert float(onefold.vecdot(j[0, 0], j[0, 0])) == onefold.vecdot(wide[0, 0], wide[0, 0])
    with pytest.raises(onefold.UnsupportedError, match="traced by JAX; call onefold.jax.sum"):
        jax.jit(onefold.sum)(jax.numpy.ones(3, "float8_e5m2"))


@pytest.mark.parametrize("name", TORCH)
def test_tensors_of_float8_give_float32(name):
    torch = pytest.importorskip("torch", exc_type=ImportError)
    dtype, x = getattr(torch, name), finite(name)
    every = torch.from_numpy(BYTES.copy()).view(dtype).to(torch.float32).numpy()  # torch's conversion, which devices have too
    assert np.array_equal(every, small.widened(array(name)), equal_nan=True)
    t, wide = torch.from_numpy(x.view("u1")).view(dtype), torch.from_numpy(small.widened(x))
    for call in (lambda a: onefold.sum(a), lambda a: onefold.mean(a, axis=1), lambda a: onefold.vecdot(a, a), lambda a: onefold.mse(a, wide),
                 lambda a: onefold.matmul(a, a.swapaxes(1, 2)), lambda a: onefold.fold("sum,argmax", a, axis=0)[1], onefold.median,
                 lambda a: onefold.fold_segments("var", a, torch.tensor([0, 2, 4]))[0],
                 lambda a: onefold.fold_by("sum", [0, 1, 0, 1], a[:, 0, 0])[1].sum):
        assert torch.equal(call(t), call(wide)) and call(t).dtype == call(wide).dtype


def test_other_types_of_a_byte_are_refused():
    x = np.zeros(4, "V1")
    for call in (onefold.sum, lambda x: onefold.mean(x, axis=0), onefold.median, lambda x: onefold.gather("sum", x)):
        with pytest.raises(onefold.Error, match=r"an array of dtype \|V1 cannot be folded") as error:
            call(x)
        assert "\n" not in str(error.value)
    torch = sys.modules.get("torch")
    if torch is not None:
        for t in (torch.zeros(4, dtype=torch.uint8).view(torch.float4_e2m1fn_x2), torch.ones(4, dtype=torch.uint8).view(torch.int4)):
            with pytest.raises(onefold.Error, match="cannot be folded"):
                onefold.sum(t)


def test_numpys_names_leave_small_floats_to_numpy_and_say_so():
    x = np.ones(300, ml.float8_e4m3fn)
    with pytest.warns(onefold.InexactWarning):
        assert onefold.numpy.sum(x).dtype == x.dtype


# Blocks with scales

def scaled(x, scales, block):
    """What x stands for, in fractions."""
    out = np.empty(x.shape, object)
    for at in np.ndindex(*x.shape):
        of = tuple(i // b for i, b in zip(at, block))
        out[at] = F(float(x[at])) * F(float(scales[of]))
    return out


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn", "int4"])
def test_mx_blocks_are_exact_over_the_range_of_their_scales(name):
    x = finite(name, (3, 64))
    scales = array("float8_e8m0fnu", [[0, 254], [127, 1], [120, 200]])
    values = onefold.dequantize(x, scales)
    exact = scaled(x.astype("f4"), scales.astype("f4"), (1, 32))
    assert values.dtype == np.float64 and all(F(v) == e for v, e in zip(values.ravel().tolist(), exact.ravel()))
    row = sum(exact[0])
    assert abs(F(float(onefold.sum(values[0]))) - row) <= abs(row) / 2**53
    assert onefold.sum(values[2], dtype="f4") == np.float32(float(sum(exact[2]))) or name == "float8_e5m2"
    product = sum(exact[1] * exact[2])
    assert abs(F(float(onefold.dot(values[1], values[2]))) - product) <= abs(product) / 2**53


@pytest.mark.parametrize("shape,block,scales", [((7,), 3, (3,)), ((4, 256), (2, 128), (2, 2)), ((5, 33), (2, 32), (3, 2)), ((0, 64), 32, (0, 2)),
                                                ((2, 3, 32), 16, (2, 3, 2)), ((3, 4), 1, (3, 4)), ((3, 0), 32, (3, 0))])
def test_blocks_of_any_shape_have_a_scale_each(shape, block, scales):
    x, s = finite("float4_e2m1fn", shape), np.random.default_rng(3).normal(size=scales).astype("f4")
    values = onefold.dequantize(x, s, block=block)
    blocks = (*[1] * (len(shape) - (len(block) if isinstance(block, tuple) else 1)), *(block if isinstance(block, tuple) else (block,)))
    exact = scaled(x.astype("f4"), s, blocks)
    assert values.shape == shape and all(F(v) == e for v, e in zip(values.ravel().tolist(), exact.ravel()))


def test_elements_of_mxint8_are_64ths():
    x, scales = np.arange(-128, 128, dtype="i1"), array("float8_e8m0fnu", [0, 1, 100, 127, 130, 200, 253, 254])
    values = onefold.dequantize(x, scales) / 64
    assert all(F(float(v)) == F(int(e), 64) * meant("float8_e8m0fnu", s) for v, e, s in zip(values, x, scales.view("u1").repeat(32).tolist()))


def test_nan_infinities_and_zeros_of_blocks():
    scales = array("float8_e8m0fnu", [127, 255])
    values = onefold.dequantize(np.array([-0.0, np.inf, 1, 1], ml.float8_e5m2), scales, block=2)
    assert np.signbit(values[0]) and values[1] == np.inf and np.isnan(values[2:]).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(onefold.dequantize(np.array([np.inf], ml.float8_e5m2), np.zeros(1, "f4"))).all()


@pytest.mark.parametrize("x,scales,block,says", [
    (np.zeros((2, 64), "f4"), np.zeros((2, 3), "f4"), 32, r"have shape \(2, 3\); blocks of 32 in an array of shape \(2, 64\) need scales of shape \(2, 2\)"),
    (np.zeros(64, "f8"), np.zeros(2, "f4"), 32, "x has type float64; products are exact only for floats up to 32 bits"),
    (np.zeros(64, "u1"), np.zeros(2, "f4"), 32, r"x has type uint8; if these are the bits"),
    (np.zeros(64, "f4"), np.zeros(2, "u1"), 32, r"scales has type uint8; if these are the bits"),
    (np.zeros(64, "f4"), np.zeros(2, "i2"), 32, "scales has type int16, but must hold floats"),
    (np.zeros(64, "f4"), np.zeros(2, "f4"), 0, "block=0 does not fit 1 axes"),
    (np.zeros(64, "f4"), np.zeros(2, "f4"), (2, 32), r"block=\(2, 32\) does not fit 1 axes"),
    (np.zeros(64, "f4"), np.zeros(2, "f4"), 1.5, "block"), (np.float32(1), np.float32(1), 32, "does not fit 0 axes"),
    (np.ma.array(np.zeros(2, "f4"), mask=[True, False]), np.zeros(1, "f4"), 32, "x has a mask"),
    (np.array([None]), np.zeros(1, "f4"), 32, "x"), (np.zeros(2, "c8"), np.zeros(1, "f4"), 32, "x")])
def test_wrong_blocks_are_refused_in_a_line(x, scales, block, says):
    with pytest.raises(onefold.Error, match=f"^dequantize.*{says}") as error:
        onefold.dequantize(x, scales, block=block)
    assert "\n" not in str(error.value)


def test_numbers_packed_two_in_a_byte_are_unpacked_by_numpy():
    packed = np.random.default_rng(5).integers(0, 256, (3, 8)).astype("u1")
    nibbles = np.stack([packed & 15, packed >> 4], -1).reshape(3, 16)  # the low half first
    ints, floats = nibbles.view(ml.int4), nibbles.view(ml.float4_e2m1fn)
    for at in np.ndindex(3, 16):
        nibble = int(packed[at[0], at[1] // 2]) >> 4 * (at[1] % 2) & 15
        assert int(ints[at]) == nibble - 16 * (nibble > 7) and F(float(floats[at])) == meant("float4_e2m1fn", nibble)
    assert (onefold.sum(ints, axis=1) == ints.astype("i8").sum(1)).all()
    assert onefold.sum(floats) == floats.astype("f8").sum()


@pytest.mark.parametrize("block", [16, 32])
@pytest.mark.parametrize("dtype", ["f4", "f2", ml.bfloat16, ml.float8_e4m3fn])
def test_norminf_of_blocks_is_a_fold_of_a_reshaped_array(block, dtype):
    x = np.random.default_rng(7).normal(size=(64, 256)).astype(dtype)
    found = onefold.norminf(x.reshape(64, -1, block), axis=-1)
    assert (found.astype("f4") == np.abs(x.astype("f4")).reshape(64, -1, block).max(-1)).all()
    tiles = onefold.norminf(x.reshape(2, 32, -1, 32), axis=(1, 3))
    assert (tiles.astype("f4") == np.abs(x.astype("f4")).reshape(2, 32, -1, 32).max((1, 3))).all()


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", ml.bfloat16])
@pytest.mark.parametrize("shape,axis", [((64, 5, 16), -1), ((64, 300), 1), ((7, 33), 0), ((3, 128, 4, 128), (1, 3)), ((2, 3, 5), None), ((70000, 3), 0)])
def test_norminf_is_the_greatest_magnitude_of_hard_numbers(dtype, shape, axis):
    random = np.random.default_rng(41)
    x = random.normal(size=shape).astype(dtype)
    wide, tiny = x.astype("f8"), np.array(2.0**-24, dtype)
    for special in ([], [-0.0], [-np.inf, np.inf], [np.nan, -np.nan], [tiny, -tiny], [np.nan, -np.inf, 0.0]):
        for value in special:
            x.reshape(-1)[random.integers(0, x.size, 1 + x.size // 400)] = value
        wide, where = x.astype("f8"), random.random(shape) < 0.7
        found = np.asarray(onefold.norminf(x, axis=axis))
        wanted = np.max(np.abs(wide), axis=axis)
        assert found.dtype == x.dtype and np.array_equal(found.astype("f8"), wanted, equal_nan=True) and not np.signbit(found.astype("f8")).any()
        some = np.asarray(onefold.norminf(x, axis=axis, where=where))
        assert np.array_equal(some.astype("f8"), np.max(np.abs(wide), axis=axis, where=where, initial=0), equal_nan=True)
        left = np.asarray(onefold.norminf(x, axis=axis, nan="omit", threads=2))
        assert np.array_equal(left.astype("f8"), np.max(np.abs(wide), axis=axis, where=~np.isnan(wide), initial=0))
    zeros = onefold.norminf(np.full(shape, -0.0, dtype), axis=axis)
    assert not np.signbit(np.asarray(zeros).astype("f8")).any() and not np.asarray(zeros).any()
