"""The views of paths, each searched for once, however many ids there are."""

import re
from typing import Any

from django.urls import ResolverMatch, URLResolver

_ID = re.compile(r"(?<=/)([a-z]+_[0-9A-Za-z]{30})(?![^/.])")


class FoundViews:
    """What a resolver has found, by what surrounds the ids of a path: as many as there are URLs.

    A path with something else in it than ids, such as a slug, is searched for each time.
    """

    def __init__(self, resolver: URLResolver) -> None:
        self._resolver = resolver
        self._found: dict[tuple[str, ...], ResolverMatch] = {}

    def resolve(self, path: str) -> ResolverMatch:
        """Return the view of a path. Raises Resolver404."""
        parts = _ID.split(path)
        around, ids = tuple(parts[::2]), parts[1::2]
        found = self._found.get(around)
        if found is not None:
            return _with_ids(found, ids) if ids else found
        match: Any = self._resolver.resolve(path)  # the stub does not know what it captured
        if [*match.args, *match.captured_kwargs.values()] == ids:
            self._found[around] = match
        first: ResolverMatch = match
        return first


def _with_ids(found: Any, ids: list[str]) -> ResolverMatch:
    """Return the same view for other ids."""
    captured = dict(zip(found.captured_kwargs, ids, strict=True))
    return ResolverMatch(
        found.func,
        found.args,
        found.kwargs | captured,
        found.url_name,
        found.app_names,
        found.namespaces,
        found.route,
        found.tried,
        captured,
        found.extra_kwargs,
    )
