"""The reference of each error code: its cause, its remedy, and how to provoke it."""

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
    return result
