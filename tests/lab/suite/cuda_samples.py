#!/usr/bin/env python3
"""Runs kernels of NVIDIA/cuda-samples as they are on the simulated machine.

    git clone https://github.com/NVIDIA/cuda-samples
    python3 tests/lab/suite/cuda_samples.py cuda-samples/Samples build/release/onefold

Each must give the right answer and have the flaws that its row names, and no other. Ends with 1 if not.
"""

import itertools
import json
import pathlib
import subprocess
import sys

concepts = "2_Concepts_and_Techniques/"
reduction = concepts + "reduction/reduction_kernel.cu"
fence = concepts + "threadFenceReduction/threadFenceReduction_kernel.cuh"
n = 5000
iota = list(range(n))


def block_sums(values, size, blocks):
    return [sum(values[b * size:(b + 1) * size]) for b in range(blocks)]


def bytes_of(value):
    return [value >> 8 * k & 255 for k in range(4)]


def scan(values, size):
    out = []
    for b in range(0, len(values), size):
        out += [0, *itertools.accumulate(values[b:b + size])][:size]
    return out


def inclusive(values, size):
    out = []
    for b in range(0, len(values), size):
        out += itertools.accumulate(values[b:b + size])
    return out


def histogram(values, bins, shift):
    out = [0] * bins
    for v in values:
        for byte in bytes_of(v):
            out[byte >> shift] += 1
    return out


rng = [(k * 2654435761 + 12345) % 2**32 for k in range(2048)]
square = [float(k % 7) for k in range(64 * 64)]


def product(side):
    return [sum(square[r * side + k] * square[k * side + c] for k in range(side))
            for r in range(side) for c in range(side)]


def transposed(side):
    return [float(c * side + r) for r in range(side) for c in range(side)]


def reduce_row(name, blocks, width, shared=256 * 4, template="int", flaws=()):
    return (reduction, f"{name}<{template}>", f"<<<{blocks}, 256, {shared}>>>(x, y, {n})",
            f"x:i32[{n}]=iota, y:i32[{blocks}]", "y", width, flaws)


twenty = -(-n // 256)
rows = [
    *(reduce_row(f"reduce{k}", twenty, block_sums(iota, 256, twenty)) for k in range(3)),
    *(reduce_row(f"reduce{k}", 10, block_sums(iota, 512, 10), template=t) for k, t in
      ((3, "int"), (4, "int, 256"), (5, "int, 256"))),
    *(reduce_row(f"reduce{k}", 4, sum(iota), template="int, 256, false") for k in (6, 7)),
    reduce_row("cg_reduce", 4, sum(iota)),
    reduce_row("multi_warp_cg_reduce", 4, sum(iota), template="int, 256, 64", shared=256 * 4),
    (fence, "reduceMultiPass<256, false>", f"<<<4, 256, 1024>>>(x, y, {n})",
     f"x:f32[{n}]=iota, y:f32[4]", "y", float(sum(iota)), ()),
    (fence, "reduceSinglePass<256, false>", f"<<<4, 256, 1024>>>(x, y, {n})",
     f"x:f32[{n}]=iota, y:f32[4]", "y", ("first", float(sum(iota))),
     ("race",)),  # the last block has no fence between its ticket and what it reads
    (concepts + "scan/scan.cu", "scanExclusiveShared", "<<<2, 256>>>(y, x, 1024)",
     "x:u32[2048]=iota, y:u32[2048]", "y", scan(list(range(2048)), 1024), ()),
    (concepts + "shfl_scan/shfl_scan.cu", "shfl_scan_test", "<<<4, 256, 32>>>(x, 32, y)",
     "x:i32[1024]=iota, y:i32[4]", "x", inclusive(list(range(1024)), 256), ()),
    (concepts + "shfl_scan/shfl_scan.cu", "uniform_add", "<<<4, 256>>>(x, y, 1024)",
     "x:i32[1024]=iota, y:i32[4]=iota", "x", [k + k // 256 for k in range(1024)], ()),
    (concepts + "histogram/histogram256.cu", "histogram256Kernel", "<<<2, 192>>>(y, x, 2048)",
     f"x:u32[2048]={rng}, y:u32[512]", "y", ("halves", histogram(rng, 256, 0)), ()),
    (concepts + "histogram/histogram64.cu", "histogram64Kernel", "<<<2, 64>>>(y, x, 512)",
     f"x:u32[2048]={rng}, y:u32[128]", "y", ("halves", histogram(rng, 64, 2)), ()),
    (concepts + "histogram/histogram256.cu", "mergeHistogram256Kernel", "<<<256, 256>>>(y, x, 8)",
     "x:u32[2048]=iota, y:u32[256]", "y", [sum(range(k, 2048, 256)) for k in range(256)], ()),
    ("0_Introduction/matrixMul/matrixMul.cu", "MatrixMulCUDA<16>",
     "<<<4x4, 16x16>>>(c, a, b, 64, 64)",
     f"a:f32[4096]={square}, b:f32[4096]={square}, c:f32[4096]", "c", product(64), ()),
    ("0_Introduction/matrixMul/matrixMul.cu", "MatrixMulCUDA<32>",
     "<<<2x2, 32x32>>>(c, a, b, 64, 64)",
     f"a:f32[4096]={square}, b:f32[4096]={square}, c:f32[4096]", "c", product(64), ()),
    *(("6_Performance/transpose/transpose.cu", name, "<<<2x2, 32x16>>>(y, x, 64, 64)",
       "x:f32[4096]=iota, y:f32[4096]", "y", want, ()) for name, want in (
           ("copy", [float(k) for k in range(4096)]),
           ("copySharedMem", [float(k) for k in range(4096)]),
           ("transposeNaive", transposed(64)), ("transposeCoalesced", transposed(64)),
           ("transposeNoBankConflicts", transposed(64)), ("transposeDiagonal", transposed(64)))),
]


def holds(values, want):
    if isinstance(want, tuple):
        kind, want = want
        if kind == "first":
            return values[0] == want
        half = len(values) // 2  # two partial histograms
        return [a + b for a, b in zip(values[:half], values[half:])] == want
    return values == want if isinstance(want, list) else sum(values) == want


def main():
    samples, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    bad = 0
    for file, kernel, launch, args, shown, want, flaws in rows:
        if len(sys.argv) > 3 and not any(a in kernel for a in sys.argv[3:]):
            continue
        done = subprocess.run([program, "lab", "run", str(samples / file), "--launch", kernel + launch,
                               "--args", args, "--print", shown, "--json"],
                              capture_output=True, text=True)
        if not done.stdout:
            verdict = done.stderr.strip()
        else:
            report = json.loads(done.stdout)
            values = next(a["values"] for a in report["arguments"] if a["name"] == shown)
            kinds = {f["kind"] for f in report["flaws"]}
            verdict = "" if holds(values, want) else "wrong"
            if kinds != set(flaws):
                verdict += f" flaws {sorted(kinds)}, not {sorted(flaws)}; " + report.get("failure", "")
        bad += verdict != ""
        print(f"{file.rsplit('/')[-1]:32} {kernel:32} {verdict or 'right, ' + (', '.join(flaws) or 'no flaw')}"[:400])
    print(f"{len(rows) - bad} of {len(rows)} are right")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
