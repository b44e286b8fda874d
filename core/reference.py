"""The introduction of the API reference, and the list of its errors."""

from collections.abc import Iterator
from typing import Any

from core.errors import ApiError

INTRODUCTION = """
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

In test mode no money moves. These phones make a payment end in a chosen way, at the checkout and
in `POST /v1/payments/{id}/confirm`: [[magic_phones]].
""".strip()


def describe(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Put the introduction before what other hooks have written; a hook of the generator."""
    said = result["info"].get("description") or ""
    result["info"]["description"] = f"{INTRODUCTION}\n\n{said}".strip()
    return result


def errors() -> list[type[ApiError]]:
    """Return the errors of the contract that rooms have defined, one per code, in order."""
    defined = [error for error in _below(ApiError) if error.test_mode]
    by_code = {error.code: error for error in reversed(defined)}
    return sorted(by_code.values(), key=lambda error: (error.status, error.code))


def _below(error: type[ApiError]) -> Iterator[type[ApiError]]:
    for kind in error.__subclasses__():
        if kind.__module__.split(".")[0] != "tests":
            yield kind
            yield from _below(kind)
