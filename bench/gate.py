#!/usr/bin/env python3
"""Says which folds one build does slower or quicker than another: by turns on one machine.

    bench/gate.py OLD NEW [--rounds 3] [--only whole,axes,sizes,shapes,small] [--time 480]
    bench/gate.py --read gate.json        prints the summary of a file again
    bench/gate.py OLD NEW --kernels       compares the machine code of kernels; needs NVRTC, no device

OLD and NEW are folders of builds, such as build/bench; of their programs only those of bench/ are
run, which need no other file of the build (--kernels needs the headers of its tree, too). A figure
is the median of the rounds, `ratio` is the new speed over the old one, `share` is the new speed over
that of a plain read. Rounds that would end after --time seconds are left out, cases are not. Exits
with 1 if a case got slower by more than 3 %, or fails or is missing in the new build only, or
a program measured none.
"""
import argparse
import concurrent.futures
import datetime
import json
import math
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

import kernel_ptx

LEAST = 0.03  # changes below are noise
WHOLE = (
    "sum:f64,sum:f32,sum:bf16,sum:f16,sum:i8,sum:i32,sum:i64,sum:bool,sumsq:i8,sumsq:i32,sumsq:i64,"
    "sumsq:f16,sumsq:bf16,sumsq:f32,norm1:f32,norm1:bf16,var:i8,var:i32,var:f16,var:bf16,var:f32,"
    "var:f64,min:i8,argmin:i8,max:u16,max:f16,ptp:bf16,min:f32,argmax:f32,max:i64,max:f64,"
    "argmax:f64,any:f32,count_nonzero:u8,count_nonzero:f64,count_nan:f16,count_nan:f32,dot:f32,"
    "dot:f64,describe:i8,describe:bf16,describe:f32,describe:f64").split(",")
HARD = "sum:f64,sum:f32,sum:bf16,var:f64,var:f32,dot:f32,describe:f32"
PAIRS = ("mse mae max_abs_diff distance dot corr cosine cov slope average mse,mae,max_abs_diff,distance "
         "cov,corr,slope,intercept mse,corr,cosine,average").split()
SIZES = ["gpu_sizes", "--pool", "4", "--sizes", "10,14,18,20,22,24,28", "--cases",
         "sum:f32,var:f32,max:f32,argmax:f32,sum:f64,sum:bf16,sum:i8"]
PROGRAMS = {  # what is run, and a line of it: the case, its time, perhaps its share of a plain read
    "whole": ([["gpu_whole", "--gib", "1", "--data", "normal", "--only", ",".join(WHOLE)],
               ["gpu_whole", "--gib", "1", "--data", "outliers,lognormal3,bits", "--only", HARD]],
              r"(?P<case>\S+ +\w+) +(?P<time>[\d.]+) (?P<unit>ms) +\d+ GB/s +(?P<share>[\d.]+)"),
    "axes": ([["gpu_axes", "--mib", "1024"]],
             r"(?P<case>\w+ +\S+ +\w+ +\(\S+\) +\(\S+\)) +(?P<time>[\d.]+) (?P<unit>us) +(?P<share>[\d.]+)"
             r" +\d+ GB/s(?P<where> where)?"),
    "sizes": ([SIZES], r"onefold (?P<case>\S+ +\w+ +2\^\d+) +(?P<time>[\d.]+) (?P<unit>us) +(?P<gbps>\d+) GB/s"),
    "shapes": ([["shapes"]], r"(?P<case>.+axis \d+) +share (?P<share>[\d.]+).*"),
    "small": ([["small"]], r"(?P<case>onefold::.+) (?P<time>[\d.]+) (?P<unit>ns).*"),
}
# Lines of the programs that are no cases: the plain read, other libraries.
OTHER_LINE = re.compile(r"(?P<card>.*?)(?:: )?plain read (?:again )?(?P<gbps>\d+) GB/s|std::.*|\s*")


def figures_of(what, text, plain=0):
    """Returns {case: (unit, figure, share)}, the lines that are not figures, and the best plain read."""
    found, odd = {}, []
    for line in text.splitlines():
        other = OTHER_LINE.fullmatch(line)
        got = re.fullmatch(PROGRAMS[what][1], line.rstrip())
        if other:
            plain = max(plain, int(other["gbps"] or 0))
        elif not got:
            odd.append(line.strip())
        else:
            has = got.groupdict()
            share = (float(has["share"]) if has.get("share") else
                     round(int(has["gbps"]) / plain, 4) if plain and has.get("gbps") else None)
            case = " ".join([what, *has["case"].split()]) + (has.get("where") or "")
            # A processor's clock varies, so shapes has shares only.
            found[case] = (has.get("unit", "share"), float(has.get("time") or share), share)
    return found, odd, plain


def run(build, words, caches, seconds):
    """Returns what a program of a build prints, and how it failed if it did."""
    own = {**os.environ, "ONEFOLD_CACHE": caches[build], "ONEFOLD_KERNELS": ""}  # no other build's kernels
    try:
        done = subprocess.run([build / "bench" / words[0], *words[1:]], env=own, timeout=max(seconds, 1),
                              capture_output=True, text=True)
    except subprocess.TimeoutExpired as e:  # whose output is bytes, even with text=True
        return (e.stdout or b"").decode(), f"{words[0]}: stopped after {seconds:.0f} s"
    except OSError as e:
        return "", f"{words[0]}: {e}"
    last = (done.stderr.strip().splitlines() or [""])[-1].strip()
    return done.stdout, f"{words[0]}: exit status {done.returncode}: {last}" if done.returncode else ""


def compile_kernels(builds, chosen, caches, deadline):
    """Compiles the kernels by several processes at once; the rounds find them in the caches."""
    jobs = []
    if "axes" in chosen:
        axes = ["gpu_axes", "--mib", "1024", "--replays", "1", "--only"]
        jobs += [[*axes, "pairs", "--ops", ops] for ops in PAIRS]
        jobs += [[*axes, families, "--types", types] for families in ("rows", "columns", "middle,apart,where,strided")
                 for types in ("f32", "f64,bf16,f16", "i32,i8")]
    if "whole" in chosen:
        jobs += [["gpu_whole", "--gib", "1", "--replays", "1", "--only", ",".join(WHOLE[k::8])] for k in range(8)]
    # A process takes at most 4 GiB of a device's memory.
    with concurrent.futures.ThreadPoolExecutor(min(os.cpu_count(), 12)) as pool:
        list(pool.map(lambda job: run(job[0], job[1], caches, (deadline - time.monotonic()) / 2),
                      [(build, words) for words in jobs for build in builds]))


def rows_of(rounds):
    """Makes rows of all rounds, each a pair of figures_of, old and new."""
    old, new = ({case: [r[side][case] for r in rounds if case in r[side]] for r in rounds for case in r[side]}
                for side in (0, 1))
    rows = []
    for case in (c for c in old if c in new):
        unit = old[case][0][0]
        times = [[figure for _, figure, _ in side[case]] for side in (old, new)]
        before, after = map(statistics.median, times)
        shares = [share for _, _, share in new[case] if share is not None]
        rows.append({"case": case, "unit": unit, "old": before, "new": after,
                     "ratio": round(after / before if unit == "share" else before / after, 4),
                     "share": statistics.median(shares) if shares else None,
                     "spread": round(max((max(t) - min(t)) / statistics.median(t) for t in times), 4)})
    return {"rows": rows, "only_old": [c for c in old if c not in new], "only_new": [c for c in new if c not in old]}


def mean_of(rows):
    return math.exp(statistics.fmean(math.log(row["ratio"]) for row in rows)) if rows else 1.0


def summary(result):
    """Returns the lines of a summary, and whether the new build passes."""
    rows = sorted(result["rows"], key=lambda row: row["ratio"])
    lost = [row for row in rows if row["ratio"] < 1 - LEAST]
    gained = [row for row in rows if row["ratio"] > 1 + LEAST]
    lines = [f"{result['card'] or 'no card'}; {result['machine']}; {result['date']}; old {result['commits']['old']}, "
             f"new {result['commits']['new']}; {result['rounds']} rounds"]
    for words, some in (("slower", lost), ("quicker", gained[::-1])):
        lines += [f"{words} by more than {LEAST:.0%}: {len(some)}"] if some else []
        for row in some:
            share = "" if row["share"] is None else f"  share {row['share']:.3f}"
            lines.append(f"  {row['ratio']:.3f}  {row['case']:<56} {row['old']:g} -> {row['new']:g} {row['unit']}{share}"
                         f"  spread {row['spread']:.1%}")
    for words, cases in (("only in the old build", result["only_old"]), ("only in the new build", result["only_new"]),
                         ("failed", result["failures"])):
        lines += [f"{words}: {case}" for case in cases]
    kinds = {row["case"].split()[0]: None for row in result["rows"]}
    means = ", ".join(f"{kind} {mean_of([r for r in rows if r['case'].startswith(kind + ' ')]):.4f}" for kind in kinds)
    lines.append(f"{len(rows)} cases: {len(lost)} slower, {len(gained)} quicker, {len(rows) - len(lost) - len(gained)} "
                 f"within {LEAST:.0%}; new speed over old, geometric mean {mean_of(rows):.4f} ({means})")
    failed = [f for f in result["failures"] if f.startswith("new ") and f"old {f[4:]}" not in result["failures"]]
    empty = [what for what in result["programs"] if what not in kinds]
    lines += [f"no case of {', '.join(empty)} was measured"] if empty else []
    return lines, not (lost or result["only_old"] or failed or empty)


def first_line(*command, folder=None):
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True)
        return (done.stdout.splitlines() or [""])[0].strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def commit_of(build):
    return first_line("git", "describe", "--always", "--dirty=+", "--exclude=*", folder=build) or "unknown"


def measure(given, builds):
    begin = time.monotonic()
    deadline = begin + given.time
    chosen = given.only.split(",")
    commits = given.commits.split(",") if given.commits else [commit_of(build) for build in builds]
    result = {"card": first_line("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"),
              "machine": first_line("sh", "-c", "lscpu | sed -n 's/^Model name: *//p'") + f", {os.cpu_count()} cores",
              "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
              "commits": dict(zip(("old", "new"), commits)), "programs": chosen,
              "command": shlex.join(["bench/gate.py", *sys.argv[1:]])}
    rounds, failures, plain, longest = [], {}, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        caches = {build: os.path.join(folder, str(k)) for k, build in enumerate(builds)}
        for cache in caches.values():
            os.mkdir(cache, 0o700)
        compile_kernels(builds, chosen, caches, deadline)
        print(f"kernels compiled: {time.monotonic() - begin:.0f} s", file=sys.stderr)
        while len(rounds) < given.rounds and (not rounds or time.monotonic() + longest < deadline):
            start = time.monotonic()
            pair = ({}, {})
            for what in chosen:
                for words in PROGRAMS[what][0]:
                    for side, build, name in zip(pair, builds, ("old", "new")):
                        text, failure = run(build, words, caches, deadline - time.monotonic())
                        found, odd, plain = figures_of(what, text, plain)
                        side.update(found)
                        failures.update(dict.fromkeys(f"{name} {why}" for why in [*odd, failure] if why))
            rounds.append(pair)
            longest = max(longest, time.monotonic() - start)
            result |= {"rounds": len(rounds), "seconds": round(time.monotonic() - begin), "plain_gbps": plain,
                       **rows_of(rounds), "failures": list(failures)}
            given.into.write_text(json.dumps(result, indent=1) + "\n")
            print(f"round {len(rounds)}: {time.monotonic() - start:.0f} s", file=sys.stderr)
    return result


KERNELS = [(case, walk) for case in ("sum:f32", "var:f32", "mse:f32", "corr:f32", "sum:bf16", "var:f64")
           for walk in ("rows_by_4", "long_rows")] + [("describe:f32", "whole"), ("describe:f32", "rows_by_4")]


def kernel_of(job):
    """Returns a kernel's registers, spilled bytes and instructions."""
    build, case, walk, chip = job
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([build / "bench/kernel_sass", "--chip", chip, "--only", case, "--axes", str(int(walk != "whole")),
                        "--compile", "0", "--into", folder], check=True, stdout=subprocess.DEVNULL)
        sources = [path.read_text() for path in pathlib.Path(folder).glob("*.cu")]
    source = next((text for text in sources if re.search(rf"onefold_\w+?_{walk}\(", text)), None)
    if source is None:
        return None
    cubin, log = kernel_ptx.compile_to("CUBIN", source, chip, [build.parents[1], build / "include"])
    used = re.search(r"(\d+) bytes spill stores.*?Used (\d+) registers", log, re.S)
    code = kernel_ptx.machine_code(cubin) if cubin else {}
    return [int(used[2]), int(used[1]), sum(map(len, code.values())) // 16] if used else None


def compare_kernels(builds, chip):
    jobs = [(build, case, walk, chip) for case, walk in KERNELS for build in builds]
    with concurrent.futures.ProcessPoolExecutor() as pool:
        found = list(pool.map(kernel_of, jobs))
    print(f"{'kernel, ' + chip:<24} {'registers':>14} {'bytes spilled':>16} {'instructions':>18}")
    for (case, walk), old, new in zip(KERNELS, found[::2], found[1::2]):
        words = [f"{a} -> {b}" if a != b else str(a) for a, b in zip(old or "???", new or "???")]
        print(f"{case + ' ' + walk:<24} {words[0]:>14} {words[1]:>16} {words[2]:>18}")
    return 0 if all(found) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builds", nargs="*", type=pathlib.Path, metavar="BUILD", help="the old and the new build")
    parser.add_argument("--read", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--kernels", action="store_true")
    parser.add_argument("--chip", default="sm_90", help="of --kernels")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default=",".join(PROGRAMS), help="some of these programs")
    parser.add_argument("--time", type=float, default=480, metavar="SECONDS")
    parser.add_argument("--commits", metavar="OLD,NEW", help="their names, where git does not know them")
    parser.add_argument("--into", type=pathlib.Path, default="gate.json", metavar="FILE")
    given = parser.parse_args()
    if not given.read and len(given.builds) != 2:
        parser.error("two builds, or --read")
    if unknown := set(given.only.split(",")) - set(PROGRAMS):
        parser.error(f"--only: {', '.join(sorted(unknown))}; legal are {', '.join(PROGRAMS)}")
    builds = [build.resolve() for build in given.builds]
    if given.kernels:
        return compare_kernels(builds, given.chip)
    lines, passes = summary(json.loads(given.read.read_text()) if given.read else measure(given, builds))
    print("\n".join(lines))
    return 0 if passes else 1


if __name__ == "__main__":
    sys.exit(main())
