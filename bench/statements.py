"""Count the SQL statements and function calls of each operation, independent of the machine.

`python -m bench.statements` prints a table, on a PostgreSQL or (`--embedded`) an SQLite of its own;
`--texts` also prints the statements; `--json` prints everything for a program. Calls are those that
a profiler sees, of Python and built-in functions, while `config.wsgi` serves a request as in
production: with the log line, the visitor's budget, and a connection from the pool.
"""

import argparse
import json
import os
import sys
from contextlib import redirect_stderr
from dataclasses import asdict, dataclass
from io import BytesIO
from types import FrameType
from typing import Any, Self
from wsgiref.util import setup_testing_defaults

from bench.copies import FIRST_NUMBER
from bench.endings import end_in_order
from bench.operations import BY_NAME, NUMBER, OPERATIONS, PHONE, Operation
from bench.output import say
from bench.serving import HOST, PRODUCTION
from bench.stage import Stage, phone

FRAMING = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK", "SET TRANSACTION")
# A statement is prepared when a connection sends it the fifth time, and the pool has two of them.
WARM_UPS, MEASURED = 10, 3
# In development mode, as otherwise the static files have to be collected first.
SERVED = PRODUCTION | {
    "DEVELOPMENT_MODE": "true",
    "LOG_FORMAT": "json",
    "VISITOR_SECONDS_PER_NETWORK": "6",
}
ROW = "{:14} {:>11} {:>8} {:>8}"


@dataclass(frozen=True)
class Cost:
    """The cost of one request. `framing` has the statements that control transactions."""

    statements: list[str]
    framing: list[str]
    calls: int


def main() -> None:
    end_in_order()
    from bench.ledger import database

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedded", action="store_true", help="SQLite instead of PostgreSQL")
    parser.add_argument("--only", default="", help=f"of {', '.join(BY_NAME)}; commas between")
    parser.add_argument("--texts", action="store_true", help="print the statements")
    parser.add_argument("--json", action="store_true", help="print one object, a key per operation")
    chosen = parser.parse_args()
    names = [name.strip() for name in chosen.only.split(",") if name.strip()]
    with (
        open(os.devnull, "w") as log,
        redirect_stderr(log),
        database(embedded=chosen.embedded, **SERVED),
    ):
        requests = Requests()
        operations = [BY_NAME[name] for name in names] or OPERATIONS
        costs = {operation.name: requests.cost_of(operation) for operation in operations}
    if chosen.json:
        say(json.dumps({name: asdict(cost) for name, cost in costs.items()}))
    else:
        print_table(costs, texts=chosen.texts)


def print_table(costs: dict[str, Cost], *, texts: bool) -> None:
    say(ROW.format("", "statements", "framing", "calls"))
    for name, cost in costs.items():
        say(ROW.format(name, len(cost.statements), len(cost.framing), f"{cost.calls:,}"))
        if texts:
            say("".join(f"    {text}\n" for text in cost.statements))


class Requests:
    """Sends operations in this process, as the web server does, to a stage of its own."""

    def __init__(self) -> None:
        from bench.stage import build
        from config.wsgi import application

        self.application: Any = application
        self.stage: Stage = build()
        self.number = FIRST_NUMBER

    def cost_of(self, operation: Operation) -> Cost:
        """Warm up an operation, then count; each figure is the minimum of several requests.

        The first request in a second also looks up the key, so single counts vary.
        """
        self._supply(operation)
        for _ in range(WARM_UPS):
            self._send(operation)
        texts = min((self._statements_of(operation) for _ in range(MEASURED)), key=len)
        counts = [self._send(operation) for _ in range(MEASURED)]
        return Cost(
            statements=[text for text in texts if not text.startswith(FRAMING)],
            framing=[text for text in texts if text.startswith(FRAMING)],
            calls=min(counts),
        )

    def _statements_of(self, operation: Operation) -> list[str]:
        from django.db import connection
        from django.test.utils import CaptureQueriesContext

        with CaptureQueriesContext(connection) as captured:
            self._send(operation)
        return [str(query["sql"]) for query in captured.captured_queries]

    def _supply(self, operation: Operation) -> None:
        from bench.stage import supply

        if operation.supply:
            made = {"created": self.stage.payment, "completed": self.stage.completed}
            count = WARM_UPS + 2 * MEASURED
            supply(made[operation.supply], first=self.number + 1, count=count)

    def _send(self, operation: Operation) -> int:
        """Send the next request, a browser's first one; return the calls that it takes."""
        self.number += 1
        environ, head = self._environ_of(operation), list[Any]()
        with Calls() as calls:
            body = b"".join(self.application(environ, lambda *given: head.extend(given)))
        assert head[0].startswith("20"), body
        return calls.count

    def _environ_of(self, operation: Operation) -> dict[str, Any]:
        """Return a request as granian passes it on from a proxy: each from a network of its own."""
        body = self._fill(operation.body).encode()
        path, _, query = self._fill(operation.path).partition("?")
        environ = os.environ | {
            "REQUEST_METHOD": operation.method,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "HTTP_HOST": HOST,
            "HTTP_X_FORWARDED_PROTO": "https",
            "HTTP_X_FORWARDED_FOR": f"10.{self.number // 256 % 256}.{self.number % 256}.1",
            "wsgi.input": BytesIO(body),
        }
        if operation.caller:
            environ["HTTP_AUTHORIZATION"] = f"Bearer {self.stage.keys[operation.caller]}"
        if operation.is_keyed:
            environ["HTTP_IDEMPOTENCY_KEY"] = f"bench-{self.number}"
        if body:
            environ |= {"CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(body))}
        setup_testing_defaults(environ)
        return environ

    def _fill(self, text: str) -> str:
        numbered = text.replace(NUMBER, str(self.number)).replace(PHONE, phone(self.number))
        return self.stage.fill(numbered)


class Calls:
    """Counts the calls made while it is used as a context, in this thread."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> Self:
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, argument: object) -> None:
        self.count += event in ("call", "c_call")


if __name__ == "__main__":
    main()
