"""The time of calls from Python, compared with NumPy and Bottleneck: python bench/python.py [--json
FILE].

Medians of interleaved pairs in one process; ratios are ours over theirs, so 1 and less is not slower.
Times are of the processor, not of the clock: what neighbours on the core take is not ours. Run it
pinned to one core (`taskset -c 1`), else the package uses more threads than its peers.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import bottleneck as bn
import numpy as np

import onefold

parser = argparse.ArgumentParser()
parser.add_argument("--json")
parser.add_argument("--report", help="what an earlier run wrote, as Markdown")
parser.add_argument("--pairs", type=int, default=7)
parser.add_argument("--quick", action="store_true")
options = parser.parse_args()

OPS = ("sum", "mean", "var", "std", "min", "max", "argmin", "argmax", "any", "all", "count_nonzero",
       "nansum", "nanmean", "nanvar", "nanmin", "nanmax", "nanargmax")
BOTTLENECK = {"nansum", "nanmean", "nanvar", "nanmin", "nanmax", "nanargmax"}


def once(call, x, repeat, keywords):
    begin = time.process_time()
    for _ in range(repeat):
        call(x, **keywords)
    return (time.process_time() - begin) / repeat


def pairs(ours, theirs, x, **keywords):
    """Median seconds of each, and the median ratio."""
    repeat = 1
    while once(ours, x, repeat, keywords) * repeat < 2e-4 and repeat < 4096:
        repeat *= 4
    times = []
    for _ in range(options.pairs if x.nbytes < 1 << 22 else 3):
        times.append((once(ours, x, repeat, keywords), once(theirs, x, repeat, keywords)))
    return (statistics.median(a for a, _ in times), statistics.median(b for _, b in times),
            statistics.median(a / b for a, b in times))


def peers_of(op):
    """The fastest of them counts."""
    peers = {"numpy": getattr(np, op)}
    if op in BOTTLENECK:
        peers["bottleneck"] = getattr(bn, op)
    return peers


def data(n, dtype):
    return np.random.default_rng(n).normal(size=n).astype(dtype)


def calls():
    x, rows = data(8, "f8"), []
    for name, ours, peers in [
        ("sum", onefold.sum, {"np.add.reduce": np.add.reduce, "bn.nansum": bn.nansum}),
        ("mean", onefold.mean, {"np.mean": np.mean, "bn.nanmean": bn.nanmean, "bn.nansum": bn.nansum}),
        ("min", onefold.min, {"np.min": np.min, "bn.nanmin": bn.nanmin, "bn.nansum": bn.nansum}),
        ("argmax", onefold.argmax,
         {"np.argmax": np.argmax, "bn.nanargmax": bn.nanargmax, "bn.nansum": bn.nansum}),
        ("var", onefold.var, {"np.var": np.var, "bn.nanvar": bn.nanvar, "bn.nansum": bn.nansum})]:
        for peer, theirs in peers.items():
            mine, other, ratio = pairs(ours, theirs, x)
            rows.append([name, peer, mine * 1e9, other * 1e9, ratio])
    return rows


def sizes():
    rows = []
    exponents = (3, 6, 10, 14, 17, 20, 22, 24, 27) if not options.quick else (3, 10, 17)
    for dtype in ("f4", "f8"):
        for e in exponents:
            x = data(1 << e, dtype)
            for op in OPS:
                for peer, theirs in peers_of(op).items():
                    mine, other, ratio = pairs(getattr(onefold, op), theirs, x)
                    rows.append([op, dtype, 1 << e, peer, mine * 1e6, other * 1e6, ratio])
            del x
    return rows


def axes():
    rows = []
    shapes = ((100, 100), (1000, 1000), (1 << 18, 8), (8, 1 << 18), (64, 64, 64))
    for dtype in ("f4", "f8"):
        for shape in shapes if not options.quick else shapes[:2]:
            x = data(int(np.prod(shape)), dtype).reshape(shape)
            for axis in (0, len(shape) - 1):
                for op in OPS:
                    for peer, theirs in peers_of(op).items():
                        mine, other, ratio = pairs(getattr(onefold, op), theirs, x, axis=axis)
                        rows.append([op, dtype, list(shape), axis, peer, mine * 1e6, other * 1e6, ratio])
    return rows


def large():
    x = data(1 << 24, "f4")  # 64 MiB
    rows = []
    for op in ("sum", "mean", "var", "min", "argmax", "nansum", "nanmean", "nanvar"):
        mine, other, ratio = pairs(getattr(onefold, op), getattr(np, op), x)
        rows.append([op, x.nbytes / mine / 1e9, x.nbytes / other / 1e9, ratio])
    names = ("mean", "var", "min", "max")
    together = statistics.median(
        once(lambda a: onefold.fold("mean,var,min,max", a), x, 1, {}) for _ in range(options.pairs))
    alone = [statistics.median(once(getattr(onefold, n), x, 1, {}) for _ in range(options.pairs))
             for n in names]
    return {"GB/s": rows, "fold of 4 over the dearest": together / max(alone)}


def import_ms():
    program = "import sys, time; sys.path[:0] = %r; t = time.process_time(); import onefold; " \
              "print(time.process_time() - t)" % sys.path
    with tempfile.TemporaryDirectory() as kept:  # bytecode, as an installed package has it
        env = {**os.environ, "PYTHONPYCACHEPREFIX": kept}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        times = [float(subprocess.run([sys.executable, "-S", "-c", program], capture_output=True,
                                      text=True, check=True, env=env).stdout) for _ in range(9)]
    return 1e3 * statistics.median(times[1:])


def processor():
    with open("/proc/cpuinfo") as f:
        names = {line.split(":")[1].strip() for line in f if line.startswith("model name")}
    return ", ".join(sorted(names))


def slowest(rows, where):
    """The worst ratio of each op to each peer, and its case."""
    worst = {}
    for row in rows:
        op, peer, ratio = row[0], row[-4], row[-1]
        if ratio > worst.get((op, peer), (0, ""))[0]:
            worst[op, peer] = (ratio, where(row))
    return worst


def share_of_a_call(rows):
    """The largest share of a fold of 1 MiB that a fold of 8 elements takes, and its op."""
    mine = {(row[0], row[2]): row[4] for row in rows if row[1] == "f8"}
    return max((mine[op, 8] / mine[op, 1 << 17], op) for op in OPS)


def report(found):
    """Markdown."""
    yield "# Calls from Python, " + found["date"]
    yield ""
    command = "--quick" if found.get("quick") else "--json bench/results/python.json"
    yield (f"`taskset -c 1 python bench/python.py {command}`: {found['machine']}, "
           f"CPython {found['python']}, NumPy {found['numpy']}, Bottleneck {found['bottleneck']}; "
           f"load {found['load']:.0f} on {found['cores']} cores, so ratios of interleaved pairs say "
           "more than times. All of one thread.")
    yield ""
    yield "## 8 f64: nanoseconds, and ours over theirs"
    yield ""
    yield "| op | peer | ours | theirs | ratio |\n|---|---|---|---|---|"
    for op, peer, mine, other, ratio in found["calls of 8 f64 (ns)"]:
        yield f"| {op} | {peer} | {mine:.0f} | {other:.0f} | {ratio:.2f} |"
    yield ""
    yield f"`import onefold`: {found['import (ms)']:.0f} ms, without NumPy, typing or enum."
    yield ""
    yield "## 64 MiB of f32: GB/s"
    yield ""
    yield "| op | ours | NumPy | ratio of times |\n|---|---|---|---|"
    for op, mine, other, ratio in found["large"]["GB/s"]:
        yield f"| {op} | {mine:.1f} | {other:.1f} | {ratio:.2f} |"
    yield ""
    yield (f"`fold(\"mean,var,min,max\")` takes {found['large']['fold of 4 over the dearest']:.2f} of the "
           "time of the dearest of them.")
    share, op = share_of_a_call(found["sizes (us)"])
    yield (f"A call of 8 f64 takes at most {100 * share:.1f} % of one of 1 MiB ({op}): Python adds no more "
           "than that to C++ there.")
    for title, key, where in [
            (f"Whole arrays of 8 to {max(row[2] for row in found['sizes (us)'])} elements, f32 and f64",
             "sizes (us)", lambda r: f"{r[2]} {r[1]}"),
            ("Over axes", "axes (us)", lambda r: f"{r[2]} {r[1]} axis {r[3]}")]:
        rows = found[key]
        slower = [row for row in rows if row[-1] > 1.05]
        yield ""
        yield f"## {title}: the worst ratio of each op"
        yield ""
        yield f"{len(slower)} of {len(rows)} pairs are more than 5 % slower than a peer."
        yield ""
        yield "| op | beside | worst ratio | where |\n|---|---|---|---|"
        for (op, peer), (ratio, place) in slowest(rows, where).items():
            yield f"| {op} | {peer} | {ratio:.2f} | {place} |"
        yield ""
        yield "| the ten slowest | beside | ratio | where |\n|---|---|---|---|"
        for row in sorted(slower, key=lambda row: -row[-1])[:10]:
            yield f"| {row[0]} | {row[-4]} | {row[-1]:.2f} | {where(row)} |"


if options.report:
    with open(options.report) as f:
        print("\n".join(report(json.load(f))))
    sys.exit()
begin = time.perf_counter()  # the processor wakes up
while time.perf_counter() < begin + 0.5:
    onefold.sum(data(1 << 16, "f8"))
found = {"quick": options.quick, "date": time.strftime("%Y-%m-%d"), "machine": processor(), "cores": os.cpu_count(),
         "load": os.getloadavg()[0], "python": platform.python_version(), "numpy": np.__version__,
         "bottleneck": bn.__version__, "calls of 8 f64 (ns)": calls(), "import (ms)": import_ms(),
         "sizes (us)": sizes(), "axes (us)": axes(), "large": large()}
if options.json:
    with open(options.json, "w") as f:
        json.dump(found, f)
        f.write("\n")
print("\n".join(report(found)))
