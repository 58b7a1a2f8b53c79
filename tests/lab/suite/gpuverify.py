#!/usr/bin/env python3
"""Runs GPUVerify's CUDA suite (mc-imperial/gpuverify, testsuite/CUDA) on the simulated machine.

    git clone https://github.com/mc-imperial/gpuverify
    python3 tests/lab/suite/gpuverify.py gpuverify/testsuite/CUDA build/release/onefold

A kernel of the suite says `pass`, for any input, or `xfail`. Each is run with several inputs: of an
xfail for a race or a barrier one must show it, of a pass none may. Kernels with annotations of the
prover are left out, and so are those of exceptions.txt, with their reasons. Ends with 1 if another
kernel is not judged as the suite says.
"""

import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

here = pathlib.Path(__file__).parent
# Functions and annotations of the prover only.
annotation = re.compile(
    r"\b(__(requires|ensures|(global_)?invariant|assume|assert|implies|enabled|uniform_\w+|distinct_\w+|"
    r"return_val\w*|ptr_offset\w*|(no_)?(read|write)\w*|requires_fresh_array|axiom|other_\w+|all|at_most_one|"
    r"candidate\w*|barrier_\w+|array_snapshot|(same|all)_\w+)|curand\w*|bugle_\w+)\s*\(")
types = {"int": "i32", "unsigned": "u32", "unsigned int": "u32", "uint": "u32", "float": "f32",
         "double": "f64", "char": "i8", "unsigned char": "u8", "uchar": "u8", "bool": "u8",
         "short": "i16", "unsigned short": "u16", "long long": "i64", "long": "i64", "size_t": "u64",
         "unsigned long": "u64", "unsigned long long int": "u64", "unsigned long long": "u64"}
inputs = [("zeros", 0), ("iota", 1), ("ones", 2), ("rand", 3), ("iota", 16), ("zeros", 64), ("5", 7)]
elements = 1 << 16


def clean(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def dim(word):
    return word.strip("[]").split(",")


def read(file):
    """A kernel of the suite, or why it is left out."""
    text = file.read_text(errors="replace")
    first, options = (text.splitlines() + ["", ""])[:2]
    k = {"want": first.removeprefix("//").strip().lower(), "why": "", "options": options}
    code = clean(text)
    found = annotation.search(code)
    if found:
        k["why"] = f"annotation {found.group(1)}"
        return k
    if "BUGLE" in first or "CLANG" in first:
        k["why"] = "xfail of the prover's own front end"
        return k
    kernel = re.search(r"__global__\s+(?:static\s+)?void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\s*\(([^)]*)\)", code) or \
        re.search(r"void\s+__global__\s+(\w+)\s*\(([^)]*)\)", code)
    if not kernel:
        k["why"] = "no kernel"
        return k
    k["kernel"] = kernel.group(1)
    k["params"] = []
    for k_, p in enumerate(q for q in kernel.group(2).split(",") if q.strip() not in ("", "void")):
        p = p.split("=")[0]
        pointer = "*" in p or "[" in p
        words = [w for w in re.sub(r"\[[^]]*\]|\*", " ", p).split()
                 if w not in ("const", "volatile", "__restrict__", "restrict", "struct")]
        name = words[-1] if len(words) > 1 else f"p{k_}"
        kind = " ".join(words[:-1]) if len(words) > 1 else words[0]
        typedef = re.search(rf"typedef\s+([\w ]+?)\s+{re.escape(kind)}\s*;", code)
        if typedef:
            kind = typedef.group(1)
        name = f"a{k_}_{name}"
        # The arrays of an argument: of a struct, which has pointers alone or structs of them, several.
        struct = re.search(rf"struct\s+{re.escape(kind)}\s*\{{.*?\}}\s*;", code, re.S)
        arrays = [name] if pointer else [f"{name}{m}" for m in range(struct[0].count("*"))] if struct else []
        k["params"].append((name, types.get(re.sub(r"\d$", "", kind), types.get(kind)), arrays))
    grid, block = (re.search(rf"--{d}=(\S+)", options) for d in ("gridDim", "blockDim"))
    k["grid"], k["block"] = ",".join(dim(grid.group(1))), ",".join(dim(block.group(1)))
    k["defines"] = re.findall(r"-D(\w+)(?:=(\S+))?", options)
    return k


def judge(program, file, k):
    """The machine's result: the kinds of flaws for each input, or an error."""
    source = file
    if k["defines"]:
        source = pathlib.Path("/tmp") / ("gpuverify_" + "_".join(file.parts[-3:]))
        source.write_text("".join(f"#define {n} {v}\n" for n, v in k["defines"]) + file.read_text())
    seen = collections.Counter()
    sample = ""
    tries = [(*i, w) for w in (False, True) for i in (inputs if k["params"] else inputs[:1])]
    for fill, number, as_written in tries:
        if as_written and (not k["want"].startswith("xfail") or seen):
            break  # the compiler removes stores that are never read: run again without that
        args = []
        for name, kind, arrays in k["params"]:
            args += [f"{a}:{kind or 'i32'}[{elements}]={fill}" for a in arrays]
            if arrays != [name]:
                args.append(f"{name}={{{', '.join(arrays)}}}" if arrays else f"{name}={number}")
        passed = ", ".join(name for name, *_ in k["params"])
        words = [program, "lab", "run", str(source), "--budget", "200000000", "--json",
                 "--launch", f"{k['kernel']}<<<({k['grid']}), ({k['block']})>>>({passed})"]
        words += ["--as-written"] * as_written
        if args:
            words += ["--args", ", ".join(args)]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=120)
        except subprocess.TimeoutExpired:
            return {"hang": 1}, ""
        if not done.stdout:
            return {"error": 1}, done.stderr.strip()
        report = json.loads(done.stdout)
        for flaw in report["flaws"]:
            seen[flaw["kind"]] += 1
            sample = sample or f"{fill} {number}: {flaw['text']}"
    return dict(seen), sample


def main():
    suite, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    only = sys.argv[3:]
    exceptions = dict(line.split(": ", 1) for line in
                      (here / "gpuverify_exceptions.txt").read_text().splitlines()
                      if line and not line.startswith("#"))
    files = sorted(suite.rglob("*.cu"))
    kernels = {str(f.relative_to(suite)): read(f) for f in files}
    if only:
        kernels = {n: k for n, k in kernels.items() if any(o in n for o in only)}
    run = {n: k for n, k in kernels.items() if not k["why"]}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = dict(zip(run, pool.map(lambda n: judge(program, suite / n, run[n]), run)))
    tally = collections.Counter()
    bad = []
    for name, k in kernels.items():
        if k["why"]:
            tally["left out: " + k["why"].split()[0]] += 1
            continue
        kinds, sample = found[name]
        # The prover checks races, barriers and assertions; of memory only null pointers.
        shows = {"race", "barrier_not_reached", "given_up", "absent_lane", "bad_mask"} & set(kinds)
        if k["want"].startswith("xfail"):
            shows |= {"out_of_bounds", "misaligned"} & set(kinds)
        broken = {"error", "hang"} & set(kinds)
        right = not broken and bool(shows) == k["want"].startswith("xfail")
        if right and name not in exceptions:
            tally["as the suite says: " + k["want"].split(":")[0]] += 1
        elif name in exceptions:
            tally["exceptions"] += 1
            if right:
                print(f"{name}: listed as an exception, and as the suite says")
        else:
            bad.append(name)
            print(f"{name}: the suite says {k['want']}; {kinds}; {sample[:300]}")
    for what, count in sorted(tally.items()):
        print(f"{count:4} {what}")
    print(f"{len(bad):4} others")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
