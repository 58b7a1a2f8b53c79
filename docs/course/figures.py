"""Writes the figures of the course's pages out of bench/results/, or checks that they are current.

    python3 docs/course/figures.py           # between <!-- figures --> and <!-- end --> of each page
    python3 docs/course/figures.py --check   # exits with 1 and names the page that is not current
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
RESULTS = HERE.parent.parent / "bench" / "results"

# What a page shows: kernels, and which of their points (all of those listed for a parameter).
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


def short(value):
    if isinstance(value, str):
        return value
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    return f"{value:.4g}"


def wanted(point, choice):
    return all(point["params"][k] in v for k, v in choice.items() if k in point["params"])


def table(points, most):
    """One table for points of the same columns; the last one draws GB/s against the page's most."""
    params = list(points[0]["params"])
    found = list(points[0]["found"])
    predicted = [f for f in found if any(f in p["predicted"] for p in points)]
    fast = any("gbps" in p for p in points)
    head = list(params)
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
        row = [short(p["params"][k]) for k in params]
        for f in found:
            row.append(short(p["found"][f]))
            if f in predicted:
                row.append(short(p["predicted"].get(f, "-")))
        if "ms" in head:
            row.append(short(p["ms"]) if "ms" in p else "-")
        if fast:
            gbps = p.get("gbps", 0)
            row += [short(gbps), "█" * min(20, max(1, round(20 * gbps / most)))]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


# Of memory's counters, in plain words.
COUNTERS = {"gld_request": "loads of global memory, by warps", "gld_transactions": "sectors loaded",
            "gst_transactions": "sectors stored", "shared_load": "loads of shared memory, by warps",
            "shared_load_transactions": "wavefronts of these loads",
            "shared_store_transactions": "wavefronts of the stores"}


def counters(name):
    """What a profiler counted, for experiments where that was recorded."""
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
    # Reads out of caches would leave the rest no room.
    most = max((p.get("gbps", 0) for points in shown for p in points
                if p["name"] != "working_set"), default=0)
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
    out += counters(name)
    if found["remarks"]:
        out += ["", "```", *found["remarks"], "```"]
    if "limit_gbps" in found:
        out += ["", f"The best plain copy of the run: {short(found['limit_gbps'])} GB/s."]
    out += ["", f"**Lesson.** {found['lesson']}"]
    return "\n".join(out)


def main():
    check = sys.argv[1:] == ["--check"]
    stale = []
    for name in PAGES:
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
