"""The introduction of the API reference, and the list of its errors."""

from collections.abc import Iterator
from typing import Any

from core.errors import ApiError

INTRODUCTION = """
# How the API works

Amounts are integers in the smallest currency unit (cents). Times are ISO 8601 in UTC, with
milliseconds. Send `Authorization: Bearer sk_test_…` or `sk_live_…`: the key identifies the merchant
and the mode, and cannot see objects of other merchants or of the other mode. Send an
`Idempotency-Key` with each POST: repeating the same request with the same key does nothing new, and
returns the stored response for [[key_kept]], with the header `Idempotent-Replayed: true`. Responses
omit fields that have no value. Every response has an `X-Request-Id`; quote it when you ask for
help.

In development mode a request may have no key, and then reaches test objects only. It names its
merchant by `merchant_id`, in the body of a POST or in the query; where the path has the id of a
payment or another object, that suffices.

A body is JSON in UTF-8, without a byte order mark, and comes with its `Content-Length`: a chunked
one is refused with 400. In a POST, a null counts as an absent field; only refunds and payouts, for
which an absent `amount` means everything, and requests for an API key refuse it.

An unknown query parameter is refused with 400. A body field that is unknown, or belongs to a
different mode, is ignored and named in the header `X-Service-Warning`. It is refused with 422
instead if the request has the header `X-Service-Strict: true`, which catches typos while you test,
in a refund without an `amount`, in a payout, and where an API key is created or rolled. Lists are
sorted newest first; while `has_more` is true, continue with `starting_after`.

In test mode no money moves. These test phone numbers decide the outcome, both in `POST
/v1/payments/{id}/confirm` and at the checkout, where the code is [[code]] and the PIN [[pin]]:
[[magic_phones]]. At the checkout a declined payment stays open and can be paid another way; in
`confirm` it fails with [[phone_poor]] and [[phone_declined]].

## When is a payment paid?

When its `status` is `completed`, and not before. While `created` it is waiting for a customer;
while `pending` or `requires_action` a customer is at the checkout; while `processing` the money is
being moved. `failed`, `expired` and `canceled` mean it was not paid: create another payment. A
refund does not change the status; it shows in `amount_refunded` and `refund_status`. Wait for the
event `payment.completed`, or poll the payment until its status is final.

## When the customer returns

The checkout sends the customer to your `success_url` once the payment is completed, and to your
`cancel_url` if the customer gives up. Both receive the payment's id: `{PAYMENT_ID}` in the URL is
replaced with it; without that placeholder, `payment_id=…` is added to the query. The redirect
proves nothing: read the payment, or wait for its event, before you deliver.

## Lists

A list is an object with its items under the name of the resource, newest first, and `total`,
`limit`, `offset` and `has_more`. `limit` sets the page size: [[page]] by default; anything above
[[page_most]] means [[page_most]]. While `has_more` is true, send the id of the last item as
`starting_after` to get the next page: every page is equally fast, and new objects do not shift the
pages. `offset` skips that many items instead, and takes longer the more it skips: of those created
on the day on which the page begins or, with most filters, of all. The movements of a payout and the
lines of a statement can only be paged with `limit` and `offset`.

`total` is how many there are in all. With any other filter than [[exact_filters]] it is exact up to
[[most_counted]]; above that, it only says that there are more. It is always above `offset` plus the
items of the page while `has_more` is true.

## What may be added

Under `/v1` there may at any time be further operations, optional request fields, fields of
responses and events, types of events, and values of fields such as `status`, `type` and `code`.
Ignore what you do not know, go by the HTTP status of an unknown `code`, and answer an event of an
unknown type with 2xx. A generated client that refuses unknown values has to be generated again:
subscribe its endpoint to the types that it handles rather than to `*`.
""".strip()


def describe(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Put the introduction before what other hooks wrote; a hook of the generator."""
    description = result["info"].get("description") or ""
    result["info"]["description"] = f"{INTRODUCTION}\n\n{description}".strip()
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
