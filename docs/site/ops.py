"""Makes a page for each op, and the support matrix, from the package, the program and folds.

Every line is asked: facts of the op table, claims of the docstring, examples that are run while
the page is made, and a fold for each type and place.
"""

import inspect
import os
import pathlib
import re
import subprocess
import tempfile

import numpy as np
import onefold

ROOT = pathlib.Path(__file__).parents[2]
TYPES = onefold.info()["dtypes"]
X = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]
Y = [1.0, 3.0, 2.0, 5.0, 4.0, 6.0, 8.0, 9.0]
FACTS = onefold._ops.ops
MASK = np.array([True, False, True, True])
COUNTS = np.array([1, 2, 1, 3])


def numpy_type(name):
    if name == "bf16":
        import ml_dtypes
        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype("?" if name == "bool" else f"{name[0]}{int(name[1:]) // 8}")


NAMES = {numpy_type(name): name for name in TYPES}

# The kinds of requests, written as calls of an op with its arrays.
PLACES = {
    "whole arrays": lambda op, xs: getattr(onefold, op)(*xs),
    "along axes": lambda op, xs: onefold.fold(op, *xs, axis=0),
    "under a mask": lambda op, xs: onefold.fold(op, *xs, where=MASK),
    "NaN left out": lambda op, xs: onefold.fold(op, *xs, nan="omit"),
    "segments": lambda op, xs: onefold.fold_segments(op, xs[0], np.array([0, 1, 2])),
    "keys": lambda op, xs: onefold.fold_by(op, np.array([5, 7, 5, 7]), xs[0][0]),
    "labels": lambda op, xs: onefold.fold_by(op, np.array([0, 1, 1, 0]), xs[0][0], groups=2),
    "counts of elements (fweights)": lambda op, xs: onefold.fold(op, *xs, fweights=COUNTS),
    "a state": lambda op, xs: onefold.gather(op, *xs).answer(op),
    "states of slices": lambda op, xs: onefold.gather(op, *xs, axis=0).answer(op)}


def sample(dtype, op):
    return [np.array([[1, 0, 1, 1], [1, 1, 0, 1]]).astype(numpy_type(dtype))] * FACTS[op].inputs


def why_not(op, dtype, place):
    """The error of a request on the processor, or nothing."""
    try:
        PLACES[place](op, sample(dtype, op))
    except (onefold.Error, TypeError) as error:
        return str(error)
    return ""


def types_of(op, place, refused):
    """The types of elements for which a place takes an op: yes, no, or their names."""
    if place == "a GPU":
        if refused is None:
            return "not asked"
        there = [t for t in TYPES if (op, t) not in refused]
    else:
        there = [t for t in TYPES if not why_not(op, t, place)]
    return "yes" if len(there) == len(TYPES) else ", ".join(there) or "no"


def answer_type(op, dtype):
    return NAMES[np.asarray(getattr(onefold, op)(*map(np.ravel, sample(dtype, op)))).dtype]


def simulated_driver():
    for folder in (os.environ.get("ONEFOLD_SIMULATED_DRIVER", ""),
                   ROOT / "build/release/tests/driver/lib"):
        if folder and pathlib.Path(folder, "libcuda.so.1").exists():
            return str(folder)
    return None


def on_a_device(program):
    """The (op, type) pairs that a device's backend refuses, by `onefold explain --device cuda`."""
    folder = simulated_driver()
    if folder is None:
        return None
    refused = {}
    environment = {**os.environ, "LD_LIBRARY_PATH": folder, "ONEFOLD_CACHE": "",
                   "ONEFOLD_NVRTC": f"{folder}/libnvrtc.so.13"}
    with tempfile.TemporaryDirectory() as scratch:
        for dtype in TYPES:
            if dtype == "bf16":  # .npy has no type for it
                path, also = f"{scratch}/x.raw", ["--dtype", "bf16", "--format", "raw"]
                pathlib.Path(path).write_bytes(sample(dtype, "sum")[0].tobytes())
            else:
                path, also = f"{scratch}/x.npy", []
                np.save(path, sample(dtype, "sum")[0])
            for inputs in (1, 2):
                ops = [op for op in FACTS if FACTS[op].inputs == inputs]
                ask = lambda some: subprocess.run(  # noqa: E731
                    [program, "explain", ",".join(some), *[path] * inputs, *also, "--device", "cuda"],
                    capture_output=True, text=True, env=environment)
                if ask(ops).returncode == 0:
                    continue
                for op in ops:
                    done = ask([op])
                    if done.returncode != 0:
                        refused[op, dtype] = done.stderr.strip()
    return refused


def printed(value):
    return repr(value) if isinstance(value, (bool, int)) else repr(float(value))


def shell(program, op):
    """The command of an example, and what it prints."""
    with tempfile.TemporaryDirectory() as scratch:
        for name, values in (("x", X), ("y", Y)):
            pathlib.Path(scratch, f"{name}.txt").write_text("\n".join(f"{v:g}" for v in values) + "\n")
        files = ["x.txt", "y.txt"][:FACTS[op].inputs]
        done = subprocess.run([program, op, *files], capture_output=True, text=True, cwd=scratch)
    assert done.returncode == 0, done.stderr
    return f"onefold {op} {' '.join(files)}", done.stdout.strip()


def claims(op):
    """What the docstring says: {word: text} of its notes, and the errors."""
    text = inspect.getdoc(getattr(onefold, op))
    notes = text.partition("\nNotes\n-----\n")[2].partition("\n\n")[0]
    errors = text.partition("\nRaises\n------\n")[2].partition("\n\n")[0].split("\n")
    return {**{word: says for word, _, says in (line.removeprefix("- ").partition(": ") for line in notes.split("\n"))},
            "raises": " ".join(f"{names}: {why.strip()}" for names, why in zip(errors[::2], errors[1::2]))}


# What the letters of formulas stand for, in arrays x, or x and y.
LETTERS = {"n": ("the number of elements", "the number of pairs"), "k": ("`ddof`", "`ddof`"), "S": ("Σx", ""), "Q": ("Σx²", ""),
           "P": ("", "Σxy"), "Sx": ("", "Σx"), "Qx": ("", "Σx²"), "Sy": ("", "Σy"), "Qy": ("", "Σy²")}


def formula_of(op):
    """The formula that the tables of docs/numerics.md have, and what its letters mean; of some ops there is none."""
    for line in (ROOT / "docs/numerics.md").read_text().splitlines():
        cells = re.split(r"(?<!\\) \| ", line.strip("| "))
        if line.startswith("| `") and f"`{op}`" in re.sub(r"\(.*", "", cells[0]):
            ops = re.findall(r"`(\w+)`", re.sub(r"\(.*", "", cells[0]))
            values = re.split(r", (?=its|√|Σ)", cells[1]) if len(ops) > 1 else [cells[1]]
            value = values[ops.index(op) % len(values)]
            if value == "its root":
                value = f"√({values[0]})"
            if value.startswith("|") or not re.search(r"[A-Z√Σ|-]|^n$", value):
                return None  # nothing, or words, which the sentence above has, too
            used = [] if re.search("[a-z]{3}", value) else dict.fromkeys(re.findall("[SQ][xy]|[SQPnk]", value))
            said = "; ".join(f"{x} is {LETTERS[x][FACTS[op].inputs - 1]}" for x in used if LETTERS[x][FACTS[op].inputs - 1])
            return value + (f", where {said}" if said else "")
    return None


def header_of(op):
    return f"onefold/core/op/{op}.hpp"


# The C name of each answer type, and how to print it.
C_TYPES = {"f64": ("double", "%.17g", ""), "i64": ("int64_t", "%lld", "(long long)"), "bool": ("uint8_t", "%d", "")}


def c_example(op, names, lists):
    dtype = answer_type(op, "f64")
    name, form, cast = C_TYPES[dtype]
    out = ["## From C", "", "```c", "#include <onefold/onefold.h>", "#include <stdio.h>", "", "int main(void) {"]
    out += [f"  const double {n}[] = {{{v}}};" for n, v in zip(names, lists)]
    out += ["  const int64_t n = 8;"]
    out += [f"  const onefold_array {a} = {{.data = {n}, .dtype = ONEFOLD_F64, .rank = 1, .shape = &n}};"
            for a, n in zip("ab", names)]
    second = "&b" if len(names) == 2 else "NULL"
    return out + [f"  {name} answer;",
                  f"  const onefold_output out = {{.data = &answer, .dtype = ONEFOLD_{dtype.upper()}}};",
                  f'  if (onefold_fold_into(&out, 1, "{op}", &a, {second}, NULL) != ONEFOLD_OK) {{',
                  "    puts(onefold_message());", "    return 1;", "  }",
                  f'  printf("{form}\\n", {cast}answer);', "}", "```", ""]


def aggregates():
    """{op: its aggregates in SQL}: the table of every engine."""
    rows = re.findall(r'AGGREGATE\((\w+), "(\w+)", "(\d)"', (ROOT / "engines/aggregates.h").read_text())
    found = {}
    for name, op, ddof in rows:
        found.setdefault(op, []).append(f"`exact_{name}`" + (f" (ddof {ddof})" if ddof != "0" else ""))
    return found


def page(op, program, refused):
    facts, says = FACTS[op], claims(op)
    names = ["x", "y"][:facts.inputs]
    about = {"type": "Type of the answer", "empty": "No elements", "NaN": "NaN",
             "exact": "Rounding", "raises": "Errors", "cost": "Cost"}
    out = [f"# {op}", "", f"{facts.idea}, exact and rounded once.", "", "| | |", "|---|---|"]
    if formula_of(op):
        out.append(f"| Formula | {formula_of(op)} |")
    out += [f"| {title} | {says[word].replace('|', chr(92) + '|')} |"
            for word, title in about.items() if word in says]
    may = ["axes", "`where`", "`nan`", "`dtype`", *[text for fact, text in [
        (facts.uses_ddof, "`ddof`"), (facts.takes_initial, "`initial`"),
        (facts.takes_weights, "`weights`"), (facts.inputs == 1, "`fweights`")] if fact]]
    out += [f"| Takes | {', '.join(may)} |",
            f"| Depends on where elements stand | {'yes' if facts.uses_index else 'no'} |",
            f"| Defined in | [{op}.hpp](../../{header_of(op)}) |", ""]
    value = getattr(onefold, op)(*[X, Y][:facts.inputs])
    lists = [", ".join(map(str, values)) for values in (X, Y)]
    command, answer = shell(program, op)
    assert float({"true": 1, "false": 0}.get(answer, answer)) == float(value), (op, answer, value)
    out += ["## From Python", "", "```python"]
    out += [f">>> {n} = [{v}]" for n, v in zip(names, lists)]
    out += [f">>> onefold.{op}({', '.join(names)})",
            printed(value), "```", "", "## From the command line", "", "```console"]
    out += [f"$ printf '%s\\n' {v.replace(',', '')} > {n}.txt" for n, v in zip(names, lists)]
    out += [f"$ {command}", answer, "```", "", "## From C++", "", "```cpp", "#include <cstdio>",
            "#include <onefold/onefold.hpp>", "#include <vector>", "", "int main() {"]
    out += [f"  const std::vector<double> {n}{{{v}}};" for n, v in zip(names, lists)]
    call = f"onefold::{op}({', '.join(names)})"
    out += [f'  std::printf("%.17g\\n", static_cast<double>({call}));', "}", "```", "",
            *c_example(op, names, lists), "## Types", "", "| elements | " + " | ".join(TYPES) + " |", "|---" * (len(TYPES) + 1) + "|",
            "| answer | " + " | ".join(answer_type(op, t) for t in TYPES) + " |", "",
            "## Where it can be asked for", "", "| | types of elements |", "|---|---|"]
    for place in (*PLACES, "a GPU"):
        types = types_of(op, place, refused)
        why = f": {why_not(op, 'f64', place)}" if types == "no" and place in PLACES else ""
        out.append(f"| {place} | {'all' if types == 'yes' else types}{why} |")
    out.append(f"| [engines of SQL](../../docs/engines.md) | {', '.join(aggregates().get(op, ['no']))} |")
    out += ["", "All ops in one table: [support](README.md). The rules of NaN, zeros and empty slices: "
            "[numerics](../../docs/numerics.md)."]
    return "\n".join(out) + "\n"


def matrix(refused):
    out = ["# Ops, types and places", "",
           "Made by asking: for each cell an array was folded, or refused, while this page was made.", "",
           "## The type of the answer, by the type of the elements", "",
           "| op | what it is | " + " | ".join(TYPES) + " |", "|---" * (len(TYPES) + 2) + "|"]
    for op in sorted(FACTS):
        out.append(f"| [{op}]({op}.md) | {FACTS[op].idea} | " +
                   " | ".join(answer_type(op, t) for t in TYPES) + " |")
    places = (*PLACES, "a GPU")
    out += ["", "## Where an op can be asked for", "",
            "`yes`: for elements of every type. The page of an op says why not.", ""]
    if refused is None:
        out += ["GPUs were not asked, for neither a driver nor the simulated one was there.", ""]
    out += ["| op | " + " | ".join(places) + " | [engines](../../docs/engines.md) |", "|---" * (len(places) + 2) + "|"]
    for op in sorted(FACTS):
        out.append(f"| [{op}]({op}.md) | " + " | ".join(types_of(op, p, refused) for p in places) +
                   f" | {'yes' if op in aggregates() else 'no'} |")
    out += ["", "What needs a device's kernels to be compiled, what waits and what is queued: "
            "[GPUs](../../docs/gpu.md). Errors: [the table](../../docs/errors.md)."]
    return "\n".join(out) + "\n"


def pages(program):
    refused = on_a_device(program)
    made = {f"reference/ops/{op}.md": page(op, program, refused) for op in sorted(FACTS)}
    made["reference/ops/README.md"] = matrix(refused)
    return made


if __name__ == "__main__":
    import sys
    for where, text in pages(sys.argv[1]).items():
        print("=====", where)
        print(text)
