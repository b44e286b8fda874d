"""Production refuses to start on an unsafe configuration."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from config.checks import faults, is_near, refuse_unsafe


@pytest.fixture
def production(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    settings.BASE_URL = settings.CHECKOUT_URL = "https://pay.example.com"
    settings.SMS_URL = "https://gateway.example.com/send"
    monkeypatch.setenv("EMAIL_URL", "smtp+tls://mail.example.com:587")
    return settings


def test_it_starts_on_a_safe_configuration(production: Settings) -> None:
    refuse_unsafe()

    assert list(faults()) == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("SECRET_KEY", "x" * 60, "SECRET_KEY must have at least 50"),
        ("SECRET_KEY", "short but random", "SECRET_KEY must have at least 50"),
        ("PIN_PEPPER", "", "PIN_PEPPER must have"),
        ("ENCRYPTION_KEY", "", "ENCRYPTION_KEY must be"),
        ("ENCRYPTION_KEY", "bm90IGxvbmcgZW5vdWdo", "ENCRYPTION_KEY must be"),
        ("BASE_URL", "http://pay.example.com", "BASE_URL must begin with https://"),
        ("CHECKOUT_URL", "http://pay.example.com", "CHECKOUT_URL must begin with https://"),
        ("DEVELOPMENT_MODE", True, "DEVELOPMENT_MODE lets anyone in"),
        ("SMS_URL", "console://", "SMS_URL must name"),
        ("WEBHOOK_RETRY_SECONDS", [], "WEBHOOK_RETRY_SECONDS must name"),
        ("WEBHOOK_RETRY_SECONDS", [300, 0], "WEBHOOK_RETRY_SECONDS must name"),
        ("WEBHOOK_TIMEOUT_SECONDS", 0, "WEBHOOK_TIMEOUT_SECONDS must be"),
        ("WEBHOOK_ALLOW_PRIVATE", True, "WEBHOOK_ALLOW_PRIVATE must be off"),
    ],
)
def test_it_refuses(production: Settings, name: str, value: object, said: str) -> None:
    setattr(production, name, value)

    with pytest.raises(ImproperlyConfigured) as refused:
        refuse_unsafe()

    assert f"- {said}" in str(refused.value)


def test_it_refuses_one_secret_used_twice(production: Settings) -> None:
    production.PIN_PEPPER = production.SECRET_KEY

    assert any("must differ" in fault for fault in faults())


@pytest.mark.sqlite
def test_it_refuses_several_processes_that_share_nothing(production: Settings) -> None:
    production.WEB_WORKERS = 2

    said = " ".join(faults())

    assert "set DATABASE_URL" in said
    assert "set CACHE_URL" in said


def test_it_refuses_mail_that_goes_nowhere(
    production: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMAIL_URL", "consolemail://")

    assert [fault[:9] for fault in faults()] == ["EMAIL_URL"]


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1", "192.168.1.20", "pay.test"])
def test_development_is_near(host: str) -> None:
    assert is_near(host)


@pytest.mark.parametrize("host", ["pay.example.com", "8.8.8.8", "localhost.example.com"])
def test_the_world_is_not_near(host: str) -> None:
    assert not is_near(host)
