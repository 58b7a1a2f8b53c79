"""Draws docs/picture.svg from bench/results, for bench/summary.py.

Left, how fast one core folds 64 MiB of f32 (python.json); right, how many answers one array has
(answers.json). No figure is written here.
"""

import json
import pathlib

ROOT = pathlib.Path(__file__).parents[1]
OURS, THEIRS, INK, PALE, PAPER = "#1b7f5c", "#b9bec7", "#1f2430", "#6b7280", "#ffffff"
DARK = {"#c2571a": "#e08a4f", OURS: "#2fa97d", THEIRS: "#5b6472", INK: "#e6e8ec", PALE: "#9aa3af", PAPER: "#16181d"}


def text(x, y, words, size=13, anchor="start", colour=INK, weight="normal"):
    return (f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}" '
            f'font-weight="{weight}">{words}</text>')


def bar(x, y, width, colour, height=10):
    return f'<rect x="{x:.0f}" y="{y:.0f}" width="{max(width, 1):.1f}" height="{height}" rx="2" fill="{colour}"/>'


def speeds(x, y):
    rows = json.loads((ROOT / "bench/results/python.json").read_text())["large"]["GB/s"]
    limit, quickest = max((gbs, f"{op} of {who}") for op, *both, _ in rows for gbs, who in zip(both, ("Onefold", "NumPy")))
    yield text(x, y, "Speed: share of the fastest pass", 15, weight="bold")
    yield text(x, y + 18, f"64 MiB of float32, one core of a Zen 5, one run; 1: {quickest}", 11, colour=PALE)
    for k, (op, ours, theirs, _) in enumerate(rows):
        at = y + 40 + 34 * k
        yield text(x + 72, at + 14, op, anchor="end")
        for gbs, colour, down in [(ours, OURS, 0), (theirs, THEIRS, 12)]:
            yield bar(x + 82, at + down, 240 * gbs / limit, colour)
            yield text(x + 88 + 240 * gbs / limit, at + down + 9, f"{gbs / limit:.2f}", 10, colour=PALE)
    at = y + 44 + 34 * len(rows)
    yield bar(x + 82, at, 10, OURS) + text(x + 98, at + 9, "Onefold", 11)
    yield bar(x + 162, at, 10, THEIRS) + text(x + 178, at + 9, "NumPy", 11)


def answers(x, y):
    found = json.loads((ROOT / "bench/results/answers.json").read_text())
    packages = found["packages"]
    most = max(names["sum"]["answers"] for names in packages.values())
    yield text(x, y, "How many sums one array has", 15, weight="bold")
    yield text(x, y + 18, "10^6 float32: layouts, threads, CPU and GPU", 11, colour=PALE)
    for k, package in enumerate(sorted(packages, key=lambda p: packages[p]["sum"]["answers"])):
        at, of = y + 48 + 44 * k, packages[package]["sum"]
        yield text(x + 64, at + 14, package, anchor="end")
        yield bar(x + 74, at, 170 * of["answers"] / most, OURS if package == "Onefold" else THEIRS, 20)
        yield text(x + 82 + 170 * of["answers"] / most, at + 15, str(of["answers"]), 14, weight="bold")
        yield text(x + 104 + 170 * of["answers"] / most, at + 15, f"of {of['ways']} ways", 10,
                   colour=PALE)


def framed(width, height, lines):
    dark = " ".join(f'[fill="{light}"] {{ fill: {colour}; }}' for light, colour in DARK.items())
    inside = "\n".join(lines)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            'font-family="system-ui, sans-serif">\n'
            f"<style>@media (prefers-color-scheme: dark) {{ {dark} }}</style>\n"
            f'<rect width="{width}" height="{height}" rx="8" fill="{PAPER}"/>\n'
            f"{inside}\n</svg>\n")


def picture():
    return framed(800, 370, [*speeds(16, 30), *answers(430, 30)])
