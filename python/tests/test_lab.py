"""The lab from Python: the program's JSON as dicts, its page, its errors."""

import os
import shutil

import numpy as np
import pytest

import onefold
import onefold.lab

HERE = os.environ.get("ONEFOLD_PROGRAM") or shutil.which("onefold")
pytestmark = pytest.mark.skipif(not HERE or not os.path.exists(HERE), reason="the program onefold is not here")
KERNEL = """
__global__ void sum(const int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(y, x[i]);
}
"""


def test_program_of_the_source_tree_needs_no_path(monkeypatch, tmp_path):
    program = tmp_path / "build/release/onefold"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.delenv("ONEFOLD_PROGRAM", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(onefold.lab, "__file__", "/nowhere/onefold/lab.py")
    with pytest.raises(onefold.FileError, match="make demo"):
        onefold.lab._program()
    monkeypatch.setattr(onefold.lab.sys, "prefix", str(tmp_path / ".venv"))
    assert onefold.lab._program() == str(program)
    in_tree = tmp_path / "build/release/python/onefold/lab.py"
    monkeypatch.setattr(onefold.lab.sys, "prefix", "/nowhere")
    monkeypatch.setattr(onefold.lab, "__file__", str(in_tree))
    assert onefold.lab._program() == str(program)


def compiled(call):
    try:
        return call()
    except onefold.Error as error:
        if "compile" in str(error) or "clang" in str(error):
            pytest.skip(str(error))
        raise


def test_the_ladder_is_a_dict_with_a_page():
    report = onefold.lab.reduce(rung=["modulo", "sequential"], n=4096, machine="sim")
    assert {rung["name"] for rung in report["rungs"]} == {"modulo", "sequential"}
    assert report["n"] == 4096 and report.page.lower().startswith("<!doctype html>")
    assert report._repr_html_().startswith("<iframe srcdoc=")
    assert onefold.lab.experiment("banks", machine="sim")["experiment"] == "banks"


def test_a_kernel_runs_with_arrays_of_python():
    report = compiled(lambda: onefold.lab.run(
        KERNEL, "sum", grid=2, block=64, args={"x": np.arange(100, dtype="i4"), "y": [0], "n": 100}))
    assert report.arrays["y"] == [4950] and report["flaws"] == []
    assert report["counters"]["atomics"] > 0 and report._repr_html_().startswith("<pre>")


def test_arrays_in_the_kernels_order_hold_what_it_left():
    x = np.arange(1000, dtype="i4")
    out = np.zeros(4, "i4")
    report = compiled(lambda: onefold.lab.run(KERNEL, "sum", 4, 256, x, out, len(x)))
    assert report.arrays["p1"] == out.tolist()
    assert out.sum() == x.sum()
    assert x[-1] == 999


def test_arrays_may_be_long():
    x = np.arange(300_000, dtype="i8") + 2**60
    out = np.zeros(1, "i8")
    source = """
    __global__ void last(const long long* x, long long* y, int n) { y[0] = x[n - 1] - x[0]; }
    """
    report = compiled(lambda: onefold.lab.run(source, "last", 1, 1, x, out, len(x)))
    assert report["flaws"] == [] and out[0] == 299_999


def test_a_run_has_a_page_where_it_is_asked_for():
    report = compiled(lambda: onefold.lab.run(
        KERNEL, "sum", 2, 64, {"x": np.arange(100, dtype="i4"), "y": [0], "n": 100}, page=True))
    assert report.page.lower().startswith("<!doctype html>")
    assert report._repr_html_().startswith("<iframe srcdoc=")


# A notebook shows a page as a frame in a cell. The script uses it like a reader, and reports the
# result.
NOTEBOOK = """<!doctype html><meta charset="utf-8"><title>notebook</title>
<div class="output">REPORT</div><pre id="said"></pre>
<script>
const frame = document.querySelector('iframe'), inside = () => frame.contentDocument;
const at = id => inside().getElementById(id), text = id => at(id).textContent;
const step = () => Number(at('step').value);
const chosen = () => inside().querySelector('#ladder-rows a[aria-current]')?.dataset.rung;
const until = async (what, value) => {
  for (let k = 0; k < 200 && what() !== value; ++k) await new Promise(r => setTimeout(r, 20));
  return what();
};
const press = key => inside().body.dispatchEvent(
    new (frame.contentWindow.KeyboardEvent)('keydown', {key, bubbles: true, cancelable: true}));
onload = async () => {
  const said = {};
  try {
    said.loaded = await until(() => Number(at('step')?.max) > 3, true);
    said.titles = [text('rung-title')];
    const k = step();
    press('ArrowRight');
    said.steps = step() - k;
    said.says = text('says');
    const link = inside().querySelector('#ladder-rows a[data-rung="sequential"]');
    if (link) {
      link.click();
      said.chosen = await until(chosen, 'sequential');
      said.titles.push(text('rung-title'));
      at('rung-back').click();
      await until(() => chosen() === 'sequential', false);
      said.titles.push(text('rung-title'));
    }
    said.fits = inside().documentElement.scrollWidth <= frame.clientWidth;
  } catch (e) {
    said.error = String(e);
  }
  said.address = location.hash;
  document.getElementById('said').textContent = JSON.stringify(said);
};
</script>"""


def shown_in_a_notebook(report, tmp_path):
    """What the script above says of a report in a cell, in Chromium."""
    import html
    import json
    import re
    import subprocess

    browser = os.environ.get("ONEFOLD_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
    if not browser:
        pytest.skip("no Chromium; apt-get install chromium")
    page = tmp_path / "notebook.html"
    page.write_text(NOTEBOOK.replace("REPORT", report._repr_html_()))
    done = subprocess.run(
        [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         f"--user-data-dir={tmp_path / 'browser'}", "--window-size=1000,900", "--enable-logging=stderr",
         "--virtual-time-budget=30000", "--dump-dom", f"file://{page}"],
        capture_output=True, text=True, timeout=120)
    assert not re.findall(r".*CONSOLE.*", done.stderr)
    return json.loads(html.unescape(re.search(r'<pre id="said">(.*?)</pre>', done.stdout, re.DOTALL)[1]))


def test_a_notebook_shows_the_ladder_and_its_player(tmp_path):
    report = onefold.lab.reduce(rung=["modulo", "sequential"], n=4096, machine="sim")
    said = shown_in_a_notebook(report, tmp_path)
    titles = {rung["name"]: rung["title"] for rung in report["rungs"]}
    assert said == {"loaded": True, "titles": [titles["modulo"], titles["sequential"], titles["modulo"]],
                    "steps": 1, "says": said["says"], "chosen": "sequential", "fits": True, "address": ""}
    assert said["says"]


def test_a_notebook_shows_a_kernel_step_by_step(tmp_path):
    report = compiled(lambda: onefold.lab.run(
        KERNEL, "sum", 2, 64, {"x": np.arange(100, dtype="i4"), "y": [0], "n": 100}, page=True))
    said = shown_in_a_notebook(report, tmp_path)
    assert said["loaded"] and said["steps"] == 1 and said["fits"] and "error" not in said


def test_puzzles_are_given_and_judged():
    assert len(onefold.lab.puzzle()) == 18 and "missing barrier" in onefold.lab.puzzle()["barrier"]
    given = onefold.lab.puzzle("barrier")
    assert "__global__ void solve" in given
    assert onefold.lab.puzzle("barrier", hints=2).count("\n") == 1
    verdict = compiled(lambda: onefold.lab.puzzle("barrier", given))
    assert not verdict["solved"] and "race" in verdict["tries"][0]["wrong"]
    assert "not yet" in verdict._repr_html_()
    mended = given.replace("  int v =", "  __syncthreads();\n  int v =")
    verdict = onefold.lab.puzzle("barrier", mended)
    assert verdict["solved"] and "solved" in verdict._repr_html_()
    assert onefold.lab.puzzle("barrier", mended, seed=verdict["seed"]) == verdict
    with pytest.raises(onefold.OptionError, match="choose one of map, zip, guard"):
        onefold.lab.puzzle("chess")


def test_flaws_are_told_by_line():
    report = compiled(lambda: onefold.lab.run(
        KERNEL, "sum", 1, 32, "x:i32[3]=[1, 2, 3], y:i32[1], n=3"))
    assert report["flaws"][0]["kind"] == "uninitialised" and report["flaws"][0]["line"] == 4


def test_errors_are_the_programs_line(monkeypatch, tmp_path):
    with pytest.raises(onefold.OptionError, match="rung"):
        onefold.lab.reduce(rung="none", machine="sim")
    with pytest.raises(onefold.OptionError, match="one dimension"):
        onefold.lab.run(KERNEL, "sum", 1, 1, {"x": np.zeros(2, "c16")})
    monkeypatch.setenv("ONEFOLD_PROGRAM", str(tmp_path / "none"))
    with pytest.raises(onefold.FileError, match="none"):
        onefold.lab.reduce()
    monkeypatch.delenv("ONEFOLD_PROGRAM")
    monkeypatch.setattr(onefold.lab, "_built", lambda: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(onefold.FileError, match="ONEFOLD_PROGRAM"):
        onefold.lab.reduce()


@pytest.mark.parametrize("call, message", [
    (lambda: onefold.lab.puzzle("barrier", "a\n\ud800"), r"line 2 of the source is not valid UTF-8: it holds '\ud800'"),
    (lambda: onefold.lab.run("__global__ \udc80"), r"line 1 of the source is not valid UTF-8: it holds '\udc80'"),
    (lambda: onefold.lab.puzzle("barrier", "\ud800.cu"), r"'\ud800.cu' cannot be passed to the program: '\ud800' cannot be encoded as utf-8"),
    (lambda: onefold.lab.run(KERNEL, "\ud800", 1, 1), r"'\ud800' cannot be passed to the program"),
    (lambda: onefold.lab.run(KERNEL, "sum", 1, 1, {"\ud800": [1]}), "cannot be passed to the program"),
    (lambda: onefold.lab.experiment("a\0"), r"'a\x00' cannot be passed to the program: it holds a null character"),
    (lambda: onefold.lab.run(KERNEL.encode(), "sum"), "the source is a bytes, but must be a str: the text of a kernel, or the path")])
def test_strings_that_are_no_text_are_named(call, message):
    with pytest.raises(onefold.Error) as caught:
        call()
    assert str(caught.value).startswith("lab: ") and message in str(caught.value)


@pytest.mark.parametrize("block", [(8, 4), [8, 4], "8x4", np.int64(32)])
def test_sizes_are_numbers_or_tuples_of_them(block):
    source = "__global__ void size(int* y) { if (threadIdx.x == 0 && threadIdx.y == 0) y[0] = blockDim.x * blockDim.y; }"
    y = np.zeros(1, "i4")
    compiled(lambda: onefold.lab.run(source, "size", np.int32(1), block, y))
    assert y[0] == 32


@pytest.mark.parametrize("size", [0, -1, 2.0, True, (), (1, 1, 1, 1), (2.0, 1), (4, None)])
def test_sizes_that_are_none_are_named(size):
    for name in ("grid", "block"):
        with pytest.raises(onefold.OptionError, match=f"^lab: {name}=.* is not a size; pass a whole number from 1"):
            onefold.lab.run(KERNEL, "sum", **{"grid": 1, "block": 1, name: size})


@pytest.mark.parametrize("value,message", [
    (None, "y is None; pass a number, a list of numbers, an array"),
    ({1}, r"y is \{1\}; pass a number"),
    (1j, "y is 1j; pass a number"),
    (np.zeros(2, "M8[s]"), "y is array.*; pass a number"),
    (np.zeros((2, 2), "i4"), "y is a ndarray of format 'i' and 2 dimensions; pass one dimension"),
    ([0, None], r"y\[1\] is None; a list must hold whole numbers or floats"),
    ([0, 2**40], r"y\[1\] is 1099511627776, but a list of whole numbers is i32.*array.array of type q"),
    ([[0]], r"y\[0\] is \[0\]; a list must hold"),
    (["1"], r"y\[0\] is '1'; a list must hold")])
def test_arguments_that_are_none_of_a_kernel_are_named(value, message):
    with pytest.raises(onefold.Error, match="^lab: " + message):
        onefold.lab.run(KERNEL, "sum", 1, 32, {"x": [1], "y": value, "n": 1})


def test_numbers_of_numpy_and_truth_values_are_numbers():
    source = "__global__ void mix(float* y, float a, bool b, int n) { y[0] = b ? a + n : 0; }"
    y = np.zeros(1, "f4")
    compiled(lambda: onefold.lab.run(source, "mix", 1, 1, y, np.float64(1.5), True, np.int16(3)))
    assert y[0] == 4.5
    with pytest.raises(onefold.OptionError, match="p3=1099511627776 does not fit the 4 bytes of the parameter"):
        onefold.lab.run(source, "mix", 1, 1, y, 1.5, True, 2**40)


def test_the_notebook_of_puzzles_judges_each_as_it_is_given():
    import json
    import pathlib
    import re

    import notebook

    path = pathlib.Path(__file__).parents[2] / "docs" / "course" / "puzzles.ipynb"
    cells = json.loads(path.read_text())["cells"]
    namespace, judged = {}, 0
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        source = "".join(cell["source"])
        value = compiled(lambda: notebook.run_cell(source, namespace)[1])
        name = re.search(r'^puzzle\("(\w+)", kernel\)', source, re.MULTILINE)
        if name:
            judged += 1
            assert onefold.lab.puzzle(name[1]).strip() in source
            assert not value["solved"], name[1]
    assert judged == 18 and value.page


def test_a_text_that_does_not_compile_is_unsupported():
    compiled(lambda: onefold.lab.run(KERNEL, "sum", grid=1, block=32, args={"x": [1], "y": [0], "n": 1}))
    with pytest.raises(onefold.UnsupportedError, match="does not compile"):
        onefold.lab.run(KERNEL.replace("int i", "int j"), "sum", grid=1, block=32,
                        args={"x": [1], "y": [0], "n": 1})


def test_a_text_is_compiled_once(monkeypatch, tmp_path):
    monkeypatch.setenv("ONEFOLD_CACHE", str(tmp_path))

    def kept(x):
        report = compiled(lambda: onefold.lab.run(KERNEL, "sum", 1, 32, {"x": x, "y": [0], "n": len(x)}))
        assert report.arrays["y"] == [sum(x)] and report["flaws"] == []
        return {f.name: f.stat().st_mtime_ns for f in tmp_path.iterdir()}

    first = kept([1, 2, 3])
    assert first and kept([4, 5]) == first
