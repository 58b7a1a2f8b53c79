"""The accumulators of languages/rust, go and npm, which are written by docs/format.md alone: their own tests, the judge of
conformance, and states exchanged with the vectors of the format and with its reference in Python."""

import json
import math
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
LANGUAGES = ROOT / "languages"
sys.path.insert(0, str(ROOT / "docs"))
import format_reference  # noqa: E402

KINDS = {"sum": ("sum", "tally"), "var": ("sum", "sumsq", "tally"), "dot": ("dot",)}
FORMS = {"f64": "d", "f32": "f", "i8": "b", "i32": "i", "i64": "q", "u16": "H", "u64": "Q"}


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=500, **more)
    assert done.returncode == 0, done.stdout
    return done.stdout


def program(name, *elsewhere):
    found = shutil.which(name, path=os.pathsep.join([os.environ["PATH"], *elsewhere]))
    return found or pytest.skip(f"there is no {name}")


class Language:
    """A language's own tests, and its program that answers questions of the judge, and about saved states."""

    def __init__(self, name, folder):
        self.name = name
        getattr(self, name)(folder)

    def rust(self, folder):
        cargo = program("cargo", os.path.expanduser("~/.cargo/bin"))
        if tuple(map(int, re.findall(r"\d+", run(cargo, "--version"))[:2])) < (1, 81):
            pytest.skip("cargo is older than 1.81")
        options = {"cwd": LANGUAGES / "rust", "env": {**os.environ, "CARGO_TARGET_DIR": str(folder)}}
        self.test = lambda: run(cargo, "test", "-q", "--offline", **options)
        self.types, self.kinds = FORMS, KINDS
        run(cargo, "test", "-q", "--offline", "--no-run", **options)  # builds examples, too, and all with checks of overflow
        self.judge = [str(folder / "debug/examples/judge")]

        def example(where, code):
            (where / "src").mkdir()
            (where / "src/main.rs").write_text(code)
            (where / "Cargo.toml").write_text('[package]\nname = "readme"\nversion = "0.0.0"\nedition = "2021"\n'
                                              f'[dependencies]\nonefold-exact = {{ path = "{LANGUAGES / "rust"}" }}\n')
            return run(cargo, "run", "-q", "--offline", **{**options, "cwd": where})
        self.example = example

    def go(self, folder):
        go = program("go")
        options = {"cwd": LANGUAGES / "go", "env": {**os.environ, "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOCACHE": str(folder / "cache")}}
        self.test = lambda: run(go, "vet", "./...", **options) + run(go, "test", "-count=1", "./...", **options)
        self.types, self.kinds = FORMS, KINDS
        run(go, "build", "-o", folder / "judge", "./cmd/judge", **options)
        self.judge = [str(folder / "judge")]

        def example(where, code):
            module = re.search(r"^module (.*)$", (LANGUAGES / "go/go.mod").read_text(), re.M)[1]
            (where / "main.go").write_text(code)
            (where / "go.mod").write_text(f"module readme\n\ngo 1.19\n\nrequire {module} v0.0.0\n\nreplace {module} => {LANGUAGES / 'go'}\n")
            return run(go, "run", ".", **{**options, "cwd": where})
        self.example = example

    def npm(self, folder):
        node, _, _ = program("node"), program("wasm-ld"), program("clang++")
        run("sh", LANGUAGES / "npm/build.sh", folder)
        deno = shutil.which("deno", path=os.pathsep.join([os.environ["PATH"], os.path.dirname(sys.executable)]))  # has Math.sumPrecise
        tests, environment = LANGUAGES / "npm/test/test.mjs", {**os.environ, "ONEFOLD_NPM": str(folder)}
        self.test = lambda: [run(*words, tests, env=environment) for words in ([node, "--test"], [deno, "test", "-A"]) if words[0]]
        self.types, self.kinds, self.folder = ["f64"], ["sum"], folder

        def example(where, code):
            (where / "node_modules").mkdir()
            shutil.copytree(folder, where / "node_modules/onefold-exact")
            (where / "readme.mjs").write_text(code)
            return run(node, where / "readme.mjs")
        self.example = example
        self.judge = [node, str(LANGUAGES / "npm/test/judge.mjs"), str(folder)]

    def readme(self, folder):
        text = (LANGUAGES / self.name / "README.md").read_text()
        assert len(text.splitlines()) <= 60
        code, output = re.search(r"^```(?:rust|go|js)\n(.*?)^```\nprints\n```text\n(.*?)^```$", text, re.M | re.S).groups()
        assert self.example(folder, code) == output

    def answers(self, questions):
        lines = run(*self.judge, input="".join(json.dumps(question) + "\n" for question in questions)).splitlines()
        assert len(lines) == len(questions)
        return lines


@pytest.fixture(scope="module", params=["rust", "go", "npm"])
def language(request, tmp_path_factory):
    return Language(request.param, tmp_path_factory.mktemp(request.param))


def test_own_tests_pass(language):
    language.test()


def test_readme_prints_what_it_says(language, tmp_path):
    language.readme(tmp_path)


def test_judge_finds_every_promise_kept(language):
    said = run(sys.executable, "-B", ROOT / "conformance/judge.py", "--program", " ".join(language.judge))
    verdicts = re.findall(r"^  \S.*?  +(\S.*)$", said, re.M)
    assert len(verdicts) == 12 and set(verdicts) <= {"yes", "-"}, said


def held(data):
    """(type, kind) of a saved state that these accumulators read, else None."""
    state = format_reference.State.load(data)
    for kind, names in KINDS.items():
        if tuple(state.words) == names and (state.nan, state.indexed, state.whole) == ("propagate", 0, None):
            return state.dtype, kind
    return None


def test_vectors_of_the_format_are_read_and_written(language):
    questions, wanted = [], []
    for vector in json.loads((ROOT / "tests/format/vectors.json").read_text())["vectors"]:
        if "bytes" not in vector or vector["bytes"].startswith(b"1folds".hex()):
            continue
        try:
            is_for = None if "refused" in vector else held(bytes.fromhex(vector["bytes"]))
        except ValueError:
            is_for = None
        for dtype in language.types:
            for kind in language.kinds:
                questions.append({"op": "state", "type": dtype, "kind": kind, "bytes": vector["bytes"]})
                wanted.append("bytes " + vector["bytes"] if is_for == (dtype, kind) else "refused")
    answers = language.answers(questions)
    assert [a if a.startswith("bytes") else a.split()[0] for a in answers] == wanted
    assert sum(answer != "refused" for answer in wanted) >= (20 if len(language.types) > 1 else 3)


def elements(rng, dtype, n):
    """Elements of random bits, or of few exponents, some of them special."""
    form, size = FORMS[dtype], struct.calcsize(FORMS[dtype])
    x = [struct.unpack(form, rng.randbytes(size))[0] for _ in range(n)]
    if dtype in ("f64", "f32") and rng.random() < 0.9:
        x = [v if math.isfinite(v) else -0.0 for v in x]
        if rng.random() < 0.5:
            x = [struct.unpack(form, struct.pack(form, rng.choice([rng.gauss(0, 1), 2.0 ** -rng.randrange(130), -0.0])))[0] for _ in x]
    return x


def texts(x):
    return [str(v) if isinstance(v, int) or not math.isfinite(v) else v.hex() for v in x]


def bits(dtype, x):
    return [int.from_bytes(struct.pack("<" + FORMS[dtype], v), "little") for v in x]


def reference(dtype, kind, x, y=None):
    """The state of elements or pairs, as docs/format.md says it and docs/format_reference.py writes it."""
    state, counted = format_reference.State(dtype), [0] * 5  # NaN, 0 * inf, +inf, -inf, flag
    x = [format_reference.decode(dtype, v) for v in bits(dtype, x)]
    y = [format_reference.decode(dtype, v) for v in bits(dtype, y)] if kind == "dot" else [None] * len(x)
    total = squares = 0
    for a, b in zip(x, y):
        pair = [a] if b is None else [a, b]
        zeros, infinite = any(v in (0, "-0") for v in pair), any(v in ("+inf", "-inf") for v in pair)
        negative = sum(v in ("-0", "-inf") or (not isinstance(v, str) and v < 0) for v in pair) % 2
        if "nan" in pair:
            counted[0] += 1
            continue
        counted[4] = int(counted[4] or (dtype[0] == "f" and not (zeros and negative and not infinite)))
        if infinite:
            counted[1 if zeros else 2 + negative] += 1
        else:
            total += math.prod(0 if v == "-0" else v for v in pair)
            squares += (0 if a == "-0" else a) ** 2
    tally = [len(x), *counted]
    state.count = len(x)
    state.words = {"dot": [total, *tally]} if kind == "dot" else {
        "sum": [total], **({"sumsq": [squares]} if kind == "var" else {}), "tally": tally[:2] + tally[3:]}
    return state


def test_states_are_those_of_the_reference(language):
    rng = random.Random(78)
    questions, wanted = [], []
    for dtype in language.types:
        for kind in language.kinds:
            for _ in range(40):
                x, y = (elements(rng, dtype, n) for n in [rng.choice([0, 1, 3, 40, 300])] * 2)
                more = {"y": texts(y)} if kind == "dot" else {}
                tree = texts(x) if more else [texts(x[:1]), texts(x[1:])]
                questions.append({"op": "state", "type": dtype, "kind": kind, "x": tree, **more})
                wanted.append(reference(dtype, kind, x, y if more else None))
    answers = language.answers(questions)
    for question, answer, state in zip(questions, answers, wanted, strict=True):
        assert answer == "bytes " + state.save().hex(), question
    answers = language.answers([{**q, "op": {"sum": "mean", "var": "std", "dot": "dot"}[q["kind"]], "bytes": a.split()[1]}
                                for q, a in zip(questions, answers)])
    for question, answer, state in zip(questions, answers, wanted, strict=True):
        op = {"sum": "mean", "var": "std", "dot": "dot"}[question["kind"]]
        dtype, status, want = state.answer(op, **({"ddof": 1} if op == "std" else {}))
        if status != "ok":
            assert answer.startswith("refused"), question
        elif dtype in ("i64", "u64"):
            assert int(answer.split()[1]) % 2**64 == want, question
        else:
            assert bits(dtype, [float.fromhex(answer.split()[1])]) == [want] and answer.startswith(dtype), question


def test_parts_are_removed_again(language):
    rng = random.Random(79)
    questions, wanted = [], []
    for kind in language.kinds:
        for _ in range(60):
            x, y = elements(rng, "f64", rng.randrange(60)), elements(rng, "f64", 60)
            cut = rng.randrange(len(x) + 1)
            all_, first, rest = (reference("f64", kind, v, w) for v, w in ((x, y), (x[:cut], y[:cut]), (x[cut:], y[cut:])))
            for op, a, b, result in (("remove", all_, first, rest), ("merge", first, rest, all_)):
                questions.append({"op": op, "type": "f64", "kind": kind, "bytes": a.save().hex(), "part": b.save().hex()})
                wanted.append("bytes " + result.save().hex())
    for question, answer, want in zip(questions, language.answers(questions), wanted, strict=True):
        zero = answer.endswith("only -0")
        assert answer == want or (zero and question["op"] == "remove"), question


def test_npm_package_lists_what_it_needs(tmp_path):
    program("npm")
    package = Language("npm", tmp_path)
    packed = json.loads(run("npm", "pack", "--dry-run", "--json", "--silent", cwd=package.folder))[0]
    assert sorted(file["path"] for file in packed["files"]) == [
        "LICENSE", "README.md", "exact_sum.wasm", "index.d.ts", "index.mjs", "package.json", "wasm.mjs"]
