"""Chromium without a window, driven through a pipe by its DevTools protocol: pages, keys, screenshots."""

import base64
import contextlib
import fcntl
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import time

FOUND = os.environ.get("ONEFOLD_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
# Chromium reads commands from descriptor 3 and writes answers to 4.
LAUNCH = "import os, sys; a = sys.argv; os.dup2(int(a[1]), 3); os.dup2(int(a[2]), 4); os.execvp(a[3], a[3:])"
# Keys that have no character: their names, and the codes that Chromium wants.
CODES = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38}


class Browser:
    """One tab. `said` has what pages wrote to the console or threw since the last `go`."""

    def __init__(self, folder):
        ours, self.written = os.pipe(), os.pipe()
        self.log = open(pathlib.Path(folder) / "chromium.log", "w")
        given = [fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (ours[0], self.written[1])]
        self.process = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, *map(str, given), FOUND, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", f"--user-data-dir={folder}/profile",
             "--allow-file-access-from-files", "--remote-debugging-pipe"],
            pass_fds=given, stdout=self.log, stderr=self.log, start_new_session=True)
        for fd in (*given, ours[0], self.written[1]):
            os.close(fd)
        self.commands, self.bytes, self.count, self.events, self.said = ours[1], b"", 0, [], []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.commands)
        os.close(self.written[0])
        self.log.close()

    def message(self, until):
        """The next message of the browser."""
        while b"\0" not in self.bytes:
            if not select.select([self.written[0]], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError("Chromium does not answer")
            more = os.read(self.written[0], 1 << 20)
            if not more:
                raise EOFError("Chromium has ended")
            self.bytes += more
        first, _, self.bytes = self.bytes.partition(b"\0")
        return json.loads(first)

    def call(self, method, seconds=120, **parameters):
        self.count += 1
        request = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.commands, json.dumps(request).encode() + b"\0")
        until = time.monotonic() + seconds
        while (said := self.message(until)).get("id") != self.count:
            self.take(said)
        if "error" in said:
            raise RuntimeError(f"{method}: {said['error']['message']}")
        return said["result"]

    def take(self, event):
        self.events.append(event["method"])
        if event["method"] in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled"):
            self.said.append(json.dumps(event["params"]))

    def wait(self, method, seconds=120):
        until = time.monotonic() + seconds
        while method not in self.events:
            self.take(self.message(until))

    def go(self, address, width=1280, height=800):
        """Opens a page, and returns when it is loaded."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.said, self.events = [], []
        self.call("Page.navigate", url=str(address))
        self.wait("Page.loadEventFired")

    def ask(self, script):
        """The value of an expression in the page."""
        done = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise RuntimeError(json.dumps(done["exceptionDetails"]))
        return done["result"].get("value")

    def until(self, script, what="", seconds=60):
        """Waits until an expression in the page is true; `what` is for the message that it is not."""
        end = time.monotonic() + seconds
        while not self.ask(f"!!({script})"):
            if time.monotonic() > end:
                raise TimeoutError(f"{script} {what}")
            time.sleep(0.05)

    def press(self, key, shift=False):
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        code = CODES.get(key) or (ord(key.upper()) if key.isalnum() else 0)  # 46, of ".", would be Delete
        same = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 8 * shift}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **same)
        self.call("Input.dispatchKeyEvent", type="keyUp", **same)

    def write(self, text):
        for character in text:
            self.press(character)

    def picture(self, path):
        """A screenshot of what a reader sees first."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))


@contextlib.contextmanager
def browser(folder):
    one = Browser(folder)
    try:
        yield one
    finally:
        one.close()
