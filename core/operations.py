"""What an operation accepts, and how it answers anything else.

An unknown query parameter is refused: a list that ignored it would answer another question, and a
refund with its amount in the address would return everything. A body field that nothing reads is
named in a header, and refused if the caller asks for that.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import InvalidRequest, ValidationFailed
from core.serializers import Input
from core.text import shown_name

STRICT = "X-Service-Strict"
STRICT_META = "HTTP_X_SERVICE_STRICT"  # `request.headers` builds a mapping of all, for each request
WARNING = "X-Service-Warning"
NAMED_FIELDS = 10


@dataclass(frozen=True)
class AcceptedInput:
    """The query parameters of an operation, and the input that parses its body."""

    parameters: tuple[str, ...] = ()
    body: type[Input] | None = None


# Keyed by the view method described.
ACCEPTED_INPUTS: dict[Callable[..., Any], AcceptedInput] = {}


def refuse_unknown(query: Iterable[str], known: tuple[str, ...]) -> None:
    """Raise InvalidRequest, naming a query parameter that is not among the known ones.

    A known `metadata[key]` stands for every key.
    """
    for name in query:
        if name not in known and not _is_key_of(name, known):
            there_are = f"there are {', '.join(known)}" if known else "there are none"
            raise InvalidRequest(
                f"{shown_name(name)}: is not a parameter of this address; {there_are}"
            )


def unread_fields(
    body: Mapping[str, Any], kind: type[Input] | None, besides: Iterable[str]
) -> dict[str, str]:
    """Return what is wrong with each field of a body that nothing reads.

    The fields in `besides` were read earlier: they say whose request it is.
    """
    unread = kind.unread_in(body) if kind else dict.fromkeys(body, "is unknown")
    return {name: reason for name, reason in unread.items() if name not in besides}


def refuse_unread(unread: Mapping[str, str]) -> None:
    """Raise ValidationFailed naming the fields that nothing reads."""
    if unread:
        raise ValidationFailed(warning_of(unread))


def refuse_body(fields: Iterable[str]) -> None:
    """Raise InvalidRequest for a field in the body of a request that only reads."""
    name = next(iter(fields), None)
    if name is not None:
        rule = "a GET takes parameters in its query string, not in a body"
        raise InvalidRequest(f"{shown_name(name)}: {rule}")


def warning_of(unread: Mapping[str, str]) -> str:
    """Return the text that names unread fields, for a header or a refusal."""
    named = [f"{shown_name(name)}: {reason}" for name, reason in unread.items()][:NAMED_FIELDS]
    more = len(unread) - len(named)
    return "; ".join([*named, *([f"and {more} more"] if more else [])])


def is_strict(header: str) -> bool:
    """Read the header that asks for unread fields to be refused. Raises InvalidRequest."""
    if header.lower() not in ("", "true", "false"):
        raise InvalidRequest(f"{STRICT}: must be true or false")
    return header.lower() == "true"


def _is_key_of(name: str, known: tuple[str, ...]) -> bool:
    before, bracket, key = name.partition("[")
    is_one_key = len(key) > 1 and key.endswith("]") and "][" not in key
    return is_one_key and f"{before}{bracket}key]" in known
