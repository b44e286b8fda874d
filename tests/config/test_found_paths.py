"""The views of `/v1`: a path without an id is searched for once, and none with an id is kept."""

from unittest import mock

import pytest
from django.urls import resolve
from pytest_django import Settings

from tests.client import Api

pytestmark = pytest.mark.django_db


def searches_for(path: str, api: Api) -> int:
    """Return how often three requests search for the view of the same path."""
    with mock.patch("config.api.resolve", wraps=resolve) as search:
        for _ in range(3):
            api().get(path)
    return search.call_count


def test_a_path_without_an_id_is_searched_for_once(api: Api) -> None:
    assert searches_for("/v1/balance", api) <= 1  # none, if a test before has asked for it


def test_a_path_with_an_id_is_searched_for_each_time(api: Api) -> None:
    assert searches_for("/v1/payments/pay_x", api) == 3


def test_another_set_of_urls_has_views_of_its_own(api: Api, settings: Settings) -> None:
    assert api().get("/v1/balance").status_code == 401

    settings.ROOT_URLCONF = "config.local.previews"

    assert searches_for("/v1/balance", api) == 1
