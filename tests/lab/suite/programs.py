#!/usr/bin/env python3
"""Runs others' CUDA programs, with the main() that they have, on the simulated machine, and counts how they end.

    git clone https://github.com/zjin-lcf/HeCBench
    python3 tests/lab/suite/programs.py build/release/onefold HeCBench/src --folders '.*-cuda' --alone --sample 116

A program is a .cu file with a main() and a kernel. If the folder has a Makefile, its rule `run` says the arguments; their
numbers are lowered first, as sizes for a GPU take a simulated one hours. Prints a line for each program, then the counts.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

endings = {0: "clean", 60: "flaw", 61: "status of main()", 62: "refused", 63: "budget", 64: "order"}


def programs(arguments):
    """All files with a main() and a kernel; with --alone those that are the only source of their folder."""
    found = []
    for file in sorted(pathlib.Path(arguments.set).rglob("*.cu")):
        text = file.read_text(errors="replace")
        sources = [f for f in file.parent.iterdir() if f.suffix in (".cu", ".cpp", ".c", ".cc")]
        if (re.search(r"\bmain\s*\(", text) and "__global__" in text and re.fullmatch(arguments.folders, file.parent.name)
                and not (arguments.alone and len(sources) > 1) and not re.search(arguments.skip, text)):
            found.append(file)
    step = len(found) / min(len(found), arguments.sample or len(found))
    return [found[int(k * step)] for k in range(int(len(found) / step + 0.5))]


def lowered(text):
    """A source whose sizes are small: numbers above 65,535 become 1024, others above 2047 an eighth, 1 << 20 is 1 << 10."""

    def number(m):
        v = int(m[0])
        if 65535 < v <= 10**8:  # greater ones belong to generators of random numbers
            return str(1024 - v % 2)
        return str(v // 8) if 2047 < v <= 65535 and v % 8 == 0 else m[0]

    text = re.sub(r"\b(1[uUlL]*) *<< *(1[1-9]|2\d|3[01])\b", r"\1 << 10", text)
    text = re.sub(r"(?<![\w.])\d{4,9}(?![\w.])", number, text)
    return re.sub(r"\b\d+ *\* *1024 *\* *1024\b", "1024", text)


def lowered_copy(file, into):
    """The program in a copy of its folder, with small sizes. Its neighbours are there, too."""
    folder = pathlib.Path(into) / file.parent.name
    shutil.copytree(file.parent, folder, ignore_dangling_symlinks=True)
    for each in file.parent.parent.iterdir():
        if each.name != folder.name:
            (folder.parent / each.name).symlink_to(each.resolve())
    for source in folder.rglob("*"):
        if source.suffix in (".cu", ".cuh", ".h", ".hpp", ".cpp"):
            source.write_text(lowered(source.read_text(errors="replace")))
    return folder / file.name


def words_of(file, mosts=(64, 1024, 2**40)):
    """The arguments of the Makefile's `run`: with numbers of at most 64, of at most 1024, and as they are; then again
    without the rule that the last number is 1."""
    makefile = file.parent / "Makefile"
    text = makefile.read_text(errors="replace") if makefile.exists() else ""
    rule = re.search(r"^run:.*\n\t.*\$\(?\{?program\}?\)?(.*)", text, re.M)
    words = rule[1].split() if rule else []
    numbers = [k for k, w in enumerate(words) if w.isdigit()]
    ways = []
    for repeated in (True, False):
        for most in mosts:
            way = [str(min(int(w), most)) if w.isdigit() else w for w in words]
            if numbers and repeated:
                way[numbers[-1]] = "1"  # the last one often says how many times it repeats
            if way not in ways:
                ways.append(way)
    return ways


def folders_of(file, more):
    """The folders of the Makefile's -I and others, for CPATH."""
    makefile = file.parent / "Makefile"
    text = makefile.read_text(errors="replace") if makefile.exists() else ""
    return ":".join(str((file.parent / each).resolve()) for each in [*re.findall(r"-I\s*([\w./-]+)", text), *more])


def run(arguments, file, words):
    command = [arguments.program, "lab", "run", file.name, "--budget", str(arguments.budget), "--json", "--", *words]
    try:
        done = subprocess.run(command, cwd=file.parent, capture_output=True, text=True, errors="replace",
                              timeout=arguments.seconds, stdin=subprocess.DEVNULL,
                              env={**os.environ, "CPATH": folders_of(file, arguments.include)})
    except subprocess.TimeoutExpired:
        return "time", ""
    said = [line for line in done.stderr.splitlines() if line.startswith("onefold: ")]
    why = said[-1].removeprefix("onefold: lab run: ") if said else done.stderr[-200:]
    if re.search("without launching a kernel|ended by signal|: 0 blocks of", why):
        return "no kernel", why
    if done.returncode == 60 and done.stdout:
        why = ", ".join(sorted({f["kind"] for f in json.loads(done.stdout)["flaws"]})) + ": " + why
    return endings.get(done.returncode, f"refused ({done.returncode})"), "" if done.returncode == 0 else why


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="build/release/onefold")
    parser.add_argument("set", help="the folder with the programs")
    parser.add_argument("--folders", default=".*", metavar="REGEX", help="names of folders that count")
    parser.add_argument("--skip", default="FIXME", metavar="REGEX", help="texts that do not count")
    parser.add_argument("--alone", action="store_true", help="only files without other sources in their folder")
    parser.add_argument("--sample", type=int, metavar="N", help="N of them, evenly spaced")
    parser.add_argument("--only", default="", metavar="REGEX", help="of these the files whose paths match")
    parser.add_argument("--include", action="append", default=[], type=lambda f: str(pathlib.Path(f).resolve()), metavar="FOLDER",
                        help="a folder of headers")
    parser.add_argument("--lower", action="store_true", help="lower the sizes in the sources, and arguments to 8")
    parser.add_argument("--budget", type=int, default=100_000_000)
    parser.add_argument("--seconds", type=int, default=60)
    arguments = parser.parse_args()
    arguments.program = str(pathlib.Path(arguments.program).resolve())
    counts = collections.Counter()
    for file in programs(arguments):
        if not re.search(arguments.only, str(file)):
            continue
        with tempfile.TemporaryDirectory() as into:
            program = lowered_copy(file, into) if arguments.lower else file
            for words in words_of(file, *[(8, 64, 1024)] * arguments.lower):
                ending, why = run(arguments, program, words)
                if ending not in ("status of main()", "no kernel"):
                    break
        counts[ending] += 1
        name = file.relative_to(arguments.set)
        print(f"{str(name):60} {ending:12} {' '.join(words):20} {why[:300]}".rstrip(), flush=True)
    print(", ".join(f"{ending} {count}" for ending, count in counts.most_common()), f"of {counts.total()}")


if __name__ == "__main__":
    main()
