#!/usr/bin/env python3
"""Makes the documentation site: python docs/site/make.py PROGRAM OUT (make docs).

What is in the tree as Markdown is taken as it is and where it is, so its links hold; the reference is
generated beside it. MkDocs does the rest, and ends with an error where a link or an anchor leads to
nothing or a page is in no menu. No list of pages is kept here: folders are the lists.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import headers
import ops
import package
import program

ROOT = pathlib.Path(__file__).parents[2]
# Folders whose Markdown is published, each a part of the menu.
PARTS = {"Start": "docs/start", "Guides": "docs", "Ops": "reference/ops", "Python": "reference/python",
         "Command line": "reference/cli", "C++": "reference/cpp", "Course": "docs/course",
         "Measurements": "bench/results", "Decisions": "docs/decisions"}
# Pages of the top folder, and single pages of other folders.
ALONE = ["CONTRIBUTING.md", "CHANGELOG.md", "ROADMAP.md", "SECURITY.md", "GOVERNANCE.md", "CODE_OF_CONDUCT.md", "packaging/README.md",
         "conformance/README.md", "data/README.md",
         "onefold/core/README.md", "onefold/engine/README.md", "onefold/cpu/README.md", "onefold/cuda/README.md",
         "onefold/cuda/kernel/README.md", "onefold/io/README.md", "onefold/tables/README.md", "onefold/system/README.md",
         "languages/rust/README.md", "languages/go/README.md", "languages/npm/README.md", "lab/README.md", "python/README.md", "tests/README.md", "tests/law/random/README.md"]


def title_of(text, path):
    found = re.search(r"^# (.+)$", text, re.M)
    return found[1].strip().replace("`", "") if found else path.stem


def notebook(path):
    """A notebook as Markdown: its texts, its code and the printed output."""
    out = []
    for cell in json.loads(path.read_text())["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            out += [text, ""]
            continue
        out += ["```python", text, "```", ""]
        for output in cell.get("outputs", []):
            said = output.get("text") or output.get("data", {}).get("text/plain") or []
            if said:
                out += ["```text", re.sub(r"\x1b\[[\d;]*m", "", "".join(said)).rstrip(), "```", ""]
    text = "\n".join(out)
    return text if text.startswith("# ") else f"# {path.stem}\n\n{text}"


def sources():
    """{path below the site: text} of the tree's own pages."""
    found = {"README.md": (ROOT / "README.md").read_text()}
    for name in ALONE:
        if (ROOT / name).exists():
            found[name] = (ROOT / name).read_text()
    for folder in PARTS.values():
        for path in sorted((ROOT / folder).glob("*.md")):
            found[str(path.relative_to(ROOT))] = path.read_text()
        for path in sorted((ROOT / folder).glob("*.ipynb")):
            found[str(path.relative_to(ROOT).with_suffix(".md"))] = notebook(path)
    return found


def relinked(where, text, pages, copied):
    """Makes links work on the site: folders, headers and notebooks become pages; files are copied.

    A folder without a page gets no link.
    """
    here = pathlib.PurePosixPath(where).parent

    def target_of(match):
        before, target, anchor, after = match.groups()
        if "://" in target or target.startswith(("mailto:", "#")) or not target:
            return match[0]
        path = pathlib.PurePosixPath(os.path.normpath(here / target))
        name = str(path)
        if name in pages:
            return match[0]
        header = re.fullmatch(r"onefold/(?:core/)?(\w+)\.(hpp|h)", name)
        if name == "python/onefold/__init__.pyi":
            name = "reference/python/onefold.md"
        elif header:
            name = f"reference/cpp/{headers.page_name(ROOT / name)}"
        elif name.endswith(".ipynb"):
            name = name.removesuffix(".ipynb") + ".md"
        elif f"{name}/README.md" in pages:
            name += "/README.md"
        elif (ROOT / name).is_file():
            copied[name] = name
        else:
            return match[0]  # MkDocs complains
        return f"{before}{os.path.relpath(name, here)}{anchor or ''}{after}"

    text = re.sub(r"^```(\w+) .*$", r"```\1", text, flags=re.M)  # "cpp run" is for our tests
    text = re.sub(r"^```python\n(?=>>>)", "```pycon\n", text, flags=re.M)
    def plain_folder(match):
        name = os.path.normpath(here / match[2])
        bare = (ROOT / name).is_dir() and f"{name}/README.md" not in pages
        return match[1] if bare else match[0]

    parts = re.split(r"(^```.*?^```)", text, flags=re.M | re.S)
    for k in range(0, len(parts), 2):
        parts[k] = re.sub(r"\[([^\]]+)\]\(([^)#\s]+)\)", plain_folder, parts[k])
        parts[k] = re.sub(r"(\]\()([^)#\s]*)(#[^)\s]*)?(\))", target_of, parts[k])
    return "".join(parts)


def results_index():
    """A page that links to all files of figures."""
    folder = ROOT / "bench/results"
    out = ["# Measurements", "", "What was measured, on which machine, with which command.", "",
           "| page | is about |", "|---|---|"]
    for path in sorted(folder.glob("*.md")):
        out.append(f"| [{path.name}]({path.name}) | {title_of(path.read_text(), path)} |")
    others = [p for p in sorted(folder.iterdir()) if p.suffix != ".md"]
    out += ["", "Figures as the benches wrote them: " +
            ", ".join(f"[{p.name}]({p.name})" for p in others) + "."]
    return "\n".join(out) + "\n"


def menu(pages):
    """MkDocs' nav: each page once, in the part that belongs to its folder, in the order in which the folder's README links to them."""
    nav, placed = [{"Onefold": "README.md"}], {"README.md"}
    for part, folder in PARTS.items():
        inside = [p for p in pages if str(pathlib.PurePosixPath(p).parent) == folder]
        linked = re.findall(r"\]\(([\w.-]+)\)", pages.get(f"{folder}/README.md", ""))
        order = {f"{folder}/{name}": k for k, name in reversed(list(enumerate(linked)))}
        inside.sort(key=lambda p: (not p.endswith("README.md"), order.get(p, len(linked)), p))
        placed.update(inside)
        nav.append({part: [{title_of(pages[p], pathlib.PurePosixPath(p)): p} for p in inside]})
    nav.append({"Project": [{title_of(pages[p], pathlib.PurePosixPath(p)): p}
                            for p in pages if p not in placed]})
    return nav


def llms(nav):
    """The text of llms.txt (llmstxt.org): what the project is, and the pages of each part of the menu."""
    out = ["# Onefold", "", "> Reductions of arrays (sums, means, variances and others), each the exact value rounded once: the same bits in any "
           "order, on processors and NVIDIA GPUs. Python, a program, C++20, C; Linux.", ""]
    for entry in nav:
        for part, pages in entry.items():
            if not isinstance(pages, str) and part not in ("Measurements", "Decisions"):
                out += [f"## {part}", ""]
                out += [f"- [{title}]({re.sub('README.md$', 'index.md', page).removesuffix('.md')}.html)" for one in pages for title, page in one.items()]
                out.append("")
    return "\n".join(out)


def box_of_sums(out, theme):
    """Makes theme/exact_sum.js, the package of languages/npm as a script of a page that may be a file. Returns the box's HTML, none
    where there is no compiler for it."""
    if not (shutil.which("clang++") and shutil.which("wasm-ld")):
        print("no clang++ with wasm-ld: the first page has no box that sums numbers", file=sys.stderr)
        return ""
    subprocess.run(["sh", ROOT / "languages/npm/build.sh", out / "npm"], check=True)
    wasm, module = ((out / "npm" / name).read_text() for name in ("wasm.mjs", "index.mjs"))
    body = re.sub(r"^import .*\n", "", module, flags=re.M).replace("export ", "")
    (theme / "exact_sum.js").write_text(f"const onefoldExact = (async () => {{\n{wasm.replace('export default', 'const text =')}{body}"
                                        "return { ExactSum, sumPrecise };\n})();\n")
    return '<div id="try-sums"></div>\n<script src="theme/exact_sum.js" defer></script>\n<script src="theme/try_sums.js" defer></script>\n\n'


def put_ladder_page(binary, staging):
    """Makes the page of the ladder, docs/ladder_page.html, and its link in docs/ladder.md, which names the command that makes it."""
    command = "`onefold lab reduce --page ladder.html`"
    text = (staging / "docs/ladder.md").read_text()
    if command not in text:
        raise SystemExit(f"docs/ladder.md does not name {command}, where the link to its page belongs")
    (staging / "docs/ladder.md").write_text(text.replace(command, "[The page of the ladder](ladder_page.html)", 1))
    subprocess.run([binary, "lab", "reduce", "--machine", "sim", "--page", staging / "docs/ladder_page.html"], check=True, capture_output=True)


def make(binary, out):
    """Writes the site to OUT/site and its Markdown to OUT/pages."""
    binary, out = str(pathlib.Path(binary).absolute()), pathlib.Path(out).absolute()
    staging = out / "pages"
    shutil.rmtree(staging, ignore_errors=True)
    pages = {**sources(), **headers.pages(), **package.pages(), **program.pages(binary),
             **ops.pages(binary)}
    if "bench/results/README.md" not in pages:
        pages["bench/results/README.md"] = results_index()
    copied = {}
    for where, text in pages.items():
        path = staging / where
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(relinked(where, text, pages, copied))
    for match in re.finditer(r"!\[[^\]]*\]\((\S+?)\)", pages["README.md"]):
        copied[match[1]] = match[1]
    for name, source in copied.items():
        (staging / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / source, staging / name)
    put_ladder_page(binary, staging)
    shutil.copytree(ROOT / "docs/site/theme", staging / "theme")
    first = staging / "README.md"
    # The first screen has the picture and an example; a menu of one page would take a sixth of its width.
    text = first.read_text().replace("## Install", box_of_sums(out, staging / "theme") + "## Install", 1)
    first.write_text("---\nhide: [navigation]\n---\n" + text)
    settings = json.loads((ROOT / "docs/site/mkdocs.json").read_text())
    settings |= {"docs_dir": str(staging), "site_dir": str(out / "site"), "nav": menu(pages)}
    (staging / "llms.txt").write_text(llms(settings["nav"]))
    (out / "mkdocs.yml").write_text(json.dumps(settings, indent=1))  # JSON is YAML
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file",
                           str(out / "mkdocs.yml")], capture_output=True, text=True,
                          env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    for line in done.stderr.splitlines():
        if not line.startswith("INFO"):
            print(line, file=sys.stderr)
    return done.returncode, len(pages)


if __name__ == "__main__":
    status, number = make(*sys.argv[1:3])
    if status == 0:
        print(f"{number} pages: {sys.argv[2]}/site/index.html")
    sys.exit(status)
