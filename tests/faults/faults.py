#!/usr/bin/env python3
"""Plants one-line faults and counts how many the tests find.

Each fault is drawn by a seed (draw.py), built as the objects that contain it, and judged by the tests of its area, for at
most three minutes. The sources and the build tree stay as they are. A fault is caught if a test fails, crashes or hangs.

usage: faults.py core|tables|python [--count 20] [--seed 1] [--seconds 180] [--build build/release]
"""

import argparse
import collections
import itertools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

import draw
from draw import AREAS, ROOT

Verdict = collections.namedtuple("Verdict", "suites seconds hung")  # suites: those in which a test fails


def run_all(commands, environment, seconds):
    """Runs commands at the same time; returns what each printed, and whether one was stopped."""
    files = [tempfile.TemporaryFile("w+") for _ in commands]
    started = [subprocess.Popen(c, stdout=f, stderr=subprocess.STDOUT, cwd=ROOT, env=e, start_new_session=True)
               for c, f, e in zip(commands, files, environment)]
    end, hung = time.monotonic() + seconds, False
    for process in started:
        try:
            process.wait(max(.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
            hung = True
    texts = []
    for f in files:
        f.seek(0)
        texts.append(f.read())
    return texts, [p.returncode for p in started], hung


class Cpp:
    """Faults of C++ files: their objects are compiled again and linked to a copy of the tests and of the program."""

    def __init__(self, area, build):
        self.build, self.folders = build, AREAS[area][1]
        commands = [e["command"] for e in json.loads((build / "compile_commands.json").read_text())]
        self.commands = {re.search(r" -o (\S+)", c)[1]: c for c in commands}
        self.programs = [f"onefold_{folder}_tests" for folder in self.folders]
        self.links = {target: self._link(target) for target in (*self.programs, "onefold_program")}
        self.dependents = self._dependents()
        self.scratch = tempfile.TemporaryDirectory(prefix="faults")
        self.broken = set()
        assert all(self._relink(target, {}) for target in self.links), f"{build} is not built: make test"
        plain = self.judge(None, 600)
        self.broken = plain.suites
        print(f"without a fault: {plain.seconds:.0f} s; fail then, too, so they do not count: {', '.join(plain.suites) or 'none'}")
        for name, seconds in self.spent.most_common(10):
            print(f"  {seconds:6.1f} s  {name}")

    def _ninja(self, *arguments):
        return subprocess.run(["ninja", "-C", self.build, *arguments], capture_output=True, text=True, check=True).stdout

    def _link(self, target):
        last = self._ninja("-t", "commands", target).strip().split("\n")[-1]
        return next(shlex.split(part) for part in last.split(" && ") if " -o " in part)

    def _dependents(self):
        """For each file of the project, the objects that it is compiled into."""
        found, ours = {}, str(ROOT) + "/"
        inputs = {a for link in self.links.values() for a in link if a.endswith(".o")}
        for line in self._ninja("-t", "deps").split("\n"):
            if line and not line.startswith(" "):
                name = line.split(":")[0]
                own = name in inputs or name.startswith(("CMakeFiles/onefold.dir/", "CMakeFiles/onefold_once.dir/"))
            elif line and own:
                path = os.path.normpath(self.build / line.strip())  # relative where ccache compiled it
                if path.startswith(ours):
                    found.setdefault(path[len(ours):], []).append(name)
        return found

    def takes(self, fault):
        return 1 <= len(self.dependents.get(fault.path, ())) <= 3

    def prepare(self, fault):
        """Compiles and links; returns whether that succeeded, which not all faults do."""
        where = pathlib.Path(self.scratch.name)
        changed = where / "changed" / fault.path
        changed.parent.mkdir(parents=True, exist_ok=True)
        changed.write_text(fault.text())
        objects = {}
        for name in self.dependents[fault.path]:
            words = shlex.split(self.commands[name])
            source = pathlib.Path(words[words.index("-c") + 1])
            objects[name] = str(where / (str(len(objects)) + ".o"))
            if source.suffix == ".cxx" or source == ROOT / fault.path:  # an object of several files includes each
                copy = where / (str(len(objects)) + ".cpp")
                copy.write_text(source.read_text().replace(str(ROOT / fault.path), str(changed)) if source.suffix == ".cxx"
                                else changed.read_text())
                words[words.index("-c") + 1] = str(copy)
            words[words.index("-o") + 1] = objects[name]
            words[1:1] = ["-w", "-I", str(where / "changed"), "-iquote", str((ROOT / fault.path).parent)]
            if subprocess.run(words, cwd=self.build, capture_output=True).returncode:
                changed.unlink()
                return False
        changed.unlink()
        return all(self._relink(target, objects) for target in self.links)

    def _relink(self, target, objects):
        words = list(self.links[target])
        words[words.index("-o") + 1] = str(pathlib.Path(self.scratch.name) / target)
        in_archive = [o for name, o in objects.items() if name not in words]
        words = [objects.get(w, w) for w in words]
        words[words.index("libonefold.a"):words.index("libonefold.a")] = in_archive
        return subprocess.run(words, cwd=self.build, capture_output=True).returncode == 0

    def judge(self, fault, seconds):
        where, jobs = pathlib.Path(self.scratch.name), os.cpu_count()
        environment = [dict(os.environ, ONEFOLD_PROGRAM=str(where / "onefold_program"), GTEST_TOTAL_SHARDS=str(jobs),
                            GTEST_SHARD_INDEX=str(k)) for k in range(jobs)]
        begin = time.monotonic()
        suites, spent, hung = set(), collections.Counter(), False
        for program in self.programs:
            left = max(1, seconds - (time.monotonic() - begin))
            command = [where / program, "--gtest_filter=-Long*:*/Long*"]
            texts, codes, stopped = run_all([command] * jobs, environment, left)
            hung |= stopped
            self._count(texts, codes, suites, spent)
            if stopped:
                break
        self.spent = spent
        return Verdict(suites - self.broken, time.monotonic() - begin, hung)

    @staticmethod
    def _count(texts, codes, suites, spent):
        """Adds the suites in which a test fails, and the seconds of each suite."""
        for text, code in zip(texts, codes):
            for result, name, ms in re.findall(r"\[ +(OK|FAILED) +\] (\S+?)\.\S+.* \((\d+) ms\)", text):
                spent[name] += int(ms) / 1000
                if result == "FAILED":
                    suites.add(name)
            running = re.findall(r"\[ RUN +\] (\S+?)\.", text)
            if code not in (0, 1) and running:  # it crashed or hung there
                suites.add(running[-1])


class Python:
    """Faults of the package: a copy of it stands before the built one, and the test files that name most of it come first."""

    def __init__(self, area, build):
        self.build = build
        self.scratch = tempfile.TemporaryDirectory(prefix="faults")
        self.files = {f: f.read_text() for f in sorted((ROOT / "python/tests").glob("test_*.py"))
                      if not re.match(r"test_(long_|.*_cuda$|torch)", f.stem)}
        self.broken = {}

    def takes(self, fault):
        return True

    def prepare(self, fault):
        package = pathlib.Path(self.scratch.name) / "onefold"
        subprocess.run(["rm", "-rf", package], check=True)
        subprocess.run(["cp", "-rL", self.build / "python/onefold", package], check=True)
        text = fault.text()
        (package / pathlib.Path(fault.path).relative_to("python/onefold")).write_text(text)
        try:
            compile(text, fault.path, "exec")
        except SyntaxError:
            return False
        return True

    def _in_order(self, fault):
        source = (ROOT / fault.path).read_text()
        names = set(re.findall(r"def ([a-z]\w+)", source)) | set(re.findall(r"\"([a-z]\w{3,})\"", source))
        stem = pathlib.Path(fault.path).stem.strip("_")

        def score(file):
            return 50 * (stem in file.stem or file.stem[5:] in stem) + sum(n in self.files[file] for n in names)
        return sorted(self.files, key=lambda f: (-score(f), f))

    def judge(self, fault, seconds):
        begin, jobs, suites, hung = time.monotonic(), os.cpu_count(), set(), False
        environment = dict(os.environ, PYTHONPATH=self.scratch.name, PYTHONDONTWRITEBYTECODE="1",
                           ONEFOLD_ARROW_PLUGIN=str(self.build / "onefold_arrow.so"),
                           ONEFOLD_SIMULATED_DRIVER=str(self.build / "tests/driver/lib"),
                           ONEFOLD_PROGRAM=str(self.build / "onefold"),
                           ONEFOLD_OP_EXAMPLES=str(self.build / "tests/docs/bin/op_examples"))
        order = self._in_order(fault)
        for k in range(0, len(order), jobs):
            left = seconds - (time.monotonic() - begin)
            if left <= 0:
                break
            files = order[k:k + jobs]
            commands = [[sys.executable, "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f] for f in files]
            _, codes, stopped = run_all(commands, [environment] * len(files), left)
            hung |= stopped and k == 0  # the tests nearest to the fault do not end
            for file, command, code in zip(files, commands, codes):
                if code in (1, 2) and not self._fails_anyway(file, command, environment):
                    suites.add(file.stem)
        return Verdict(suites, time.monotonic() - begin, hung)

    def _fails_anyway(self, file, command, environment):
        """Whether the tests of a file fail without a fault, too."""
        if file not in self.broken:
            plain = dict(environment, PYTHONPATH=str(self.build / "python"))
            self.broken[file] = subprocess.run(command, cwd=ROOT, env=plain, capture_output=True).returncode not in (0, 5)
        return self.broken[file]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("area", choices=AREAS)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    o = parser.parse_args()
    judge = (Python if o.area == "python" else Cpp)(o.area, o.build.resolve())
    drawn = (f for f in draw.draw(o.area, o.seed) if judge.takes(f))
    alone, caught = collections.Counter(), 0
    for number, fault in enumerate(itertools.islice((f for f in drawn if judge.prepare(f)), o.count), 1):
        found = judge.judge(fault, o.seconds)
        is_caught = bool(found.suites) or found.hung
        caught += is_caught
        if len(found.suites) == 1:
            alone.update(found.suites)
        by = "hung" if found.hung and not found.suites else ", ".join(sorted(found.suites)[:4])
        print(f"{number:3} {'caught' if is_caught else 'SURVIVED':8} {found.seconds:5.0f} s  {fault}\n"
              f"      {by}{f' and {len(found.suites) - 4} more' if len(found.suites) > 4 else ''}", flush=True)
    print(f"{o.area}: {caught} of {number} caught (seed {o.seed})")
    print("by one suite alone: " + ", ".join(f"{s} {n}" for s, n in alone.most_common()))


if __name__ == "__main__":
    main()
