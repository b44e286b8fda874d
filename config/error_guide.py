"""The reference of each error code: its cause, its remedy, and how to provoke it."""

from typing import Any

from core.reference import errors
from core.simulation import HEADER
from core.wording import operations

# The `details` of the examples; empty for most codes.
DETAILS = {
    "INVALID_REQUEST": "limit: must be a whole number from 1",
    "VALIDATION_FAILED": "currency: must be an ISO 4217 currency code such as BSD",
    "INVALID_AMOUNT": "amount: must be an integer number of cents from 1 to [[most]]",
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


def _with_examples(refusal: dict[str, Any], status: int) -> dict[str, Any]:
    content = refusal["content"]["application/json"]
    content["examples"] = {
        error.code: {"summary": error.message, "value": error(DETAILS.get(error.code, "")).body}
        for error in errors()
        if error.status == status
    }
    return refusal
