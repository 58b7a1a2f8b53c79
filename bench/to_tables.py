"""Turns lines that gpu_axes, gpu_shapes.py and gpu_segments print into the tables of bench/results.

    build/bench/bench/gpu_axes ... | python3 bench/to_tables.py

Each line is a cell: its row is the fold, its column the op and type. A line whose cell is taken begins another table.
Other lines are left out.
"""

import re
import sys

SHARE = r" +[\d.]+ us +([\d.]+)"
# Each with the columns' common name, and what makes (row, column, cell) of a line.
KINDS = {
    "fold": (re.compile(r"(\w+) +(\S+) +(\w+) +\(([\d,]+)\) +\(([\d,]+)\)" + SHARE + r"\s*(where)?"),
             lambda walk, op, dtype, shape, axes, share, mask:
             (f"{'masked' if walk == 'where' or mask else walk} {extents(shape)}, axis {axes.replace(',', ', ')}",
              f"{op} {dtype}", share)),
    "shape, type, axis": (re.compile(r"(\w[\w ]*?) +(\w*float\d+) +([\dx]+) +(\([\d, ]*\)|\d+|None)" + SHARE +
                                     r" +torch +[\d.]+ +([\d.]+)$"),
                          lambda op, dtype, shape, axis, share, ratio:
                          (f"({shape.replace('x', ', ')}) {dtype}, "
                           + ("whole" if axis == "None" else f"axis {axis.strip('(),')}"), op, f"{share}, {ratio}")),
    "lengths": (re.compile(r"(\w+) (\w+) mean +(\d+) (\w+) +\d+ segments" + SHARE + "( where)?"),
                lambda op, dtype, mean, lengths, share, mask:
                (f"{dtype} {lengths}{' masked' * bool(mask)}{'' if op == 'sum' else ' ' + op}",
                 f"mean {int(mean):,}", share)),
    "labels": (re.compile(r"(\S+ \w+) labels +(\d+) groups (\w+)" + SHARE),
               lambda fold, groups, drawn, share: (f"{fold} {drawn}", f"{int(groups):,}", share)),
}


def extents(shape):
    """(N, 64): the largest extent has no number, if it is the only one."""
    n = [int(extent) for extent in shape.split(",")]
    big = max(n) if n.count(max(n)) == 1 else 0
    return "(" + ", ".join("N" if extent == big else f"{extent:,}" for extent in n) + ")"


def tables(lines):
    for name, (line, cell_of) in KINDS.items():
        found = [{}]
        for row, column, cell in (cell_of(*m.groups()) for m in map(line.match, lines) if m):
            if column in found[-1].get(row, {}):  # another list begins
                found.append({})
            found[-1].setdefault(row, {})[column] = cell
        for rows in filter(None, found):
            columns = list(dict.fromkeys(column for cells in rows.values() for column in cells))
            yield f"| {name} | " + " | ".join(columns) + " |\n|" + "---|" * (len(columns) + 1)
            for row, cells in rows.items():
                yield f"| {row} | " + " | ".join(cells.get(column, "") for column in columns) + " |"
            yield ""


if __name__ == "__main__":
    print("\n".join(tables(sys.stdin.read().splitlines())), end="")
