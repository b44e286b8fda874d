"""Install the packages of a file, and show progress: `python config/local/packages.py FILE`.

Runs before any package is installed, so it imports only the standard library. pip reports what it
fetches; what is installed is counted in the environment, as pip reports that only at the end.
"""

import re
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from threading import Thread

POLL_SECONDS = 0.2
LINE_SECONDS = 10  # between two lines of output, without a terminal
PIN = re.compile(r"^\S+==\S+", re.MULTILINE)
FETCHED = re.compile(r"^\s*(?:Collecting|Requirement already satisfied:) ", re.MULTILINE)
NO_ANSWER = re.compile(
    r"NewConnectionError|ConnectTimeoutError|NameResolutionError|ConnectionResetError"
    r"|ReadTimeoutError|Read timed out|Connection refused|Temporary failure in name resolution"
)
NO_NETWORK = """
No network: the packages cannot be fetched, and nothing is lost; connect, and run it again.
Behind a proxy set HTTPS_PROXY. From an index of your own: PIP_INDEX_URL=https://…
From a folder of wheels: PIP_NO_INDEX=1 PIP_FIND_LINKS=/folder
"""


class Installation:
    """One run of pip."""

    def __init__(self, requirements: Path) -> None:
        self.total = len(PIN.findall(requirements.read_text()))
        self.output = ""
        self._before = _installed()
        command = [sys.executable, "-m", "pip", "install", "--progress-bar", "off"]
        self._process = subprocess.Popen(  # noqa: S603  # our own command line
            [*command, "--disable-pip-version-check", "--require-hashes", "-r", str(requirements)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        Thread(target=self._read, daemon=True).start()

    def ended(self) -> int | None:
        """Return pip's exit code, once it has ended."""
        return self._process.poll()

    def stage(self) -> str:
        """Return a line on the progress."""
        if NO_ANSWER.search(self.output):
            return "The network does not answer; trying again"
        if installed := len(_installed() - self._before):
            return f"Installing packages: {min(installed, self.total)} of {self.total}"
        fetched = len(FETCHED.findall(self.output))
        return f"Fetching packages: {min(fetched, self.total)} of {self.total}"

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self.output += line


def main() -> int:
    """Install, and show the progress; return pip's exit code."""
    began = time.monotonic()
    installation = Installation(Path(sys.argv[1]))
    _watch(installation)
    if not (code := installation.ended()):
        sys.stdout.write(f"Packages are here, after {time.monotonic() - began:.0f} s.\n")
    elif NO_ANSWER.search(installation.output):
        sys.stdout.write(NO_NETWORK)
    else:
        sys.stdout.write(installation.output)
    return code or 0


def _watch(installation: Installation) -> None:
    shown, due = "", 0.0
    is_terminal = sys.stdout.isatty()
    while installation.ended() is None:
        stage = installation.stage()
        if stage != shown and (is_terminal or time.monotonic() >= due):
            sys.stdout.write(f"\r\033[K{stage} …" if is_terminal else f"{stage} …\n")
            sys.stdout.flush()
            shown, due = stage, time.monotonic() + LINE_SECONDS
        time.sleep(POLL_SECONDS)
    if is_terminal:
        sys.stdout.write("\r\033[K")


def _installed() -> set[str]:
    return {path.name for path in Path(sysconfig.get_path("purelib")).glob("*.dist-info")}


if __name__ == "__main__":
    sys.exit(main())
