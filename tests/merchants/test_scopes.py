"""Which keys may call which route, found from the addresses there are: none is forgotten."""

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from core.clock import utc_now
from core.handler import SAFE_METHODS
from core.ids import new_id
from merchants.access import MAX_SCOPES, READ_ONLY, RESOURCES, SCOPES, allows
from merchants.services import issue_key
from merchants.viewsets import CallerViewSet
from tests.client import ApiClient


def _patterns(resolver, prefix=""):
    for pattern in resolver.url_patterns:
        place = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _patterns(pattern, place)
        elif isinstance(pattern, URLPattern):
            yield place, pattern


ROUTES = sorted(
    (method.upper(), place, pattern.callback.cls.scoped_as)
    for place, pattern in _patterns(get_resolver())
    if issubclass(getattr(pattern.callback, "cls", object), CallerViewSet)
    for method in getattr(pattern.callback, "actions", {})
    if method != "head"
)
WRITING = [route for route in ROUTES if route[0] not in SAFE_METHODS]
READING = [route for route in ROUTES if route[0] in SAFE_METHODS]


def _call(merchant, scopes, route, *, livemode=False):
    method, place, _ = route
    secret = issue_key(
        merchant=merchant, livemode=livemode, name="Limited", scopes=scopes, now=utc_now()
    ).secret
    parts = [new_id("pay", utc_now()) if "<" in part else part for part in place.split("/")]
    headers = {"Authorization": f"Bearer {secret}"}
    return ApiClient().client.generic(method, "/" + "/".join(parts), headers=headers)


def test_every_route_is_of_a_resource_that_scopes_name():
    assert {resource for _, _, resource in ROUTES} == set(RESOURCES)
    assert len(" ".join(SCOPES)) <= MAX_SCOPES


def test_the_words_of_a_resource_are_joined_and_plural():
    class Endpoint(CallerViewSet):
        resource = "Payment link"

    assert Endpoint.scoped_as == "payment_links"


@pytest.mark.parametrize("route", WRITING, ids=str)
@pytest.mark.parametrize("livemode", [False, True])
def test_a_key_that_only_reads_writes_nowhere(merchant, route, livemode):
    answer = _call(merchant, READ_ONLY, route, livemode=livemode)

    assert answer.status_code == 403
    assert answer.json()["code"] == "INSUFFICIENT_SCOPE"


@pytest.mark.parametrize("route", READING, ids=str)
def test_a_key_that_only_reads_reads_everywhere(merchant, route):
    assert _call(merchant, READ_ONLY, route).status_code in (200, 404)


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_a_key_of_every_other_resource_is_refused(merchant, route):
    others = " ".join(scope for scope in SCOPES if scope.split(":")[0] not in (route[2], "*"))

    assert _call(merchant, others, route).status_code == 403


@pytest.mark.parametrize("route", [route for route in ROUTES if route[2] != "api_keys"], ids=str)
def test_to_write_includes_to_read(merchant, route):
    assert _call(merchant, f"{route[2]}:write", route).status_code != 403


@pytest.mark.parametrize("granted", ["", "payments", "payments:reads", "read", "*:write"])
def test_what_is_no_scope_allows_nothing(granted):
    assert not allows(granted, "payments", writes=False)
    assert not allows(granted, "payments", writes=True)
