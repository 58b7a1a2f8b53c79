#!/usr/bin/env python3
"""Makes the folder of a release: release.py [PART ...] (make release).

Builds what this machine can build, builds sdist, wheel and archives twice and compares their bytes, tries each artefact, and writes
build/publish: the artefacts, SHA256SUMS, NOTES.md (the tag's text, from CHANGELOG.md), recipes/ with the sdist's hash, and
RESULT.md, which says of each artefact how it was tried, and of each that is missing why. Nothing is uploaded.

PARTS are wheel, free, single, rust, go, npm, deb, deb_arm64, aarch64, musl, musl_aarch64 and lab; without one, all. Those left out are listed as not asked for.
"""

import gzip
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
OUT = ROOT / "build/publish"
VERSION = re.search(r'ONEFOLD_VERSION "(.+)"', (ROOT / "onefold/version.hpp").read_text())[1]
PARTS = ("wheel", "free", "single", "rust", "go", "npm", "deb", "deb_arm64", "aarch64", "musl", "musl_aarch64", "lab")
# What no part makes, and why.
NEVER = [
    ("wheels for macOS and Windows", "onefold/system calls Linux: docs/platforms.md"),
    ("packages by packaging/'s recipes", "packaging/try-recipes.sh tries those whose tools are here"),
    ("uploads to crates.io and npm, a tag for Go's proxy", "nothing is uploaded; names and an address come first"),
]


class Missing(Exception):
    """Why a part cannot be made here."""


def run(*words, **keywords):
    environment = {**os.environ, **keywords.pop("env", {})}
    print("+", *words, flush=True)
    if subprocess.run([str(word) for word in words], cwd=keywords.pop("cwd", ROOT), env=environment, **keywords).returncode != 0:
        raise Missing(f"`{' '.join(map(str, words))}` failed")


def said_by(*words, **keywords):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True, **keywords).stdout


def need(*programs):
    lacking = [program for program in programs if not shutil.which(program)]
    if lacking:
        raise Missing(f"{', '.join(lacking)} is not installed here")


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def notes(version=VERSION, text=None):
    """The section of a version in CHANGELOG.md, without its heading."""
    text = (ROOT / "CHANGELOG.md").read_text() if text is None else text
    section = re.search(rf"^## {re.escape(version)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    if not section:
        raise SystemExit(f"release.py: CHANGELOG.md has no section {version}")
    return section[1].strip() + "\n"


def archive(files, folder, epoch):
    """The bytes of a .tar.gz that depend on the files' names and contents, and on the epoch only."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=epoch, filename="") as stream, tarfile.open(fileobj=stream, mode="w") as tar:
        for path in sorted(files):
            one = tarfile.TarInfo(f"{folder}/{path.relative_to(ROOT)}")
            data = path.read_bytes()
            one.size, one.mtime, one.mode = len(data), epoch, 0o644
            tar.addfile(one, io.BytesIO(data))
    return packed.getvalue()


# Each part returns rows of RESULT.md: artefact, whether two builds had the same bytes, how it was tried.

def wheel():
    for folder in ("dist", "dist-again"):
        run("cmake/wheel.sh", f"build/{folder}", stdout=subprocess.DEVNULL)
    first, again = (sorted((ROOT / "build" / folder).glob("onefold-*")) for folder in ("dist", "dist-again"))
    differ = [a.name for a, b in zip(first, again, strict=True) if a.name != b.name or sha256(a) != sha256(b)]
    if differ:
        raise Missing(f"two builds differ: {', '.join(differ)}")
    examples = " ".join(f"python/tests/test_documents.py::test_examples[{page}]" for page in ("README.md", "docs/start/tour.md"))
    run("cmake/test-wheel.sh", env={"NEEDS": "numpy pytest", "TESTS": examples})
    for path in first:
        shutil.copy2(path, OUT)
    built = next(path for path in first if path.suffix == ".whl")
    inside = zipfile.ZipFile(built).namelist()
    if not any(name.endswith(".dist-info/sboms/onefold.cdx.json") for name in inside):
        raise Missing("the wheel has no bill of materials")
    pythons = sorted(p.name for p in (ROOT / "build/wheel-test").glob("3.*"))
    return [(f"onefold-{VERSION}.tar.gz", "yes", "the wheel is built from it elsewhere, without network"),
            (built.name, "yes", f"README's examples in fresh environments of CPython {', '.join(pythons)}")]


def free():
    pythons = [name for name in ("python3.13t", "python3.14t") if shutil.which(name)]
    if not pythons:
        raise Missing("python3.13t and python3.14t are not installed here")
    rows = []
    for python in pythons:
        run("cmake/free-threaded-wheel.sh", python)
        path = next((ROOT / "build/free/dist").glob("*.whl"))
        shutil.copy2(path, OUT)
        rows.append((path.name, "not compared", f"README's examples, tests of threads, and tests of arrays by 8 threads of one process, in {python}"))
    return rows


def single():
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    rows = []
    for name, files in (("single", [*(ROOT / "single").glob("*.hpp"), *(ROOT / "single").glob("*.cuh"), ROOT / "LICENSE",
                                    ROOT / "docs/single.md", ROOT / "docs/block.md"]),
                        ("conformance", [p for p in (ROOT / "conformance").rglob("*")
                                         if p.is_file() and "__pycache__" not in p.parts] + [ROOT / "LICENSE"])):
        first, again = (archive(files, f"onefold-{name}-{VERSION}", epoch) for _ in range(2))
        path = OUT / f"onefold-{name}-{VERSION}.tar.gz"
        path.write_bytes(first)
        with tempfile.TemporaryDirectory() as folder:
            shutil.unpack_archive(path, folder)
            top = pathlib.Path(folder) / f"onefold-{name}-{VERSION}"
            if name == "single":
                program = re.search(r"^```cpp run\n(.*?)^```.*?^```text\n(.*?)^```", (top / "docs/single.md").read_text(), re.M | re.S)
                (top / "a.cpp").write_text(program[1])
                run(os.environ.get("CXX", "c++"), "-std=c++17", "-I", top / "single", top / "a.cpp", "-o", top / "a")
                if said_by(top / "a") != program[2]:
                    raise Missing("the example of docs/single.md prints something else")
                tried = "the example of docs/single.md, compiled as C++17 with nothing else"
            else:
                run(sys.executable, "-B", top / "conformance/judge.py", "math_fsum", cwd=folder, stdout=subprocess.DEVNULL)
                tried = "the judge, on math.fsum"
        rows.append((path.name, "yes" if first == again else "NO", tried))
    return rows


def language(name, *command, env=()):
    """The archive of languages/NAME with what its tests read, tried by a command in its folder."""
    need(command[0])
    files = said_by("git", "-c", f"safe.directory={ROOT}", "-C", ROOT, "ls-files", f"languages/{name}", "conformance/vectors", "LICENSE")
    paths = [ROOT / line for line in files.splitlines()]
    first, again = (archive(paths, f"onefold-{name}-{VERSION}", int(os.environ["SOURCE_DATE_EPOCH"])) for _ in range(2))
    path = OUT / f"onefold-{name}-{VERSION}.tar.gz"
    path.write_bytes(first)
    with tempfile.TemporaryDirectory() as folder:
        shutil.unpack_archive(path, folder)
        run(*command, cwd=f"{folder}/onefold-{name}-{VERSION}/languages/{name}", env=dict(env))
    return [(path.name, "yes" if first == again else "NO", f"`{' '.join(command)}` in the archive, with the vectors of conformance")]


def rust():
    os.environ["PATH"] += os.pathsep + os.path.expanduser("~/.cargo/bin")
    return language("rust", "cargo", "test", "--quiet", "--offline")


def go():
    return language("go", "go", "test", "./...", env={"GOPROXY": "off"})


def npm_package(make, test, variable):
    """The package for npm of the folder that make(folder) fills, packed twice, unpacked, and tried by a test in Node."""
    need("node", "npm")
    with tempfile.TemporaryDirectory() as folder:
        packed = []
        for name in ("first", "again"):
            make(f"{folder}/{name}")
            packed.append(pathlib.Path(folder) / name / said_by("npm", "pack", "--silent", cwd=f"{folder}/{name}").strip())
        shutil.copy2(packed[0], OUT)
        shutil.unpack_archive(packed[0], folder)
        run("node", "--test", test, env={variable: f"{folder}/package"}, stdout=subprocess.DEVNULL)
        return packed[0].name, sha256(packed[0]) == sha256(packed[1])


def npm():
    need("clang++", "wasm-ld")
    name, same = npm_package(lambda folder: run("sh", "languages/npm/build.sh", folder), "languages/npm/test/test.mjs", "ONEFOLD_NPM")
    return [(name, "yes" if same else "NO", "its tests in Node, with the vectors of conformance")]


def deb(architecture="amd64", emulator=()):
    need("dpkg-buildpackage", "lintian", *emulator)
    run("cmake/debian.sh", architecture)
    packages = sorted((ROOT / "build/debian" / architecture).glob("*.deb"))
    with tempfile.TemporaryDirectory() as folder:
        for path in packages:
            run("dpkg-deb", "-x", path, folder)
        if said_by(*emulator, f"{folder}/usr/bin/onefold", "sum", input="1e308 1e308 -1e308") != "1e+308\n":
            raise Missing("the program of the package answers something else")
        pages = len(list(pathlib.Path(folder).glob("usr/share/man/man1/onefold*.1.gz")))
    tried = f"132,000 folds of the golden hash; lintian; the program, unpacked, with {pages} manual pages"
    if emulator:
        tried += ", under qemu-user; no plugin for MPI is in it"
    elif shutil.which("mmdebstrap") and os.geteuid() == 0:
        run("packaging/try-debs.sh", *packages)
        tried += "; installed in a new root of Debian 12, where C and C++ programs use them"
    for path in packages:
        shutil.copy2(path, OUT)
    return [(path.name, "not compared", tried) for path in packages]


def deb_arm64():
    return deb("arm64", ("qemu-aarch64-static",))


def aarch64():
    need("aarch64-linux-gnu-g++", "qemu-aarch64-static")
    run("cmake/aarch64-wheel.sh")
    path = next((ROOT / "build/aarch64/dist").glob("*.whl"))
    shutil.copy2(path, OUT)
    return [(path.name, "not compared", "README's examples under qemu-user")]


def musl(target="x86_64-linux-musl", python=None):
    if python is None:
        pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
        python = next(map(str, sorted(pyenv.glob("versions/3.1[2-9].*/bin/python3"))), shutil.which("python3.12") or "")
    flags = os.environ.get("FLAGS", "-O2 -DNDEBUG -fno-sanitize=all")
    run("cmake/musl-test.sh", target, env={"FLAGS": flags, "PYTHON": python})
    path = OUT / f"onefold-{VERSION}-{target}"
    shutil.copy2(ROOT / "build" / target / "onefold", path)
    rows = [(path.name, "not compared", f"compiled with `{flags}`; golden hash, laws, files; it is static, and loads no codecs, HDF5 or CUDA")]
    if python:
        wheel = next((ROOT / "build" / target / "dist").glob("*.whl"))
        shutil.copy2(wheel, OUT)
        tried = "README's examples and tests of arrays" if os.environ.get("MUSL_PYTHON") else "not run: MUSL_PYTHON names no Python"
        rows.append((wheel.name, "not compared", f"which libraries it needs; {tried}"))
    return rows


def musl_aarch64():
    need("qemu-aarch64-static")
    return [(*row[:2], f"{row[2]}; under qemu-user") for row in musl("aarch64-linux-musl", python="")]


def lab():
    need("em++")
    run("make", "--no-print-directory", "lab-page")
    page = ROOT / "build/release/lab.html"
    path = OUT / f"onefold-lab-{VERSION}.html"
    shutil.copy2(page, path)

    def make(folder):
        os.mkdir(folder)
        for source in (page, ROOT / "lab/browser/npm/package.json", ROOT / "lab/browser/npm/README.md", ROOT / "LICENSE"):
            shutil.copy(source, folder)

    package, same = npm_package(make, "lab/browser/npm/test.mjs", "ONEFOLD_LAB")
    return [(path.name, "not compared", "the tests LabPage of `make test` run it in Node and Chromium"),
            (package, "yes, of one page" if same else "NO", "in Node: all kernels of its ladder, a race that it must find")]


def recipes():
    """Copies of the recipes with the hashes of the sdist."""
    source = OUT / f"onefold-{VERSION}.tar.gz"
    if not source.exists():
        return
    data = source.read_bytes()
    for path in sorted((ROOT / "packaging").glob("[!._]*/[!._]*")):
        text = path.read_text().replace("0" * 64, hashlib.sha256(data).hexdigest()).replace('"0" * 64', f'"{hashlib.sha256(data).hexdigest()}"')
        text = text.replace("SHA512 0)", f"SHA512 {hashlib.sha512(data).hexdigest()})")
        target = OUT / "recipes" / path.parent.name / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def sums(folder):
    """A line of sha256sum for each artefact, also those whose names do not begin with ours, such as libonefold1."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.suffix != ".md")
    return "".join(f"{sha256(path)}  {path.name}\n" for path in files)


def main():
    asked = sys.argv[1:] or list(PARTS)
    unknown = set(asked) - set(PARTS)
    if unknown:
        sys.exit(f"release.py: no part is called {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    git = ["git", "-c", f"safe.directory={ROOT}", "-C", ROOT]
    commit = said_by(*git, "log", "-1", "--format=%H %ct").split()
    os.environ.setdefault("SOURCE_DATE_EPOCH", commit[1])
    changed = said_by(*git, "status", "--porcelain").strip()
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    made, missing = [], list(NEVER)
    for part in PARTS:
        if part not in asked:
            missing.append((part, "not asked for"))
            continue
        try:
            made += globals()[part]()
        except Missing as why:
            missing.append((part, str(why)))
    recipes()
    (OUT / "SHA256SUMS").write_text(sums(OUT))
    (OUT / "NOTES.md").write_text(notes())
    lines = [f"# Onefold {VERSION}", "", f"Commit {commit[0]}{', with changes that are not committed' if changed else ''}.", "",
             "| artefact | bytes | two builds have the same bytes | tried |", "|---|---|---|---|"]
    lines += [f"| {name} | {(OUT / name).stat().st_size:,} | {same} | {tried} |" for name, same, tried in made]
    lines += ["", "| not built | why |", "|---|---|", *(f"| {name} | {why} |" for name, why in missing), ""]
    (OUT / "RESULT.md").write_text("\n".join(lines))
    print("\n".join(lines))
    if subprocess.run([sys.executable, "-B", ROOT / "packaging/address.py"], stdout=subprocess.DEVNULL).returncode != 0:
        print("The address of the project is not known yet: packaging/address.py writes it, before anything is published.")
    failed = [name for name, why in missing if why != "not asked for" and name in PARTS]
    sys.exit(f"release.py: not built: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
