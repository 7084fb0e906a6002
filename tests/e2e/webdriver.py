"""Chromium, driven over chromedriver's WebDriver protocol (W3C) with the standard library of Python."""
import base64
import contextlib
import http.client
import json
import pathlib
import re
import subprocess

from driver import Failure, wait_until

START_SECONDS = 60
COMMAND_SECONDS = 60
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
# No window, no sandbox within the tests' own, and no talk with its maker.
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"
]
TAB, ENTER, ESCAPE, SHIFT, DOWN = "\ue004", "\ue007", "\ue00c", "\ue008", "\ue015"


class Browser:
    """One run of Chromium with a profile in `folder`, which must be new."""

    def __init__(self, folder, size=(1000, 800), flags=()):
        profile = pathlib.Path(folder) / "profile"
        profile.mkdir()
        self._log = open(pathlib.Path(folder) / "chromedriver.log", "wb")
        self._driver = subprocess.Popen(["chromedriver", "--port=0"],
                                        stdout=subprocess.PIPE,
                                        stderr=self._log,
                                        text=True)
        self._session = None
        try:
            for line in self._driver.stdout:
                if port := re.search(r"started successfully on port (\d+)", line):
                    break
            else:
                raise Failure("chromedriver did not start")
            self._port = int(port[1])
            wait_until(lambda: self._call("GET", "/status")["ready"], "chromedriver", START_SECONDS)
            options = {"args": [*FLAGS, f"--user-data-dir={profile}", f"--window-size={size[0]},{size[1]}", *flags],
                       "prefs": {"credentials_enable_service": False}}
            capabilities = {
                "browserName": "chrome", "goog:chromeOptions": options,
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}
            }
            self._session = self._call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})["sessionId"]
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self._session is not None:
            with contextlib.suppress(Failure, OSError):
                self._call("DELETE", f"/session/{self._session}")
        self._driver.terminate()
        self._driver.wait()
        self._log.close()

    def _call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=COMMAND_SECONDS)
        with contextlib.closing(connection):
            connection.request(method, path, None if body is None else json.dumps(body),
                               {"Content-Type": "application/json"})
            value = json.loads(connection.getresponse().read())["value"]
        if isinstance(value, dict) and "error" in value:
            raise Failure(f"{path.rpartition('/')[2]}: {value['error']}: {value['message'][:500]}")
        return value

    def command(self, path, body=None, method="POST"):
        return self._call(method, f"/session/{self._session}/{path}", {} if body is None and method == "POST" else body)

    def open(self, url):
        self.command("url", {"url": url})

    def script(self, text, *arguments):
        """The value of a function's body, run in the page."""
        return self.command("execute/sync", {"script": text, "args": list(arguments)})

    def devtools(self, name, **parameters):
        return self.command("goog/cdp/execute", {"cmd": name, "params": parameters})

    def element(self, selector):
        return self.command("element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.command(f"element/{self.element(selector)}/click")

    def press(self, *keys):
        """Keys one after the other; a tuple is held down together."""
        actions = []
        for key in keys:
            together = key if isinstance(key, tuple) else (key,)
            actions += [{"type": "keyDown", "value": each} for each in together]
            actions += [{"type": "keyUp", "value": each} for each in reversed(together)]
        self.command("actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def type(self, text):
        self.press(*text)

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.command("screenshot", method="GET")))

    def log(self, kind):
        """What has been logged since the last time: of "browser", or of "performance", which holds the network's
        events."""
        return self.command("se/log", {"type": kind})

    def requests(self):
        """The addresses of all requests that pages made since the last time."""
        messages = [json.loads(each["message"])["message"] for each in self.log("performance")]
        return [each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"]
