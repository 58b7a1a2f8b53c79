#!/usr/bin/env python3
"""Writes the figures of bench/results into the documents: python3 bench/summary.py [--check].

A document has places for them, "<!-- figures: NAME -->" up to "<!-- end -->"; NAME is a function of
summary_tables.py or plan.py. The pictures of docs/ are drawn too. --check writes nothing, and fails where a
document differs.
"""

import pathlib
import re
import sys

import charts
import picture
import plan
import summary_tables

ROOT = pathlib.Path(__file__).parents[1]
DOCUMENTS = ("README.md", "docs/performance.md", "docs/choosing.md", "docs/scale.md")
PICTURES = {"docs/picture.svg": picture.picture, "docs/money.svg": charts.money, "docs/speed_cpu.svg": charts.speed_cpu,
            "docs/speed_gpu.svg": charts.speed_gpu}
PLACE = re.compile(r"(<!-- figures: (\w+) -->)(.*?)(<!-- end -->)", re.S)


def filled(text):
    def put(match):
        made = getattr(plan if hasattr(plan, match[2]) else summary_tables, match[2])()
        # A figure within a line stays there.
        return f"{match[1]}\n{made}\n{match[4]}" if "\n" in match[3] else f"{match[1]}{made}{match[4]}"
    return PLACE.sub(put, text)


def main(check):
    stale = []
    for name in DOCUMENTS:
        path = ROOT / name
        old = path.read_text()
        new = filled(old)
        if new != old:
            stale.append(name)
            if not check:
                path.write_text(new)
    for name, draw in PICTURES.items():
        drawn = draw()
        if not (ROOT / name).exists() or (ROOT / name).read_text() != drawn:
            stale.append(name)
            if not check:
                (ROOT / name).write_text(drawn)
    if check and stale:
        return f"{', '.join(stale)}: other figures than bench/results; run make bench-summary"
    print("\n".join(f"written: {name}" for name in stale) or "all figures are those of bench/results")
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
