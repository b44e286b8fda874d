"""Firefox, driven by Marionette, the protocol that it speaks itself.

A message is a JSON list with its length before it: `[0, id, command, parameters]`, answered by
`[1, id, error, value]`.
"""

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

PROGRAM = "firefox-esr"
START_SECONDS, WAIT_SECONDS = 90, 60
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # how WebDriver marks the id of an element
PREFERENCES: dict[str, object] = {
    "marionette.port": 0,  # a free one, written into the profile
    "app.update.disabledForTesting": True,
    "datareporting.policy.dataSubmissionEnabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
}


class Firefox:
    """One window. What is looked for is waited for, and a click for the page that it loads."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=WAIT_SECONDS)
        self._file = self._socket.makefile("rb")
        self._sent = 0
        self._read()  # the greeting
        self._call("NewSession")
        self._call("SetTimeouts", implicit=WAIT_SECONDS * 500)

    def open(self, address: str) -> None:
        self._call("Navigate", url=address)

    def type(self, field: str, text: str) -> None:
        """Type into the field of a CSS selector."""
        self._call("ElementSendKeys", id=self._find(field), text=text)

    def click(self, selector: str) -> None:
        self._call("ElementClick", id=self._find(selector))

    def text(self, selector: str) -> str:
        """Return the text of the first element of a CSS selector."""
        return str(self._call("GetElementText", id=self._find(selector)))

    def close(self) -> None:
        self._file.close()
        self._socket.close()

    def _find(self, selector: str) -> str:
        found = self._call("FindElement", using="css selector", value=selector)
        return str(found[ELEMENT])

    def _call(self, command: str, **parameters: object) -> Any:
        self._sent += 1
        body = json.dumps([0, self._sent, f"WebDriver:{command}", parameters]).encode()
        self._socket.sendall(f"{len(body)}:".encode() + body)
        _kind, _id, error, value = self._read()
        assert error is None, f"{command} {parameters}: {error}"
        return value.get("value", value) if isinstance(value, dict) else value

    def _read(self) -> Any:
        length = b""
        while not length.endswith(b":"):
            length += self._file.read(1)
        return json.loads(self._file.read(int(length[:-1])))


@contextmanager
def firefox_running(profile: Path) -> Iterator[Firefox]:
    """Start Firefox with an empty profile, without a screen."""
    lines = (f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in PREFERENCES.items())
    (profile / "user.js").write_text("\n".join(lines))
    process = subprocess.Popen(
        [PROGRAM, "--headless", "--marionette", "--no-remote", "--profile", str(profile)],
        env=os.environ | {"HOME": str(profile)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        browser = Firefox(_port_of(profile / "MarionetteActivePort", process))
        yield browser
        browser.close()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _port_of(file: Path, process: "subprocess.Popen[bytes]") -> int:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        if file.exists() and (text := file.read_text().strip()):
            return int(text)
        time.sleep(0.1)
    raise AssertionError("Firefox did not start")
