"""Other libraries' times relative to Onefold's: every comparison of bench/results."""

import re
import typing

from result_tables import data, number, numbers, tables


FROM_PYTHON = ("numpy", "NumPy", "math.fsum")


class Rival(typing.NamedTuple):
    """One comparison."""
    place: str   # the language of the call, or the place where it ran
    peer: str
    op: str
    case: str    # type, size, shape
    ratio: float  # their time over ours: below 1 they are quicker
    source: str  # the page of bench/results


def python():
    """The last number of a row is our time over theirs, the median of pairs."""
    d = data("python.json")
    names = {"numpy": "NumPy", "bottleneck": "Bottleneck"}
    for op, dtype, n, peer, _, _, ours in d["sizes (us)"]:
        yield Rival("Python", names[peer], op, f"{n:,} {dtype}", 1 / ours, "python.md")
    for op, dtype, shape, axis, peer, _, _, ours in d["axes (us)"]:
        where = f"({', '.join(map(str, shape))}) {dtype}, axis {axis}"
        yield Rival("Python, axes", names[peer], op, where, 1 / ours, "python.md")
    for op, _, _, ours in d["large"]["GB/s"]:
        yield Rival("Python", "NumPy", op, "64 MiB f4", 1 / ours, "python.md")


def processors():
    """Peers of C++ by size: the last column of a table, or a column for each size. Not NumPy and math.fsum, which are called
    from Python: python() and slower() have both sides there."""
    for page in ("cpu_zen5.md", "cpu.md"):
        for t in tables(page):
            if t.header[-1] == "ratio" and t.header[:2] == ["fold", "n"]:
                for row in t.rows:
                    if t.header[2] not in FROM_PYTHON:
                        yield processor(t.header[2], row[0], row[1], row[-1], page)
            elif t.header[0].startswith("fold,") and t.header[1].startswith("2^"):
                for row in t.rows:
                    fold, _, own = row[0].partition(", ")
                    peer = own or t.header[0].partition(", ")[2]
                    for n, cell in zip(t.header[1:], row[1:]):
                        if peer not in FROM_PYTHON:
                            yield processor(peer, fold, n, cell, page)


def processor(peer, fold, n, cell, page):
    op, dtype = fold.split()
    return Rival("C++", peer, op, f"{n} {dtype}", number(cell), page)


def elsewhere():
    for t in tables("elsewhere.md"):
        for label, *row in t.rows:
            peer = ("pandas" if "pandas" in label else
                    "BLAS" if "BLAS" in label or "np.dot" in label else "NumPy")
            place = "Python, keys" if peer == "pandas" else "Python, strides, pairs, norms"
            place = "Python, labels" if "known" in label else place
            op = re.split(r", | of ", label)[0]
            for dtype, cell in zip(t.header[1:], row):
                yield Rival(place, peer, op, f"{label} {dtype}", number(cell), "elsewhere.md")


def choose():
    for t in tables("choose.md"):
        for label, *row in t.rows:
            if t.header[1:] == ["whole", "rows of 64", "columns of 64"]:
                for shape, cell in zip(t.header[1:], row):
                    for dtype, ratio in zip(("f32", "f64"), numbers(cell)):
                        yield Rival("Python, masks, pairs", "NumPy", label, f"{shape} {dtype}", ratio, "choose.md")
            elif t.header[1:3] == ["rows of 64", "rows of 1,000"]:
                for shape, cell in zip(t.header[1:], row):
                    op, dtype = label.split()
                    yield Rival("Python, masks, pairs", "NumPy", op, f"{shape} {dtype}", numbers(cell)[1], "choose.md")
            elif t.header[0].startswith(("sums of segments", "sums by keys")):
                segments = "segments" in t.header[0]
                dtype, _, peer = label.rpartition(", ")
                for n, cell in zip(t.header[1:], row):
                    case = f"segments of {n} {dtype}" if segments else f"{n} groups"
                    yield Rival("Python, segments" if segments else "Python, keys", peer.strip("`"), "sum", case,
                                number(cell), "choose.md")
        if t.headings[-1].startswith("Labels without sorting"):
            ours, theirs = t.rows[0], t.row("np.bincount")
            for n, mine, other in zip(t.header[1:], ours[1:], theirs[1:]):
                for dtype, a, b in zip(("i32", "i64"), numbers(mine), numbers(other)):
                    yield Rival("Python, labels", "np.bincount", "sum", f"{n} groups, labels {dtype}", a / b, "choose.md")


def slower():
    """Calls that were slower once, and sums by keys; without those beside a call of ours."""
    for t in tables("slower.md"):
        if t.header[0] == "op":
            for op, case, peer, *_, ratio in t.rows:
                if "our `sum`" not in peer:
                    place = "Python, lists" if "fsum" in peer else "Python"
                    peer = "math.fsum of a list" if "fsum" in peer else peer
                    yield Rival(place, peer, op.strip("`"), case, 1 / number(ratio), "slower.md")
        elif t.header[0].startswith("keys, "):
            for keys, groups, ours, *theirs in t.rows:
                for peer, cell in zip(t.header[3:], theirs):
                    yield Rival("Python, keys", peer, "sum", f"{keys} keys, {t.header[0][6:]}, {groups} groups",
                                number(cell) / number(ours), "slower.md")


def files():
    for t in tables("files.md"):
        if t.header[-1] == "ours over theirs":
            for question, program, *_, ratio in t.rows:
                if ratio:
                    yield Rival("CSV of 1 GB", program, "mean,std,min,max", question, number(ratio), "files.md")
        elif t.header[-1] == "theirs over ours":
            for file, *_, ratio in t.rows:
                yield Rival("containers", "their Python libraries", "mean,var", file, number(ratio), "files.md")
    groups = [t for t in tables("groups.md") if t.header[-1].endswith("theirs / ours")]
    for t, threads in zip(groups, ("1 thread", "2 threads"), strict=True):
        for keys, of, file, _, *row in t.rows:
            for name, cell in zip(t.header[4:], row):
                yield Rival("Tables by keys", name.partition(":")[0], "mean,min,max",
                            f"{int(keys):,} keys of {of}, {file}, {threads}", numbers(cell)[-1], "groups.md")
    for t in tables("cpu_zen5.md"):
        if t.header == ["file", "1 thread", "2 threads"]:
            for file, *row in t.rows:
                for threads, cell in zip(t.header[1:], row):
                    if "before" not in file:
                        yield Rival("a raw file", "a process that only reads", "sum", f"{file}, {threads}",
                                    number(cell), "cpu_zen5.md")


def device_sizes():
    first, *rest = tables("gpu_sizes.md")
    for n, *row in first.rows:
        ours = None
        for name, cell in zip(first.header[1:], row):
            if name in ("CUB", "gpu_to_gpu"):
                peer = name if name == "CUB" else "CUB, gpu_to_gpu"
                yield Rival("H200", peer, op, f"{n} {dtype}", number(cell) / ours, "gpu_sizes.md")
            else:
                (op, dtype), ours = name.split(), number(cell)
    for t in rest:
        if t.headings[-1].startswith("PyTorch"):
            size = re.search(r"2\^\d+", t.headings[-1])[0]
            for op, *row in t.rows:
                for dtype, cell in zip(t.header[1:], row):
                    if cell:
                        ours, theirs = numbers(cell)
                        yield Rival("H200", "PyTorch", op, f"{size} {dtype}", theirs / ours, "gpu_sizes.md")


def device_axes():
    for t in tables("gpu_axes.md"):
        if t.header[0].startswith("shape"):
            for case, *row in t.rows:
                for op, cell in zip(t.header[1:], row):
                    if cell and "axis" in case:
                        yield Rival("H100, axes", "PyTorch", op, case, numbers(cell)[1], "gpu_axes.md")


def rivals():
    for source in (processors, python, slower, elsewhere, choose, files, device_sizes, device_axes):
        yield from source()


def quicker(rival):
    """Whether the peer is faster when the ratio is rounded to two decimals."""
    return round(rival.ratio, 2) < 1


if __name__ == "__main__":
    every = list(rivals())
    for r in every:
        if quicker(r):
            print(*r, sep="\t")
    print(len(every), sum(map(quicker, every)))
