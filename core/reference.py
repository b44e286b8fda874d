"""The introduction of the API reference, and the list of its errors."""

from collections.abc import Iterator
from typing import Any

from core.errors import ApiError

INTRODUCTION = """
# How the API works

Amounts are integers in the smallest unit (cents), instants are ISO 8601 in UTC with milliseconds.
Send `Authorization: Bearer sk_test_…` or `sk_live_…`: the key says which merchant calls and in
which mode, and what belongs to another merchant or the other mode does not exist for it. Send an
`Idempotency-Key` with each POST: the same request under the same key is done once and answered
alike for [[key_kept]]. Fields without a value are left out of answers. Every answer carries
`X-Request-Id`; name it when you ask for help.

A query parameter that an address does not take is refused with 400. A field of a body that is
unknown, or belongs to another mode, is ignored and named in the header `X-Service-Warning`; with
the request header `X-Service-Strict: true` it is refused with 422, which finds typing errors while
you test. Lists are read newest first: `has_more` tells whether to go on with `starting_after`.

In test mode no money moves. These phones choose what happens in `POST
/v1/payments/{id}/confirm`, and at the checkout, where the code is [[code]] and the PIN [[pin]]:
[[magic_phones]]. At the checkout a payment that is refused stays open, to be paid in another way;
in `confirm` it fails with [[phone_poor]] and [[phone_declined]].

## When is a payment paid?

When its `status` is `completed`, and not before. `created` waits for a customer, `pending` and
`requires_action` have one at the checkout, `processing` moves the money. `failed`, `expired` and
`canceled` end without it: create another payment. A refund leaves the status as it is and shows
in `amount_refunded` and `refund_status`. Wait for the event `payment.completed`, or read the
payment until it has a final status.

## When the customer comes back

The checkout leads to your `success_url` once the payment is completed, and to your `cancel_url`
when the customer gives up. Both receive the payment's id: `{PAYMENT_ID}` in the address is
replaced by it, and where it does not stand, `payment_id=…` is added to the query. The address is
no proof of anything: read the payment, or wait for its event, before you deliver.

## Lists

A list is an object: its items under the name of the resource, newest first, and beside them
`total`, `limit`, `offset` and `has_more`. `limit` says how many items a page has, 20 unless told;
more than 100 is taken as 100. While `has_more` is true, send the id of the last item as
`starting_after` for the next page: it costs the same at any depth, and nothing moves when something
new comes in. `offset` leaves out that many instead. The movements of a payout and the lines of a
statement are read by `limit` and `offset` only.
""".strip()


def describe(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Put the introduction before what other hooks wrote; a hook of the generator."""
    said = result["info"].get("description") or ""
    result["info"]["description"] = f"{INTRODUCTION}\n\n{said}".strip()
    return result


def errors() -> list[type[ApiError]]:
    """Return the contract's errors, in whichever room they are defined, one per code, in order."""
    defined = [error for error in _below(ApiError) if error.test_mode]
    by_code = {error.code: error for error in reversed(defined)}
    return sorted(by_code.values(), key=lambda error: (error.status, error.code))


def _below(error: type[ApiError]) -> Iterator[type[ApiError]]:
    for kind in error.__subclasses__():
        if kind.__module__.split(".")[0] != "tests":
            yield kind
            yield from _below(kind)
