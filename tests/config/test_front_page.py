"""GET / and /v1: what this is, to people and to programs."""

import pytest
from django.conf import settings
from django.test import Client
from pytest_django import Settings

PATHS = ["/", "/v1", "/v1/"]
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize("path", PATHS)
def test_a_browser_is_shown_a_page(client: Client, path: str) -> None:
    response = client.get(path, headers={"Accept": BROWSER})

    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/html")
    assert settings.SERVICE_NAME in response.content.decode()
    assert f'href="{settings.BASE_URL}/docs"' in response.content.decode()


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("accept", ["application/json", "*/*", ""])
def test_a_program_gets_json(client: Client, path: str, accept: str) -> None:
    response = client.get(path, headers={"Accept": accept})

    assert (response.status_code, response["Vary"].split(", ")[0]) == (200, "Accept")
    assert response.json() == {
        "service": settings.SERVICE_NAME,
        "version": "v1",
        "docs": f"{settings.BASE_URL}/docs",
        "openapi": f"{settings.BASE_URL}/v1/openapi.json",
    }


@pytest.mark.parametrize("path", PATHS)
def test_it_is_only_read(client: Client, path: str) -> None:
    response = client.post(path)

    assert (response.status_code, response.json()["code"]) == (405, "METHOD_NOT_ALLOWED")


@pytest.mark.parametrize("development", [True, False])
def test_only_developers_are_led_to_the_back_office(
    client: Client, settings: Settings, development: bool
) -> None:
    settings.DEVELOPMENT_MODE = development

    page = client.get("/", headers={"Accept": BROWSER}).content.decode()

    assert ('href="/admin/"' in page) is development


def test_the_reference_is_found_with_a_slash_at_its_end(client: Client) -> None:
    response = client.get("/docs/")

    assert (response.status_code, response["Location"]) == (302, "/docs")
