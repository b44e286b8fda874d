"""Send operations with wrk, and read the measured times."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from string import Template

from bench.operations import NUMBER, PHONE, Operation
from bench.serving import HOST, Side
from bench.stage import PHONES, Stage

CONNECTIONS = 16
TIMEOUT_SECONDS = 10
SCRIPT = Template("""
local number = $before
local headers = { $headers }
request = function()
  number = number + 1
  local function filled(text)
    text = text:gsub("$number", string.format("%d", number))
    return (text:gsub("$phone", string.format("+1242425%04d", number % $phones)))
  end
  if $is_keyed then headers["Idempotency-Key"] = string.format("bench-%d", number) end
  -- Customers come from all over: one network would have spent its budget within seconds.
  headers["X-Forwarded-For"] = string.format("10.%d.%d.1", number / 256 % 256, number % 256)
  local body = [[$body]]
  return wrk.format("$method", filled([[$path]]), headers, body ~= "" and filled(body) or nil)
end
done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format("measured %d %d %d %d %d %d\\n", summary.requests, summary.duration,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
""")

MIX = Template("""
local turns, turn = {}, 0
$turns
request = function()
  turn = turn + 1
  return turns[turn % #turns + 1]()
end
delay = function() return $pause end
""")


@dataclass(frozen=True)
class Sent:
    """The results of wrk. Times in milliseconds."""

    requests: int
    per_second: float
    p50: float
    p99: float


@dataclass(frozen=True)
class Result:
    """The results of one measurement. Times in milliseconds; CPU time per request."""

    per_second: float
    p50: float
    p99: float
    server_cpu: float
    database_cpu: float


def measure(side: Side, operation: Operation, *, seconds: int, most: int) -> Result:
    """Send an operation for so many seconds. Exits if a response is not a success.

    `most` is the maximum number of requests, for which payments are prepared.
    """
    before = side.stagehand.prepare(operation, most)
    used = side.seconds_used()
    sent = send(side, script_of(operation, side.stagehand.stage, before), seconds=seconds)
    server, database = (
        1_000 * (now - then) for now, then in zip(side.seconds_used(), used, strict=True)
    )
    side.stagehand.tend()
    return Result(
        per_second=sent.per_second,
        p50=sent.p50,
        p99=sent.p99,
        server_cpu=server / sent.requests,
        database_cpu=database / sent.requests,
    )


def send(side: Side, script: str, *, seconds: int, connections: int = CONNECTIONS) -> Sent:
    """Let wrk send the requests of a script. Exits if a response is not a success."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(script)
        file.flush()
        command = [program(), "-t1", f"-c{connections}", f"-d{seconds}s"]
        done = subprocess.run(  # our own
            [*command, f"--timeout={TIMEOUT_SECONDS}s", "-s", file.name, side.server.url],
            capture_output=True,
            text=True,
            check=True,
        )
    words = next(line for line in done.stdout.splitlines() if line.startswith("measured")).split()
    requests, microseconds, refused, broken, p50, p99 = map(int, words[1:])
    if refused or broken or not requests:
        sys.exit(f"{done.stdout}{done.stderr}{requests} answers, of which {refused} refuse, and"
                 f" {broken} never came")  # fmt: skip
    return Sent(requests, requests * 1e6 / microseconds, p50 / 1_000, p99 / 1_000)


def mixed(scripts: Sequence[str], *, pause: int = 0) -> str:
    """Return one script that sends the requests of several scripts in turn.

    Each connection pauses for so many milliseconds after a response.
    """
    turns = "".join(f"do\n{script}\nturns[#turns + 1] = request\nend\n" for script in scripts)
    return MIX.substitute(turns=turns, pause=pause)


def script_of(operation: Operation, stage: Stage, before: int) -> str:
    """Return the wrk script (Lua) of an operation; `before` is the number before the first."""
    headers = {"Host": HOST, "X-Forwarded-Proto": "https"}
    if operation.caller:
        headers["Authorization"] = f"Bearer {stage.keys[operation.caller]}"
    if operation.method == "POST":
        headers["Content-Type"] = "application/json"
    return SCRIPT.substitute(
        before=before,
        headers=", ".join(f'["{name}"] = "{value}"' for name, value in headers.items()),
        number=NUMBER,
        phone=PHONE,
        phones=PHONES,
        is_keyed=str(operation.is_keyed).lower(),
        body=operation.body,
        method=operation.method,
        path=stage.fill(operation.path),
    )


def program() -> str:
    """Return the path of wrk. Exits if it is not installed."""
    return shutil.which("wrk") or sys.exit(
        "wrk is missing: `apt install wrk` on Debian and Ubuntu."
    )
