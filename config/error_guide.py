"""The reference of each error code: its cause, its remedy, and how to provoke it."""

from typing import Any

from core.errors import ApiError
from core.reference import errors
from core.simulation import HEADER
from core.wording import operations

# The `details` of the examples, which a test provokes; empty for other codes.
DETAILS = {
    "INVALID_REQUEST": "limit: must be a whole number from 1",
    "UNAUTHORIZED": "The API key is not valid.",
    "INSUFFICIENT_SCOPE": "needs the scope payments:write",
    "METHOD_NOT_ALLOWED": "The method must be one of GET, POST, HEAD.",
    "REQUEST_TOO_LARGE": "The body must not be larger than 262144 bytes.",
    "UNSUPPORTED_MEDIA_TYPE": "Content-Type: must be application/json.",
    "DEVELOPMENT_ONLY": "Authorization: this operation needs a test key",
    "INVALID_AMOUNT": "amount: must be an integer number of cents from 1 to [[most]]",
    "PAYMENT_ALREADY_COMPLETED": "status: is completed; it can only be refunded",
    "PAYMENT_CANCELED": "status: is canceled; nothing more can be done with it",
    "PAYMENT_EXPIRED": "status: is expired; nothing more can be done with it",
    "PAYMENT_IN_PROGRESS": "status: is processing; its outcome is on the way",
    "PAYMENT_LINK_INACTIVE": "status: is deactivated; no one can pay through it any more",
    "PAYMENT_NOT_COMPLETED": "status: is created; it can be paid, and canceled",
    "REFUND_AMOUNT_MISMATCH": "refund_amount_available: is 1250",
    "REFUND_EXCEEDS_PAYMENT": "amount: must be at most 1250",
    "SLUG_TAKEN": "slug: must be one that no other merchant has",
    "VALIDATION_FAILED": "currency: must be an ISO 4217 currency code such as BSD",
}

_RETRY_AFTER = {"Retry-After": "How many seconds to wait before sending the request again."}
# The headers of a refusal, by its status.
HEADERS = {
    401: {"WWW-Authenticate": "The scheme that `Authorization` must have: `Bearer`."},
    405: {"Allow": "The methods that this address supports."},
    409: _RETRY_AFTER,
    429: _RETRY_AFTER,
    503: _RETRY_AFTER,
}

INTRODUCTION = f"""
# Errors

Every error is `{{"error", "code", "details"}}`: a sentence for people, a code for programs, and
what each invalid field must be. 400 means that the request could not be understood; 422 that it was
understood but refused, because a value is invalid or the object's state does not allow it. Nothing
was stored, no event was created, and the Idempotency-Key can be used again. The one exception is a
test payment that is declined in `confirm`: it has then failed.

With a test key, or in development mode, the header `{HEADER}: <code>` makes any request return
that error without doing anything. Each section below says how to provoke the error without it.
""".strip()


def describe(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add a section per code to the description; a hook of the document's generator."""
    sections = [
        f"## {error.code}\n\n"
        f"`{error.status}` {error.message}\n\n"
        f"- Cause: {error.cause}\n"
        f"- Remedy: {error.remedy}\n"
        f"- In test mode: {error.test_mode}"
        for error in errors()
    ]
    parts = [result["info"]["description"], INTRODUCTION, *sections]
    result["info"]["description"] = "\n\n".join(parts)
    codes = sorted(error.code for error in errors())
    result["components"]["schemas"]["Error"]["properties"]["code"]["enum"] = codes
    _share_refusals(result)
    return result


def _share_refusals(result: dict[str, Any]) -> None:
    """Define one shared response per status, with an example of each of its error codes."""
    shared: dict[str, Any] = {}
    result["components"]["responses"] = shared
    for operation in operations(result):
        for status in [status for status in operation["responses"] if int(status) >= 400]:
            name = f"Error{status}"
            refusal = operation["responses"][status]
            shared.setdefault(name, _with_examples(refusal, int(status)))
            operation["responses"][status] = {"$ref": f"#/components/responses/{name}"}


def _example_of(error: type[ApiError]) -> dict[str, str]:
    # What an error takes may be something else than its details: a number of attempts, an instant.
    return error(DETAILS[error.code]).body if error.code in DETAILS else error().body


def _with_examples(refusal: dict[str, Any], status: int) -> dict[str, Any]:
    content = refusal["content"]["application/json"]
    content["examples"] = {
        error.code: {"summary": error.message, "value": _example_of(error)}
        for error in errors()
        if error.status == status
    }
    if status in HEADERS:
        refusal["headers"] = {
            name: {"schema": {"type": "string"}, "description": meaning}
            for name, meaning in HEADERS[status].items()
        }
    return refusal
