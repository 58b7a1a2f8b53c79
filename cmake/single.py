"""Makes single/onefold_exact.hpp: joins the headers that exact sums are made of (docs/single.md).

usage: python3 cmake/single.py [--check]
    --check  writes nothing; fails if the file is not what the headers give

All names are in an inline namespace of the file's version, so a program may use the library and one or
several versions of the file, each in source files of their own.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
MADE = ROOT / "single/onefold_exact.hpp"
HEADERS = ["onefold/core/single/exact_sum.hpp", "onefold/core/single/exact_dot.hpp"]
TABLE = "onefold/core/dtype.def"
# What only the library uses. (The one file defines this name, so a compiler would leave it out, too.)
OTHERS = re.compile(r"^#if !defined\(ONEFOLD_EXACT_HPP\).*?^#endif\n", re.MULTILINE | re.DOTALL)
MACROS = ["ONEFOLD_FN", "ONEFOLD_INT128", "ONEFOLD_COLD", "ONEFOLD_ROLLED", "ONEFOLD_APART", "ONEFOLD_DTYPES"]

version = re.search(r'"(.*)"', (ROOT / "onefold/version.hpp").read_text())[1]
opened = f"inline namespace file_{version.replace('.', '_')} {{"


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
    licence = "\n".join(("// " + line).rstrip() for line in (ROOT / "LICENSE").read_text().splitlines())
    example = (ROOT / "single/example.cpp").read_text()
    example = "\n".join(("//   " + line).rstrip() for line in example[example.index("#include"):].splitlines())
    undefined = "\n".join(f"#undef {macro}" for macro in MACROS)
    return f"""\
// onefold_exact.hpp {version}: exact sums, rounded once, in one file. C++17; host, CUDA and NVRTC.
// Made by cmake/single.py of Onefold; change the headers that it joins instead.
//
{licence}
//
// An example; g++ -std=c++17 example.cpp
//
{example}
#ifndef ONEFOLD_EXACT_HPP
#define ONEFOLD_EXACT_HPP
#define ONEFOLD_EXACT_VERSION "{version}"

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
if made.count("\n") > 3000:
    sys.exit("single: the file has more than 3,000 lines")
if "--check" in sys.argv:
    if not MADE.exists() or MADE.read_text() != made:
        sys.exit("single/onefold_exact.hpp is not what its headers give; make single")
else:
    MADE.write_text(made)
