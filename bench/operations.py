"""The operations to measure: their requests, and the ratio to the floor that each should reach."""

import json
from dataclasses import dataclass, replace
from typing import Literal

Floor = Literal["create", "empty"]
Supply = Literal["", "created", "completed"]

NEW_PAYMENT = {
    "amount": 1250,
    "description": "Two coffees and a cake",
    "success_url": "https://shop.example.com/thanks",
    "metadata": {"cart": "c-1042"},
}
# Placeholders for the number of a request, in a path or body: no two requests are equal.
NUMBER, PHONE = "{number}", "{phone}"
NUMBERED = f"pay_{'0' * 20}{NUMBER}"


@dataclass(frozen=True)
class Operation:
    """A request; `{…}` in its path is replaced by values of the stage.

    `floor` is what it is compared with: rows written one statement at a time, or an empty view.
    `first_mark` and `aim` are ratios to that floor. `supply` is the status of the payment that each
    request needs, if any. `caller` is the merchant whose key is sent. `is_bare`: it is sent to the
    floor itself.
    """

    name: str
    method: str
    path: str
    floor: Floor
    first_mark: float | None = None
    aim: float | None = None
    body: str = ""
    supply: Supply = ""
    caller: str = "shop"
    is_bare: bool = False

    @property
    def is_keyed(self) -> bool:
        """Whether each request carries an Idempotency-Key of its own."""
        return self.method == "POST"


OPERATIONS = (
    Operation("create", "POST", "/v1/payments", "create", 0.3, 0.6, json.dumps(NEW_PAYMENT)),
    Operation("read", "GET", "/v1/payments/{payment}", "empty", 0.3, 0.5),
    Operation("list", "GET", "/v1/payments?limit=20", "empty", 0.15, 0.25, caller="reader"),
    Operation(
        "list filtered",
        "GET",
        "/v1/payments?limit=20&status=completed",
        "empty",
        0.15,
        0.25,
        caller="reader",
    ),
    Operation("cancel", "POST", f"/v1/payments/{NUMBERED}/cancel", "create", supply="created"),
    Operation(
        "confirm",
        "POST",
        f"/v1/payments/{NUMBERED}/confirm",
        "create",
        0.15,
        0.35,
        json.dumps({"customer_phone": PHONE}),
        supply="created",
    ),
    Operation(
        "refund",
        "POST",
        f"/v1/payments/{NUMBERED}/refund",
        "create",
        0.15,
        0.35,
        json.dumps({"amount": 500, "reason": "A cup was cold"}),
        supply="completed",
    ),
    Operation("balance", "GET", "/v1/balance", "empty", 0.2, 0.4),
    Operation("checkout page", "GET", "/checkout/{payment}", "empty", 0.15, 0.25, caller=""),
    Operation("status poll", "GET", "/checkout/{payment}/status", "empty", 0.3, 0.5, caller=""),
    Operation("QR image", "GET", "/checkout/{payment}/qr.png", "empty", 0.5, 0.5, caller=""),
    Operation("link page", "GET", "/pay/{slug}/{link}", "empty", caller=""),
)
# A confirmation by the floor: the upper bound for a confirmation.
BARE_CONFIRM = Operation(
    "bare confirm",
    "POST",
    f"/confirm/{NUMBERED}",
    "create",
    body=json.dumps({"customer_phone": PHONE}),
    supply="created",
    is_bare=True,
)
BY_NAME = {operation.name: operation for operation in (*OPERATIONS, BARE_CONFIRM)}

# The operations of the floor: a creation one statement at a time, and an empty view.
FLOORS: dict[Floor, Operation] = {
    "create": replace(BY_NAME["create"], path="/create"),
    "empty": Operation("empty view", "GET", "/empty", "empty", caller=""),
}
