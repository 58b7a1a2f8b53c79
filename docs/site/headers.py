"""The C++ reference: what the public headers declare, with the comments above it.

tree-sitter finds the declarations, so no list of them is kept here.
"""

import pathlib
import re

import tree_sitter
import tree_sitter_cpp

ROOT = pathlib.Path(__file__).parents[2]
PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))
BODIES = ("compound_statement", "field_initializer_list")
# Macros of ours in front of functions, which the grammar does not know.
QUALIFIERS = re.compile(rb"\bONEFOLD_(FN|HOST|KERNEL)\b[ ]?")


def public_headers():
    folder = ROOT / "onefold"
    return sorted([*folder.glob("*.hpp"), *folder.glob("core/*.hpp"), *folder.glob("*.h")])


def entries(name, text):
    """The arguments of each call of a macro."""
    calls = re.findall(rf"\b{name}\(((?:[^()\"]|\"[^\"]*\"|\([^()]*\))*)\)", text)
    return [[a.strip() for a in re.findall(r'(?:"[^"]*"|[^,])+', call)] for call in calls]


def listed(include):
    """The lines of a list that headers include: a file, or the names of a folder."""
    made = re.fullmatch(r"onefold/generated/(\w+)\.list", include)
    if made:
        files = sorted((ROOT / "onefold/core" / made[1]).glob("*.hpp"))
        return "\n".join(f"ONEFOLD_ENTRY({f.stem})" for f in files)
    path = ROOT / include
    return re.sub(r"//.*", "", path.read_text()) if path.exists() else ""


MACRO = re.compile(r'#define (\w+)\(([\w, ]*)\)((?:[^\n]*\\\n)*[^\n]*)\n'
                   r'((?:#include "[^"]+\.(?:def|list)"\n| *\w+\(\1\)\n?)+)\s*#undef \1\n')


def expanded(text):
    """The text with the lists written out that macros make declarations of."""
    own = {m[1]: (m[2], m[3]) for m in re.finditer(r"#define (\w+)\((\w+)\)((?:[^\n]*\\\n)+[^\n]*)", text)}

    def written(match):
        name, parameters, body, sources = match.groups()
        parameters = [p.strip() for p in parameters.split(",")]
        out = []
        for include, macro in re.findall(r'#include "([^"]+)"|(\w+)\(', sources):
            list_name, lines = (name, listed(include)) if include else own.get(macro, (name, ""))
            for values in entries(list_name, lines):
                line = re.sub(r"\\\n", "\n", body)
                for parameter, value in zip(parameters, values):
                    line = re.sub(rf"(?<!#)#{parameter}\b", lambda _: f'"{value}"', line)
                    line = re.sub(rf"\b{parameter}\b", lambda _: value, line)
                out.append("  " * (not line.strip().endswith(";")) + line.replace("##", "").strip())
        return "\n".join(out) + "\n"

    return MACRO.sub(written, text)


def page_name(path):
    return f"{path.stem}{'_c' if path.suffix == '.h' else ''}.md"


def prose(lines):
    """A comment as Markdown: what is indented is a table of words, which keeps its columns."""
    text, table = [], []
    lines = [line for comment in lines for line in comment.splitlines()]
    for line in [*(re.sub(r"^///? ?|^/\* ?|^ \*/?( |$)| ?\*/$", "", line) for line in lines), ""]:
        if line.startswith("  ") and line.strip():
            table.append(line)
            continue
        if table:
            text += ["", "```text", *table, "```", ""]
            table = []
        text.append(escaped(line))
    return "\n".join(text).strip()


def escaped(line):
    """Words for Markdown; `code` stays as it is."""
    parts = line.split("`")
    for k in range(0, len(parts), 2):
        parts[k] = re.sub(r"([<>*_|\[\]])", r"\\\1", parts[k])
    return "`".join(parts)


def name_of(node):
    """The name that a declaration gives, or nothing."""
    for field in ("name", "declarator"):
        below = node.child_by_field_name(field)
        if below is not None:
            return name_of(below) if below.child_count and field == "declarator" else text_of(below)
    if node.type in ("identifier", "type_identifier", "field_identifier", "operator_name",
                     "destructor_name", "qualified_identifier"):
        return text_of(node)
    for child in node.children:
        if child.type in ("class_specifier", "struct_specifier", "enum_specifier",
                          "function_definition", "declaration", "alias_declaration",
                          "concept_definition", "init_declarator", "function_declarator",
                          "reference_declarator", "pointer_declarator", "requires_clause"):
            if child.type == "requires_clause":
                continue
            found = name_of(child)
            if found:
                return found
    return ""


def text_of(node):
    return node.text.decode()


def cuts(node, out):
    """The parts of a declaration that a reader skips: bodies, and what is private."""
    hidden = False
    for child in node.children:
        if child.type == "access_specifier":
            hidden = text_of(child).startswith("private")
        if hidden and child.type != "}":
            out.append((child.start_byte, child.end_byte, b""))
        elif child.type == "compound_statement":
            out.append((child.start_byte, child.end_byte, b";"))
        elif child.type == "field_initializer_list":
            out.append((child.start_byte, child.end_byte, b""))
        else:
            cuts(child, out)
    return out


def shown(node):
    text, begin = node.text, node.start_byte
    for a, b, instead in sorted(cuts(node, []), reverse=True):
        text = text[:a - begin] + instead + text[b - begin:]
    lines = re.sub(r"\s+;", ";", text.decode()).split("\n")
    margin = " " * node.start_point[1]
    lines = [lines[0].lstrip(), *(line.removeprefix(margin) for line in lines[1:])]
    tidy = [line.rstrip() for k, line in enumerate(lines)
            if line.strip() not in ("", ":", ";") or (line == "" and k and lines[k - 1].strip())]
    code = re.sub(r"\n+\};?$", "\n}", "\n".join(tidy))
    return code if code.endswith(";") else code + ";"


def members_of(node):
    """The names of a class's public functions and fields."""
    body = next((n for n in walk(node) if n.type == "field_declaration_list"), None)
    hidden, names = False, []
    for child in body.children if body else []:
        if child.type == "access_specifier":
            hidden = text_of(child).startswith("private")
        elif not hidden and child.type in ("function_definition", "field_declaration", "declaration",
                                           "template_declaration"):
            names.append(name_of(child))
    return [n for n in dict.fromkeys(names) if n and not n.startswith(("~", "operator"))]


def walk(node):
    yield node
    for child in node.children:
        yield from walk(child)


DECLARATIONS = ("function_definition", "declaration", "template_declaration", "class_specifier",
                "struct_specifier", "enum_specifier", "alias_declaration", "concept_definition",
                "using_declaration", "type_definition")


def declarations(body, space):
    """(name, comment, code, members) of each declaration in namespaces but detail."""
    above, last, ended = [], -2, -1
    for node in body.children:
        beside, ended = node.start_point[0] == ended, node.end_point[0] - (node.end_point[1] == 0)
        if node.type == "comment":
            if beside:  # of what stands before it on its line
                continue
            if node.start_point[0] != last + 1:
                above = []
            above.append(text_of(node))
            last = node.end_point[0]
            continue
        touches = node.start_point[0] == last + 1
        comment, above = (above if touches else []), []
        last = node.end_point[0] if touches or node.type in DECLARATIONS else -2
        if node.type == "namespace_definition":
            name = text_of(node.child_by_field_name("name"))
            if not re.search(r"\bdetail\b", name):
                yield from declarations(node.child_by_field_name("body"), f"{space}{name}::")
        elif node.type in ("preproc_if", "preproc_ifdef", "linkage_specification"):
            yield from declarations(node.child_by_field_name("body") or node, space)
        elif node.type in DECLARATIONS:
            name, code = name_of(node), shown(node)
            if not name or "<" in name or code.startswith("template <>") or "detail::" in code.split("\n")[0]:
                continue
            if node.type == "declaration" and code.count("\n") > 3:  # a value that macros put together
                code = code.split(" =")[0].rstrip(";") + ";"
            yield space + name, comment, code, members_of(node)


def page(path, names):
    """The page of one header; `names` gets what an index needs."""
    source = QUALIFIERS.sub(b"", expanded(path.read_text()).encode())
    tree = PARSER.parse(source).root_node
    opening = []
    for node in tree.children:
        if node.type != "comment":
            break
        opening.append(text_of(node))
    title = path.relative_to(ROOT).as_posix()
    out = [f"# {title}", "", "```cpp", f"#include <{title}>", "```", "", prose(opening), ""]
    heading = ""
    for name, comment, code, members in declarations(tree, ""):
        short = name.removeprefix("onefold::")
        if short != heading:
            out += [f"## {short}", ""]
            heading = short
            anchor = re.sub(r"[^\w -]", "", short.lower()).strip().replace(" ", "-")
            names.append((short, path, anchor))
            names += [(f"{short}::{m}", path, anchor) for m in members]
        out += [prose(comment), "", "```cpp", code, "```", ""]
    return "\n".join(out)


def of_ops(path):
    """Whether a header is of ops and accumulators, not of arrays: what programs include needs no other of these."""
    if path.name in ("array.hpp", "correction.hpp", "dtype.hpp"):
        return False
    return "ONEFOLD_FN" in path.read_text() or path.name in ("mpi_rows.hpp", "op_concept.hpp")


def table_of(headers, made):
    """Headers, with the first sentence of each."""
    rows = ["| header | |", "|---|---|"]
    for path in headers:
        opening = " ".join(made[f"reference/cpp/{page_name(path)}"].split("```")[2].strip().split("\n\n")[0].split())
        sentence = "" if opening.startswith("#") else re.match(r".*?\.(?= |$)|.*", opening)[0]
        rows.append(f"| [`onefold/{path.name}`]({page_name(path)}) | {sentence} |")
    return rows


def pages():
    """{path below the site: text}."""
    names, made = [], {}
    for path in public_headers():
        made[f"reference/cpp/{page_name(path)}"] = page(path, names)
    index = ["# C++: headers and names", "",
             "`#include <onefold/onefold.hpp>` has ops as values and all of `onefold/fold.hpp`. Each page is one header: its",
             "declarations, and the comments that stand above them.", "",
             "## For programs", "", *table_of([p for p in public_headers() if not of_ops(p)], made), "",
             "## For those who add an op", "",
             "Nothing here is part of the [stable interface](../../docs/versions.md).", "",
             *table_of([p for p in public_headers() if of_ops(p)], made), "", "## Every name", "", "| name | header |", "|---|---|"]
    for short, path, anchor in sorted(set(names), key=lambda n: (n[0].lower(), n[1], n[2])):
        index.append(f"| [`{short}`]({page_name(path)}#{anchor}) | `onefold/{path.name}` |")
    made["reference/cpp/README.md"] = "\n".join(index) + "\n"
    return made


if __name__ == "__main__":
    for where, text in pages().items():
        print("=====", where)
        print(text)
