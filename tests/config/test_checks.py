"""Production refuses to start on an unsafe configuration."""

from collections.abc import Callable
from weakref import ref

import pytest
from celery.signals import beat_init, worker_init
from celery.utils.dispatch import Signal
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from pytest_django import Settings

from config import character_check
from config.celery import refuse_unsafe_start
from config.character_check import check_characters
from config.checks import configuration_faults, is_private_host, refuse_unsafe
from config.weak_choices import CHOICES, weak_choices


@pytest.fixture
def production(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    settings.BASE_URL = settings.CHECKOUT_URL = "https://pay.example.com"
    settings.SMS_URL = "https://gateway.example.com/send"
    settings.TRUSTED_PROXIES = 1
    settings.REQUIRE_STAFF_PASSKEYS = settings.REQUIRE_VERIFIED_MERCHANTS = True
    settings.BOUND_SECRETS_ONLY = True
    settings.REGISTRATIONS_PER_NETWORK = settings.VISITOR_SECONDS_PER_NETWORK = 6
    monkeypatch.setenv("EMAIL_URL", "smtp+tls://mail.example.com:587")
    monkeypatch.setenv("LOG_LEVEL", "INFO")
    return settings


@pytest.mark.parametrize("begins", [worker_init, beat_init])
def test_no_process_of_celery_starts_on_an_unsafe_one(
    production: Settings, caplog: pytest.LogCaptureFixture, begins: Signal
) -> None:
    assert ref(refuse_unsafe_start) in [receiver for _, receiver in begins.receivers]
    production.WEBHOOK_ALLOW_PRIVATE = True
    start = Signal(name="start")
    start.connect(refuse_unsafe_start)

    with pytest.raises(SystemExit):
        start.send(sender=None)

    assert "WEBHOOK_ALLOW_PRIVATE must be off" in caplog.text
    assert "Traceback" not in caplog.text


def test_no_process_of_celery_starts_unchecked(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Celery would log the failure of a check, and go on."""
    monkeypatch.setattr("config.start_checks.check_start", lambda: int("unforeseen"))
    start = Signal(name="start")
    start.connect(refuse_unsafe_start)

    with pytest.raises(SystemExit):
        start.send(sender=None)

    assert "Traceback" in caplog.text
    assert "unforeseen" in caplog.text


def test_it_starts_on_a_safe_configuration(production: Settings) -> None:
    production.ALLOWED_HOSTS = ["pay.example.com", "checkout.example.com"]
    production.SERVICE_NAME = "P" * 100
    refuse_unsafe()

    assert list(configuration_faults()) == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("SECRET_KEY", "x" * 60, "SECRET_KEY must have at least 50"),
        ("SECRET_KEY", "short but random", "SECRET_KEY must have at least 50"),
        ("SECRET_KEY", "correct horse " * 5, "SECRET_KEY must have at least 50"),
        ("SECRET_KEY", "abcabca" * 10, "SECRET_KEY must have at least 50"),
        ("PIN_PEPPER", "", "PIN_PEPPER must have"),
        ("PIN_PEPPER", "0123456789" * 4, "PIN_PEPPER must have"),
        ("PIN_PEPPER", "p" * 40, "PIN_PEPPER must have"),
        ("ENCRYPTION_KEY", "A" * 43 + "=", "ENCRYPTION_KEY must be"),
        ("ALLOWED_HOSTS", ["*"], "ALLOWED_HOSTS must name each host: with * the links"),
        ("ALLOWED_HOSTS", ["a.example.com", ".com"], "ALLOWED_HOSTS must name each host: with ."),
        ("ALLOWED_HOSTS", [".co.uk"], "ALLOWED_HOSTS must name each host: with .co.uk "),
        ("SMS_URL", "http://gateway.example.com/send", "SMS_URL must begin with https://"),
        ("REQUIRE_STAFF_PASSKEYS", False, "REQUIRE_STAFF_PASSKEYS must be on"),
        ("TRUSTED_PROXIES", 0, "TRUSTED_PROXIES must be 1 or more"),
        ("ENCRYPTION_KEY", "", "ENCRYPTION_KEY must be"),
        ("ENCRYPTION_KEY", "bm90IGxvbmcgZW5vdWdo", "ENCRYPTION_KEY must be"),
        ("BASE_URL", "http://pay.example.com", "BASE_URL must begin with https://"),
        ("BASE_URL", "https://93.184.216.34", "BASE_URL must name a host"),
        ("CHECKOUT_URL", "https://[2001:db8::7]:8443", "CHECKOUT_URL must name a host"),
        ("ADMIN_HOST", "10.0.0.5:8443", "ADMIN_HOST must name a host"),
        ("CHECKOUT_URL", "http://pay.example.com", "CHECKOUT_URL must begin with https://"),
        ("DEVELOPMENT_MODE", True, "DEVELOPMENT_MODE lets anyone in"),
        ("SMS_URL", "console://", "SMS_URL must name"),
        ("SMS_COUNTRIES", [], "SMS_COUNTRIES must name"),
        ("SUPPORT_EMAIL", "help at example", "SUPPORT_EMAIL must be an e-mail address."),
        ("SMS_COUNTRIES", ["BS", "Narnia"], "SMS_COUNTRIES must name"),
        ("SMS_PER_NUMBER", [5], "SMS_PER_NUMBER, SMS_PER_NETWORK"),
        ("SMS_IN_ALL", [0, 10], "SMS_PER_NUMBER, SMS_PER_NETWORK"),
        ("WEBHOOK_RETRY_SECONDS", [], "WEBHOOK_RETRY_SECONDS must name"),
        ("WEBHOOK_RETRY_SECONDS", [300, 0], "WEBHOOK_RETRY_SECONDS must name"),
        ("WEBHOOK_RETRY_SECONDS", [300, 9_000_000], "WEBHOOK_RETRY_SECONDS must name"),
        ("APP_SCHEME", "my app", "APP_SCHEME must be"),
        ("DEFAULT_CURRENCY", "bsd", "DEFAULT_CURRENCY must be"),
        ("PASSKEY_ABOVE", 100, "PASSKEY_ABOVE must be"),
        ("QR_PAYLOAD", "svg", "QR_PAYLOAD must be"),
        ("SERVICE_NAME", "P" * 101, "SERVICE_NAME must have at most 100"),
        ("SERVICE_NAME", " ", "SERVICE_NAME must have at most 100"),
        ("SERVICE_NAME", "Island\nPay", "SERVICE_NAME must have at most 100"),
        ("STAFF_TIME_ZONE", "Atlantis", "STAFF_TIME_ZONE must be"),
        ("STAFF_TIME_ZONE", "localtime", "STAFF_TIME_ZONE must be"),
        ("WEBHOOK_ALLOW_PRIVATE", True, "WEBHOOK_ALLOW_PRIVATE must be off"),
    ],
)
def test_it_refuses(production: Settings, name: str, value: object, said: str) -> None:
    setattr(production, name, value)

    with pytest.raises(ImproperlyConfigured) as refused:
        refuse_unsafe()

    assert f"- {said}" in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [*dict.fromkeys(CHOICES, 0).items(), ("RISK_PIN_DAY_AMOUNT", 100_001), ("WEB_THREADS", 3)],
)
def test_it_starts_without_a_defence_and_says_so(
    production: Settings, caplog: pytest.LogCaptureFixture, name: str, value: int
) -> None:
    setattr(production, name, value)

    refuse_unsafe()

    [said] = [record.getMessage() for record in caplog.records]
    assert said.startswith(f"{name} is ")
    production.DEVELOPMENT_MODE, production.BASE_URL = True, "http://localhost:8000"
    caplog.clear()
    refuse_unsafe()
    assert not caplog.records


@pytest.mark.parametrize(
    ("name", "used_twice"),
    [
        ("PIN_PEPPER", lambda it: it.SECRET_KEY),
        ("SECRET_KEY_FALLBACKS", lambda it: [it.PIN_PEPPER]),
        ("PIN_PEPPER_FALLBACKS", lambda it: [it.SECRET_KEY]),
        ("LEDGER_KEY", lambda it: f"{it.LEDGER_KEY}, {it.ENCRYPTION_KEY}"),
    ],
)
def test_it_refuses_one_secret_used_twice(
    production: Settings, name: str, used_twice: Callable[[Settings], object]
) -> None:
    """One of several keys, too: while they rotate, each of them opens or verifies."""
    setattr(production, name, used_twice(production))

    assert any("must differ" in fault for fault in configuration_faults())


@pytest.mark.sqlite
def test_it_refuses_several_processes_that_share_nothing(production: Settings) -> None:
    production.WEB_WORKERS = 2

    said = " ".join(configuration_faults())

    assert "set DATABASE_URL" in said
    assert "set CACHE_URL" in said


@pytest.mark.parametrize("sender", ["payments", "@", "Payments <payments>"])
def test_it_refuses_a_sender_that_no_server_takes(
    production: Settings, monkeypatch: pytest.MonkeyPatch, sender: str
) -> None:
    monkeypatch.setenv("MAIL_FROM", sender)

    assert [fault[:9] for fault in configuration_faults()] == ["MAIL_FROM"]
    monkeypatch.setenv("MAIL_FROM", "Island Pay <payments@example.com>")
    assert list(configuration_faults()) == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("LOG_LEVEL", "WARNING", "LOG_LEVEL is WARNING: "),
        ("EMAIL_URL", "smtp+tls://mail.example.com:465", "EMAIL_URL: port 465 is that of smtp+ssl"),
        ("EMAIL_URL", "smtp+ssl://mail.example.com:587", "EMAIL_URL: port 587 is that of smtp+tls"),
    ],
)
def test_it_starts_with_what_seldom_works_and_says_so(
    production: Settings, monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(name, value)

    assert [choice[: len(said)] for choice in weak_choices()] == [said]


def test_a_name_that_is_almost_a_variables_is_told(
    production: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("RATE_LIMIT", "HOSTNAME", "PGHOST", "DEVELOPMENT_FILE"):
        monkeypatch.setenv(name, "true")

    assert list(weak_choices()) == ["RATE_LIMIT is no variable of this service: RATE_LIMITS is."]


@pytest.mark.parametrize("url", ["memory://", "redis://host/0;memory://"])
def test_it_refuses_a_broker_of_one_process(
    production: Settings, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("CELERY_BROKER_URL", url)

    assert "CELERY_BROKER_URL must name a broker" in " ".join(configuration_faults())


def test_it_refuses_mail_that_goes_nowhere(
    production: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMAIL_URL", "consolemail://")

    assert [fault[:9] for fault in configuration_faults()] == ["EMAIL_URL"]


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1", "192.168.1.20", "pay.test"])
def test_development_is_near(host: str) -> None:
    assert is_private_host(host)


@pytest.mark.parametrize("host", ["pay.example.com", "8.8.8.8", "localhost.example.com"])
def test_the_world_is_not_near(host: str) -> None:
    assert not is_private_host(host)


@pytest.mark.parametrize("url", ["smtp://mail.example.com:25", "smtp://u:p@93.184.216.34:25"])
def test_it_refuses_mail_that_anyone_can_read(
    production: Settings, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("EMAIL_URL", url)

    assert [fault for fault in configuration_faults() if "EMAIL_URL must be smtp+tls" in fault]


def test_it_refuses_text_messages_that_go_nowhere(production: Settings) -> None:
    production.SMS_URL = ""

    assert [fault[:7] for fault in configuration_faults()] == ["SMS_URL"]


@pytest.mark.parametrize(
    "url", ["smtp://127.0.0.1:25", "smtp://mailhog:1025", "smtp+ssl://m.example"]
)
def test_a_relay_of_our_own_network_needs_no_tls(
    production: Settings, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("EMAIL_URL", url)
    production.SMS_URL = "http://gateway.internal/send"

    assert list(configuration_faults()) == []


@pytest.mark.postgres
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("encoding", "letters", "faults"),
    [
        ("UTF8", (True, True), []),
        ("SQL_ASCII", (True, False), [("payments.E002", True)]),
        ("UTF8", (False, True), [("payments.E003", True)]),
        ("UTF8", (False, False), [("payments.E003", False)]),  # it holds payments already
    ],
)
def test_a_new_database_that_does_not_know_all_letters_is_not_migrated(
    monkeypatch: pytest.MonkeyPatch,
    encoding: str,
    letters: tuple[bool, bool],
    faults: list[tuple[str, bool]],
) -> None:
    assert check_characters(None, [connection.alias]) == []
    assert character_check.letters() == (True, False)
    monkeypatch.setattr(character_check, "server_encoding", lambda: encoding)
    monkeypatch.setattr(character_check, "letters", lambda: letters)

    found = check_characters(None, [connection.alias])

    assert [(fault.id, fault.is_serious()) for fault in found] == faults
