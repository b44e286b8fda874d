"""Measure how long a merchant waits while 32 clients without a key do their worst.

`python -m bench.abuse` starts PostgreSQL, Redis and `config.web` as in production, times a
merchant's `GET /v1/balance` without other load, then during a minute of each kind of abuse and of
all kinds mixed. The goal: its p99 stays below four times the quiet one. Each kind comes from
another network, which has spent nothing before. The last column is the CPU time in percent of one
core: of the web server, PostgreSQL and the abusers, who run at nice 19 (without effect where the
kernel shares by session). `--seconds 2 --only pdf` is quick; `--through nginx` puts that proxy in
front, with the configuration of `deploy/`.
"""

import argparse
import http.client
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from string import Template
from tempfile import NamedTemporaryFile, TemporaryDirectory
from urllib.parse import urlsplit

from bench.endings import end_in_order
from bench.load import program
from bench.output import say
from bench.proxies import PROXIES
from bench.restarts import front
from bench.serving import (
    HOST,
    Side,
    Stagehand,
    WebServer,
    cpu_seconds,
    pid_of,
    production,
    serve_as_deployed,
)
from bench.stage import Stage

CLIENTS = 32
TIMES_QUIET = 4
PAUSE_SECONDS = 0.01
WRONG_KEYS = 500
BRACES = '{"name":[' + "{}," * 80_000 + "{}]}"
MERCHANT_ADDRESS, ABUSER_ADDRESS = "198.51.100.7", "100.64.{network}.$number"
HEADERS = {"Host": HOST, "X-Forwarded-Proto": "https", "Origin": f"https://{HOST}"}
TOKEN = "abcdefghijklmnopqrstuvwxyz012345"  # noqa: S105  # any will do if cookie and form agree
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
SIGN_IN = f"csrfmiddlewaretoken={TOKEN}&username=made-up-$number&password=wrong"
# For each kind: method, path, content type, body.
KINDS = {
    "openapi": ("GET", "/v1/openapi.json", "", ""),
    "pdf": ("GET", "/receipts/{completed}.pdf", "", ""),
    "poster": ("GET", "/pay/{slug}/{link}/poster-a4.pdf", "", ""),
    "qr": ("GET", "/checkout/{payment}/qr.png", "", ""),
    "link": ("GET", "/pay/{slug}/{link}", "", ""),
    "checkout": ("GET", "/checkout/{payment}", "", ""),
    "press": ("POST", "/pay/{slug}/{link}/button", FORM, ""),
    "register": ("POST", "/v1/merchants", JSON, '{"name":"No $number","email":"a@example.com"}'),
    "braces": ("POST", "/v1/merchants", JSON, BRACES),
    "wrong key": ("GET", "/v1/balance", "", ""),
    "sign in": ("POST", "/admin/login/", FORM, SIGN_IN),
    "probe": ("GET", "/readyz", "", ""),
    "cookies": ("GET", "/account", "", ""),
}
ROW = "{:10} {:>10} {:>8} {:>8} {:>8} {:>8} {:>6}   {}"
HEAD = ("", "abuse/s", "refused", "p50 ms", "p99 ms", "goal ms", "holds", "CPU")
SCRIPT = Template("""
local kinds, keys, number, refused = { $kinds }, { $keys }, 0, 0
request = function()
  number = number + 1
  local kind = kinds[number % #kinds + 1]
  local function filled(text) return (text:gsub("$$number", tostring(number % 250))) end
  local headers = { $headers }
  headers["X-Forwarded-For"] = filled("$address")
  headers["Content-Type"] = kind[3] ~= "" and kind[3] or nil
  headers["Cookie"] = "__Host-csrf=$token"
  if kind[5] == "cookies" then
    headers["Cookie"] = "__Host-customer=a; __Host-customer-test=b; __Host-session=$token"
  end
  if kind[5] == "wrong key" then
    headers["Authorization"] = "Bearer " .. keys[number % #keys + 1]
  end
  local body = kind[4] ~= "" and (#kind[4] > 10000 and kind[4] or filled(kind[4])) or nil
  return wrk.format(kind[1], kind[2], headers, body)
end
done = function(summary)
  io.write(string.format("measured %d %d %d\\n", summary.requests, summary.duration,
    summary.errors.status))
end
""")


def main() -> None:
    chosen = arguments()
    end_in_order()
    with ExitStack() as closing:
        directory = Path(closing.enter_context(TemporaryDirectory(prefix="payments-bench-")))
        directory.chmod(0o711)
        stack, postgres = closing.enter_context(production(directory))
        stagehand = closing.enter_context(Stagehand(stack))
        server = serve_as_deployed(stack)
        port = urlsplit(server.url).port
        assert port
        proxied = closing.enter_context(front(chosen.through, [port], directory))
        server = WebServer(f"http://127.0.0.1:{proxied}", server.pid)
        measure(Side(server, pid_of(postgres), stagehand), chosen.kinds, chosen.seconds)


def measure(side: Side, kinds: list[str], seconds: int) -> None:
    balance = BalanceReader(side.server, side.stagehand.stage.keys["shop"])
    balance.during(2)  # warm
    quiet = balance.during(seconds)
    say(ROW.format(*HEAD))
    say(ROW.format("quiet", "-", "-", *milliseconds(quiet), "-", "-", "-"))
    rows = [*((one, [one]) for one in kinds), ("mixed", kinds)]
    for network, (name, abuses) in enumerate(rows):
        script = script_of(abuses, side.stagehand.stage, network)
        say(ROW.format(name, *row_of(script, side, balance, quiet, seconds)))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help=f"of {', '.join(KINDS)}; commas between")
    parser.add_argument("--seconds", type=int, default=60, help="length of each kind")
    parser.add_argument("--through", choices=("one", *PROXIES), default="one")
    chosen = parser.parse_args()
    chosen.kinds = [name.strip() for name in chosen.only.split(",") if name.strip()] or list(KINDS)
    if unknown := set(chosen.kinds) - set(KINDS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    return chosen


class BalanceReader:
    """A merchant that reads its balance continually."""

    def __init__(self, server: WebServer, key: str) -> None:
        self.place = urlsplit(server.url)
        self.headers = HEADERS | {
            "Authorization": f"Bearer {key}",
            "X-Forwarded-For": MERCHANT_ADDRESS,
        }

    def during(self, seconds: float) -> list[float]:
        """Return the response times in seconds, sorted. Exits if a response is not 200."""
        taken, end = [], time.monotonic() + seconds
        connection = http.client.HTTPConnection(str(self.place.hostname), self.place.port)
        while time.monotonic() < end:
            before = time.perf_counter()
            connection.request("GET", "/v1/balance", headers=self.headers)
            answer = connection.getresponse()
            answer.read()
            if answer.status != http.HTTPStatus.OK:
                sys.exit(f"GET /v1/balance answers {answer.status}")
            taken.append(time.perf_counter() - before)
            time.sleep(PAUSE_SECONDS)
        connection.close()
        return sorted(taken)


def row_of(
    script: str, side: Side, balance: BalanceReader, quiet: list[float], seconds: int
) -> tuple[str, ...]:
    """Time the merchant during one abuse."""
    with abuse(script, side.server, seconds + 1) as load:
        time.sleep(0.5)
        before, began = side.seconds_used(), time.monotonic()
        taken = balance.during(seconds)
        passed = time.monotonic() - began
        used = [now - then for now, then in zip(side.seconds_used(), before, strict=True)]
        used.append(cpu_seconds(load.process.pid))
        requests, microseconds, refused = load.counts()
    goal = TIMES_QUIET * share(quiet, 99)
    return (
        f"{requests * 1e6 / microseconds:,.0f}",
        f"{refused / max(1, requests):.0%}",
        *milliseconds(taken),
        f"{goal * 1e3:.1f}",
        "yes" if share(taken, 99) < goal else "no",
        " ".join(f"{each / passed:.0%}" for each in used),
    )


class LoadGenerator:
    """A running wrk."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def counts(self) -> tuple[int, int, int]:
        """Wait until it ends; return its requests, their microseconds, and how many were refused.

        Exits if it reports nothing.
        """
        output, errors = self.process.communicate(timeout=30)
        line = next((it for it in output.splitlines() if it.startswith("measured")), "")
        if not line:
            sys.exit(output + errors)
        requests, microseconds, refused = map(int, line.split()[1:])
        return requests, microseconds, refused


@contextmanager
def abuse(script: str, server: WebServer, seconds: int) -> Iterator[LoadGenerator]:
    """Let 32 clients send a script's requests without pause, for so many seconds."""
    with NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(script)
        file.flush()
        process = subprocess.Popen(  # our own
            [program(), "-t1", f"-c{CLIENTS}", f"-d{seconds}s", "--timeout=30s", "-s", file.name,
             server.url],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=give_way,
        )  # fmt: skip
        try:
            yield LoadGenerator(process)
        finally:
            process.kill()
            process.wait()


def give_way() -> None:
    """Lower a process's priority below the service's: real abusers have their own machines."""
    os.nice(19)


def script_of(kinds: list[str], stage: Stage, network: int) -> str:
    names = {
        "completed": stage.completed,
        "link": stage.link,
        "payment": stage.payment,
        "slug": stage.slug,
    }
    written = []
    for kind in kinds:
        method, path, content_type, body = KINDS[kind]
        values = (method, path.format(**names), content_type, body, kind)
        written.append("{" + ",".join(f"[==[{value}]==]" for value in values) + "}")
    return SCRIPT.substitute(
        kinds=",".join(written),
        keys=",".join(f'"{key}"' for key in wrong_keys()),
        headers=", ".join(f'["{name}"] = "{value}"' for name, value in HEADERS.items()),
        address=ABUSER_ADDRESS.format(network=network),
        token=TOKEN,
    )


def wrong_keys() -> list[str]:
    """Return well-formed keys, so that each requires a database lookup."""
    from merchants.keys import new_secret

    return [new_secret(livemode=False) for _ in range(WRONG_KEYS)]


def share(taken: list[float], percent: int) -> float:
    return taken[min(len(taken) - 1, len(taken) * percent // 100)]


def milliseconds(taken: list[float]) -> tuple[str, str]:
    return f"{share(taken, 50) * 1e3:.1f}", f"{share(taken, 99) * 1e3:.1f}"


if __name__ == "__main__":
    main()
