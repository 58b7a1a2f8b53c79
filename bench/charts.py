"""Draws the README's charts from bench/results, for bench/summary.py: the totals of a column of money, and speed
beside other libraries. No figure is written here.
"""

import collections
import math
import statistics

from picture import INK, OURS, PALE, THEIRS, bar, framed, text
from result_tables import data, number, numbers, table
from rivals import rivals

LOSS, WIDTH = "#c2571a", 640
LEAST_COMPARISONS = 4  # a row of fewer says little


def money():
    found = data("money.json")
    tools = sorted(found["tools"].items(), key=lambda item: (item[1]["totals"], max(map(abs, item[1]["errors (millionths)"]))))
    zero, scale, top, step = 300, 26, 96, 34
    height = top + step * len(tools) + 46
    lines = [text(16, 32, "One column of money, one total?", 18, weight="bold"),
             text(16, 54, f"{found['amounts']:,} {found['what']}; their exact total is {float(found['exact']):,.2f}.", 13, colour=PALE),
             text(16, 72, "Each dot is a total that a tool computed.", 13, colour=PALE)]
    for error in (-4, -2, 0, 2, 4):
        x = zero + scale * error
        lines.append(f'<rect x="{x}" y="{top - 12}" width="1" height="{step * len(tools)}" fill="{THEIRS}"/>')
        lines.append(text(x, height - 28, f"{error:+}" if error else "exact", 13, "middle", PALE))
    lines.append(text(zero, height - 10, "error in millionths", 13, "middle", PALE))
    for k, (name, row) in enumerate(tools):
        y, colour = top + step * k + 8, OURS if name == "Onefold" else INK
        lines.append(text(128, y + 5, name, 15, "end", weight="bold" if name == "Onefold" else "normal"))
        lines += [f'<circle cx="{zero + scale * error:.1f}" cy="{y}" r="6" fill="{colour}" fill-opacity="0.8"/>'
                  for error in sorted(set(row["errors (millionths)"]))]
        count = "1 total" if row["totals"] == 1 else f"{row['totals']} totals"
        lines.append(text(472, y + 5, f"{count} in {row['how'].replace(' of one query', '')}", 14))
    return framed(WIDTH, height, lines)


def ranges(title, source, rows, shown):
    """One line for each row (name, ratios), from the worst to the best ratio of their time to ours, on a log scale."""
    left, low, high, top, step = 212, *shown, 110, 28
    scale = (WIDTH - left - 108) / math.log(high / low)

    def x(ratio):
        return left + scale * math.log(min(max(ratio, low), high) / low)

    height = top + step * len(rows) + 36
    lines = [text(16, 32, title, 18, weight="bold"), text(16, 54, source, 13, colour=PALE),
             text(x(1) - 8, 80, "Onefold slower", 13, "end", LOSS), text(x(1) + 8, 80, "Onefold faster", 13, "start", OURS),
             text(WIDTH - 12, 80, "slower in", 13, "end", PALE)]
    ticks = [t for t in (0.01, 0.1, 0.5, 1, 2, 10, 100) if low <= t <= high]
    for t in ticks:
        lines.append(f'<rect x="{x(t):.1f}" y="{top - 22}" width="1" height="{step * len(rows) + 8}" fill="{THEIRS}"/>')
        lines.append(text(x(t), height - 14, f"{t:g}x" if t >= 1 else f"1/{1 / t:g}", 13, "middle", PALE))
    for k, (name, ratios) in enumerate(rows):
        y, worst, best, middle = top + step * k, min(ratios), max(ratios), statistics.median(ratios)
        lines.append(text(left - 12, y + 5, name, 14, "end"))
        if worst < 1:
            lines.append(bar(x(worst), y - 4, x(min(best, 1)) - x(worst), LOSS, 8))
        if best > 1:
            lines.append(bar(x(max(worst, 1)), y - 4, x(best) - x(max(worst, 1)), OURS, 8))
        lines.append(f'<circle cx="{x(middle):.1f}" cy="{y}" r="6" fill="{INK}"/>')
        lines.append(text(WIDTH - 12, y + 5, f"{sum(round(r, 2) < 1 for r in ratios)} of {len(ratios)}", 13, "end"))
    return framed(WIDTH, height, lines)


def task(rival):
    """What a comparison on a processor is about, and with whom."""
    what = ("CSV" if rival.place.startswith("CSV") else "groups" if "key" in rival.place.lower() or "labels" in rival.place
            else "C++" if rival.place == "C++" else "files" if rival.place in ("a raw file", "containers") else "")
    peer = {"np.bincount": "NumPy", "np.add.reduceat": "NumPy's reduceat", "NumPy's `((x-y)**2).mean()`": "NumPy"}.get(rival.peer, rival.peer)
    return f"{peer}, {what}" if what else peer


def by_median(groups):
    kept = {name: ratios for name, ratios in groups.items() if len(ratios) >= LEAST_COMPARISONS}
    return sorted(kept.items(), key=lambda item: -statistics.median(item[1]))


def speed_cpu():
    groups = collections.defaultdict(list)
    for r in rivals():
        if r.place not in ("H200", "H100, axes") and r.peer not in ("a process that only reads", "their Python libraries"):
            groups[task(r)].append(r.ratio)
    return ranges("On a CPU: their time divided by ours", "One to two cores, many operations and sizes; dot: median", by_median(groups),
                  (0.008, 120))


def speed_gpu():
    groups = collections.defaultdict(list)
    for r in rivals():
        if r.place == "H200":
            groups["CUB" if r.peer == "CUB" else "CUB, reproducible" if "CUB" in r.peer else "PyTorch, arrays"].append(r.ratio)
        elif r.place == "H100, axes":
            groups["PyTorch, along axes"].append(r.ratio)
    for page, heading, name in (("gpu_matmul.md", "Products", "PyTorch, products"), ("gpu_norms.md", "rms_norm", "PyTorch, norms"),
                                ("gpu_logsumexp.md", "logsumexp", "PyTorch, softmax")):
        t = table(page, heading, "type")
        groups[name] += [1 / number(row[t.column("ratio")]) for row in t.rows if numbers(row[t.column("ratio")])]
    for row in table("gpu_windows.md", "Windows", "op").rows:
        if numbers(row[4]):
            groups["PyTorch, windows"].append(number(row[4]) / number(row[3]))
    return ranges("On a GPU: their time divided by ours", "NVIDIA H200 (axes: H100), many operations and sizes; dot: median",
                  by_median(groups), (0.03, 60))
