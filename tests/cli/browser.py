# SPDX-License-Identifier: MIT
"""A real Chromium, driven through chromedriver by the W3C WebDriver protocol."""
import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.request

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         "--disable-extensions", "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
         "--force-color-profile=srgb"]


class Browser:
    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="waltrace-browser-")
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       text=True, env={**os.environ, "HOME": self.home, "TMPDIR": self.home})
        for line in self.driver.stdout:
            if port := re.search(r"successfully on port (\d+)", line):
                self.address = f"http://127.0.0.1:{port[1]}"
                break
        else:
            raise RuntimeError("chromedriver didn't start")
        self.http = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        options = {"args": [*FLAGS, f"--user-data-dir={self.home}/profile"]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options,
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        self.session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with self.http.open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"].split("\n")[0]) from None

    def command(self, path, body):
        return self.call("POST", f"/session/{self.session}{path}", body)

    def devtools(self, name, **parameters):
        return self.command("/goog/cdp/execute", {"cmd": name, "params": parameters})

    def open(self, path):
        self.command("/url", {"url": "file://" + os.path.realpath(path)})

    def run(self, script, *arguments):
        return self.command("/execute/sync", {"script": script, "args": list(arguments)})

    def keys(self, *keys):
        """Presses keys one after another, at whatever has the focus."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.command("/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def size(self, width, height, dark=False, scale=1):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                      mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.devtools("Emulation.setEmulatedMedia", features=[scheme])

    def log(self, kind):
        """What was logged since the last call."""
        return self.command("/se/log", {"type": kind})

    def picture(self, path, whole=True):
        data = self.devtools("Page.captureScreenshot", captureBeyondViewport=whole, format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        try:
            self.call("DELETE", f"/session/{self.session}")
        finally:
            self.driver.terminate()
            self.driver.wait()
            shutil.rmtree(self.home, ignore_errors=True)
