#!/usr/bin/env python3
"""Compares the counters that the PTX machine predicts for 22 kernels with ncu's on a GPU.

    python3 tests/lab/suite/ncu.py predict FOLDER build/release/onefold   # needs nvcc, no GPU
    python3 tests/lab/suite/ncu.py measure FOLDER                      # on a GPU, with ncu and CuPy
    python3 tests/lab/suite/ncu.py compare FOLDER [RECORD.json]

The kernels are the published texts (tests/lab/text) and the solved puzzles (tests/lab/solved). The
same PTX is interpreted here and compiled by the driver there. `compare` ends with 1 where what crosses
the wires differs: requests and sectors of global memory, wavefronts of shared memory (by 1 % at most:
the hardware's counter counts a few of its own). What the driver's compiler decides is shown with its
ratio: a predicated access of shared memory counts as an instruction though no lane makes it, a short
branch becomes a predicate, and one `rem` of PTX is twenty machine instructions.
"""

import csv
import json
import pathlib
import re
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent.parent
n = 65536
blocks = n // 256

# file, kernel, grid, block, dynamic shared memory, arguments: x and y are arrays, numbers 4 bytes, L8
rows = [
    ("text/000.cu", "reduction5", blocks, 256, 1024, "x y n"),
    ("text/000.cu", "reduction6<256>(const int*, int*, unsigned)", blocks, 256, 1024, "x y n"),
    ("text/001.cu", "reduceNeighbored", blocks, 256, 0, "x y n"),
    ("text/001.cu", "reduceNeighboredLess", blocks, 256, 0, "x y n"),
    ("text/001.cu", "reduceInterleaved", blocks, 256, 0, "x y n"),
    ("text/001.cu", "reduceUnrolling2", blocks // 2, 256, 0, "x y n"),
    ("text/001.cu", "reduceUnrollWarps8", blocks // 8, 256, 0, "x y n"),
    ("text/002.cu", "reduce1", blocks, 256, 1024, "x"),
    ("text/002.cu", "reduce2", blocks, 256, 1024, "x"),
    ("text/002.cu", "reduce3", blocks, 256, 1024, "x"),
    ("text/002.cu", "reduce4", blocks // 2, 256, 1024, "x"),
    ("text/002.cu", "reduce7<256>(int*, unsigned)", 64, 256, 1024, "x n"),
    ("text/002.cu", "mtran_coalesced", (8, 8), (32, 8), 0, "y x 256"),
    ("text/003.cu", "interleaved_shared<256>(int*, int*, int)", blocks, 256, 0, "x y n"),
    ("text/003.cu", "neighbored_shared<256>(int*, int*, int)", blocks, 256, 0, "x y n"),
    ("text/003.cu", "shuffle_two_level<256>(int*, int*, int)", blocks, 256, 0, "x y n"),
    ("text/004.cu", "Reduction1_kernel", 64, 256, 1024, "y x N"),
    ("text/004.cu", "Reduction2_kernel", 64, 256, 1024, "y x N"),
    ("solved/banks.cu", "solve", blocks, 256, 0, "x y n"),
    ("solved/coalesce.cu", "solve", blocks // 8, 256, 0, "x y n"),
    ("solved/shuffle.cu", "solve", blocks, 256, 0, "x y n"),
    ("solved/ticket.cu", "solve", blocks, 256, 0, "x y n"),
]

# name, of the prediction, ncu's
L1 = "l1tex__"
counters = [
    ("global load requests", ("global_load", "requests"), L1 + "t_requests_pipe_lsu_mem_global_op_ld.sum"),
    ("global load sectors", ("global_load", "sectors"), L1 + "t_sectors_pipe_lsu_mem_global_op_ld.sum"),
    ("global store sectors", ("global_store", "sectors"), L1 + "t_sectors_pipe_lsu_mem_global_op_st.sum"),
    ("shared load requests", ("shared_load", "requests"), "smsp__inst_executed_op_shared_ld.sum"),
    ("shared store requests", ("shared_store", "requests"), "smsp__inst_executed_op_shared_st.sum"),
    ("shared load wavefronts", ("shared_load", "wavefronts"),
     L1 + "data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
    ("shared store wavefronts", ("shared_store", "wavefronts"),
     L1 + "data_pipe_lsu_wavefronts_mem_shared_op_st.sum"),
    ("warps", ("warps",), "smsp__warps_launched.sum"),
]
exact = {"global load requests", "global load sectors", "global store sectors", "shared load wavefronts",
         "shared store wavefronts", "warps"}
# Counters that depend on the compiler from PTX to machine code: shown with their ratio.
loose = [
    ("instructions of lanes", "thread_instructions"),
    ("branches", "branches"),
    ("uniform branches, %", "uniform"),
]
extra = ["smsp__inst_executed.sum", "smsp__thread_inst_executed_per_inst_executed.ratio",
         "smsp__sass_branch_targets.sum", "smsp__sass_average_branch_targets_threads_uniform.pct"]


def extent(e):
    return "x".join(map(str, e)) if isinstance(e, tuple) else str(e)


def predict(folder, program):
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for k, (file, kernel, grid, block, shared, args) in enumerate(rows):
        text = (here / file).read_text()
        name = kernel.split("<")[0]
        if "<" in kernel:
            text += f"\ntemplate __global__ void {kernel};\n"
        source = folder / f"{k:02}.cu"
        source.write_text(text)
        ptx = source.with_suffix(".ptx")
        subprocess.run(["nvcc", "-ptx", "-arch=compute_90", "-lineinfo", "-w", source, "-o", ptx], check=True)
        entries = re.findall(r"\.entry (\w+)\(", ptx.read_text())
        entry = next(e for e in entries if re.fullmatch(rf"_Z\d+{name}(I.*|[^a-z].*)?", e))
        given = ", ".join({"n": str(n), "N": str(n)}.get(a, a) for a in args.split())
        type_of_x = "f32" if "mtran" in kernel else "i32"
        done = subprocess.run(
            [program, "lab", "run", ptx, "--launch",
             f"{entry}<<<{extent(grid)}, {extent(block)}, {shared}>>>({given})", "--args",
             f"x:{type_of_x}[{n}]=rand, y:{type_of_x}[{n}]=0", "--schedules", "1", "--json"],
            capture_output=True, text=True)
        if not done.stdout:
            sys.exit(f"{kernel}: {done.stderr}")
        report = json.loads(done.stdout)
        made.append({"kernel": kernel.split("(")[0], "file": file, "entry": entry, "ptx": ptx.name,
                     "grid": grid, "block": block, "shared": shared, "args": args,
                     "counters": report["counters"]})
        print(f"{file:20} {kernel.split('(')[0]}")
    (folder / "predicted.json").write_text(json.dumps(made, indent=1))


def launch(folder):
    """Each kernel once. CuPy itself launches nothing here: arrays are copied."""
    import cupy
    import numpy as np

    for row in json.loads((folder / "predicted.json").read_text()):
        element = "f4" if "mtran" in row["kernel"] else "i4"
        arrays = {"x": cupy.asarray(np.arange(n).astype(element) % 256),
                  "y": cupy.asarray(np.zeros(n, element))}
        given = [arrays[a] if a in arrays else np.uint64(n) if a == "N" else np.uint32(n if a == "n" else a)
                 for a in row["args"].split()]
        kernel = cupy.RawModule(path=str(folder / row["ptx"])).get_function(row["entry"])
        as_tuple = lambda e: tuple(e) if isinstance(e, list) else (e,)
        kernel(as_tuple(row["grid"]), as_tuple(row["block"]), tuple(given), shared_mem=row["shared"])
        cupy.cuda.runtime.deviceSynchronize()


def measure(folder):
    metrics = ",".join([c[2] for c in counters] + extra)
    done = subprocess.run(
        ["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base",
         "--metrics", metrics, sys.executable, __file__, "launch", folder],
        capture_output=True, text=True)
    (folder / "measured.csv").write_text(done.stdout)
    print(done.stderr[-2000:], len(done.stdout.splitlines()), "lines")
    chip = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"],
                          capture_output=True, text=True)
    (folder / "chip.txt").write_text(chip.stdout.strip())
    return done.returncode


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def of(c, path):
    for key in path:
        c = c[key]
    return c


def compare(folder, record=None):
    predicted = json.loads((folder / "predicted.json").read_text())
    lines = [l for l in (folder / "measured.csv").read_text().splitlines() if l.startswith('"')]
    names, *table = list(csv.reader(lines))
    launches = [dict(zip(names, row)) for row in table if row[0].strip()]
    assert len(launches) == len(predicted), (len(launches), len(predicted))
    out = []
    for row, seen in zip(predicted, launches):
        assert row["entry"].find(seen["Kernel Name"].split("(")[0].split("<")[0].split()[-1]) >= 0, seen
        c = row["counters"]
        kernel = {k: row[k] for k in ("file", "kernel", "grid", "block", "shared", "args")}
        kernel["counters"] = {}
        for name, path, metric in counters:
            kernel["counters"][name] = [of(c, path), number(seen[metric])]
        lanes = number(seen[extra[1]])
        kernel["counters"]["instructions of lanes"] = [
            c["thread_instructions"], round(number(seen[extra[0]]) * lanes)]
        kernel["counters"]["branches"] = [c["branches"], number(seen[extra[2]])]
        uniform = 100 - 100 * c["divergent_branches"] / c["branches"] if c["branches"] else 100
        kernel["counters"]["uniform branches, %"] = [round(uniform, 2), number(seen[extra[3]])]
        out.append(kernel)
    off = 0
    for name in [c[0] for c in counters] + [l[0] for l in loose]:
        pairs = [(k["kernel"], *k["counters"][name]) for k in out]
        pairs = [(k, p, m) for k, p, m in pairs if m is not None]
        equal = sum(p == m for _, p, m in pairs)
        off += name in exact and any(abs(p - m) > 0.01 * m for _, p, m in pairs)
        near = sum(abs(p - m) <= 0.05 * max(abs(m), 1) for _, p, m in pairs)
        print(f"{name:24} equal in {equal:2} of {len(pairs)}, within 5 % in {near:2}")
        for k, p, m in pairs:
            if p != m:
                print(f"    {k:28} predicted {p:>10} measured {m:>10.2f}" + (f"  {m / p:.2f}" if p else ""))
    if record:
        chip = (folder / "chip.txt").read_text()
        with open(record, "w") as f:
            f.write(f'{{"chip": {json.dumps(chip)}, "n": {n}, "what": "[predicted from PTX, counted by ncu]", '
                    '"kernels": [\n')
            f.write(",\n".join(json.dumps(k) for k in out) + "\n]}\n")
    return 1 if off else 0


if __name__ == "__main__":
    verb, folder, *rest = sys.argv[1:]
    sys.exit({"predict": predict, "launch": launch, "measure": measure, "compare": compare}[verb](
        pathlib.Path(folder), *rest))
