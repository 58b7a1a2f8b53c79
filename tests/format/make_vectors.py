"""Writes vectors.json: states made by the library, which docs/format.md describes.

    PYTHONPATH=build/release/python build/venv/bin/python tests/format/make_vectors.py

Vectors that are there already must come out as they are: bytes never change, vectors are only added.
"""

import json
import pathlib
import struct
import zlib

import ml_dtypes
import numpy as np

import onefold

TO = pathlib.Path(__file__).with_name("vectors.json")
FORM = {
    "name": "of the vector; others name it",
    "dtype, nan, ops, x, y, first": "gather these ops from elements x (and y), given by their bits "
                                    "in hexadecimal; first is the index of the first one",
    "times": "then merge so many of that state",
    "merge": "merge the states of these vectors",
    "remove": "the first one of these without the second",
    "rows": "x has so many rows; the states are those of its columns, many slices",
    "of, share": "the state of that vector, as a share of so many elements, bytes, with this hash",
    "bytes, digest": "what is saved, in hexadecimal, and its SHA-256 (format.md, Digest)",
    "answers": "op: type, status, bits in hexadecimal",
    "refused": "no such state is there: merging, removing or reading fails; bytes as far as given"}
ONE = "sum,mean,var,sumsq,norm1,norm2,rms,count,count_nan,count_inf,count_zero,any,all,min,max,ptp,norminf"
MOMENTS = "sum,mean,var,count"
CENTRAL = "skewness,kurtosis"
TWO = "dot,average,corr,cosine,cov,distance,intercept,mae,max_abs_diff,mse,rmse,slope"
FLOATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
NUMPY = {"f16": "<f2", "bf16": ml_dtypes.bfloat16, "f32": "<f4", "f64": "<f8", "bool": "?",
         **{f"{s}{n}": f"<{s}{n // 8}" for s in "iu" for n in (8, 16, 32, 64)}}
OPS = [*dict.fromkeys(f"{ONE},argmin,argmax,std,count_nonzero,{TWO}".split(","))]


def array_of(dtype, bits):
    return np.array(bits, f"<u{np.dtype(NUMPY[dtype]).itemsize}").view(NUMPY[dtype])


def hexadecimal(bits):
    return [format(b, "x") for b in bits]


class Vectors:
    def __init__(self):
        self.list, self.states = [], {}

    def add(self, name, state, asked, **how):
        """A vector of a state, with its answers to some ops."""
        assert name not in self.states, name
        self.states[name] = state
        data = state.save()
        answers = {} if isinstance(state, onefold.States) else {
            op: answer_of(state, op) for op in asked.split(",") if op}
        self.list.append({"name": name, **how, "bytes": data.hex(), "digest": state.digest(),
                          "answers": answers})

    def gather(self, name, ops, dtype, x, y=None, nan="propagate", first=0, times=1):
        arrays = [array_of(dtype, v) for v in (x, y) if v is not None]
        state = onefold.gather(ops, *arrays, nan=nan, first=first)
        how = {"dtype": dtype, "nan": nan, "ops": ops, "x": hexadecimal(x)}
        if y is not None:
            how["y"] = hexadecimal(y)
        if first:
            how["first"] = first
        if times > 1:
            how["times"] = times
            state = many_times(state, times)
        self.add(name, state, ops, **how)

    def combine(self, name, verb, a, b, ops):
        state = onefold.State.load(self.states[a].save())
        try:
            getattr(state, verb)(self.states[b])
        except onefold.StateError:
            self.list.append({"name": name, verb: [a, b], "refused": True})
        else:
            self.add(name, state, ops, **{verb: [a, b]})

    def slices(self, name, ops, dtype, x, rows, nan="propagate"):
        columns = len(x) // rows
        state = onefold.gather(ops, array_of(dtype, x).reshape(rows, columns), axis=0, nan=nan)
        self.add(name, state, ops, dtype=dtype, nan=nan, ops=ops, x=hexadecimal(x), rows=rows)

    def bad(self, name, data):
        for of in (onefold.State, onefold.States):
            try:
                of.load(data)
            except onefold.StateError:
                continue
            raise AssertionError(name + " is loaded")
        self.list.append({"name": name, "bytes": data.hex(), "refused": True})


def many_times(state, times):
    whole, power = onefold.State(), onefold.State.load(state.save())
    while times:
        if times & 1:
            whole |= power
        times >>= 1
        power |= power if times else onefold.State()
    return whole


def answer_of(state, op):
    dtype = result_type(state.dtype, op)
    try:
        value = state.answer(op)
    except (onefold.OverflowError, onefold.NanError, onefold.EmptyError) as e:
        return [dtype, e.code, "0"]
    kind = np.dtype(NUMPY[dtype])
    value = np.array(value, kind) if dtype in FLOATS else np.array([int(value)], object).astype(kind)
    bits = int(value.reshape(1).view(f"<u{kind.itemsize}")[0])
    if dtype in FLOATS and value != value:  # whatever NumPy makes of it: there is one NaN
        exponent, mantissa = FLOATS[dtype]
        bits = 2**exponent - 1 << mantissa | 1 << mantissa - 1
    return [dtype, "ok", format(bits, "x")]


def result_type(dtype, op):
    kind = "f" if dtype in FLOATS else "u" if dtype[0] == "u" else "i"
    if op in ("any", "all"):
        return "bool"
    if op.startswith(("count", "arg")):
        return "i64"
    if kind == "f" or op in ("min", "max"):
        return dtype
    if op in ("sum", "dot"):
        return kind + "64"
    return "u64" if op in ("sumsq", "norm1", "ptp", "norminf", "max_abs_diff") else "f64"


def float_data(dtype):
    exponent, mantissa = FLOATS[dtype]
    sign, inf = 1 << exponent + mantissa, 2**exponent - 1 << mantissa
    one = 2 ** (exponent - 1) - 1 << mantissa
    half_ulp, nan = one - (mantissa + 1 << mantissa), inf | 1 << mantissa - 1
    huge = inf - (3 << mantissa)
    return {"empty": [], "one": [one], "tie to even": [one, half_ulp],
            "tie and a bit": [one, half_ulp, 1], "odd tie": [one + 1, half_ulp],
            "NaN": [one, nan, sign | one], "payload of NaN": [sign | inf | 1, one],
            "infinity": [inf, one], "both infinities": [inf, sign | inf], "minus zeros": [sign, sign],
            "zeros": [sign, 0], "overflow": [inf - 1, inf - 1], "subnormals": [1, 1, 3, sign | 2],
            "cancellation": [huge, one, sign | huge, 1, sign | one]}


def integer_data(dtype):
    width = 8 if dtype == "bool" else int(dtype[1:])
    if dtype == "bool":
        return {"empty": [], "one": [1], "mixed": [1, 0, 1]}
    top = 2 ** (width - 1) - 1 if dtype[0] == "i" else 2**width - 1
    return {"empty": [], "extremes": [top, 2 ** (width - 1) if dtype[0] == "i" else 0, 1],
            "overflow": [top, top, top]}


def pair_data(dtype):
    if dtype not in FLOATS:
        return {"empty": ([], []), "pairs": ([1, 2, 3], [2, 7, 1]), "constant": ([5, 5], [1, 2])}
    data, sign = float_data(dtype), 1 << sum(FLOATS[dtype])
    one, inf, nan = data["one"][0], data["infinity"][0], data["NaN"][1]
    big, tiny = data["cancellation"][0], 1
    return {"empty": ([], []), "pairs": ([one, one + 1, sign | one], [one + 3, one, one]),
            "NaN": ([one, nan, one], [nan, one, one + 5]), "infinity": ([inf, one], [one, one + 1]),
            "same infinity": ([inf], [inf]), "infinity times zero": ([inf], [sign]),
            "minus zeros": ([sign, one], [one, sign]), "constant": ([one, one], [one, one + 1]),
            "overflow": ([big, sign | big], [sign | big, big]),
            "subnormals": ([tiny, 3], [sign | 2, 5]),
            "cancellation": ([big, one, big], [big, one, sign | big])}


def add_all(v):
    for dtype in FLOATS:
        for name, x in float_data(dtype).items():
            v.gather(f"{dtype} {name}", MOMENTS if dtype == "f64" else ONE, dtype, x)
    for dtype in ("bool", *[f"{s}{n}" for s in "iu" for n in (8, 16, 32, 64)]):
        for name, x in integer_data(dtype).items():
            v.gather(f"{dtype} {name}", ONE, dtype, x)
    data = float_data("f32")
    x = data["cancellation"] + data["subnormals"]
    for op in OPS:
        y = x[::-1] if op in TWO.split(",") else None
        v.gather(f"op {op}", op, "f32", x, y)
    for nan in ("omit", "raise"):
        for name in ("NaN", "payload of NaN", "one"):
            v.gather(f"{nan} {name}", ONE, "f32", data[name], nan=nan)
        v.gather(f"{nan} pairs", TWO, "f32", *pair_data("f32")["NaN"], nan=nan)
    for dtype in ("f32", "i32"):
        for name, (x, y) in pair_data(dtype).items():
            v.gather(f"pairs {dtype} {name}", TWO, dtype, x, y)
    for name in ("pairs", "cancellation"):
        v.gather(f"pairs f64 {name}", "cov,max_abs_diff", "f64", *pair_data("f64")[name])
    ties = [data["one"][0]] * 3 + data["zeros"] + data["NaN"][:2]
    v.gather("ties at 100", "argmin,argmax", "f32", ties, first=100)
    v.gather("ties at 107", "argmin,argmax", "f32", ties[:3], first=107)
    v.gather("ties at 200", "argmin,argmax", "f32", ties[2:5], first=200)
    v.combine("neighbours", "merge", "ties at 107", "ties at 100", "argmin,argmax")
    v.combine("a gap", "merge", "neighbours", "ties at 200", "argmin,argmax")
    v.combine("an element twice", "merge", "neighbours", "ties at 107", "argmin,argmax")
    v.combine("of other ops", "merge", "ties at 107", "op sum", "sum")
    for name in ("one", "cancellation", "subnormals", "minus zeros", "infinity"):
        v.gather(f"2^31 times {name}", "sum,mean,var", "f32", data[name], times=2**31)
    v.gather("2^31 + 1 times overflow", "sum,var", "i64", [2**63 - 1, 2**63], times=2**31 + 1)
    add_removals(v)
    add_more(v)
    add_slices(v)
    add_bytes(v)
    add_moments(v)


def add_removals(v):
    data = float_data("f64")
    for name in ("one", "NaN", "infinity", "minus zeros", "zeros", "cancellation"):
        v.combine(f"f64 {name} and subnormals", "merge", f"f64 {name}", "f64 subnormals", MOMENTS)
        v.combine(f"the subnormals without {name}", "remove", f"f64 {name} and subnormals",
                  f"f64 {name}", MOMENTS)
    v.combine("all", "remove", "f64 zeros", "f64 zeros", MOMENTS)
    v.combine("extremes removed", "remove", "op max", "op max", "max")
    v.combine("more than there are", "remove", "f64 one", "f64 zeros", MOMENTS)
    v.gather("sum of 0 and 5", "sum", "f64", [0, 0x4014 << 48])
    v.gather("sum of 5", "sum", "f64", data["one"])
    v.combine("zeros of any sign", "remove", "sum of 0 and 5", "sum of 5", "sum")


def add_more(v):
    data = float_data("f64")
    for name in ("overflow", "subnormals"):
        v.gather(f"squares of {name}", "norm2,rms,sumsq", "f64", data[name])
    for name in ("NaN", "infinity", "minus zeros", "zeros"):
        v.gather(f"extremes of {name}", "min,max,ptp,norminf", "f64", data[name])
    for name in ("pairs", "infinity"):
        v.gather(f"pairs bf16 {name}", "dot,mae", "bf16", *pair_data("bf16")[name])
    v.gather("products u64", "dot", "u64", [2**64 - 1, 1], [2**64 - 1, 3])
    v.gather("distances i8", "distance,mae", "i8", [128, 127], [127, 128])


def add_slices(v):
    for dtype in ("f32", "f64"):
        data = float_data(dtype)
        one = data["one"][0]
        v.slices(f"slices {dtype}", MOMENTS, dtype, [one, one + 1, one + 2, one + 3], 2)
        x = [b for name in ("cancellation", "subnormals") for b in data[name][:4]]
        v.slices(f"slices {dtype} apart", "sum", dtype, x, 2)
        v.slices(f"slices {dtype} of zeros", MOMENTS, dtype, data["minus zeros"] + data["zeros"], 2)
    v.slices("slices of extremes", "argmin,max", "i32", [3, 1, 2**32 - 7, 3, 1, 1], 2)
    v.slices("slices of counts", "count_zero", "u8", [0, 1, 2, 3], 2)


def add_moments(v):
    for dtype in NUMPY:
        data = float_data(dtype) if dtype in FLOATS else integer_data(dtype)
        for name, x in data.items():
            if dtype in ("f32", "i32") or name in ("empty", "cancellation", "extremes", "mixed"):
                v.gather(f"moments {dtype} {name}", CENTRAL, dtype, x)
    data = float_data("f32")
    x = data["cancellation"] + data["subnormals"]
    for op in CENTRAL.split(","):
        v.gather(f"op {op}", op, "f32", x)
    v.gather("omit moments", CENTRAL, "f32", data["NaN"], nan="omit")
    v.gather("2^31 times moments", CENTRAL, "f32", data["cancellation"], times=2**31)
    v.combine("moments merged", "merge", "moments f32 cancellation", "moments f32 one", CENTRAL)
    v.combine("moments removed", "remove", "moments merged", "moments f32 cancellation", CENTRAL)
    one = data["one"][0]
    v.slices("slices of moments", CENTRAL, "f32", [one, one + 1, one + 2, one + 9, one, one], 3)


def sealed(data):
    return data + struct.pack("<I", zlib.crc32(data))


def add_bytes(v):
    good = v.states["f32 one"].save()
    share = sealed(b"1fold\r\n\3" + struct.pack("<3Q", 40, 0, 0x1234567890abcdef) + good[8:-4])
    v.add("a share", onefold.State.load(share), "mean", of="f32 one",
          share=[40, 0, 0x1234567890abcdef])
    v.add("nothing", onefold.State(), "")
    v.bad("cut short", sealed(good[:-20]))
    v.bad("a wrong checksum", good[:-1] + bytes([good[-1] ^ 1]))
    v.bad("version 9", sealed(good[:7] + b"\x09" + good[8:-4]))
    v.bad("bytes behind the end", sealed(good[:-4] + bytes(8)))
    v.bad("another type", sealed(good[:-4].replace(b"f32", b"g32")))
    v.bad("another accumulator", sealed(good[:-4].replace(b"zeros", b"heros")))
    count = v.states["op count"].save()
    v.bad("a flag of 2", sealed(count[:-20] + struct.pack("<q", 2) + count[-12:-4]))
    v.bad("more NaN than elements", sealed(
        count[:-52] + struct.pack("<5q", 1, 2, 0, 0, 0) + count[-12:-4]))
    sums = v.states["op sum"].save()
    at = sums.index(b"sum") + 3
    v.bad("a limb that is not carried", sealed(
        sums[:at] + struct.pack("<2q", 2**32, 0) + sums[at + 16:-4]))


def main():
    vectors = Vectors()
    add_all(vectors)
    if TO.exists():
        old = json.loads(TO.read_text())["vectors"]
        assert [w for w in vectors.list if w["name"] in {o["name"] for o in old}] == old, \
            "a vector would change"
    lines = ",\n".join(json.dumps(w) for w in vectors.list)
    TO.write_text('{"form": ' + json.dumps(FORM, indent=1) + ',\n"vectors": [\n' + lines + "\n]}\n")
    print(len(vectors.list), "vectors")


if __name__ == "__main__":
    main()
