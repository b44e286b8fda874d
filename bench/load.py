"""Send one operation again and again, with wrk, and read what it took."""

import shutil
import subprocess
import sys
import tempfile
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


@dataclass(frozen=True)
class Result:
    """What one measurement found: times in milliseconds, processor time per request."""

    per_second: float
    p50: float
    p99: float
    server_cpu: float
    database_cpu: float


def measure(side: Side, operation: Operation, *, seconds: int, most: int) -> Result:
    """Send the operation for so long. Exits where any answer is not a success.

    `most` is how many it may be at most: so many payments are made ready for it.
    """
    before = side.stagehand.prepare(operation, most)
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(script_of(operation, side.stagehand.stage, before))
        script.flush()
        command = [program(), "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s"]
        used = side.seconds_used()
        done = subprocess.run(  # our own
            [*command, f"--timeout={TIMEOUT_SECONDS}s", "-s", script.name, side.server.url],
            capture_output=True,
            text=True,
            check=True,
        )
        server, database = (
            1_000 * (now - then) for now, then in zip(side.seconds_used(), used, strict=True)
        )
    side.stagehand.seal()
    words = next(line for line in done.stdout.splitlines() if line.startswith("measured")).split()
    requests, microseconds, refused, broken, p50, p99 = map(int, words[1:])
    if refused or broken or not requests:
        sys.exit(f"{done.stdout}{done.stderr}{operation.name}: {requests} answers, of which"
                 f" {refused} refuse, and {broken} never came")  # fmt: skip
    return Result(
        per_second=requests * 1e6 / microseconds,
        p50=p50 / 1_000,
        p99=p99 / 1_000,
        server_cpu=server / requests,
        database_cpu=database / requests,
    )


def script_of(operation: Operation, stage: Stage, before: int) -> str:
    """Return the request in wrk's own language; `before` is the number before the first."""
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
    """Return where wrk is. Exits where it is not installed."""
    return shutil.which("wrk") or sys.exit(
        "wrk is missing: `apt install wrk` on Debian and Ubuntu."
    )
