"""Every route of the service, and an address at which each is asked."""

from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RoutePattern

from core.clock import utc_now
from core.ids import new_id


def routes(
    resolver: URLResolver | None = None, prefix: str = ""
) -> Iterator[tuple[str, URLPattern]]:
    """Yield each route with its pattern; those of Django's that are regular expressions are not."""
    for pattern in (resolver or get_resolver()).url_patterns:
        place = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern, place)
        elif isinstance(pattern.pattern, RoutePattern):
            yield place, pattern


def address_of(route: str) -> str:
    """Fill each parameter of a route with an id that nothing has."""
    parts = [
        new_id(part[1:-1].split(":")[-1][:3], utc_now()) if part.startswith("<") else part
        for part in route.split("/")
    ]
    return "/" + "/".join(parts)
