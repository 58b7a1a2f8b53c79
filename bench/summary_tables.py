"""The figures of README.md, docs/performance.md and docs/choosing.md, each made of bench/results."""

import collections
import pathlib
import re

from result_tables import data, number, numbers, table, tables
from rivals import quicker, rivals

ROOT = pathlib.Path(__file__).parents[1]
CPUS = [("Zen 5", "cpu_zen5.md", "Whole arrays"), ("Emerald Rapids", "cpu.md", "Emerald Rapids"),
        ("Zen 4", "cpu.md", "Whole arrays")]
TARGETS = ("AVX-512", "AVX2")
INTEGERS = [f"sum {t} uniform" for t in ("i8", "i16", "i32", "i64")]
EXTREMES = ["min f32 normal", "min f64 normal", "max i32 uniform", "argmax f32 normal", "argmax f64 normal",
            "argmax i32 uniform"]


def grid(header, rows):
    return "\n".join(["| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *rows]])


def span(values, digits=2):
    """The least and the largest of them."""
    low, high = (f"{v:.{digits}f}" for v in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def each(values):
    return ", ".join(f"{v:.2f}" for v in values)


def shares(page, heading, target):
    """{"sum f64 normal": share} of one thread."""
    t = table(page, heading, "op")
    return {" ".join(row[:3]): number(row[t.column(f"{target}, 1 thread")]) for row in t.rows}


def all_shares():
    return {f"{cpu}, {target}": shares(page, heading, target) for cpu, page, heading in CPUS for target in TARGETS}


def whole():
    folds = [("sum f64, f32", each, ["sum f64 normal", "sum f32 normal"]),
             ("sum i8 to i64", span, INTEGERS), ("min, max, argmax", span, EXTREMES),
             ("sum f16, bf16", each, ["sum f16 normal", "sum bf16 normal"]),
             ("sumsq, dot f32", each, ["sumsq f32 normal", "dot f32 normal"]),
             ("var f32, f64", each, ["var f32 normal", "var f64 normal"]),
             ("describe f32, f64 (14 statistics)", each, ["describe f32 normal", "describe f64 normal"]),
             ("lognormal: sum f64, f32", each, ["sum f64 lognormal", "sum f32 lognormal"]),
             ("lognormal: sumsq f32, var f64", each, ["sumsq f32 lognormal", "var f64 lognormal"]),
             ("random bits: sum f64, f32, bf16", each, [f"sum {t} random bits" for t in ("f64", "f32", "bf16")])]
    columns = all_shares()
    return grid(["fold", *columns],
                [[name, *(form([c[k] for k in keys]) for c in columns.values())] for name, form, keys in folds])


def small():
    t = table("cpu_zen5.md", "One call", "elements")
    return grid(["few elements in cache, C++, ns", *t.header[1:]], t.rows)


def files():
    t = table("cpu_zen5.md", "Files", "file")
    rows = [[f"{row[0]}, {threads}", f"{number(cell):.2f} of a process that only reads"]
            for row in t.rows if "before" not in row[0] for threads, cell in zip(t.header[1:], row[1:])]
    text = table("cpu_zen5.md", "Files", "text")
    speed = [number(row[1]) for row in text.rows]
    peer = [number(row[1]) / number(row[2]) for row in text.rows]
    rows.append(["text, one number a line", f"{span(speed)} GB/s of a core, {span(peer, 0)} times datamash"])
    return grid(["file or text, whole program", "figure"], rows)


def axes():
    t = table("shapes.md", "Axes", "fold")
    return grid(["fold", "f32", "f64"], [[row[0], each(numbers(row[1])), each(numbers(row[3]))] for row in t.rows])


def python():
    d = data("python.json")
    calls = collections.defaultdict(list)
    for op, peer, _, _, ours in d["calls of 8 f64 (ns)"]:
        if peer != "bn.nansum" or op == "sum":
            calls["Bottleneck's nan functions" if peer.startswith("bn") else "NumPy"].append((op, 1 / ours))
    rows = [[f"8 f64: {', '.join(op for op, _ in some)}", each([r for _, r in some]), peer]
            for peer, some in calls.items()]
    large = [(op, 1 / ours) for op, _, _, ours in d["large"]["GB/s"]]
    rows.append([f"64 MiB of f32: {', '.join(op for op, _ in large)}", each([r for _, r in large]), "NumPy"])
    ops = collections.defaultdict(list)
    most = max(row[2] for row in d["sizes (us)"]).bit_length() - 1
    for op, _, _, peer, _, _, ours in d["sizes (us)"]:
        ops[peer, op].append(1 / ours)
    for peer, name in (("numpy", "NumPy"), ("bottleneck", "Bottleneck")):
        worst, op = min((min(v), op) for (p, op), v in ops.items() if p == peer)
        rows.append([f"whole arrays of 8 to 2^{most} elements, the worst of all ops", f"{worst:.2f} ({op})", name])
    return grid(["call, one thread", "theirs over ours", "beside"], rows)


def masks():
    t = next(t for t in tables("choose.md") if t.header[1:] == ["whole", "rows of 64", "columns of 64"])
    relations = table("choose.md", "Relations", "")
    rows = [[row[0], *(", ".join(f"{v:g}" for v in numbers(c)) or "-" for c in row[1:])] for row in t.rows
            if row[0] not in ("corr", "cov")]
    for row in relations.rows:
        rows.append([row[0], "-", f"{numbers(row[1])[1]:g}", f"{numbers(row[3])[1]:g}"])
    return grid(["fold (f32, f64)", *t.header[1:]], rows)


def elsewhere():
    t = table("elsewhere.md", "Strides", "fold")
    return grid(["fold", "f32", "f64"], [[row[0], *(f"{number(c):.2f}" for c in row[1:])] for row in t.rows])


def csv():
    t = table("files.md", "Tables", "question")
    by = collections.defaultdict(dict)
    for question, program, speed, _, ratio in t.rows:
        by[question][program] = f"{number(speed):.2f}" if program == "onefold" else f"{number(ratio):.2f}"
    peers = [p for p in next(iter(by.values())) if p != "onefold"]
    return grid(["question", "GB/s of a core", *peers],
                [[q, c["onefold"], *(c[p] for p in peers)] for q, c in by.items()])


def containers():
    t = table("files.md", "Containers", "file")
    ratio = [1 / number(row[-1]) for row in t.rows]
    ours, theirs = [number(row[2]) for row in t.rows], [number(row[4]) for row in t.rows]
    return (f"They take {span(ratio)} of the processor's time that their Python libraries take for mean and var of 0.4 GB,\n"
            f"in {span(ours, 0)} MiB instead of {span(theirs, 0)}.")


def device_shares(case, cell):
    """The figures of a cell of gpu_whole.md, without the goal behind them."""
    n, found = case.count(",") + 1, numbers(cell.split(";")[0])
    return found[:-1] if ";" not in cell and (len(found) == n + 1 or n > 4) else found


def device():
    t = table("gpu_whole.md", "All of it", "case")
    rows = [[row[0], *(each(device_shares(row[0], c)) or re.sub(r" \(.*", "", c) for c in row[1:4])] for row in t.rows]
    return grid(["fold", "N(0,1)", "lognormal, sigma 3", "random finite bits"], rows)


def device_lines():
    """{(walk, op, fold): {type: share}} of the first table of gpu_axes.md."""
    t = table("gpu_axes.md", "Axes", "fold")
    found = collections.defaultdict(dict)
    for walk in dict.fromkeys(row[0].split()[0] for row in t.rows):
        for name in dict.fromkeys(c.split()[0] for c in t.header[1:]):
            for fold, *row in t.rows:
                for (op, dtype), cell in zip(map(str.split, t.header[1:]), row):
                    if cell and op == name and fold.startswith(walk):
                        found[walk, op, fold.partition(" ")[2]][dtype] = number(cell)
    return found


def device_axes():
    kinds = ("f32", "f64", "bf16")
    rows = [[f"{walk if walk == 'masked' else ''} {op} {fold}".strip(), *(f"{c[k]:.2f}" if k in c else "" for k in kinds)]
            for (walk, op, fold), c in device_lines().items() if op == "sum" or set(c) & {"f32"} and op == "var"]
    return grid(["fold of 1 GiB", *kinds], rows)


def segments():
    kinds, labels = {"f32": [], "f64": []}, []
    for lengths, *row in table("gpu_segments.md", "Segments", "lengths").rows:
        kinds[lengths.split()[0]] += map(number, filter(None, row))
    for _, *row in table("gpu_segments.md", "Sums where", "labels").rows:
        labels += map(number, filter(None, row))
    return (f"Segments have {span(kinds['f32'])} (f32) and {span(kinds['f64'])} (f64) of a plain read, sums and means by labels "
            f"{span(labels)}.")


def uncounted():
    """How often torch is quicker in two kinds of calls that are not reductions."""
    windows = [row for row in table("gpu_windows.md", "Windows", "op").rows if numbers(row[4])]
    products = table("gpu_matmul.md", "Products", "type")
    ratios = [number(row[products.column("ratio")]) for row in products.rows]
    return (f"in {sum(number(row[4]) < number(row[3]) for row in windows)} of {len(windows)} rows of windows to "
            f"{sum(v > 1 for v in ratios)} of {len(ratios)} of products")


def losses():
    """Cases where others are faster, by peer and op, with their number."""
    groups = collections.defaultdict(list)
    for r in rivals():
        groups[r.place, r.peer, r.op, r.source].append(r)
    rows = []
    for (place, peer, op, source), cases in sorted(groups.items()):
        behind = sorted((r for r in cases if quicker(r)), key=lambda r: r.ratio)
        if behind:
            rows.append([place, f"`{op}`", peer, f"{len(behind)} of {len(cases)}", span([r.ratio for r in behind]),
                         behind[0].case, f"[{source}](../bench/results/{source})"])
    every = list(rivals())
    head = (f"{sum(map(quicker, every))} of {len(every):,} comparisons of reductions in [bench/results](../bench/results), the worst case "
            "beside each. Not\ncounted: [products](../bench/results/gpu_matmul.md), "
            "[softmax](../bench/results/gpu_logsumexp.md), [norms](../bench/results/gpu_norms.md) and [fits](../bench/results/algebra.md),\n"
            "[scans](../bench/results/gpu_scans.md), [windows](../bench/results/gpu_windows.md) ([of one core](../bench/results/rolling.md)),\n"
            "[sums at places](../bench/results/gpu_torch.md), [calls within `jax.jit`](../bench/results/gpu_jax.md) and [order](../bench/results/order.md), "
            f"where others are quicker {uncounted()}.\n\n")
    return head + grid(["from", "op", "who", "cases", "theirs over ours", "the worst", "source"], rows)


def costs():
    """For choosing a library: each peer, how often it is faster, and the range of ratios."""
    groups = collections.defaultdict(list)
    for r in rivals():
        groups[r.place, r.peer].append(r)
    rows = []
    for (place, peer), cases in sorted(groups.items()):
        ratio = sorted(r.ratio for r in cases)
        rows.append([place, peer, f"{sum(map(quicker, cases))} of {len(cases)}", f"{ratio[0]:.2f}",
                     f"{ratio[len(ratio) // 2]:.2f}", f"{ratio[-1]:.2f}"])
    return grid(["from", "beside", "they are quicker", "worst for us", "median", "best"], rows)


def reproducible():
    groups = collections.defaultdict(list)
    for r in rivals():
        if r.peer == "CUB, gpu_to_gpu":
            groups[f"{r.peer}, sum {r.case.split()[-1]}", r.source].append(r)
        elif r.peer == "math.fsum of a list":
            groups[r.peer, r.source].append(r)
    rows = [[peer, span([r.ratio for r in cases]),
             f"{cases[0].case.split()[0]} to {cases[-1].case.split()[0]}" if "CUB" in peer else "; ".join(r.case for r in cases),
             f"[{source}](../bench/results/{source})"]
            for (peer, source), cases in sorted(groups.items())]
    return grid(["beside", "theirs over ours", "elements", "source"], rows)


def overview():
    folds = {"sums (but of f16, bf16), extremes, dot (f32)": ["sum f64 normal", "sum f32 normal", "dot f32 normal", *INTEGERS, *EXTREMES],
             "squares, var": ["sumsq f32 normal", "var f32 normal", "var f64 normal"],
             "`describe`": ["describe f32 normal", "describe f64 normal"]}
    wide = {"lognormal(3): sums f64, f32": ["sum f64 lognormal", "sum f32 lognormal"],
            "random bits: sums f64, f32, bf16": [f"sum {t} random bits" for t in ("f64", "f32", "bf16")]}
    rows = []
    for name, column in all_shares().items():
        rows.append([name, *(span([column[k] for k in keys]) for keys in (folds | wide).values())])
    t = table("gpu_whole.md", "All of it", "case")
    found = collections.defaultdict(list)
    for case, normal, lognormal, bits, *_ in t.rows:
        op = case.split()[0]
        kind = "d" if op == "describe" else "s" if op in ("sumsq", "var") else "a"
        found[kind] += device_shares(case, normal)
        if case in ("sum f64", "sum f32"):
            found["lognormal"].append(number(lognormal))
        if case in ("sum f64", "sum f32", "sum bf16"):
            found["bits"].append(number(bits))
    rows.append(["H200, 4 GiB", *(span(found[k]) for k in ("a", "s", "d", "lognormal", "bits"))])
    return grid(["whole arrays", *folds, *wide], rows) + "\n\n" + overview_words()


def overview_words():
    cpu = [v for row in table("shapes.md", "Axes", "fold").rows if row[0].startswith("sum") for k in (1, 3)
           for v in numbers(row[k])]
    gpu = [v for (walk, op, _), c in device_lines().items() if op == "sum" and walk in ("rows", "columns")
           for v in c.values()]
    t = table("cpu_zen5.md", "One call", "elements")
    large = [(ours, op) for op, _, _, ours in data("python.json")["large"]["GB/s"]]
    every = list(rivals())
    by = collections.Counter(r.peer for r in every if quicker(r))
    few = {row[0]: number(row[1]) for row in t.rows}
    least, most = min(few, key=few.get), max(few, key=few.get)
    return (f"Sums along axes have {span(cpu)} of a plain read on a processor (a busy one, whose reads were slow) and {span(gpu)} on an H100 (rows and\ncolumns); "
            f"a call for 8 elements takes {few[least]:.0f} ({least}) to {few[most]:.0f} ns ({most}) from C++ (Zen 5). From Python 64 MiB of f32 are folded {1 / max(large)[0]:.1f} "
            f"(`{max(large)[1]}`) to {1 / min(large)[0]:.0f} (`{min(large)[1]}`) times as fast as by NumPy.\n"
            f"**Others are quicker** in {sum(by.values())} of {len(every):,} comparisons of reductions (not counted: windows, scans, sums at places, calls within `jax.jit`, "
            f"products, softmax, norms, fits, order; there they are quicker {uncounted()}): "
            + ", ".join(f"{peer} {n}" for peer, n in by.most_common()) + ".")


def ways():
    """In how many ways one array was summed by Onefold, all with one answer."""
    found = data("answers.json")["packages"]["Onefold"]["sum"]
    assert found["answers"] == 1
    return str(found["ways"])


def beside_numpy():
    """Least and largest speed-up of 64 MiB of f32 from Python."""
    ratios = [1 / ours for *_, ours in data("python.json")["large"]["GB/s"]]
    return f"{min(ratios):.1f} to {max(ratios):.0f}"


def quicker_count():
    every = list(rivals())
    return f"{sum(map(quicker, every))} of {len(every):,}"


def worst(peer, word):
    """How many times as fast a peer is in its best case, in places that contain a word."""
    return f"{1 / min(r.ratio for r in rivals() if r.peer == peer and word in r.place.lower()):.0f}"


def worst_eigen():
    return worst("Eigen", "c++")


def worst_pandas():
    return worst("pandas", "keys")


def worst_duckdb():
    return worst("DuckDB", "keys")


def products_on_a_cpu():
    """Our time over that of NumPy's BLAS."""
    ratios = [1 / number(row[t.column("ratio")]) for t in tables("matmul.md") if "NumPy, ns" in t.header
              for row in t.rows if numbers(row[t.column("ratio")])]
    return f"{min(ratios):.1f} to {max(ratios):.0f}"


def products_on_a_gpu():
    """Our time over that of torch."""
    t = table("gpu_matmul.md", "Products", "type")
    ratios = [number(row[t.column("ratio")]) for row in t.rows if numbers(row[t.column("ratio")])]
    return f"{max(ratios):.0f}"


def softmax_on_a_cpu():
    """The largest ratio of our time to torch's."""
    t = table("logsumexp.md", "logsumexp", "rows")
    return f"{max(number(row[2]) / number(row[5]) for row in t.rows if 'softmax' in row[1]):.0f}"


def amounts():
    return f"{data('money.json')['amounts']:,}"


def runs():
    rows = []
    for name, run in sorted(data("runs.json").items()):
        rows.append([f"[{name}](../bench/results/{name})", run["date"], run["machine"], run["commit"],
                     "<br>".join(f"`{c}`" for c in run["commands"])])
    return grid(["page", "date", "machine", "commit", "command"], rows)


def ops():
    return str(len(list((ROOT / "onefold/core/op").glob("*.hpp"))))
