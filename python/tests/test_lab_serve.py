"""`onefold lab serve`: CUDA that is typed into a page is compiled and run on this machine, for who has its address."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

import pytest

HERE = os.environ.get("ONEFOLD_PROGRAM") or shutil.which("onefold")
pytestmark = pytest.mark.skipif(not HERE or not os.path.exists(HERE), reason="the program onefold is not here")
SUM = "__global__ void sum(const int* x, int* y) { atomicAdd(y, x[threadIdx.x]); }\n"
ON_64 = {"launch": "sum<<<1, 64>>>(x, y)", "args": "x:i32[64]=iota, y:i32[1]=zeros", "expect": "y[0]==2016"}


@pytest.fixture(scope="module")
def address():
    server = subprocess.Popen([HERE, "lab", "serve"], stdout=subprocess.PIPE, text=True)
    yield server.stdout.readline().strip()
    server.kill()
    server.communicate()


def answer(request, **more):
    """The status and the text of a request."""
    try:
        with urllib.request.urlopen(request, timeout=100, **more) as got:
            return got.status, got.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def post(address, what, *words):
    status, text = answer(urllib.request.Request(address + what, json.dumps(words).encode()))
    assert status == 200, text
    return text


def run(address, text, **options):
    report = json.loads(post(address, "onefold_lab_run", json.dumps({"file": "yours.cu", "text": text, "options": options})))
    if "no compiler" in report.get("error", "") or "clang++" in report.get("error", ""):
        pytest.skip(report["error"])
    return report


def test_only_who_has_the_token_gets_the_page(address):
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", address)
    status, page = answer(address)
    assert status == 200 and page.startswith("<!doctype html>") and "connect-src 'self'" in page
    other = re.sub("/[0-9a-f]{32}/", "/" + "0" * 32 + "/", address)
    for wrong in (other, other.rsplit("/", 2)[0] + "/", address + "x", address + "onefold_lab_run"):
        assert answer(wrong)[0] == 404
    assert answer(urllib.request.Request(other + "onefold_lab_run", b"[]"))[0] == 404
    status, why = answer(urllib.request.Request(address, headers={"Host": "example.org"}))
    assert status == 403 and why == "the host of the address must be 127.0.0.1\n"


def test_it_listens_to_this_machine_alone(address):
    port = int(address.split(":")[2].split("/")[0])
    others = [a[4][0] for a in socket.getaddrinfo(socket.gethostname(), port, socket.AF_INET) if not a[4][0].startswith("127.")]
    for each in others:
        with pytest.raises(OSError):
            socket.create_connection((each, port), timeout=2)


def test_a_kernel_is_compiled_and_judged(address):
    assert run(address, SUM, **ON_64)["verdict"] == "clean"
    report = run(address, SUM.replace("atomicAdd(y, x[threadIdx.x])", "*y += x[threadIdx.x]"), **ON_64)
    assert report["verdict"] == "flaw" and report["flaws"][0]["kind"] == "race" and report["flaws"][0]["fix"]
    assert "yours.cu(1): error" in run(address, "__global__ void k() { x; }", launch="k<<<1, 1>>>()")["error"]
    film = post(address, "onefold_lab_page", json.dumps({"file": "yours.cu", "text": SUM, "options": ON_64}))
    assert film.startswith("<!doctype html>")


def test_a_program_runs_with_its_output(address):
    main = 'int main() { int* x; cudaMalloc(&x, 256); sum<<<1, 1>>>(x, x); cudaFree(x); printf("%d<\\n", 7); return 3; }\n'
    text = "#include <cstdio>\n" + SUM.replace("atomicAdd(y, x[threadIdx.x])", "*y = 1") + main
    report = run(address, text)
    assert report["printed"] == "7<\n" and report["verdict"] == "expectation"
    film = post(address, "onefold_lab_page", json.dumps({"file": "yours.cu", "text": text, "options": {}}))
    assert film.startswith("<!doctype html>") and '"launches":[["kernel"' in film


def test_a_run_that_does_not_end_is_given_up(address):
    report = run(address, "__global__ void k() { for (;;) {} }", launch="k<<<1, 1>>>()", budget="1000000")
    assert report["verdict"] == "budget"
    start = time.monotonic()
    assert run(address, SUM + "int main() { for (;;) {} }", budget="10000000")["verdict"] == "budget"
    assert time.monotonic() - start < 60


def test_puzzles_are_judged(address):
    source = subprocess.run([HERE, "lab", "puzzle", "guard"], capture_output=True, text=True).stdout
    assert json.loads(post(address, "onefold_lab_puzzle", "guard", source, 7))["solved"] is False
    assert run(address, SUM, **ON_64)["verdict"] == "clean"


def test_requests_that_are_none_are_refused(address):
    assert "parse error" in json.loads(answer(urllib.request.Request(address + "onefold_lab_run", b"["))[1])["error"]
    status, why = answer(urllib.request.Request(address + "onefold_lab_run", b"x" * 2**21))
    assert status == 413 and why == "the request has 2097152 bytes; at most 1048576 are accepted\n"
    host, port = re.fullmatch(r"http://(.*):(\d+)/.*", address).groups()
    for text, status in ((b"hello\r\n\r\n", b"400"), (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 9999, b"431")):
        with socket.create_connection((host, int(port))) as s:
            s.sendall(text)
            assert s.recv(12).split()[1] == status
    assert answer(address)[0] == 200


def children(process):
    with open(f"/proc/{process}/task/{process}/children") as f:
        return f.read().split()


def state(process):
    try:
        with open(f"/proc/{process}/stat") as f:
            return f.read().split(") ")[1][0]
    except FileNotFoundError:
        return "X"


def wait_for(what):
    for _ in range(200):
        if found := what():
            return found
        time.sleep(0.05)
    return None


def test_a_run_ends_with_its_connection_and_with_the_server():
    server = subprocess.Popen([HERE, "lab", "serve"], stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().strip()
        host, port, token = re.fullmatch(r"http://(.*):(\d+)/(.*)/", address).groups()
        text = json.dumps([json.dumps({"file": "k.ptx", "options": {"launch": "k<<<1, 1>>>()", "budget": str(2**40)}, "text":
                           ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\nL: bra L;\n ret;\n}\n"})])
        head = f"POST /{token}/onefold_lab_run HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: {len(text)}\r\n\r\n"
        for end in (socket.socket.close, lambda _: server.send_signal(signal.SIGKILL)):
            s = socket.create_connection((host, int(port)))
            s.sendall((head + text).encode())
            # The child of the connection before may still be a zombie: only a living one is this connection's.
            child, = wait_for(lambda: [each for each in children(server.pid) if state(each) not in "ZX"])
            time.sleep(0.3)  # until it runs
            end(s)
            s.close()
            assert wait_for(lambda: state(child) in "ZX")
    finally:
        server.kill()
        server.communicate()


@pytest.mark.parametrize("words,message", [
    (["--port", "70000"], "lab serve: --port 70000 is not a whole number from 0, any free port, to 65535"),
    (["--n", "3"], "lab serve: --n does not apply to lab serve"), (["x.cu"], "lab serve: it takes no file; type or paste")])
def test_wrong_options_are_named(words, message):
    said = subprocess.run([HERE, "lab", "banks", "--port", "3"], capture_output=True, text=True, timeout=20).stderr
    assert "lab banks: --port applies only to lab serve" in said
    done = subprocess.run([HERE, "lab", "serve", *words], capture_output=True, text=True, timeout=20)
    assert done.returncode == 2 and message in done.stderr


# What a reader does on the page, in a frame of a page that the browser opens from the server.
READER = """
(async () => {
  const said = [], until = async text => {
    for (let k = 0; k < 400 && $('verdict').textContent !== text; ++k) await new Promise(r => setTimeout(r, 25));
    said.push($('verdict').textContent);
  };
  const put = (id, text) => { $(id).value = text; };
  const choose = name => { put('kernel', name); $('kernel').dispatchEvent(new Event('change')); };
  await until('No flaw');
  choose('yours');
  put('ptx', KERNEL), put('launch', 'sum<<<1, 64>>>(x, y)'), put('args', 'x:i32[64]=iota, y:i32[1]=zeros');
  $('run').click();
  await until('No flaw');
  said.push($('launches').rows.length, $('launches').rows[1].cells[0].textContent);
  $('link').click();
  said.push(JSON.parse(decodeURIComponent(location.hash.slice(1))).launch);
  $('film').click();
  await until('Recorded');
  choose('puzzle_barrier');
  said.push($('player').hidden);
  await until('Flaws');
  $('judge').click();
  await until('Not solved');
  said.push(document.documentElement.scrollWidth <= innerWidth, getComputedStyle(document.querySelector('.as-ptx')).display);
  document.title = JSON.stringify(said);
})();
"""


def test_a_reader_types_cuda_into_the_page(address, tmp_path):
    browser = os.environ.get("ONEFOLD_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
    if not browser:
        pytest.skip("no Chromium; apt-get install chromium")
    run(address, SUM, **ON_64)  # there is a compiler
    # A proxy of the page with the reader in it: the page itself takes no other scripts.
    import http.server
    import threading

    class Proxy(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            page = answer(address)[1] if self.path == "/" else ""
            self.reply(page.replace("</body>", "<script>" + READER.replace("KERNEL", json.dumps(SUM)) + "</script></body>"))

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.reply(answer(urllib.request.Request(address + self.path[1:], body))[1])

        def reply(self, text):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_):
            pass

    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    try:
        done = subprocess.run(
            [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             f"--user-data-dir={tmp_path / 'browser'}", "--window-size=500,900", "--enable-logging=stderr",
             "--virtual-time-budget=60000", "--dump-dom", f"http://127.0.0.1:{proxy.server_port}/"],
            capture_output=True, text=True, timeout=180)
    finally:
        proxy.shutdown()
        proxy.server_close()
    assert not re.findall(r".*CONSOLE.*", done.stderr)
    import html

    said = json.loads(html.unescape(re.search("<title>(.*?)</title>", done.stdout)[1]))
    assert said == ["No flaw; not judged yet", "No flaw", 3, "sum", "sum<<<1, 64>>>(x, y)", "Recorded", True, "Flaws", "Not solved", True, "none"]
