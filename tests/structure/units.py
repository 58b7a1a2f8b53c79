"""Checks that joining files (cmake/units.cmake) changes what no function calls.

In a joined object a name of one file's unnamed namespace is seen by the files behind it, and may be preferred to the
function of a header that they mean. So each function's calls are compared: of the file compiled alone, and joined.

Usage: units.py BUILD [WORD ...]: a build tree with units; of objects whose names have one of the words
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor


def calls_of(command, folder, file):
    """The functions that each function calls, by their symbols, before anything is optimised."""
    words = re.sub(r"^\S*ccache ", "", command)
    words = re.sub(r" -O[s0-9]\b", " -O0", words)
    with tempfile.TemporaryDirectory() as where:
        words = re.sub(r"-o \S+ -c \S+", f"-o {where}/x.o -dumpdir {where}/ -fdump-ipa-cgraph -S -c {file}", words)
        run = subprocess.run(words, shell=True, cwd=folder, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{file}: {run.stderr[:2000]}")
        dump = next(os.path.join(where, f) for f in os.listdir(where) if f.endswith(".cgraph"))
        with open(dump, errors="replace") as f:
            text = f.read()
    text = text[text.index("Initial Symbol table"):].split("Final Symbol table")[0].split("Reclaimed")[0]
    calls, function = {}, None
    for line in text.split("\n"):
        if line and not line.startswith(" "):
            function = line.split("/")[0]
        elif line.strip().startswith("Calls:") and function is not None:
            calls.setdefault(function, set()).update(
                word.split("/")[0] for word in line.split() if re.match(r"_Z[\w.$]+/\d+", word))
    return calls


def main():
    build, *only = sys.argv[1:]
    with open(os.path.join(build, "compile_commands.json")) as f:
        units = [c for c in json.load(f) if "/Unity/" in c["file"] and (not only or any(w in c["file"] for w in only))]

    def differences(unit):
        with open(unit["file"]) as f:
            files = re.findall(r'#include "(.*\.cpp)"', f.read())
        joined, found = calls_of(unit["command"], unit["directory"], unit["file"]), []
        for file in files:
            for function, calls in calls_of(unit["command"], unit["directory"], file).items():
                # Lambdas and other names without linkage are numbered anew.
                if re.match("_ZN[KVRO]*7onefold", function) and function in joined and not re.search(r"Ul|Ut|\.|_GLOBAL__sub|__static_init", function):
                    plain = [{c for c in s if not re.search(r"Ul|Ut|\.", c)} for s in (calls, joined[function])]
                    if plain[0] - plain[1] and plain[1] - plain[0]:
                        found.append((file, function, sorted(plain[0] - plain[1]), sorted(plain[1] - plain[0])))
        return found

    count = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(differences, units):
            count += len(found)
            for file, function, alone, joined in found:
                print(f"{file}: {function} calls alone {alone}, joined {joined}", flush=True)
    print(f"{len(units)} objects, {count} functions that call something else")
    sys.exit(1 if count or not units else 0)


main()
