"""The documentation site: every page can be reached, every link leads somewhere, pages fit a phone."""

import functools
import html
import html.parser
import http.server
import importlib.util
import json
import math
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import threading
import urllib.parse

import pytest

import chromium
import onefold

ROOT = pathlib.Path(__file__).parents[2]
PROGRAM = os.environ.get("ONEFOLD_PROGRAM")
NEEDED = ("mkdocs", "material", "tree_sitter", "tree_sitter_cpp", "ml_dtypes")
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]
if MISSING:
    pytest.skip(f"no {', '.join(MISSING)}; pip install -r docs/site/requirements.txt", allow_module_level=True)
if not PROGRAM:
    pytest.skip("ONEFOLD_PROGRAM names no program", allow_module_level=True)


class Page(html.parser.HTMLParser):
    """The links, the ids and the addresses of others' files of one page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.loaded = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            self.ids.add(attributes["id"])
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        if tag in ("img", "script", "link"):
            self.loaded.append(attributes.get("src") or attributes.get("href") or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("docs")
    done = subprocess.run([sys.executable, "-B", ROOT / "docs/site/make.py", PROGRAM, out],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return out / "site"


@pytest.fixture(scope="module")
def pages(site):
    return {str(p.relative_to(site)): Page(p.read_text()) for p in site.rglob("*.html")}


def targets(where, page):
    """(address, anchor) of each link of a page to the site itself."""
    for link in page.links:
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        path = urllib.parse.unquote(parts.path)
        yield os.path.normpath(pathlib.PurePosixPath(where).parent / path) if path else where, parts.fragment


def test_links_lead_to_a_file_and_an_anchor(site, pages):
    wrong = []
    for where, page in pages.items():
        if where == "404.html":
            continue
        for path, anchor in targets(where, page):
            if not (site / path).is_file():
                wrong.append(f"{where}: {path}")
            elif anchor and path in pages and urllib.parse.unquote(anchor) not in pages[path].ids:
                wrong.append(f"{where}: {path}#{anchor}")
    assert not wrong


def test_every_page_can_be_reached_from_the_first(pages):
    seen, left = set(), ["index.html"]
    while left:
        where = left.pop()
        if where in pages and where not in seen:
            seen.add(where)
            left += [path for path, _ in targets(where, pages[where])]
    assert set(pages) - seen <= {"404.html"}


def test_nothing_is_loaded_from_elsewhere(pages):
    loaded = {address for page in pages.values() for address in page.loaded}
    assert not [a for a in loaded if urllib.parse.urlsplit(a).netloc]


def test_every_document_op_and_header_has_a_page(pages):
    wanted = {str(p.relative_to(ROOT).with_suffix(".html")) for folder in ("docs", "docs/start", "bench/results")
              for p in (ROOT / folder).glob("*.md") if p.stem != "README"}
    wanted |= {f"reference/ops/{op}.html" for op in onefold.ops}
    wanted |= {f"reference/cpp/{p.stem}.html" for p in (ROOT / "onefold").glob("*.hpp")}
    wanted |= {"index.html", "docs/index.html", "reference/python/onefold.html", "reference/cli/fold.html"}
    assert wanted <= set(pages)


def test_llms_txt_lists_pages_that_are_there(site):
    listed = re.findall(r"\]\((\S+)\)", (site / "llms.txt").read_text())
    assert len(listed) > 100 and not [page for page in listed if not (site / page).is_file()]


def test_names_are_found_by_search(site):
    index = json.loads((site / "search/search_index.json").read_text())["docs"]
    text = {entry["location"].split("#")[0]: "" for entry in index}
    for entry in index:
        text[entry["location"].split("#")[0]] += entry["title"] + " " + html.unescape(entry["text"]) + "\n"
    for name, page in [("ArrayRef", "reference/cpp/array.html"), ("States::answer", "reference/cpp/index.html"),
                       ("Describes an array by its data", "reference/cpp/index.html"),
                       ("gather_states", "reference/cpp/states.html"),
                       ("bf16", "reference/cpp/dtype.html"), ("peer_failed", "reference/cpp/error.html"),
                       ("Op<op::var_>", "reference/cpp/onefold.html"), ("set_threads", "reference/python/onefold.html"),
                       ("--files-from", "reference/cli/gather.html"), ("correlation", "reference/ops/corr.html")]:
        assert name in text[page], (name, page)


def test_references_have_no_marks_of_their_makers(site):
    text = "".join(p.read_text() for folder in ("cli", "python") for p in (site / "reference" / folder).glob("*.html"))
    assert "EXPR|MASK" in text and "\\|" not in text and "Alias for field" not in text


def shown(site, op):
    """What the three examples of an op's page print."""
    text = html.unescape(re.sub(r"<[^>]+>", "", (site / f"reference/ops/{op}.html").read_text()))
    python = re.search(rf">>> onefold\.{op}\(.*\)\n(.+)", text)[1]
    shell = re.search(rf"\$ onefold {op} .*\n(.+)", text)[1]
    assert f"static_cast<double>(onefold::{op}(" in text
    assert f'onefold_fold_into(&out, 1, "{op}", &a, ' in text
    return re.search(r"\.dtype = ONEFOLD_(\w+)};", text)[1], [float({"True": 1, "true": 1, "False": 0, "false": 0}.get(v, v)) for v in (python, shell)]


def test_examples_of_ops_print_the_same_in_every_language(site):
    program = os.environ.get("ONEFOLD_OP_EXAMPLES", "")
    if not os.path.exists(program):
        pytest.skip("ONEFOLD_OP_EXAMPLES names no program")
    lines = [subprocess.run([program + c], capture_output=True, text=True, check=True).stdout.splitlines()
             for c in ("", "_c")]
    assert {line.split()[0] for line in lines[0]} == set(onefold.ops)
    for line, c_line in zip(*lines, strict=True):
        op, value = line.split()
        dtype, values = shown(site, op)
        assert values == [float(value)] * 2, op
        assert c_line.split() == [op, dtype, value]


def a_browser(tmp_path):
    if not chromium.FOUND:
        pytest.skip("no Chromium; apt-get install chromium")
    return chromium.browser(tmp_path)


def test_pages_fit_a_telephone_and_a_screen_and_the_console_is_silent(site, tmp_path):
    pages = ["index.html", "docs/performance.html", "docs/numerics.html", "docs/choosing.html",
             "reference/ops/index.html", "reference/ops/corr.html", "reference/cpp/fold.html",
             "reference/cpp/index.html", "reference/python/onefold.html", "reference/cli/lab.html",
             "bench/results/gpu_axes.html", "docs/decisions/index.html", "docs/engines.html"]
    pages += [f"docs/start/{'index' if p.stem == 'README' else p.stem}.html" for p in (ROOT / "docs/start").glob("*.md")]
    with a_browser(tmp_path) as tab:
        for page in pages:
            for width in (400, 1280):
                tab.go(f"file://{site}/{page}", width)
                scrolls = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
                assert not tab.ask(scrolls), (page, width)
                assert not tab.said, (page, width)


def test_pages_of_ops_have_formulas_and_say_what_the_letters_mean(site):
    for op, formula in [("corr", "(nP - SxSy) / √((nQx - Sx²)(nQy - Sy²)), where n is the number of pairs; P is Σxy; "),
                        ("rmse", "√((Qx + Qy - 2P) / n), where "), ("std", "√var"), ("norm1", "Σ|x|"),
                        ("var", "k is ddof")]:
        text = html.unescape(re.sub(r"<[^>]+>", "", (site / f"reference/ops/{op}.html").read_text()))
        assert formula in text, op


def test_the_first_screen_has_the_picture_and_the_example(site, tmp_path):
    bottoms = "[...document.querySelectorAll('article img, article pre')].slice(0, 2).map((e) => e.getBoundingClientRect().bottom)"
    with a_browser(tmp_path) as tab:
        for width, height in ((1400, 930), (400, 850)):
            tab.go(f"file://{site}/index.html", width, height)
            picture, example = tab.ask(bottoms)
            assert 0 < picture < example <= height, width
            assert tab.ask("document.querySelector('article img').src").endswith("money.svg")


# Where the focus is, and whether a reader sees that; of a switch its label has the ring. The words and the links of the
# content have numbers, so that a test sees their order.
FOCUS = """(() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  const shown = e.matches('.md-option') ? e.nextElementSibling : e;
  const box = shown.getBoundingClientRect(), style = getComputedStyle(shown);
  const inside = box.width > 0 && box.left >= -1 && box.right <= innerWidth + 1 && box.bottom > 0 && box.top < innerHeight;
  const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
  const all = [...document.querySelectorAll('*')], links = [...document.querySelectorAll('article a[href], article button')];
  return {name: `${e.tagName} ${e.className} ${e.textContent.trim().slice(0, 30)}`, inside, box, at: all.indexOf(e),
          seen: ring || e.matches('input[type=text]'), link: links.indexOf(e), links: links.length};
})()"""


# For a moment after the search the theme lets nothing scroll.
UNLOCKED = "!document.body.hasAttribute('data-md-scrolllock') || document.activeElement.matches('.md-search__input')"


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("page", ["index.html", "reference/ops/corr.html", "docs/start/cpp.html"])
def test_tab_goes_through_a_page_in_its_order_and_is_seen(site, tmp_path, page, width):
    with a_browser(tmp_path) as tab:
        tab.go(f"file://{site}/{page}", width)
        last, links = -1, set()
        for _ in range(1000):
            tab.press("Tab")
            tab.until(UNLOCKED)
            focus = tab.ask(FOCUS)
            if focus is None or focus["at"] < last:  # around
                break
            assert focus["seen"], focus
            tab.until(f"{FOCUS}.inside", what=focus)  # some slide in, which takes a busy machine a while
            last = focus["at"]
            links.add(focus["link"])
        assert links - {-1} == set(range(focus["links"] if focus else len(links - {-1})))
        assert len(links) > 5


def test_the_first_key_skips_to_the_content(site, tmp_path):
    with a_browser(tmp_path) as tab:
        tab.go(f"file://{site}/docs/numerics.html")
        tab.press("Tab")
        assert tab.ask("document.activeElement.textContent.trim()") == "Skip to content"
        tab.press("Enter")
        tab.press("Tab")
        assert tab.ask("!!document.activeElement.closest('article')")


@pytest.mark.parametrize("address", ["file", "http"])
@pytest.mark.parametrize("width", [400, 1280])
def test_search_needs_no_mouse(site, tmp_path, address, width):
    handler = functools.partial(QuietHandler, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, a_browser(tmp_path) as tab:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            root = f"file://{site}" if address == "file" else f"http://127.0.0.1:{server.server_port}"
            tab.go(f"{root}/index.html", width)
            tab.press("/")
            tab.until("document.activeElement.matches('input.md-search__input')")
            tab.write("gather_states")
            tab.until("document.querySelector('.md-search-result__link')")
            tab.press("ArrowDown")
            tab.until("document.activeElement.matches('.md-search-result__link')")
            tab.press("Enter")
            tab.until("location.pathname.endsWith('.html') && !location.pathname.endsWith('index.html') && "
                      "document.body?.innerText.includes('gather_states')")
        finally:
            server.shutdown()
            thread.join()


def test_the_menu_of_a_narrow_page_needs_no_mouse(site, tmp_path):
    menu = "getComputedStyle(document.querySelector('.md-sidebar--primary')).visibility"
    with a_browser(tmp_path) as tab:
        tab.go(f"file://{site}/docs/numerics.html", 400)
        assert tab.ask(menu) == "hidden"
        tab.press("Tab")
        tab.press("Tab")
        assert tab.ask("document.activeElement.ariaLabel") == "Menu"
        tab.press("Enter")
        assert tab.ask(menu) == "visible"
        assert tab.ask("!!document.activeElement.closest('.md-sidebar--primary')")
        tab.press("Escape")
        assert tab.ask(menu) == "hidden"
        assert tab.ask("document.activeElement.ariaLabel") == "Menu"


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


def test_the_first_page_sums_what_is_typed(site, tmp_path):
    if not shutil.which("clang++") or not shutil.which("wasm-ld"):
        pytest.skip("no clang++ with wasm-ld; apt-get install clang lld")
    numpy = pytest.importorskip("numpy")
    values = "[...document.querySelectorAll('#try-sums td')].map((cell) => cell.textContent)"
    rng = random.Random(78)
    with a_browser(tmp_path) as tab:
        for width in (400, 1280):
            tab.go(f"file://{site}/index.html", width)
            tab.until("document.getElementById('try-numbers')")
            assert tab.ask(values)[4:] == ["1.6", "8.3e-17"]
            tab.ask("document.getElementById('try-numbers').select(), document.getElementById('try-numbers').focus()")
            tab.write("1e16, .5 -1e16")
            assert tab.ask(values) == ["0", "-0.5", "0", "-0.5", "0.5", "0"]
            tab.write(" 0x")
            assert tab.ask("document.getElementById('try-said').textContent") == "number 4, “0x”, is not a number; write it as -1.5e3"
            assert tab.ask(values) == [""] * 6
            tab.press("Tab")
            assert tab.ask("document.activeElement.id") == "try-shuffle"
            for n in (0, 1, 7, 8, 100, 129, 300, 1000):
                x = [rng.gauss(0, 1) * 2.0 ** rng.randrange(-30, 30) for _ in range(n)]
                tab.ask(f"document.getElementById('try-numbers').value = {json.dumps(' '.join(map(repr, x)))},"
                        "document.getElementById('try-numbers').dispatchEvent(new Event('input'))")
                found = [float(v) for v in tab.ask(values)[::2]]
                assert found == [sum(x), float(numpy.sum(numpy.array(x))), math.fsum(x)], n
                tab.press("Enter")  # another order
                assert float(tab.ask(values)[4]) == math.fsum(x)
            assert tab.ask("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
            assert not tab.said
