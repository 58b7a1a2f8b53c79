"""The documentation site: every page can be reached, every link leads somewhere, pages fit a phone."""

import functools
import html
import html.parser
import http.server
import importlib.util
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import urllib.parse

import pytest

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
    wanted |= {f"reference/cpp/{p.stem}.html" for p in (ROOT / "include/onefold").glob("*.hpp")}
    wanted |= {"index.html", "docs/index.html", "reference/python/onefold.html", "reference/cli/fold.html"}
    assert wanted <= set(pages)


def test_names_are_found_by_search(site):
    index = json.loads((site / "search/search_index.json").read_text())["docs"]
    text = {entry["location"].split("#")[0]: "" for entry in index}
    for entry in index:
        text[entry["location"].split("#")[0]] += entry["title"] + " " + html.unescape(entry["text"]) + "\n"
    for name, page in [("ArrayRef", "reference/cpp/array.html"), ("States::answer", "reference/cpp/index.html"),
                       ("gather_states", "reference/cpp/states.html"),
                       ("bf16", "reference/cpp/dtype.html"), ("peer_failed", "reference/cpp/error.html"),
                       ("Op<op::var_>", "reference/cpp/onefold.html"), ("set_threads", "reference/python/onefold.html"),
                       ("--files-from", "reference/cli/gather.html"), ("correlation", "reference/ops/corr.html")]:
        assert name in text[page], (name, page)


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


# Puts pages into a frame as wide as a telephone and one as wide as a screen, and reports their widths and errors.
FRAMES = """<!doctype html><body><script>
(async () => {
  const said = {};
  for (const page of PAGES) for (const width of [400, 1280]) {
    const frame = document.createElement('iframe');
    frame.style = `width:${width}px;height:800px`;
    const errors = [];
    frame.src = page;
    await new Promise(done => { frame.onload = done; document.body.append(frame); });
    frame.contentWindow.addEventListener('error', e => errors.push(e.message));
    const inside = frame.contentDocument.documentElement;
    await new Promise(done => setTimeout(done, 50));
    said[`${page} ${width}`] = {scrolls: inside.scrollWidth > inside.clientWidth, errors, skip: !!frame.contentDocument.querySelector('a.md-skip'),
                  search: !!frame.contentDocument.querySelector('input.md-search__input')};
    frame.remove();
  }
  return said;
})().catch(String).then(said => fetch('/said', {method: 'POST', body: JSON.stringify(said)}));
</script>"""


class Listener(http.server.SimpleHTTPRequestHandler):
    """Serves the site, and takes what the frames say."""

    def log_message(self, *words):
        pass

    def do_POST(self):
        self.server.said.put(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()


def test_pages_fit_a_telephone_and_a_screen_and_the_console_is_silent(site, tmp_path):
    browser = os.environ.get("ONEFOLD_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
    if not browser:
        pytest.skip("no Chromium; apt-get install chromium")
    pages = ["index.html", "docs/performance.html", "docs/start/cpp.html", "docs/numerics.html",
             "reference/ops/index.html", "reference/ops/corr.html", "reference/cpp/fold.html",
             "reference/cpp/index.html", "reference/python/onefold.html", "reference/cli/lab.html",
             "bench/results/gpu_axes.html", "docs/decisions/index.html", "docs/engines.html"]
    pages += [f"docs/start/{p.stem}.html" for p in sorted((ROOT / "docs/start").glob("*.md")) if p.stem != "cpp"]
    (site / "frames.html").write_text(FRAMES.replace("PAGES", json.dumps(pages)))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Listener, directory=str(site)))
    server.said = queue.Queue()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    log = tmp_path / "log"
    # No virtual time: it may stand still where a page has a worker, as the search is.
    with open(log, "w") as errors:
        process = subprocess.Popen(
            [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             f"--user-data-dir={tmp_path / 'browser'}", "--window-size=1280,900", "--enable-logging=stderr",
             f"http://127.0.0.1:{server.server_port}/frames.html"],
            stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True)
    try:
        said = json.loads(server.said.get(timeout=400))  # or what was thrown
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        server.shutdown()
        thread.join()
        server.server_close()
        (site / "frames.html").unlink()
    assert not re.findall(r".*CONSOLE.*", log.read_text())
    assert set(said) == {f"{page} {width}" for page in pages for width in (400, 1280)}
    for page, says in said.items():
        assert says == {"scrolls": False, "errors": [], "skip": True, "search": True}, page
