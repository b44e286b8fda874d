"""Look every pinned package up in a database of known weaknesses, with pip-audit.

`make audit`, for each night: what is published on a day must not stop the change of that day, so it
is no part of `make test`. An advisory that does not concern this service is answered below, with
the reason. Where no database can be reached, nothing is known, and the run fails.
"""

import subprocess
import sys

from tests.source_tree import ROOT

ANSWERED: dict[str, str] = {}  # the id of an advisory: why it does not concern this service
REQUIREMENTS = ROOT / "requirements/development.txt"  # it holds those of production too
UNREACHED = ("ConnectionError", "Max retries exceeded", "could not be audited", "ServiceError")


def main() -> int:
    """Print what is known to be weak; return 1 if anything is, or is not known where it must be."""
    command = [sys.executable, "-m", "pip_audit", "--strict", "--disable-pip"]
    command += ["--vulnerability-service", "osv", "--progress-spinner", "off", "--timeout", "5"]
    command += [word for name in ANSWERED for word in ("--ignore-vuln", name)]
    command += ["--requirement", str(REQUIREMENTS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    if done.returncode and any(word in said for word in UNREACHED):
        sys.stdout.write("No database of advisories can be reached from here: not audited.\n")
        return 1
    if done.returncode:
        sys.stdout.write(said)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
