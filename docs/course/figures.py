"""Writes the figures of the course's pages out of bench/results/, or checks that they are current.

    python3 docs/course/figures.py           # between <!-- figures --> and <!-- end --> of each page
    python3 docs/course/figures.py --check   # exits with 1 and names the page that is not current
"""

import json
import pathlib
import sys

import plots

HERE = pathlib.Path(__file__).resolve().parent
RESULTS = HERE.parent.parent / "bench" / "results"

# What a page shows: kernels, and which of their points (for each parameter, the listed values).
USUAL = {"type": ["f32"], "tile": [32], "rows": [8]}
PAGES = {
    "divergence": [("neighbored", {"step": [1]}), ("interleaved", {"step": [1]}), ("by_warp", {}),
                   ("by_parity", {}), ("by_data", {}), ("selected", {}), ("trips", {})],
    "latency": [("chase", {}), ("shared_chase", {}), ("registers", {}), ("hidden", {}),
                ("hidden_loads", {}), ("loads", {"warps": [1, 8, 64]}), ("waves", {}), ("flops", {})],
    "access": [("offset", {"offset": [0, 1, 8, 32]}), ("stride", {"stride": [1, 2, 4, 8, 16, 64]}),
               ("gather", {}), ("streaming", {}), ("working_set", {})],
    "banks": [("offset", {"offset": [0, 1]}), ("stride", {"c": [1, 2, 3, 4, 8, 16, 32, 33]}),
              ("quotient", {"c": [8]}), ("broadcast", {"k": [0]}), ("column", {"k": [0]}),
              ("wide", {})],
    "transpose": [(k, {**USUAL, "shape": ["4000x4000", "4096x4096", "16384x16384"]})
                  for k in ("copy", "both_strided", "naive", "tiled_copy", "tiled", "padded",
                            "swizzled", "diagonal", "vectors", "vectors_in_squares",
                            "vectors_once", "registers", "vectors_in_order",
                            "squares_in_order")],
    "transfer": [("copy", {"way": ["in"], "KiB": [1, 1024, 1048576]}), ("pieces", {}),
                 ("overlap", {}), ("fold", {"KiB": [16, 1024, 65536, 1048576]})],
    "spaces": [("constant", {}), ("exchange", {}), ("read_only", {"stride": [1, 32], "offset": [0]}),
               ("spilling", {})],
    "arithmetic": [("rate", {}), ("error", {}), ("atomics", {})],
    "unrolling": [("on_cpu", {}), ("left_alone", {}), ("by_pragma", {}), ("by_hand", {})],
    "cost": [("naive", {}), ("m_elements_a_block", {}), ("cpu_loop", {}), ("sequential", {}),
             ("many_elements_a_thread", {"elements_a_thread": [2, 8, 32, 64, 128, 512]})],
}


# The plots below a kernel's tables: the name of each, and which of the page's points it draws.
def over(kernel, x, y="gbps", **choice):
    """(x, y) for each point of a kernel, and the predicted y."""
    def get(points, key="found"):
        of = lambda p: p.get(y) if y in ("gbps", "ms") else p[key].get(y)
        chosen = [p for p in points if p["name"] == kernel and x in p["params"]
                  and all(p["params"].get(k) == v for k, v in choice.items())]
        return [(p["params"][x], of(p)) for p in chosen if of(p) is not None]
    return get


def line_plot(title, x_name, *series, predicted=None, **how):
    """series: (name, over(...)); predicted: one more series, drawn dashed."""
    def draw(points):
        shown = [(name, get(points), False) for name, get in series]
        if predicted:
            shown.append(("predicted", predicted(points, "predicted"), True))
        return plots.lines(title, x_name, shown, **how)
    return draw


def bar_plot(title, label, groups):
    """groups: (name, point -> value or None); label: point -> name of its row."""
    def draw(points):
        rows = {}
        for p in points:
            name = label(p)
            for k, (_, get) in enumerate(groups):
                v = get(p) if name else None
                if v is not None:
                    rows.setdefault(name, [None] * len(groups))[k] = v
        return plots.bars(title, list(rows.items()), [g for g, _ in groups])
    return draw


def of_shape(shape):
    def get(p):
        here = p["params"].get("shape") == shape and p["params"].get("type", "f32") == "f32" \
            and p["params"].get("tile", 32) == 32 and p["params"].get("rows", 8) == 8
        return p.get("gbps") if here else None
    return get


LOG = {"log_x": True}
PLOTS = {
    "divergence": {"interleaved": line_plot(
        "GB/s by step: every second thread, neighbours, threads of whole warps", "step",
        ("neighbored", over("neighbored", "step")), ("neighbored less", over("neighbored_less", "step")),
        ("interleaved", over("interleaved", "step")))},
    "latency": {
        "hidden": line_plot("Results a clock, by warps of a multiprocessor", "warps",
                            ("measured", over("hidden", "warps", "results_per_clock")),
                            predicted=over("hidden", "warps", "results_per_clock"), **LOG),
        "loads": line_plot("GB/s read, by warps and by loads of a thread under way", "warps",
                           *((f"{k} loads" if k > 1 else "1 load", over("loads", "warps", loads=k))
                             for k in (1, 2, 4, 8)), **LOG)},
    "access": {
        "stride": line_plot("Share of a copy's speed, by stride", "stride in words of 4 bytes",
                            ("measured", over("stride", "stride", "of_copy")),
                            predicted=over("stride", "stride", "of_copy"), **LOG),
        "working_set": line_plot("GB/s read again and again, by what is read", "size of the set",
                                 ("measured", over("working_set", "KiB")), **LOG, x_text=plots.bytes_of)},
    "banks": {"stride": line_plot("Clocks of a warp's access to s[t * c]", "c",
                                  ("measured", over("stride", "c", "cycles_per_request")),
                                  predicted=over("stride", "c", "cycles_per_request"))},
    "transpose": {"squares_in_order": bar_plot(
        "GB/s of f32 matrices", lambda p: p["name"],
        [(s.replace("x", " x "), of_shape(s)) for s in ("4000x4000", "4096x4096")])},
    "transfer": {
        "copy": line_plot("GB/s to the device, by size", "size of a copy",
                          *((m, over("copy", "KiB", memory=m, way="in")) for m in ("pageable", "pinned")),
                          **LOG, x_text=plots.bytes_of),
        "fold": line_plot("Milliseconds of a sum, by size: copied first, or there already", "size of the array",
                          ("CPU", over("fold", "KiB", "cpu_ms")),
                          ("copy and GPU", over("fold", "KiB", "copy_and_gpu_ms")),
                          ("GPU alone", over("fold", "KiB", "gpu_ms")), log_x=True, log_y=True,
                          x_text=plots.bytes_of)},
    "spaces": {"constant": line_plot("Clocks of a warp's constant load", "different addresses in the warp",
                                     ("measured", over("constant", "different", "cycles_per_warp")))},
    "arithmetic": {"rate": bar_plot(
        "Results a clock and multiprocessor", lambda p: p["params"].get("operation") if p["name"] == "rate" else None,
        [("measured", lambda p: p["found"].get("results_per_clock")),
         ("predicted", lambda p: p["predicted"].get("results_per_clock"))])},
    "unrolling": {"by_pragma": line_plot("GB/s, by how often the loop is unrolled", "unrolled",
                                         ("measured", over("by_pragma", "unrolled")), **LOG)},
    "cost": {"many_elements_a_thread": line_plot(
        "GB/s of 2^24 ints, by elements a thread", "elements a thread",
        ("measured", over("many_elements_a_thread", "elements_a_thread")), **LOG)},
}

POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def short(value):
    """A figure with as many digits as people write."""
    if isinstance(value, str):
        return value
    if value == int(value) and value >= 65536 and int(value).bit_count() == 1:
        return f"2^{int(value).bit_length() - 1}"
    if value == int(value) and abs(value) < 1e6:
        return str(int(value)) if abs(value) < 1e5 else f"{int(value):,}"
    if abs(value) >= 1e6:
        return f"{value / 1e6:.3g} million"
    if abs(value) >= 1e4:
        return f"{value:,.0f}"
    if abs(value) < 1e-3:
        digits, power = f"{value:.2e}".split("e")
        return f"{digits} · 10{str(int(power)).translate(POWERS)}"
    return f"{value:.4g}"


def shown_param(name, value):
    return plots.bytes_of(value) if name.endswith("KiB") else short(value)


def wanted(point, choice):
    return all(point["params"][k] in v for k, v in choice.items() if k in point["params"])


def table(points, most):
    """One table for points of the same columns; the last one draws GB/s against the page's most, or
    against its own where that is more: what comes out of caches."""
    most = max([most] + [p.get("gbps", 0) for p in points])
    params = list(points[0]["params"])
    found = list(points[0]["found"])
    predicted = [f for f in found if any(f in p["predicted"] for p in points)]
    fast = any("gbps" in p for p in points)
    head = [p.replace("KiB", "size").replace("_", " ") for p in params]
    for f in found:
        head.append(f.replace("_", " "))
        if f in predicted:
            head.append("predicted")
    if any("ms" in p for p in points):
        head.append("ms")
    if fast:
        head += ["GB/s", ""]
    if not head:
        return ""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for p in points:
        row = [shown_param(k, p["params"][k]) for k in params]
        for f in found:
            row.append(short(p["found"][f]))
            if f in predicted:
                row.append(short(p["predicted"].get(f, "-")))
        if "ms" in head:
            row.append(short(p["ms"]) if "ms" in p else "-")
        if fast:
            gbps = p.get("gbps", 0)
            row += [short(gbps), "█" * max(1, round(20 * gbps / most))]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


# Names of the memory's counters in plain words.
COUNTERS = {"gld_request": "loads of global memory, by warps", "gld_transactions": "sectors loaded",
            "gst_transactions": "sectors stored", "shared_load": "loads of shared memory, by warps",
            "shared_load_transactions": "wavefronts of these loads",
            "shared_store_transactions": "wavefronts of the stores"}


def counters(name):
    """A profiler's counters, for the experiments for which there are some."""
    path = RESULTS / f"lab_{name}_h200_counters.json"
    if not path.exists():
        return []
    found = json.loads(path.read_text())
    out = ["", f"**Counted.** On an {found['counted_on']} by `onefold lab {name} --counters --json`: every launch "
           "at the sizes of the simulated machine, counted by it and by the profiler `ncu`.", "",
           "| counter | launches | equal | within 5 % | furthest | why |", "|---|---|---|---|---|---|"]
    for a in found["agreement"]:
        if a["nvprof"] not in COUNTERS:
            continue
        furthest = ""
        if "furthest" in a:
            f = a["furthest"]
            params = ", ".join(f"{k} {short(v)}" for k, v in f["params"].items())
            furthest = f"`{f['name']}` {params}: predicted {short(f['predicted'])}, measured {short(f['measured'])}"
        out.append(f"| {COUNTERS[a['nvprof']]} | {a['launches']} | {a['equal']} | {a['within_5']} "
                   f"| {furthest} | {a.get('cause', '')} |")
    return out


def figures(name):
    found = json.loads((RESULTS / f"lab_{name}_h200.json").read_text())
    out = [f"Measured on an {found['chip']} by `onefold lab {name} --json`.", "",
           f"**Question.** {found['question']}", "", f"**Prediction.** {found['prediction'][0].upper()}{found['prediction'][1:]}."]
    shown = [[p for p in found["rungs"] if p["name"] == kernel and wanted(p, choice)]
             for kernel, choice in PAGES[name]]
    # Reads from caches are so fast that other bars would vanish, so their table has its own scale.
    most = max((p.get("gbps", 0) for points in shown for p in points
                if p["name"] != "working_set"), default=0)
    drawn = set()
    for (kernel, _), points in zip(PAGES[name], shown):
        groups = []
        for p in points:
            same = groups and (list(groups[-1][0]["params"]) == list(p["params"])
                               and list(groups[-1][0]["found"]) == list(p["found"]))
            if same:
                groups[-1].append(p)
            else:
                groups.append([p])
        for group in groups:
            first = group[0]
            published = "; ".join(f"{short(q['value'])} {q['unit']} ({q['chip']})"
                                  for q in first["published"])
            out += ["", f"`{kernel}` {first['title']} (source: {first['source']})"
                    + (f"; published: {published}" if published else "") + ".", "", table(group, most)]
        if kernel in PLOTS[name] and kernel not in drawn:
            drawn.add(kernel)
            out += ["", f"![{kernel}]({plot_name(name, kernel)})"]
    out += counters(name)
    if found["remarks"]:
        out += ["", "```", *found["remarks"], "```"]
    if "limit_gbps" in found:
        out += ["", f"The best plain copy of the run: {short(found['limit_gbps'])} GB/s."]
    out += ["", f"**Lesson.** {found['lesson']}"]
    return "\n".join(out)


def plot_name(page, kernel):
    return f"plots/{page}_{kernel}.svg"


def main():
    check = sys.argv[1:] == ["--check"]
    stale = []
    for name in PAGES:
        found = json.loads((RESULTS / f"lab_{name}_h200.json").read_text())
        for kernel, draw in PLOTS[name].items():
            path = HERE / plot_name(name, kernel)
            current = draw(found["rungs"])
            if path.exists() and path.read_text() == current:
                continue
            if check:
                stale.append(path.name)
            else:
                path.parent.mkdir(exist_ok=True)
                path.write_text(current)
        page = HERE / f"{name}.md"
        text = page.read_text()
        begin, end = "<!-- figures -->\n", "\n<!-- end -->"
        before, rest = text.split(begin)
        after = rest.split(end)[1]
        current = before + begin + figures(name) + end + after
        if current == text:
            continue
        if check:
            stale.append(page.name)
        else:
            page.write_text(current)
    if stale:
        sys.exit("not current: " + ", ".join(stale) + "; run python3 docs/course/figures.py")


if __name__ == "__main__":
    main()
