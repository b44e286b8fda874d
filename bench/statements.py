"""Count the SQL statements and function calls of each operation, independent of the machine.

`python -m bench.statements` prints a table, on a PostgreSQL or (`--embedded`) an SQLite of its own;
`--texts` also prints the statements; `--json` prints everything for a program. Calls are those that
a profiler sees, of Python and built-in functions, from the request to the response.
"""

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from types import FrameType
from typing import Any, Self
from unittest import mock

from bench.copies import FIRST_NUMBER
from bench.endings import end_in_order
from bench.operations import BY_NAME, NUMBER, OPERATIONS, PHONE, Operation
from bench.output import say
from bench.stage import Stage, phone

FRAMING = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK", "SET TRANSACTION")
WARM_UPS, MEASURED = 4, 3
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
    with database(embedded=chosen.embedded):
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
    """Sends operations in this process, to a stage of its own."""

    def __init__(self) -> None:
        from django.test import Client

        from bench.stage import build

        self.stage: Stage = build()
        self.client: Client = Client()
        self.number = FIRST_NUMBER

    def cost_of(self, operation: Operation) -> Cost:
        """Warm up an operation, then count; each figure is the minimum of several requests.

        The first request in a second also looks up the key, so single counts vary.
        """
        self._supply(operation)
        for _ in range(WARM_UPS):
            self._send(operation)
        texts = min((self._statements_of(operation) for _ in range(MEASURED)), key=len)
        counts = [self._calls_of(operation) for _ in range(MEASURED)]
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

    def _calls_of(self, operation: Operation) -> int:
        """Count the calls from request to response, without those of the test client."""
        calls, answer = Calls(), self.client.handler

        def counted(environ: dict[str, Any]) -> Any:
            with calls:
                return answer(environ)

        with mock.patch.object(self.client, "handler", counted):
            self._send(operation)
        return calls.count

    def _supply(self, operation: Operation) -> None:
        from bench.stage import supply

        if operation.supply:
            made = {"created": self.stage.payment, "completed": self.stage.completed}
            count = WARM_UPS + 2 * MEASURED
            supply(made[operation.supply], first=self.number + 1, count=count)

    def _send(self, operation: Operation) -> None:
        """Send the next request, without cookies: as in `bench.api`, each is a first one."""
        self.client.cookies.clear()
        self.number += 1
        headers = {}
        if operation.caller:
            headers["Authorization"] = f"Bearer {self.stage.keys[operation.caller]}"
        if operation.is_keyed:
            headers["Idempotency-Key"] = f"bench-{self.number}"
        response = self.client.generic(
            operation.method,
            self._fill(operation.path),
            self._fill(operation.body),
            content_type="application/json",
            headers=headers,
        )
        assert response.status_code in (200, 201), response.content

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
