"""Makes single/onefold_exact.hpp: joins the headers that exact sums are made of (docs/single.md).

usage: python3 cmake/single.py [--check]
    --check  writes nothing; fails if the file is not what the headers give

All names are in an inline namespace of the file's version and of the compiler's target, so a program may use
the library, several versions of the file and several sets of -m flags, each in source files of their own.
"""

import hashlib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
MADE = ROOT / "single/onefold_exact.hpp"
HEADERS = ["onefold/core/single/exact_sum.hpp", "onefold/core/single/exact_dot.hpp"]
TABLE = "onefold/core/dtype.def"
# What only the library uses. (The one file defines this name, so a compiler would leave it out, too.)
OTHERS = re.compile(r"^#if !defined\(ONEFOLD_EXACT_HPP\).*?^#endif\n", re.MULTILINE | re.DOTALL)
MACROS = ["ONEFOLD_FN", "ONEFOLD_INT128", "ONEFOLD_COLD", "ONEFOLD_ROLLED", "ONEFOLD_APART", "ONEFOLD_DTYPES",
          "ONEFOLD_EXACT_NAMESPACE", "ONEFOLD_1", "ONEFOLD_SECOND", "ONEFOLD_EXPANDED", "ONEFOLD_IS_ONE",
          "ONEFOLD_PASTED", "ONEFOLD_ON", "ONEFOLD_JOINED", "ONEFOLD_JOIN", "ONEFOLD_INLINE_NAME",
          "ONEFOLD_TARGET_1", "ONEFOLD_TARGET_2", "ONEFOLD_TARGET_3"]

# Names that headers of platforms define as macros: Status of X11, round(x) and word(x) of Arduino.
RENAMED = {r"\bStatus\b": "Outcome", r"\bround\(": "round_real(", r"\bword(?=\(| = \[)": "word_at"}
# Instruction sets that a compiler may use in the functions, by the macros that are 1 with them.
TARGETS = {
    "defined(__x86_64__) || defined(__i386__) || defined(_M_X64) || defined(_M_IX86)": [
        "__SSE__", "__SSE2__", "__SSE3__", "__SSSE3__", "__SSE4_1__", "__SSE4_2__", "__POPCNT__", "__LZCNT__",
        "__BMI__", "__BMI2__", "__MOVBE__", "__ADX__", "__F16C__", "__AVX__", "__FMA__", "__FMA4__",
        "__XOP__", "__TBM__", "__AVX2__", "__AVX512F__", "__AVX512CD__", "__AVX512BW__", "__AVX512DQ__", "__AVX512VL__",
        "__AVX512IFMA__", "__AVX512VBMI__", "__AVX512VBMI2__", "__AVX512VNNI__", "__AVX512BITALG__",
        "__AVX512VPOPCNTDQ__", "__APX_F__", "__AVXVNNI__"],
    "1": [
        "__ARM_FEATURE_SVE", "__ARM_FEATURE_SVE2", "__ARM_FEATURE_DOTPROD", "__ARM_FEATURE_FP16_VECTOR_ARITHMETIC",
        "__ARM_NEON", "__riscv_vector", "__VSX__", "__wasm_simd128__"]}

version = re.search(r'"(.*)"', (ROOT / "onefold/version.hpp").read_text())[1]
opened = "inline namespace ONEFOLD_EXACT_NAMESPACE {"


def joined(name, done):
    """Returns the lines of a header, with what it includes in the place of its includes."""
    if name in done:
        return []
    done.add(name)
    lines, about = [], []  # about: the comment on top, which goes behind the includes
    for line in OTHERS.sub("", (ROOT / name).read_text()).splitlines():
        include = re.fullmatch(r'#include "(.*)"', line)
        begin = re.fullmatch(r"namespace onefold(?:::(\w+))? \{", line)
        end = re.fullmatch(r"\}  // namespace onefold(?:::(\w+))?", line)
        if about is not None and line.startswith("//"):
            about.append(line)
            continue
        if about is not None and line not in ("", "#pragma once") and not include:
            lines += ["", *about, ""]
            about = None
        if include and include[1].endswith(".def"):
            lines.append("ONEFOLD_" + pathlib.Path(include[1]).stem.upper() + "S")
        elif include:
            lines += joined(include[1], done)
        elif begin:
            lines += ["namespace onefold {", opened] + ([f"namespace {begin[1]} {{"] if begin[1] else [])
        elif end:
            lines += ([f"}}  // namespace {end[1]}"] if end[1] else []) + ["}", "}  // namespace onefold"]
        elif line != "#pragma once":
            lines.append(line)
    return lines


def defined(name):
    """Returns the lines of a .def file as a macro, which takes their place."""
    rows = [x for x in (ROOT / name).read_text().splitlines() if not x.startswith("//")]
    return f"#define ONEFOLD_{pathlib.Path(name).stem.upper()}S \\\n  " + " \\\n  ".join(rows)


def named_by_target():
    """Returns the lines that define ONEFOLD_EXACT_NAMESPACE: a digit for each instruction set, 1 if it is on."""
    file = f"file_{version.replace('.', '_')}"
    lines = [f"""\
// The inline namespace of all names. It has a digit for each instruction set that the compiler may
// use, so source files with different -m flags share no function: a linker would keep one of the
// two. Device code and its host code must agree on names, so these have no digits. A name of your
// own replaces this one.
#if !defined(ONEFOLD_EXACT_NAMESPACE)
#define ONEFOLD_1 0,
#define ONEFOLD_SECOND(a, b, ...) b
#define ONEFOLD_EXPANDED(x) x
#define ONEFOLD_IS_ONE(first) ONEFOLD_EXPANDED(ONEFOLD_SECOND(first 1, 0, 0))
#define ONEFOLD_PASTED(v) ONEFOLD_IS_ONE(ONEFOLD_##v)
#define ONEFOLD_ON(v) ONEFOLD_PASTED(v)
#define ONEFOLD_JOINED(a, b, c, d, e, f, g, h, i) a##b##c##d##e##f##g##h##i
#define ONEFOLD_JOIN(a, b, c, d, e, f, g, h, i) ONEFOLD_JOINED(a, b, c, d, e, f, g, h, i)
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define ONEFOLD_INLINE_NAME {file}_
#else
#define ONEFOLD_INLINE_NAME {file}_no_exceptions_
#endif
#if defined(__CUDACC__) || defined(__HIP__)
#define ONEFOLD_EXACT_NAMESPACE {file}"""]
    for condition, macros in TARGETS.items():
        lines.append("#else" if condition == "1" else f"#elif {condition}")
        before = "ONEFOLD_INLINE_NAME"
        eights = [macros[k:k + 8] for k in range(0, len(macros), 8)]
        for k, eight in enumerate(eights, 1):
            name = "ONEFOLD_EXACT_NAMESPACE" if k == len(eights) else f"ONEFOLD_TARGET_{k}"
            digits = [f"ONEFOLD_ON({m})" for m in eight]
            rows = [", ".join(digits[i:i + 2]) for i in range(0, 8, 2)]
            lines.append(f"#define {name} \\\n  ONEFOLD_JOIN({before}, \\\n    " + ", \\\n    ".join(rows) + ")")
            before = name
    return "\n".join([*lines, "#endif", "#endif"])


def text():
    done = set()
    body = "\n".join(line for name in HEADERS for line in joined(name, done))
    # One header's end and the next one's begin.
    between = r"\}\n\}  // namespace onefold\n((?:\n|//.*\n)*)namespace onefold \{\n" + re.escape(opened)
    body = re.sub(between, r"\1", body)
    body = re.sub(r"\n{3,}", "\n\n", body).strip("\n")
    # NVRTC's integers, which a program may define itself, are those of the namespace only.
    integers = re.search(r"(?:using u?int\d+_t = [a-z ]+;\n)+", body)[0]
    body = body.replace(integers, f"namespace onefold {{\n{opened}\n{integers}}}\n}}  // namespace onefold\n")
    for name, other in RENAMED.items():
        body = re.sub(name, other, body)
    body = f"{named_by_target()}\n\n{body}"
    origin = re.search(r'^Homepage = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)[1]
    revision = hashlib.sha256((defined(TABLE) + body).encode()).hexdigest()[:16]
    licence = "\n".join(("// " + line).rstrip() for line in (ROOT / "LICENSE").read_text().splitlines())
    example = (ROOT / "single/example.cpp").read_text()
    example = "\n".join(("//   " + line).rstrip() for line in example[example.index("#include"):].splitlines())
    undefined = "\n".join(f"#undef {macro}" for macro in MACROS)
    return f"""\
// onefold_exact.hpp {version}: exact sums, rounded once, in one file. C++17; host, CUDA and NVRTC.
// Made by cmake/single.py of Onefold; change the headers that it joins instead.
//
//   origin    {origin}, single/onefold_exact.hpp
//   revision  {revision} (of the code's SHA-256): git log -S {revision} finds its commit
//
{licence}
//
// An example; g++ -std=c++17 example.cpp
//
{example}
#ifndef ONEFOLD_EXACT_HPP
#define ONEFOLD_EXACT_HPP
#define ONEFOLD_EXACT_VERSION "{version}"
#define ONEFOLD_EXACT_REVISION "{revision}"

#if defined(ONEFOLD_FN)
#error "a source file includes either onefold_exact.hpp or the headers of the library"
#endif
#if defined(_MSVC_LANG)
#if _MSVC_LANG < 201703L
#error "onefold_exact.hpp needs C++17: /std:c++17"
#endif
#elif __cplusplus < 201703L
#error "onefold_exact.hpp needs C++17: -std=c++17"
#endif

{defined(TABLE)}

{body}

{undefined}
#endif  // ONEFOLD_EXACT_HPP
"""


made = text()
if made.count("\n") > 3300:
    sys.exit("single: the file has more than 3,300 lines")
if "--check" in sys.argv:
    if not MADE.exists() or MADE.read_text() != made:
        sys.exit("single/onefold_exact.hpp is not what its headers give; make single")
else:
    MADE.write_text(made)
