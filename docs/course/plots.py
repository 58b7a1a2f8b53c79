"""Plots of the course as SVG, without a library: lines over one parameter, or bars by name."""

import html
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 300, 64, 16, 34, 46
STYLE = """<style>
text { font: 13px system-ui, sans-serif; fill: #333 } .axis { stroke: #999 } .grid { stroke: #ddd }
.c0 { stroke: #1c5cb8; fill: #1c5cb8 } .c1 { stroke: #a84300; fill: #a84300 }
.c2 { stroke: #1d6b34; fill: #1d6b34 } .c3 { stroke: #7a3db8; fill: #7a3db8 }
path, path.c0, path.c1, path.c2, path.c3, .line { fill: none; stroke-width: 2 } .predicted { stroke-dasharray: 5 4 }
text.c0, text.c1, text.c2, text.c3 { stroke: none } rect { stroke: none }
@media (prefers-color-scheme: dark) {
  text { fill: #ddd } .axis { stroke: #888 } .grid { stroke: #444 }
  .c0 { stroke: #8ab8ff; fill: #8ab8ff } .c1 { stroke: #ffb15c; fill: #ffb15c }
  .c2 { stroke: #7fd495; fill: #7fd495 } .c3 { stroke: #c9a1f5; fill: #c9a1f5 }
  path.c0, path.c1, path.c2, path.c3 { fill: none }
}
</style>"""


def text_of(v):
    """The text of a number at an axis."""
    for unit, name in ((1e9, " G"), (1e6, " M"), (1e4, " k")):
        if abs(v) >= unit:
            scale = {" G": 1e9, " M": 1e6, " k": 1e3}[name]
            return f"{v / scale:g}{name}"
    return f"{v:g}"


def bytes_of(kib):
    for unit in ("KiB", "MiB", "GiB"):
        if kib < 1024 or unit == "GiB":
            return f"{kib:g} {unit}"
        kib /= 1024


def ticks(low, high, log, base=10):
    if log:
        step = base if high / low > 100 else 2
        v = step ** math.floor(math.log(low, step) + 1e-9)
        out = []
        while v <= high * 1.0001:
            out.append(v)
            v *= step
        every = max(1, math.ceil(len(out) / 9))
        return [t for t in out[::every] if t >= low * 0.9999]
    step = 10 ** math.floor(math.log10(high - low))
    for part in (0.1, 0.2, 0.5, 1, 2, 5):
        if (high - low) / (step * part) <= 6:
            step *= part
            break
    return [k * step for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def document(height, title, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
            f'aria-label="{html.escape(title)}">\n{STYLE}\n<text x="8" y="18">{html.escape(title)}</text>\n'
            + "\n".join(parts) + "\n</svg>\n")


def lines(title, x_name, series, log_x=False, log_y=False, x_text=text_of):
    """series: (name, [(x, y)], whether it is predicted), ..."""
    points = [p for _, ps, _ in series for p in ps]
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    x0, x1, y1 = min(xs), max(xs), max(ys)
    y0 = min(ys) if log_y else 0
    scale = lambda v, a, b, log: (math.log(v / a) / math.log(b / a) if log else (v - a) / (b - a))
    px = lambda v: LEFT + (WIDTH - LEFT - RIGHT) * scale(v, x0, x1, log_x)
    py = lambda v: HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM - 22) * scale(v, y0, y1, log_y)
    out = []
    for v in ticks(y0, y1, log_y):
        out.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{py(v):.1f}" y2="{py(v):.1f}"/>'
                   f'<text x="{LEFT - 6}" y="{py(v) + 4:.1f}" text-anchor="end">{text_of(v)}</text>')
    for v in ticks(x0, x1, log_x, 2 if x_text is bytes_of else 10):
        out.append(f'<line class="axis" x1="{px(v):.1f}" x2="{px(v):.1f}" y1="{HEIGHT - BOTTOM}" '
                   f'y2="{HEIGHT - BOTTOM + 5}"/><text x="{px(v):.1f}" y="{HEIGHT - BOTTOM + 19}" '
                   f'text-anchor="middle">{x_text(v)}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{html.escape(x_name)}</text>')
    at = LEFT
    for k, (name, ps, predicted) in enumerate(series):
        kind = f"c{k % 4}" + (" predicted" if predicted else "")
        way = "M" + "L".join(f"{px(x):.1f} {py(y):.1f}" for x, y in ps)
        out.append(f'<path class="{kind}" d="{way}"/>')
        if not predicted and len(ps) < 20:
            out += [f'<circle class="c{k % 4}" cx="{px(x):.1f}" cy="{py(y):.1f}" r="3"/>' for x, y in ps]
        out.append(f'<line class="line {kind}" x1="{at}" x2="{at + 22}" y1="{TOP + 2}" y2="{TOP + 2}"/>'
                   f'<text class="c{k % 4}" x="{at + 27}" y="{TOP + 6}">{html.escape(name)}</text>')
        at += 44 + 7.2 * len(name)
    return document(HEIGHT, title, out)


def bars(title, rows, groups):
    """rows: (name, value of each group); None: the group has no value."""
    left, high = 200, 12 * len(groups) + 8
    most = max(v for _, vs in rows for v in vs if v is not None)
    out, at = [], left
    for k, g in enumerate(groups):
        out.append(f'<rect class="c{k}" x="{at}" y="27" width="12" height="10"/>'
                   f'<text x="{at + 17}" y="36">{html.escape(g)}</text>')
        at += 44 + 7.2 * len(g)
    for r, (name, vs) in enumerate(rows):
        y = 46 + r * high
        out.append(f'<text x="{left - 8}" y="{y + high / 2}" text-anchor="end">{html.escape(name)}</text>')
        for k, v in enumerate(vs):
            if v is None:
                continue
            length = (WIDTH - left - 70) * v / most
            out.append(f'<rect class="c{k}" x="{left}" y="{y + 12 * k}" width="{length:.1f}" height="10"/>'
                       f'<text x="{left + length + 5:.1f}" y="{y + 12 * k + 10}" '
                       f'style="font-size: 11px">{v:.4g}</text>')
    return document(54 + len(rows) * high, title, out)
