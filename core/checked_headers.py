"""The headers of responses, in one step: to add those that were checked before, and to send all."""

from collections.abc import Iterable, Mapping

from django.http.response import HttpResponseBase, ResponseHeaders

# Each header as it is sent, by its name in small letters: how Django keeps them.
CheckedHeaders = Mapping[str, tuple[str, str]]


def checked_headers(headers: Mapping[str, str]) -> CheckedHeaders:
    """Check headers as Django does; return them to be added to any number of responses."""
    kept: CheckedHeaders = ResponseHeaders(headers)._store
    return kept


def add_headers(response: HttpResponseBase, headers: CheckedHeaders) -> None:
    """Add headers to a response, except those that it already has.

    Django's own way checks the name and the value of each again, in ten calls.
    """
    own: CheckedHeaders = response.headers._store
    response.headers._store = {**headers, **own}


def sent_headers(response: HttpResponseBase) -> Iterable[tuple[str, str]]:
    """Return the headers of a response as they are sent, without five calls for each."""
    own: CheckedHeaders = response.headers._store
    return own.values()
