"""The image and its containers, made of what the kernel has, where there is no engine.

The image is what the `Containerfile` copies and runs, at its place in the file system. A container
is a process with a file system (nothing to write to but /tmp), network and user of its own, and
without rights.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from tests.source_tree import ROOT

CONTAINERFILE = (ROOT / "deploy/Containerfile").read_text()
PLACE = "/opt/payments"
SOCKETS = "/mnt"  # where a container finds PostgreSQL and Redis
USER = "10001"
# What an engine does before the command. $IMAGE, $SOCKETS_OF_HOST and $OWN_HOME are folders here.
ENTER = f"""
set -eu
mount --make-rprivate /
mount --bind "$SOCKETS_OF_HOST" {SOCKETS}
mount -t tmpfs none /opt
mkdir {PLACE}
mount --bind "$IMAGE" {PLACE}
mount --bind "$PACKAGES" {PLACE}/.venv
mkdir /opt/python
mount --bind "$PYTHON" /opt/python
case "$PYTHON" in
"$OWN_HOME"/*) # where only its owner would find it
    mount -t tmpfs -o mode=755 none "$OWN_HOME"
    mkdir -p "$PYTHON"
    mount --bind /opt/python "$PYTHON"
    ;;
esac
[ -z "$DEPLOY" ] || {{ mkdir /opt/deploy && mount --bind "$DEPLOY" /opt/deploy; }}
mount -t tmpfs -o mode=1777 none /tmp
for each in / /opt; do mount -o remount,bind,ro "$each"; done
[ -z "$READ_ONLY" ] || mount -o remount,bind,ro {PLACE}
unset IMAGE SOCKETS_OF_HOST PACKAGES PYTHON OWN_HOME DEPLOY READ_ONLY
cd {PLACE}
exec "$@"
"""
NO_RIGHTS = ("--clear-groups", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all")


def environment_of_image() -> dict[str, str]:
    """Return what the image sets for every container."""
    [line] = re.findall(r"^ENV (.*)$", CONTAINERFILE, re.MULTILINE)
    given = dict(each.split("=", 1) for each in line.split())
    return given | {"PATH": given["PATH"].replace("$PATH", os.environ["PATH"])}


def read_environment(file: Path) -> dict[str, str]:
    """Read an environment file as engines do: a variable a line, nothing quoted."""
    return dict(line.split("=", 1) for line in file.read_text().splitlines())


@dataclass
class Containers:
    """An image, and a network in which its containers run side by side."""

    image: Path
    sockets: Path
    network: str

    def build(self) -> None:
        """Copy what the image copies, and run what it runs there."""
        ignored = (ROOT / ".dockerignore").read_text().splitlines()
        listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True)
        for name in names.stdout.splitlines():
            left_out = any(fnmatch(name, each) or name.startswith(f"{each}/") for each in ignored)
            if not left_out and (ROOT / name).is_file():
                (self.image / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, self.image / name)
        (self.image / ".venv").mkdir()
        *_, last = re.findall(r"^RUN (.*?[^\\])$", CONTAINERFILE, re.MULTILINE | re.DOTALL)
        done = self.start(["sh", "-c", last], {}, user="0", read_only=False)
        assert done.wait(300) == 0, self.words()

    def start(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        user: str = USER,
        read_only: bool = True,
        deploy: Path | None = None,
    ) -> "subprocess.Popen[bytes]":
        """Run a command in a container. `deploy` is mounted at /opt/deploy."""
        folders = {
            "IMAGE": str(self.image),
            "SOCKETS_OF_HOST": str(self.sockets),
            "PACKAGES": str(Path(sys.prefix).resolve()),
            "PYTHON": sys.base_prefix,
            "OWN_HOME": str(Path.home()),
            "DEPLOY": str(deploy or ""),
            "READ_ONLY": "yes" if read_only else "",
        }
        outside = ["ip", "netns", "exec", self.network, "unshare", "--mount"]
        inside = ["setpriv", f"--reuid={user}", f"--regid={user}", *NO_RIGHTS, "--", *command]
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [*outside, "bash", "-c", ENTER, "enter", *inside],
                env=environment_of_image() | dict(environment) | folders,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def get(self, path: str, port: int) -> str:
        """Ask a container as a kubelet or Prometheus would, by an address of its own."""
        url = f"http://127.0.0.1:{port}{path}"
        asked = ["curl", "--silent", "--fail", "--max-time", "5", "--header", "Host: 10.1.2.3"]
        done = subprocess.run(
            ["ip", "netns", "exec", self.network, *asked, url], capture_output=True, text=True
        )
        return done.stdout

    @property
    def log(self) -> Path:
        return self.image.parent / "log"

    def words(self) -> str:
        return self.log.read_text(errors="replace")[-6_000:]
