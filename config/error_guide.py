"""The reference of each error code: its cause, its remedy, and how to provoke it."""

from dataclasses import dataclass
from typing import Any

from core.reference import errors
from core.simulation import HEADER

INTRODUCTION = f"""
# Errors

Every refusal is `{{"error", "code", "details"}}`: a sentence for people, a code for programs, and
what each field at fault must be. 400: the request could not be understood. 422: it was understood
and is refused, by validation or by the state of the object. Nothing was stored, no event was
written, and the Idempotency-Key may be used again.

With a test key, or in development mode, the header `{HEADER}: <code>` makes any request end in
that error before anything is done; below stands how each comes about by itself.
""".strip()


@dataclass(frozen=True)
class Advice:
    """The cause and remedy of a code, and a request in test mode that gets it."""

    cause: str
    remedy: str
    test: str


_WRONG_ID = "It is mistyped, belongs to another merchant, or to the other mode: they look the same."
_CHECK_ID = "Take the id from the answer or event that named it, and the key of that mode."
_NEW_PAYMENT = "Create a new payment."
_RETRY = "Send the same request again, with the same Idempotency-Key."


def _missing(address: str) -> Advice:
    return Advice(_WRONG_ID, _CHECK_ID, f"`GET {address}`.")


GUIDE: dict[str, Advice] = {
    "INVALID_REQUEST": Advice(
        "The body is no JSON object, names a key twice, or a query parameter makes no sense.",
        "`details` says what; sending the same again will not help.",
        "`GET /v1/payments?limit=0`.",
    ),
    "UNAUTHORIZED": Advice(
        "There is no key, or it is mistyped, revoked or expired.",
        "Send `Authorization: Bearer <key>`; if it was rolled, the new one.",
        "Any request with `Authorization: Bearer sk_test_0`.",
    ),
    "CUSTOMER_NOT_FOUND": Advice(
        "The customer has asked to be forgotten.",
        "Nothing: payments and refunds keep their `customer_id`.",
        "By the header only: no address of the API names a customer.",
    ),
    "DELIVERY_NOT_FOUND": Advice(
        _WRONG_ID, _CHECK_ID, "`POST /v1/webhooks/<id>/deliveries/dlv_0/retry`."
    ),
    "EVENT_NOT_FOUND": _missing("/v1/events/evt_0"),
    "MERCHANT_NOT_FOUND": _missing("/v1/merchants/mer_0"),
    "NOT_FOUND": Advice(
        "There is no such address.",
        "Compare it with this reference: no slash at the end, the version in front.",
        "`GET /v1/nothing`.",
    ),
    "PAYMENT_LINK_NOT_FOUND": _missing("/v1/payment-links/link_0"),
    "PAYMENT_NOT_FOUND": _missing("/v1/payments/pay_0"),
    "PAYOUT_NOT_FOUND": _missing("/v1/payouts/po_0"),
    "REFUND_NOT_FOUND": _missing("/v1/refunds/ref_0"),
    "WEBHOOK_NOT_FOUND": _missing("/v1/webhooks/wh_0"),
    "METHOD_NOT_ALLOWED": Advice(
        "The address exists, but not for this method.",
        "The header `Allow` lists its methods.",
        "`DELETE /v1/payments`.",
    ),
    "CONFLICT": Advice(
        "Another request has held the same object for seconds.",
        f"Wait for `Retry-After`. {_RETRY}",
        "By the header only.",
    ),
    "REQUEST_TOO_LARGE": Advice(
        "The body is larger than 256 KiB.",
        "Keep in your own system what we need not know; send fewer line items.",
        "A `description` of 300,000 characters.",
    ),
    "UNSUPPORTED_MEDIA_TYPE": Advice(
        "The body is not `application/json`, is in another charset than UTF-8, or compressed.",
        "Send `Content-Type: application/json`.",
        "A POST with `Content-Type: text/plain`.",
    ),
    "DEVELOPMENT_ONLY": Advice(
        "A live payment can be paid by its customer only.",
        "Send the customer to `checkout_url`; confirm test payments.",
        "Confirm any payment with a live key.",
    ),
    "IDEMPOTENCY_KEY_REUSED": Advice(
        "The key came before, with another method, path or body.",
        "A new key for each new thing you want done; the old one for repeats only.",
        "Two payments of different amounts under one key.",
    ),
    "INSUFFICIENT_BALANCE": Advice(
        "The customer's wallet, or for a payout the merchant's balance, does not cover the amount.",
        "The customer tops up or pays less; `GET /v1/balance` shows what can be paid out.",
        "Confirm with `customer_phone` +1 242 555 0101; a payout of 99999999999.",
    ),
    "INVALID_AMOUNT": Advice(
        "An amount is no integer from 1 to 99,999,999,999, is missing, or contradicts another.",
        'Send cents as a JSON integer: 1250, not 12.5, 1250.0 or "1250".',
        '`POST /v1/payments` with `{"amount": 0}`.',
    ),
    "INVALID_PIN": Advice(
        "The customer entered a wrong PIN.",
        "The customer tries again: five wrong ones lock it for 30 minutes.",
        "Confirm with `customer_phone` +1 242 555 0102.",
    ),
    "MERCHANT_INACTIVE": Advice(
        "The merchant is suspended: neither its live keys nor its test keys work.",
        "Ask for the reason; nothing can be created or read meanwhile.",
        "By the header only.",
    ),
    "MERCHANT_NOT_VERIFIED": Advice(
        "A live key was used before the merchant has been verified.",
        "Go on with the test key; live keys work from the verification on.",
        "Any request with the live key of a new merchant, where verification is required.",
    ),
    "PAYMENT_ALREADY_COMPLETED": Advice(
        "The payment is paid. Two who pay at once pay once.",
        "Fulfil the order; to give the money back, refund.",
        "Confirm a payment twice, or cancel it after.",
    ),
    "PAYMENT_CANCELED": Advice(
        "The customer or your server canceled the payment.", _NEW_PAYMENT, "Cancel a payment twice."
    ),
    "PAYMENT_EXPIRED": Advice(
        "`expires_at` has passed: 24 hours, the due date, or what `expires_in` said.",
        _NEW_PAYMENT,
        "Create one with `expires_in` 60, wait a minute, confirm it.",
    ),
    "PAYMENT_FAILED": Advice(
        "The payment was declined, or its verification failed too often.",
        f"{_NEW_PAYMENT} `error_code` and `error_message` of the old one say why.",
        "Confirm with `customer_phone` +1 242 555 0103.",
    ),
    "PAYMENT_IN_PROGRESS": Advice(
        "The customer is paying at this moment.",
        "Wait for the event, or read the payment again in some seconds.",
        "Confirm with `customer_phone` +1 242 555 0104, and cancel within 30 seconds.",
    ),
    "PAYMENT_LINK_EXPIRED": Advice(
        "The link's `expires_at` has passed.",
        "Set a later one with PATCH before it passes; after, create a new link.",
        "Create a link that expires in a minute, wait, change it.",
    ),
    "PAYMENT_LINK_INACTIVE": Advice(
        "The link is deactivated or used up.", "Create a new link.", "Deactivate a link twice."
    ),
    "PAYMENT_NOT_COMPLETED": Advice(
        "Only a completed payment can be refunded.",
        "Cancel an unpaid payment.",
        "Refund a payment just created.",
    ),
    "PIN_LOCKED": Advice(
        "Too many wrong PINs.",
        "The customer waits 30 minutes, resets the PIN by a code, or uses a passkey.",
        "Confirm with `customer_phone` +1 242 555 0106.",
    ),
    "REFUND_AMOUNT_MISMATCH": Advice(
        "`refund_amount_available` is not what is left: someone else has refunded meanwhile.",
        "Read `amount_refundable` again, and decide anew.",
        "Refund a completed payment with `refund_amount_available` 1.",
    ),
    "REFUND_EXCEEDS_PAYMENT": Advice(
        "All refunds together would be more than the payment.",
        "Refund at most `amount_refundable`.",
        "Refund a payment twice.",
    ),
    "SLUG_TAKEN": Advice(
        "Another merchant has the slug.",
        "Choose another, or leave it out to get one from the name.",
        "Register twice with one slug.",
    ),
    "VALIDATION_FAILED": Advice(
        "A field has a value it cannot have, or what was asked for is not possible now.",
        "`details` names each field and what it must be.",
        '`POST /v1/payments` with `{"amount": 1, "currency": "bsd"}`.',
    ),
    "VERIFICATION_FAILED": Advice(
        "The customer could not be verified: a wrong or expired code, or a passkey that failed.",
        "The customer tries again at the checkout.",
        "Enter another code than 000000 at the test checkout.",
    ),
    "RATE_LIMITED": Advice(
        "More than 100 requests a minute (200 at once) or 10,000 an hour; or too many test events "
        "at once.",
        "Wait for `Retry-After`; the header `RateLimit` says what is left.",
        "The 201st request within two minutes, where limits are on.",
    ),
    "INTERNAL_ERROR": Advice(
        "A fault of ours; it has been noted.",
        f"{_RETRY} Name `X-Request-Id` when you ask for help.",
        "By the header only.",
    ),
    "SERVICE_UNAVAILABLE": Advice(
        "The database does not answer, or more is asked than can be done.",
        f"Wait for `Retry-After`. {_RETRY}",
        "By the header only.",
    ),
}


def describe(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add a section per code to the description; a hook of the document's generator."""
    sections = [
        f"## {error.code}\n\n"
        f"`{error.status}` {error.message}\n\n"
        f"- Cause: {GUIDE[error.code].cause}\n"
        f"- Remedy: {GUIDE[error.code].remedy}\n"
        f"- In test mode: {GUIDE[error.code].test}"
        for error in errors()
        if error.code in GUIDE
    ]
    parts = [result["info"]["description"], INTRODUCTION, *sections]
    result["info"]["description"] = "\n\n".join(parts)
    return result
