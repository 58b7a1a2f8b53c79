"""Reads the figures of bench/results: tables of Markdown and JSON."""

import json
import pathlib
import re
import typing

RESULTS = pathlib.Path(__file__).parent / "results"


class Table(typing.NamedTuple):
    """A table of a page: its headings from the page's title down, its header, its rows."""
    headings: tuple
    header: list
    rows: list

    def column(self, name):
        return self.header.index(name)

    def row(self, *label):
        """The row whose first cells are these."""
        for row in self.rows:
            if tuple(row[:len(label)]) == label:
                return row
        raise LookupError(f"no row {label} below {self.headings[-1]!r}")


def cells(line):
    return [re.sub(r"\*\*(.*?)\*\*", r"\1", cell.strip()) for cell in line.strip().strip("|").split("|")]


def tables(page):
    """All tables of a page of Markdown."""
    found, headings, lines = [], {}, []
    for line in [*(RESULTS / page).read_text().splitlines(), ""]:
        heading = re.match(r"(#+) (.*)", line)
        if heading:
            level = len(heading[1])
            headings = {k: v for k, v in headings.items() if k < level} | {level: heading[2]}
        if line.startswith("|"):
            lines.append(cells(line))
        elif lines:
            found.append(Table(tuple(headings.values()), lines[0], lines[2:]))
            lines = []
    return found


def table(page, heading, first):
    """The table below a heading that begins so, whose header begins with these words."""
    for one in tables(page):
        if any(h.startswith(heading) for h in one.headings) and one.header[0].startswith(first):
            return one
    raise LookupError(f"{page} has no table {first!r} below {heading!r}")


def numbers(cell):
    """The numbers of a cell: 0.97, .97 and 1,118, but not those of names such as f64."""
    return [float(n.replace(",", ""))
            for n in re.findall(r"(?<![\w.^])(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?![\w^])", cell)
            if n.strip(".,")]


def number(cell):
    return numbers(cell)[0]


def data(page):
    return json.loads((RESULTS / page).read_text())
