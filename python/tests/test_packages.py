"""Packages: one version, complete sources, the same bytes twice, few libraries."""

import hashlib
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

import pytest

import onefold

ROOT = pathlib.Path(__file__).parents[2]
PROGRAM = os.environ.get("ONEFOLD_PROGRAM")


RECIPES = {"aur/PKGBUILD": r"^pkgver=(.+)", "conan/conanfile.py": r'^    version = "(.+)"', "duckdb/description.yml": "^  version: (.+)",
           "homebrew/onefold.rb": "^  url .*/v(.+)/", "nix/flake.nix": 'version = "(.+)";', "rpm/onefold.spec": r"^Version: +(.+)",
           "spack/package.py": r'^    version\("(.+?)"', "vcpkg/vcpkg.json": '"version": "(.+)"',
           **{f"../{folder}/package.json": '^  "version": "(.+)"' for folder in ("languages/npm", "lab/browser/npm")},
           "../languages/rust/Cargo.toml": '^version = "(.+)"'}


def read(name):
    return (ROOT / name).read_text()


def found(pattern, name):
    match = re.search(pattern, read(name), re.M)
    assert match, f"{name} lacks {pattern}"
    return match[1]


def test_every_package_has_the_version_of_the_header():
    version = found(r'ONEFOLD_VERSION "(.+)"', "onefold/version.hpp")
    assert onefold.__version__ == version
    assert found(r"project\(onefold VERSION (\S+)", "CMakeLists.txt") == version
    assert found(r"^version: (.+)", "CITATION.cff") == version
    assert found(r"^onefold \((.+)-1\) ", "debian/changelog") == version
    assert found(r'^  version: "(.+)"', "packaging/conda/recipe.yaml") == version
    for name, pattern in RECIPES.items():
        assert found(pattern, f"packaging/{name}") == version
    assert version.startswith(found(r"default_version = '(.+)'", "engines/postgres/onefold.control") + ".")


def sdist(folder):
    done = subprocess.run([sys.executable, "-c", "import sys, scikit_build_core.build as b; b.build_sdist(sys.argv[1])", folder],
                          cwd=ROOT, env={**os.environ, "SOURCE_DATE_EPOCH": "1750000000"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return next(folder.iterdir())


def test_the_sdist_has_every_source_and_the_same_bytes_twice(tmp_path):
    pytest.importorskip("scikit_build_core")
    (tmp_path / "a").mkdir(), (tmp_path / "b").mkdir()
    first, second = sdist(tmp_path / "a"), sdist(tmp_path / "b")
    assert hashlib.sha256(first.read_bytes()).digest() == hashlib.sha256(second.read_bytes()).digest()
    assert first.stat().st_size < 5e6
    with tarfile.open(first) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    assert {"LICENSE", "NOTICES", "PKG-INFO", "onefold/capi/onefold.map"} <= names
    if (ROOT / ".git").exists():
        tracked = subprocess.run(["git", "-c", f"safe.directory={ROOT}", "ls-files"], cwd=ROOT, capture_output=True,
                                 text=True, check=True).stdout.splitlines()
        missing = {name for name in tracked if (ROOT / name).exists()} - names
        assert not [name for name in missing if not name.startswith((".ci/", ".github/", "debian/"))]


def test_package_indexes_get_a_readme_whose_links_work_there(tmp_path):
    pytest.importorskip("scikit_build_core")
    script = "import sys, scikit_build_core.build as b; b.prepare_metadata_for_build_wheel(sys.argv[1])"
    done = subprocess.run([sys.executable, "-B", "-c", script, tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    text = next(tmp_path.glob("*/METADATA")).read_text()
    home = found(r'^Homepage = "(.+)"', "pyproject.toml")
    targets = re.findall(r"\]\(([^)]+)\)", text)
    assert len(targets) == len(re.findall(r"\]\(([^)]+)\)", read("README.md")))
    for target in targets:
        kind, path = re.fullmatch(rf"{home}/(raw|blob)/main/([^#]+)(?:#.*)?", target).groups()
        assert (ROOT / path).exists() and (kind == "raw") == path.endswith((".svg", ".png")), target


def test_the_module_needs_no_library_but_those_of_every_linux_and_one_with_a_licence():
    if not shutil.which("readelf"):
        pytest.skip("no readelf")
    said = subprocess.run(["readelf", "-d", onefold._core.__file__], capture_output=True, text=True, check=True).stdout
    needed = set(re.findall(r"NEEDED.*\[(.+)\]", said))
    everywhere = {"libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6", "ld-linux-x86-64.so.2"}
    licences = {"libtbb": "oneTBB"}  # what a wheel carries, and its row of NOTICES
    carried = {name.split("-")[0].split(".so")[0] for name in needed - everywhere}
    assert carried <= set(licences)
    assert all(f"| {licences[name]}" in read("NOTICES") for name in carried)


def test_an_installed_program_finds_plugins_in_the_folder_of_its_libraries(tmp_path):
    if not PROGRAM:
        pytest.skip("ONEFOLD_PROGRAM names no program")
    cache = pathlib.Path(PROGRAM).parent / "CMakeCache.txt"
    lib = re.search(r"^CMAKE_INSTALL_LIBDIR:PATH=(.+)$", cache.read_text(), re.M) if cache.exists() else None
    if not lib:
        pytest.skip("the program is in no build tree")
    (tmp_path / "bin").mkdir()
    plugin = tmp_path / lib[1] / "onefold/onefold_arrow.so"
    plugin.parent.mkdir(parents=True)
    plugin.write_text("")  # cannot be loaded, and the program says what it tried
    program = shutil.copy(PROGRAM, tmp_path / "bin/onefold")
    environment = {k: v for k, v in os.environ.items() if k != "ONEFOLD_ARROW_PLUGIN"}
    said = subprocess.run([program, "info"], capture_output=True, text=True, check=True, env=environment).stdout
    assert f"{lib[1]}/onefold/onefold_arrow.so: file too short" in said


def test_debian_builds_with_what_make_demo_installs():
    installs = found(r"^packages=\(([^)]*)\)", "cmake/install-packages.sh").split()
    needs = found(r"^Build-Depends: ((?:.*\n)(?: .*\n)*)", "debian/control")
    needs = {re.sub(r"[(<].*[)>]", "", word).strip() for word in needs.replace("\n", " ").split(",")}
    assert set(installs) - {"g++"} <= needs  # g++ is build-essential
    assert needs - set(installs) == {"debhelper-compat", "libopenmpi-dev"}
    cross = {name.removesuffix(":arm64") for name in found(r"^  debian-arm64\) packages=\(([^)]*)\)", "cmake/install-packages.sh").split()}
    assert needs - {"debhelper-compat", "libopenmpi-dev"} <= cross  # two architectures' packages of MPI exclude each other


def test_every_file_of_a_package_is_one_that_cmake_installs():
    installed = read("cmake/install.cmake") + read("debian/rules")
    packages = re.findall(r"^Package: (.+)$", read("debian/control"), re.M)
    assert sorted(p.stem for p in (ROOT / "debian").glob("*.install")) == sorted(packages)
    assert "CMAKE_INSTALL_LIBDIR}/onefold)" in installed and "usr/lib/*/onefold\n" in read("debian/onefold.install")
    soversion = found(r"SOVERSION (\d+)", "cmake/c-library.cmake")
    assert f"libonefold{soversion}" in packages
    assert read(f"debian/libonefold{soversion}.symbols").startswith(f"libonefold.so.{soversion} libonefold{soversion} ")
    assert found(r"^(\w+) \{", "onefold/capi/onefold.map") in read(f"debian/libonefold{soversion}.symbols")


def test_packages_recommend_what_the_program_loads_for_compressed_files():
    loaded = {name for path in (ROOT / "onefold/io/codec").glob("*.cpp")
              for name in re.findall(r'SharedLibrary library\("(\w+)\.so', path.read_text())}
    packages = {"libz": ("zlib1g", "zlib"), "libzstd": ("libzstd1", "libzstd"), "liblzma": ("liblzma5", "xz-libs"),
                "libbz2": ("libbz2-1.0", "bzip2-libs")}
    assert loaded == set(packages)
    assert found("^Recommends: (.+)", "debian/control").split(", ") == [debian for debian, _ in packages.values()]
    assert set(re.findall("^Recommends: +(.+)", read("packaging/rpm/onefold.spec"), re.M)) == {fedora for _, fedora in packages.values()}


def test_the_recipes_that_are_said_to_have_run_are_those_that_the_script_runs():
    rows = re.findall(r"^\| \[[^]]+\]\((\w+)/\S+\) \| ([^|]+) \|", read("packaging/README.md"), re.M)
    functions = set(re.findall(r"^(\w+)\(\) \{", read("packaging/try-recipes.sh"), re.M)) - {"recipe", "program", "library"}
    assert {folder for folder, run in rows if run.split(":")[0] != "no"} == functions
    assert {folder for folder, _ in rows} == {path.parent.name for path in (ROOT / "packaging").glob("[!._]*/[!._]*")}


def workflows():
    yaml = pytest.importorskip("yaml")
    return {path.name: yaml.safe_load(path.read_text()) for path in (ROOT / ".github/workflows").glob("*.yml")}


def test_workflows_call_what_is_there():
    targets = set(found(r"^\.PHONY: ((?:.*\\\n)*.*)", "Makefile").replace("\\\n", " ").split())
    for name, workflow in workflows().items():
        assert "it has not run yet" in re.sub(r"\n# ", " ", read(f".github/workflows/{name}").lower()), name
        for job, says in workflow["jobs"].items():
            assert "uses" in says or says["steps"], (name, job)
            if says.get("uses"):
                assert (ROOT / says["uses"]).is_file()
            for line in (step.get("run", "") for step in says.get("steps", [])):
                assert set(re.findall(r"\bmake ([\w-]+)", line)) - {"install"} <= targets, line
                assert all((ROOT / path).exists() for path in re.findall(r"(?<!\S)\.ci/\S+", line))


def test_workflows_name_what_they_run_by_hashes_and_may_read_only():
    for name, workflow in workflows().items():
        assert workflow["permissions"] == {"contents": "read"}, name
        for uses in re.findall(r"uses: (\S+)", read(f".github/workflows/{name}")):
            assert uses.startswith("./") or re.search("@[0-9a-f]{40}$", uses), uses
        for job, says in workflow["jobs"].items():
            more = {what for what, how in says.get("permissions", {}).items() if how == "write"}
            # Signing in elsewhere and publishing need a person's approval, which an environment asks for.
            assert more <= ({"id-token", "pages"} if "environment" in says else {"security-events"}), (name, job)


def test_the_bill_of_materials_has_the_rows_of_the_notices(tmp_path):
    bills = []
    for name in ("a", "b"):
        subprocess.run([sys.executable, "-B", ROOT / "packaging/sbom.py", tmp_path / name, "Highway=1.0.3"], check=True)
        bills.append((tmp_path / name).read_bytes())
    assert bills[0] == bills[1]
    bill = json.loads(bills[0])
    versions = {one["name"]: one.get("version") for one in bill["components"]}
    assert versions == {"Highway": "1.0.3", "fast_float": None, "JSON for Modern C++": None, "nanobind": None, "oneTBB": None}
    for name in versions:
        assert f"| {name}" in read("NOTICES")


def release():
    spec = importlib.util.spec_from_file_location("release", ROOT / "packaging/release.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_notes_of_a_tag_are_its_section_of_the_changelog():
    notes = release().notes
    assert notes("1.2", "# Changelog\n\n## Unreleased\n\n- later\n\n## 1.2\n\n- a\n- b\n\n## 1.1\n\n- old\n") == "- a\n- b\n"
    assert len(notes().splitlines()) <= 60
    assert f"{len(onefold.ops)} ops" in notes()
    with pytest.raises(SystemExit, match="no section 9.9"):
        notes("9.9")


def test_every_artefact_of_a_release_has_its_hash(tmp_path):
    for name in ("libonefold1_0.1.0-1_amd64.deb", "onefold-0.1.0.tar.gz", "onefold-0.1.0-x86_64-linux-musl", "RESULT.md"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "recipes").mkdir()
    assert [line.split()[1] for line in release().sums(tmp_path).splitlines()] == sorted(
        path.name for path in tmp_path.iterdir() if path.is_file() and path.suffix != ".md")


def test_one_command_writes_the_address_of_the_project_everywhere(tmp_path):
    for name in ("pyproject.toml", "packaging", "debian", "languages/go"):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name)
        elif (ROOT / name).exists():
            shutil.copy(ROOT / name, tmp_path)
    command = [sys.executable, "-B", tmp_path / "packaging/address.py"]
    before = subprocess.run(command, capture_output=True, text=True)
    if before.returncode == 0:
        pytest.skip("the address is known")
    assert "pyproject.toml" in before.stdout.splitlines()
    subprocess.run([*command, "https://github.com/a/b", "c@d.org"], check=True, capture_output=True)
    assert subprocess.run(command, capture_output=True, text=True).stdout == ""
    assert "https://github.com/a/b/releases/download/v$pkgver/" in (tmp_path / "packaging/aur/PKGBUILD").read_text()
    assert "module github.com/a/b/languages/go\n" in (tmp_path / "languages/go/go.mod").read_text()
    assert '"github.com/a/b/languages/go"' in (tmp_path / "languages/go/internal/judge/judge.go").read_text()
    assert "<c@d.org>" in (tmp_path / "packaging/rpm/onefold.spec").read_text()


def test_archives_of_a_release_have_the_same_bytes_twice():
    files = [ROOT / "LICENSE", ROOT / "NOTICES"]
    assert release().archive(files, "a", 1750000000) == release().archive(files[::-1], "a", 1750000000)


def test_the_conda_recipe_needs_what_cmake_finds():
    yaml = pytest.importorskip("yaml")
    recipe = yaml.safe_load(read("packaging/conda/recipe.yaml"))
    host = " ".join(recipe["requirements"]["host"])
    for need in re.findall(r'"([\w-]+)', found(r"^requires = (.*)$", "pyproject.toml")):
        assert need in host
    assert recipe["about"]["license_file"] == ["LICENSE", "NOTICES"]


LINUX = r"\b(prctl|memfd_create|posix_fadvise|O_DIRECT|renameat2|MADV_HUGEPAGE|f?statfs|dl_iterate_phdr|sched_getaffinity|pipe2|mremap|fallocate)\b *(?=[(,)])|(/proc/[\w/]+)"


def texts(*folders):
    return {str(p.relative_to(ROOT)): p.read_text() for folder in folders for p in sorted((ROOT / folder).rglob("*"))
            if p.suffix in (".cpp", ".hpp", ".inl", ".h")}


def test_calls_of_linux_are_those_of_the_page():
    listed = {file: set(re.findall(r"`([^`]+)`", calls)) for file, calls in
              re.findall(r"^\| `([\w/]+\.[ch]pp)` \| (.+) \|$", read("docs/platforms.md"), re.M)}
    called = {}
    for file, text in texts("onefold", "cli", "lab").items():
        calls = {a or b for a, b in re.findall(LINUX, re.sub(r"//.*|#include.*", "", text))}
        if calls:
            called[file] = calls
    assert listed == called
