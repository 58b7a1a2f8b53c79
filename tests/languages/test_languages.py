"""Fortran, R and Julia on the installed library for C: the output of their pages, and common
mistakes."""

import os
import pathlib
import re
import shutil
import struct
import subprocess
from fractions import Fraction

import pytest

ROOT = pathlib.Path(__file__).parents[2]
BUILD = pathlib.Path(os.environ["ONEFOLD_BUILD"])
FORTRAN = ROOT / "languages/fortran"


def run(*words, fails=False, **more):
    done = subprocess.run([str(w) for w in words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=300, **more)
    assert (done.returncode != 0) == fails, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """The library as it is installed, found by pkg-config."""
    prefix = tmp_path_factory.mktemp("prefix")
    (prefix / "lib/pkgconfig").mkdir(parents=True)
    for file in BUILD.glob("libonefold.so*"):
        shutil.copy(file, prefix / "lib", follow_symlinks=False)
    libdir = re.search(r"^libdir=\$\{prefix\}/(.+)$", (BUILD / "onefold.pc").read_text(), re.M)[1]
    if libdir != "lib":
        pytest.skip(f"libraries are installed in {libdir}")
    shutil.copy(BUILD / "onefold.pc", prefix / "lib/pkgconfig")
    shutil.copytree(ROOT / "onefold", prefix / "include/onefold", ignore=shutil.ignore_patterns("*.cpp"))
    return {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig"), "LD_LIBRARY_PATH": str(prefix / "lib"),
            "LIBRARY_PATH": str(prefix / "lib"), "C_INCLUDE_PATH": str(prefix / "include"), "LC_ALL": "C"}


def examples(page):
    """(program, what it prints) of each block that runs."""
    text = (ROOT / "docs/start" / page).read_text()
    found = re.findall(r"^```\w+ run\n(.*?)^```\nprints\n```text\n(.*?)^```$", text, re.M | re.S)
    assert len(found) == len(re.findall(r"^```\w+ run$", text, re.M)) >= 3
    return found


@pytest.fixture(scope="module")
def fortran(environment, tmp_path_factory):
    if not shutil.which("gfortran"):
        pytest.skip("there is no gfortran; apt-get install gfortran")
    folder = tmp_path_factory.mktemp("fortran")
    run("cc", "-c", "-Wall", "-Wextra", "-Werror", FORTRAN / "describe.c", cwd=folder, env=environment)

    def build(program, *flags, compiler="gfortran"):
        (folder / "program.F90").write_text(program)
        run(compiler, *flags, "-std=f2018", "-fcheck=all", "-o", folder / "program", FORTRAN / "onefold_c.f90",
            FORTRAN / "onefold.f90", FORTRAN / "shr_reprosum_mod.F90", folder / "program.F90", folder / "describe.o", "-lonefold", cwd=folder,
            env=environment)
        return folder / "program"

    return build


def test_fortran_prints_what_its_page_says(fortran, environment):
    for program, output in examples("fortran.md"):
        assert run(fortran(program), env=environment) == output


def test_fortran_takes_every_type_and_says_what_is_wrong(fortran, environment):
    said = run(fortran("""
program wrong
  use onefold
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env
  integer :: code
  real(real64) :: s, two(2), m(2, 2) = 1
  print "(8f6.1)", fold("sum", [1_int8, 2_int8]), fold("sum", [1_int16]), fold("sum", [1_int32]), &
    fold("sum", [9007199254740993_int64, -9007199254740992_int64]), fold("sum", [1.5_real32]), fold("sum", [1.5_real64]), &
    fold("count_nonzero", [.true._c_bool, .false._c_bool]), fold("sum", 7)
  m(2, 1) = 5
  call fold_dim(two, "argmax", m, 1)
  print "(2f6.1)", two
  call fold_dim(two, "sum", m, 3, code=code)
  print "(i0,1x,a)", code, onefold_message()
  call fold_dim(two, "sum", m, 0, code=code)
  print "(i0)", code
  s = fold("sum", (1., 2.), code=code)
  print "(i0,1x,a)", code, onefold_message()
  s = fold("max", [real ::], code=code)
  print "(i0)", code
  s = fold("nope", [1d0])
end program
"""), env=environment, fails=True)
    lines = said.splitlines()
    assert lines[0].split() == ["3.0", "1.0", "1.0", "1.0", "1.5", "1.5", "1.0", "7.0"]
    assert lines[1].split() == ["2.0", "1.0"]
    assert lines[2] == "4 dim is 3, and x has 2 dimensions" and lines[3] == "4"
    assert lines[4].startswith("6 x has a type that cannot be folded; give integers") and lines[5] == "22"
    assert 'ERROR STOP no op is called "nope"' in said


def test_fortran_says_what_is_wrong_in_its_own_names(fortran, environment):
    said = run(fortran("""
program wrong
  use onefold
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env
  implicit none
  integer :: code
  real(real64) :: v, a(2, 3, 4) = 1, few(2), out(2, 4), none(2, 0)
  real(real64), allocatable :: never(:)
  logical(c_bool) :: mask(3, 2, 4) = .true.
  type(onefold_state) :: s, nothing
  v = fold("sum", a, mask=mask, code=code)
  call say
  v = fold("sum", a, mask=a, code=code)
  call say
  v = fold("dot", a, a(:, :, 2:), code=code)
  call say
  v = fold("sum", a, nan=17, code=code)
  call say
  v = fold("var", a, ddof=2d63, code=code)
  call say
  v = fold("sum", never, code=code)
  call say
  call fold_dim(few, "sum", a, 2, code=code)
  call say
  call fold_dim(out, "sum", a, 4, code=code)
  call say
  call fold_dim(out, "sum,mean", a, 2, code=code)
  call say
  call fold_dim(few, "max", none, 2, code=code)
  call say
  v = nothing%answer("sum", code=code)
  call say
  call s%gather("mean", [5d0])
  call s%merge(nothing, code=code)
  call say
  call s%load([integer(int8) :: 1, 2, 3], code=code)
  call say
  call s%gather("nope", [5d0], code=code)
  print "(i0,f5.1)", code, s%answer("mean")           ! what fails leaves the state as it was
  call s%gather("argmax", [1d0, 2d0])
  call nothing%gather("argmax", [3d0])
  call s%merge(nothing, code=code)
  call say
  call nothing%gather("argmax", [3d0], first=3_int64)
  call s%merge(nothing)
  print "(2f5.1,f9.6)", s%answer("argmax"), fold("sum", [real ::]), fold("var", [1, 2, 4], ddof=0.5d0)
contains
  subroutine say
    print "(i0,1x,a)", code, onefold_message()
  end subroutine
end program
"""), env=environment)
    empty = "2 the state is empty; gather or load it first"
    assert said.splitlines() == [
        "5 mask has shape (3,2,4); it must be (2,3,4)", "6 mask is not logical(c_bool)", "5 y has shape (2,3,3); it must be (2,3,4)",
        "2 nan is not one of onefold_propagate, onefold_omit, onefold_raise", "2 ddof is not a finite number below 2**63",
        "2 x is not allocated", "5 answers has shape (2); it must be (2,4)", "4 dim is 4, and x has 3 dimensions",
        "2 op names several ops; give one", "22 max: there is nothing to fold, and this op is undefined for no elements", empty, empty,
        "9 load: these bytes are not a state saved by this version", "3  5.0",
        "8 merge: both states cover the elements from 0 to 0; gather each part with the index of its first element (first)",
        "  3.0  0.0 1.866667"]


def test_sums_of_fields_are_the_same_for_any_number_of_tasks(fortran, environment):
    program = (ROOT / "tests/languages/fields.F90").read_text()
    alone = run(fortran(program), env=environment)
    exact = [sum(((i * 7919) % 10007 - 5003) << ((i * (31 + f)) % 90) for i in range(1, 30001)) for f in (1, 2, 3)]
    assert [int(word, 16) for word in alone.split()[:3]] == [
        int.from_bytes(struct.pack(">d", float(Fraction(e, 2**45))), "big") for e in exact]
    assert alone.split()[3:] == ["T", "T"]
    wrong = program.replace("x(first:last, :)", "x(first:last, :) / 0", 1)
    assert "NaN or infinite" in run(fortran(wrong), env=environment, fails=True)
    if not shutil.which("mpifort") or not shutil.which("mpiexec"):
        pytest.skip("there is no mpifort")
    built = fortran(program, "-DONEFOLD_MPI", compiler="mpifort")
    for tasks in (1, 2, 3, 5):
        assert run("mpiexec", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "btl", "self,vader",
                   "--mca", "btl_vader_single_copy_mechanism", "none", "-n", tasks, built, env=environment) == alone


@pytest.fixture(scope="module")
def r(environment, tmp_path_factory):
    if not shutil.which("R"):
        pytest.skip("there is no R; apt-get install r-base-core")
    folder = tmp_path_factory.mktemp("r")
    shutil.copytree(ROOT / "languages/r", folder / "onefold")
    (folder / "library").mkdir()
    said = run("R", "CMD", "INSTALL", "-l", folder / "library", folder / "onefold", env=environment)
    assert "warning" not in said.lower(), said
    environment = {**environment, "R_LIBS": str(folder / "library")}

    def script(text):
        (folder / "script.R").write_text(text)
        return run("Rscript", folder / "script.R", env=environment)

    return script


def test_r_prints_what_its_page_says(r):
    for program, output in examples("r.md"):
        assert r(program) == output


def test_r_takes_dimensions_types_and_missing_values(r):
    r("""
library(onefold)
set.seed(35)
a <- array(runif(24), c(2, 3, 4))
for (margin in list(1, 2, 3, c(1, 3), c(2, 3)))
  stopifnot(all.equal(fold("sum", a, margin = margin), apply(a, margin, sum)))
stopifnot(fold("argmax", a) == which.max(a), fold("argmax", a, margin = 2) == apply(a, 2, which.max))
stopifnot(identical(fold("any", c(FALSE, TRUE)), TRUE), fold("sum", c(TRUE, TRUE, NA), na.rm = TRUE) == 2)
stopifnot(fold("sum", .Machine$integer.max + c(0L, -1L)) == 2 * .Machine$integer.max - 1)
frame <- data.frame(a = 1:2, b = c(.5, NA))
stopifnot(fold("sum", as.matrix(frame), na.rm = TRUE) == 3.5, fold("sum", as.numeric(as.character(factor(c("10", "20"))))) == 30)
stopifnot(is.nan(fold("sum", c(1, NA))), fold("dot", 1:3, c(1.5, 2, 3)) == 14.5)
for (wrong in expression(fold("sum", factor("a")), fold("sum", 1i), fold("sum", 1:2, margin = 2), fold("nope", 1),
                         fold("dot", 1:3, 1:2), fold("sum", 1:2, where = NA), fold("sum", 1:2, where = TRUE),
                         load_state(raw(9)), answer(gather("sum", 1), "max"), answer(1, "sum"),
                         fold("sum", structure(1, class = "integer64"))))
  stopifnot(inherits(try(eval(wrong), silent = TRUE), "try-error"))
stopifnot(identical(save_state(merge_states(gather("var", 1:2), gather("var", c(NA, 3)))),
                    save_state(gather("var", c(1, 2, NA, 3)))))
""")


def test_r_refuses_what_has_no_meaning(r):
    said = r("""
library(onefold)
m <- matrix(c(1, 2, 3, 4, 5, 6), nrow = 2)
s <- gather("mean", c(1, 2))
for (wrong in expression(
    fold("sum", m, margin = 1.5), fold("sum", m, margin = NA), fold("sum", m, margin = "1"),
    fold("sum", m, where = matrix(TRUE, 3, 2)), fold("sum", m, where = rep(TRUE, 6)), fold("dot", m, 1:6),
    fold("sum", 1, na.rm = 1), fold("sum", 1, na.rm = NULL), fold("var", 1:4, ddof = c(1, 2)), fold("var", 1:4, ddof = NULL),
    fold("var", 1:4, ddof = "1"), fold("var", 1:4, ddof = 1e300),
    fold("sum", factor(c("10", "20"))), fold("sum", data.frame(a = 1)), fold("sum", Sys.Date()),
    fold("", 1), fold(character(0), 1), fold(NA_character_, 1), fold(c("mean", ""), 1), fold(c("sum", "sum"), 1), gather("", 1),
    answer(s, c("mean", "sum")), answer(s, NULL), answer(s, ""), gather("argmax", 1, first = 0),
    merge_states(gather("argmax", 1), gather("argmax", 2))))
  cat(tryCatch({ eval(wrong); "TAKEN" }, error = conditionMessage), "\\n")
stopifnot(fold("var", c(1, 2, 3, 5), ddof = 0.5) == 8.75 / 3.5)
all <- merge_states(gather("argmax", c(1, 2)), gather("argmax", c(9, 0), first = 3))
stopifnot(answer(all, "argmax") == 3, identical(fold("sum", array(1:3), where = c(TRUE, FALSE, TRUE)), 4))
""").splitlines()
    margin, where = "margin: give dimensions to keep, in ascending order, of 1 to 2", "where: its shape is {}, and that of x 2 x 3"
    ops, ddof = 'op: give names of ops, such as "sum"', "ddof: give one number"
    assert [line.rstrip() for line in said] == [
        margin, margin, margin, where.format("3 x 2"), where.format("6"), "y: its shape is 6, and that of x 2 x 3",
        "na.rm: give TRUE or FALSE", "na.rm: give TRUE or FALSE", ddof, ddof, ddof, "ddof 1e+300 is not a decimal below 2^63 of at most 9 significant digits and 9 places, or a multiple of 2^-29, such as 1 or 0.1; round it to one",
        "x: an object of class factor; a factor has codes; for values that its levels spell, give as.numeric(as.character(x))",
        "x: an object of class data.frame; give a column, or as.matrix(x) of columns of numbers",
        "x: an object of class Date; give its numbers, such as as.numeric(x)",
        ops + "; one is empty", ops, ops, ops + "; one is empty", '"sum,sum" names sum twice; write each op once', ops + "; one is empty",
        "op: give one name; there are 2", ops, ops + "; one is empty", "first: give the index of the first element, 1 or more",
        "merge: both states cover the elements from 0 to 0; gather each part with the index of its first element (first)"]


def test_julia_passes_its_own_tests(environment):
    if not shutil.which("julia"):
        pytest.skip("there is no Julia; languages/julia/test.jl has not run")
    run("julia", ROOT / "languages/julia/test.jl", env=environment)


def test_structures_are_those_of_the_header_in_julia():
    header = re.sub(r"/\*.*?\*/", "", (ROOT / "onefold/onefold.h").read_text(), flags=re.S)
    julia = (ROOT / "languages/julia/Onefold.jl").read_text()
    scalars = {"int32_t": "Int32", "int64_t": "Int64", "uint64_t": "UInt64", "uint8_t": "UInt8", "size_t": "Csize_t",
               "char": "UInt8", "void": "Cvoid", "onefold_array": "CArray", "onefold_value": "CValue"}
    for name in ("array", "output", "value", "options"):
        body = re.search(rf"typedef struct onefold_{name} {{(.*?)}}", header, re.S)[1]
        wanted = []
        for line in filter(None, (line.strip() for line in body.split(";"))):
            kind, names = re.fullmatch(r"(?:const )?(\w+)(\*? .+|\* .+)", line).groups()
            pointer = names.startswith("*")
            for field in names.lstrip("*").split(","):
                star = pointer or "*" in field
                wanted.append((field.strip(" *"), f"Ptr{{{scalars[kind]}}}" if star else scalars[kind]))
        fields = re.search(rf"struct C{name.capitalize()}\n(.*?)end", julia, re.S)[1]
        found = [tuple(f.strip().split("::")) for f in fields.strip().splitlines()]
        assert [(n.rstrip("_"), t) for n, t in found] == wanted, name
    numbers = re.search(r"typedef enum onefold_dtype {(.*?)}", header, re.S)[1].replace("= 1", "").split(",")
    names = {"I": "Int", "U": "UInt", "F": "Float"}
    for number, word in enumerate((n.strip().removeprefix("ONEFOLD_") for n in numbers), 1):
        if word != "BF16":
            wanted = "Bool" if word == "BOOL" else names[word[0]] + word[1:]
            assert re.search(rf"\b{wanted} => {number}\b", julia), word
    assert set(re.findall(r":(onefold_\w+), library", julia)) <= set(re.findall(r"\b(onefold_\w+)\(", header))
