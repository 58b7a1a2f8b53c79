#!/usr/bin/env python3
"""Draws products.svg of bench/results/gpu_matmul.md: figures.py [--check]. No figure is written here.

Times of square products of N(0,1) on one H200: ours as a multiple of torch's, by length and type.
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
COLOURS = {"float32": "#1b7f5c", "float64": "#3b5bdb"}
LEFT, RIGHT, TOP, BOTTOM, MOST = 70, 560, 40, 260, 4.0


def points():
    """{type: [(length, ours over torch's)]}."""
    found = {}
    text = (HERE.parents[1] / "bench/results/gpu_matmul.md").read_text()
    for kind, shape, data, *cells in re.findall(r"^\| (\w+) \| ([\d, x]+) \| (\S+) \| (.+) \|$", text, re.MULTILINE):
        lengths = {int(n.replace(",", "")) for n in shape.split(" x ")}
        if kind in COLOURS and data == "N(0,1)" and len(lengths) == 1:
            found.setdefault(kind, []).append((lengths.pop(), float(cells[0].split(" | ")[3])))
    return found


def drawn():
    every = points()
    lengths = sorted({n for line in every.values() for n, _ in line})

    def x(n):
        return LEFT + (RIGHT - LEFT) * lengths.index(n) / (len(lengths) - 1)

    def y(ratio):
        return BOTTOM - (BOTTOM - TOP) * ratio / MOST

    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="680" height="310" viewBox="0 0 680 310" font-family="sans-serif" '
           'font-size="12">', '<rect width="680" height="310" fill="#ffffff"/>',
           f'<text x="{LEFT}" y="22" font-size="14">Time of an exact product as a multiple of torch\'s</text>']
    for ratio in (0, 1, 2, 3, 4):
        out.append(f'<line x1="{LEFT}" x2="{RIGHT}" y1="{y(ratio):.0f}" y2="{y(ratio):.0f}" stroke="{"#888888" if ratio == 1 else "#dddddd"}"/>')
        out.append(f'<text x="{LEFT - 10}" y="{y(ratio) + 4:.0f}" text-anchor="end">{ratio}</text>')
    out += [f'<text x="{x(n):.0f}" y="{BOTTOM + 18}" text-anchor="middle">{n:,}</text>' for n in lengths]
    out.append(f'<text x="{(LEFT + RIGHT) / 2:.0f}" y="{BOTTOM + 38}" text-anchor="middle">rows, columns and terms</text>')
    for kind, line in every.items():
        path = " ".join(f"{x(n):.0f},{y(ratio):.0f}" for n, ratio in line)
        out.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[kind]}" stroke-width="2"/>')
        out += [f'<circle cx="{x(n):.0f}" cy="{y(ratio):.0f}" r="4" fill="{COLOURS[kind]}"/>' for n, ratio in line]
        out.append(f'<text x="{RIGHT + 10}" y="{y(line[-1][1]) + 4:.0f}" fill="{COLOURS[kind]}">{kind} {line[-1][1]:.2f}</text>')
    return "\n".join([*out, "</svg>\n"])


def main():
    path, text = HERE / "products.svg", drawn()
    if "--check" in sys.argv[1:]:
        sys.exit(0 if path.read_text() == text else "docs/paper/products.svg: other figures than bench/results; run docs/paper/figures.py")
    path.write_text(text)


if __name__ == "__main__":
    main()
