"""Debian's Chromium without a screen, led by its DevTools protocol: enough of it for tests and benchmarks of a page."""

from __future__ import annotations

import base64
import io
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
    "--disable-background-networking",
    "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
    "--disable-background-timer-throttling", "--disable-component-update", "--disable-sync", "--mute-audio",
    "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars",
    "--remote-debugging-port=0", "--remote-allow-origins=*",
)  # fmt: skip


def executable() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Tab:
    """One page. Requests that it makes are kept in ``requests``, what it complains of in ``errors``."""

    def __init__(self, browser: Chromium, target: str) -> None:
        from websockets.sync.client import connect

        self.browser, self.target = browser, target
        self.requests: list[str] = []
        self.errors: list[str] = []
        self._number = 0
        url = f"ws://127.0.0.1:{browser.port}/devtools/page/{target}"
        self._socket = connect(url, max_size=None, open_timeout=20, ping_interval=None)
        for domain in ("Page", "Runtime", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)  # a page behind another one is drawn, too

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command and its answer; what comes in between is noted."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        end = time.monotonic() + 60
        while True:
            message = json.loads(self._socket.recv(timeout=max(0.1, end - time.monotonic())))
            if message.get("id") == self._number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if not url.startswith(("data:", "blob:")):  # parts of the page itself
                self.requests.append(url)
        elif method == "Network.webSocketCreated":
            self.requests.append(params["url"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(params["exceptionDetails"].get("text", "exception"))

    def go(self, url: str) -> None:
        self.call("Page.navigate", url=url)

    def run(self, script: str) -> Any:
        """Value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        return answer["result"].get("value")

    def wait_for(self, script: str, seconds: float = 30.0) -> Any:
        """Until the expression is true; its value."""
        end = time.monotonic() + seconds
        while not (value := self.run(script)):
            if time.monotonic() > end:
                raise TimeoutError(f"not true after {seconds:g} s: {script}; the page says: {self.text()[:400]}")
            time.sleep(0.2)
        return value

    def text(self) -> str:
        return self.run("document.body ? document.body.innerText : ''") or ""

    def screenshot(self) -> np.ndarray:
        """(rows, columns, 3) uint8."""
        from PIL import Image

        picture = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"))

    def mouse(self, kind: str, x: float, y: float, buttons: int = 0) -> None:
        """kind: "mousePressed", "mouseMoved" or "mouseReleased"."""
        button = "none" if kind == "mouseMoved" else "left"
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=buttons, clickCount=1)

    def drag(self, start: tuple[float, float], end: tuple[float, float], steps: int = 8, hover: float = 0.3) -> None:
        self.mouse("mouseMoved", *start)
        time.sleep(hover)  # what is under the pointer lights up first, as soon as the page draws again
        self.mouse("mousePressed", *start, buttons=1)
        for k in range(1, steps + 1):
            x, y = (a + (b - a) * k / steps for a, b in zip(start, end, strict=True))
            self.mouse("mouseMoved", x, y, buttons=1)
            time.sleep(0.05)
        self.mouse("mouseReleased", *end)

    def click(self, x: float, y: float) -> None:
        for kind, buttons in (("mouseMoved", 0), ("mousePressed", 1), ("mouseReleased", 0)):
            self.mouse(kind, x, y, buttons)

    def click_button(self, label: str) -> None:
        """A button by its words."""
        where = self.wait_for(
            "(() => { const b = [...document.querySelectorAll('button')].find(b => b.innerText.trim() === "
            f"{json.dumps(label)}); if (!b) return null; const r = b.getBoundingClientRect(); "
            "return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        self.click(*where)

    def close(self) -> None:
        self._socket.close()
        with urllib.request.urlopen(f"http://127.0.0.1:{self.browser.port}/json/close/{self.target}", timeout=10):
            pass


class Chromium:
    """A browser with a profile of its own; ``with`` ends it."""

    def __init__(self, size: tuple[int, int] = (1280, 800)) -> None:
        path = executable()
        assert path is not None
        self.folder = tempfile.TemporaryDirectory(prefix="taxel-chromium-", ignore_cleanup_errors=True)
        words = [
            path,
            *FLAGS,
            f"--user-data-dir={self.folder.name}",
            f"--window-size={size[0]},{size[1]}",
            "about:blank",
        ]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        told = Path(self.folder.name) / "DevToolsActivePort"
        end = time.monotonic() + 60
        while not (told.exists() and told.read_text().strip()):
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("Chromium does not start")
            time.sleep(0.1)
        self.port = int(told.read_text().split()[0])

    def tab(self, url: str | None = None) -> Tab:
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/json/new?about:blank", method="PUT")
        with urllib.request.urlopen(request, timeout=20) as answer:
            tab = Tab(self, json.load(answer)["id"])
        if url is not None:
            tab.go(url)
        return tab

    def close(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.folder.cleanup()

    def __enter__(self) -> Chromium:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
