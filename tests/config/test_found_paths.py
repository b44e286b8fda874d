"""The view of a path is searched for once, whatever the ids in it; of other paths each time."""

from typing import Any
from unittest import mock

import pytest
from django.conf import settings as service
from django.urls import Resolver404, URLResolver, get_resolver
from pytest_django import Settings

from config.found_views import FoundViews
from tests.client import Api

ONE, OTHER = (f"{kind}_{letter * 30}" for kind, letter in (("pay", "a"), ("link", "B")))


class Searches:
    """The views of the service, and a count of the searches for them."""

    def __init__(self) -> None:
        self.resolver = get_resolver(service.ROOT_URLCONF)
        self.counted = mock.Mock(wraps=self.resolver)
        self.views = FoundViews(self.counted)

    def count(self, *paths: str) -> int:
        """Return how many searches these paths took; each has found what Django finds."""
        before = self.counted.resolve.call_count
        for path in paths:
            found: Any = self.views.resolve(path)
            right: Any = self.resolver.resolve(path)
            assert (found.func, found.args, found.kwargs) == (right.func, right.args, right.kwargs)
            assert (found.view_name, found.route) == (right.view_name, right.route)
            assert found.captured_kwargs == right.captured_kwargs
        return self.counted.resolve.call_count - before


@pytest.mark.parametrize(
    "paths",
    [
        ("/v1/balance", "/v1/balance"),
        (f"/v1/payments/{ONE}", f"/v1/payments/{OTHER}", f"/v1/payments/{ONE}"),
        (f"/v1/payments/{ONE}/cancel", f"/v1/payments/{OTHER}/cancel"),
        (f"/checkout/{ONE}/qr.svg", f"/checkout/{OTHER}/qr.svg"),
        (f"/receipts/{ONE}.pdf", f"/receipts/{OTHER}.pdf"),
        (f"/counter/{ONE}/{OTHER}", f"/counter/{OTHER}/{ONE}"),
    ],
)
def test_a_view_is_searched_for_once(paths: tuple[str, ...]) -> None:
    assert Searches().count(*paths) == 1


@pytest.mark.parametrize(
    "paths",
    [
        ("/v1/payments/pay_x", "/v1/payments/pay_x"),
        (f"/v1/payments/{ONE}a", f"/v1/payments/{ONE}a"),
        (f"/pay/bakery/{ONE}", f"/pay/brewery/{ONE}"),
        (f"/checkout/logo/{ONE}-abc.png", f"/checkout/logo/{ONE}-abc.png"),
    ],
)
def test_what_is_no_id_is_not_kept(paths: tuple[str, ...]) -> None:
    assert Searches().count(*paths) == len(paths)


def test_each_view_is_its_own() -> None:
    paths = [f"/v1/payments/{ONE}{end}" for end in ("", "/cancel", "/confirm")]

    assert Searches().count(*paths, f"/v1/refunds/{ONE}", "/v1/payments") == 5


def test_what_is_not_found_stays_so() -> None:
    views = Searches().views

    for _ in range(2):
        with pytest.raises(Resolver404):
            views.resolve(f"/v1/payments/{ONE}/nothing")


@pytest.mark.django_db
def test_another_set_of_urls_has_views_of_its_own(api: Api, settings: Settings) -> None:
    assert api().get("/v1/balance").status_code == 401

    settings.ROOT_URLCONF = "config.local.previews"
    with mock.patch.object(
        URLResolver, "resolve", autospec=True, side_effect=URLResolver.resolve
    ) as search:
        api().get("/v1/balance")

    assert search.called
