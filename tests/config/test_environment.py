"""What the environment says is read, or refused by name before anything starts."""

import os
import subprocess
import sys

import pytest

from config import environment
from config.number_ranges import RANGES
from core.money import MAX_AMOUNT

pytestmark = pytest.mark.sqlite


def refusal(monkeypatch: pytest.MonkeyPatch, **given: str) -> str:
    """Return what the process says when it ends with these variables."""
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as ended:
        environment.refuse_unreadable()
    return str(ended.value)


def test_it_ends_the_process_without_a_traceback() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import config.settings"],
        env=os.environ | {"DATABASE_URL": "mysql://root:secret@host/x", "RATE_LIMITS": "ture"},
        capture_output=True,
        text=True,
    )

    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "DATABASE_URL must begin with one of sqlite://, postgres://, postgresql://.",
        "RATE_LIMITS must be true or false.",
    ]


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("PORT", "80a", "be a whole number"),
        ("WEBHOOK_RETRY_SECONDS", "300,soon", "be whole numbers with commas between"),
        ("REGISTRATIONS_PER_NETWORK", "6.5", "be a whole number"),
        ("DATABASE_URL", "secret", "begin with one of sqlite://, postgres://, postgresql://"),
        ("CACHE_URL", "unix:///run/redis.sock", "begin with one of locmemcache://, "),
        ("EMAIL_URL", "mailto:ada@example.com", "begin with one of "),
        ("LOG_LEVEL", "loud", "be DEBUG, INFO, WARNING or ERROR"),
        ("HOST", "pay.example.com", "be an IP address such as 127.0.0.1"),
        ("SMS_STOP", "ture", "be true or false"),
        ("REQUIRE_STAFF_PASSKEYS", "enabled", "be true or false"),
        ("SECRET_KEY_FALLBACKS", "one, another", "have no space beside its commas"),
        ("PIN_PEPPER", "$ecret", "not begin with $"),
        ("PIN_ABOVE", "$LIMIT", "not begin with $"),
        ("SECRET_KEY", '"in quotes"', 'not begin with "'),
        ("PIN_PEPPER", "'in quotes'", "not begin with '"),
        ("PIN_PEPPER_FALLBACKS", "$ecret", "not begin with $"),
        ("SECRET_KEY", "from Windows\r", "have no space or line end at its beginning or end"),
    ],
)
def test_what_cannot_be_read_is_named_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, rule: str
) -> None:
    said = refusal(monkeypatch, **{name: value})

    assert said.startswith(f"{name} must {rule}")
    assert value not in said


@pytest.mark.parametrize("name", RANGES)
def test_a_number_out_of_its_range_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    fewest, most = RANGES[name][0], RANGES[name][-1]
    for beyond in (fewest - 1, most + 1):
        assert refusal(monkeypatch, **{name: str(beyond)}) == (
            f"{name} must be from {fewest} to {most}."
        )
    for within in (fewest, most):
        monkeypatch.setenv(name, str(within))
        environment.refuse_unreadable()


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("PASSKEY_ABOVE", MAX_AMOUNT),
        ("PAYOUT_MINIMUM", 0),
        ("PORT", 65_536),
        ("RISK_NEW_PROOF_HOURS", 8_761),
        ("WEB_THREADS", 0),
    ],
)
def test_nonsense_is_out_of_range(name: str, number: int) -> None:
    assert number not in RANGES[name]


def test_each_number_has_a_range() -> None:
    numbers = {name for name, (kind, _) in environment.VARIABLES.items() if kind is int}

    assert numbers == set(RANGES)


def test_no_text_or_list_depends_on_another_variable() -> None:
    """They are empty if they are not given: only flags and numbers would say something then."""
    kinds = {kind for kind, default in environment.VARIABLES.values() if default is None}

    assert kinds == {bool, int}


@pytest.mark.parametrize(("said", "number"), [("", 6), ("0", 0), ("7", 7)])
def test_a_number_depends_on_another_variable_only_if_it_is_not_given(
    monkeypatch: pytest.MonkeyPatch, said: str, number: int
) -> None:
    monkeypatch.setenv("VISITOR_SECONDS_PER_NETWORK", said)

    assert environment.given("VISITOR_SECONDS_PER_NETWORK", default=6) == number


@pytest.mark.parametrize(
    "said", ["true", "YES", "on", "1", "y", "false", "No", "off", "0", "n", ""]
)
def test_a_flag_is_said_in_any_of_these_ways(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.setenv("SMS_STOP", said)
    monkeypatch.setenv("WEBHOOK_ALLOW_PRIVATE", said)

    environment.refuse_unreadable()


ADDRESSES = {
    "BASE_URL": (
        *("pay.example.com", "https://", "https://[::1", "https://Pay.example.com"),
        *("https://pay.example.com/api", "https://pay.example.com:99999"),
        *("https://pay.example.com:0", "https://pay.example.com#here"),
        "https://us@pay.example.com",
    ),
    "CHECKOUT_URL": ("checkout.example.com",),
    "ADMIN_HOST": ("https://admin.example.com", "admin.example.com/", "a.example.com, b", " "),
    "ALLOWED_HOSTS": (
        *("https://a.example.com", "a.example.com:443", "a.example.com, b.example.com"),
        "a.example.com,b.example.com/",
    ),
    "DATABASE_URL": (
        *("postgres://", "postgres://us:it@host", "postgres://us:i/t@host/name"),
        *("postgres://us:it@host:54x/name", "postgres://us:it@host/name?sslmod=require"),
        "postgres://us@%2Frun%2Fpostgresql/name",
    ),
    "CELERY_BROKER_URL": (
        *("redis://host:x/0", "redis://host/broker", "redis://:i#t@host/0", "redis:///r.sock"),
        *("redis://:i;t@host/0", "redis://host/0;redis://another/broker"),
        *("redis://host/0;another:6379/0", "redis://host/0;"),
        "rediss://host/broker",
    ),
    "CACHE_URL": (
        *("", "redis://", "redis:///1", "redis://host/counts", "redis://[::1/0"),
        *("redis://one,another/1", "redis://:i,t@host/1"),
    ),
    "EMAIL_URL": (
        *("", "smtp+tls://", "smtp+tls://us:i#t@host:587", "smtp+tls://host:x"),
        *("smtp+tls://host:0", "smtp+tls://us:i\nt@host:587"),
        "smtp+tls://us:1#t@host:587",
    ),
    "SMS_URL": ("", "https://", "https://us:i#t@host/", "https://host:99999/", "https://the host/"),
}


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, each in ADDRESSES.items() for v in each])
def test_an_address_that_cannot_work_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    said = refusal(monkeypatch, **{name: value})

    assert said.startswith(f"{name} must ")
    assert "\n" not in said


def test_what_may_be_part_of_a_password_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A password of a slash, a question mark and an equals sign is read as an option."""
    said = refusal(monkeypatch, DATABASE_URL="postgres://us:5/ha?ven=7@host/name")

    assert "ven" not in said


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BASE_URL", "https://pay.example.com:8443/"),
        ("BASE_URL", "http://[::1]:8000"),
        ("ADMIN_HOST", "admin.example.com:8443"),
        ("ALLOWED_HOSTS", "a.example.com,[::1],10.0.0.1"),
        ("ALLOWED_HOSTS", "*,.Example.com"),
        ("DATABASE_URL", "sqlite:///var/db.sqlite3?timeout=5"),
        ("DATABASE_URL", "postgres://us:i#t@host/name"),
        (
            "DATABASE_URL",
            "postgres://us:it@/name?host=10.0.0.2,10.0.0.3&target_session_attrs=read-write",
        ),
        ("DATABASE_URL", "postgres://us:it@[::1]:5432,10.0.0.3:5432/name?assume_role=payments"),
        ("DATABASE_URL", "postgres:///?service=payments"),
        ("CELERY_BROKER_URL", "amqps://us:it@host/pay"),
        ("CELERY_BROKER_URL", "amqp://us:it@one:5672;amqp://us:it@another:5672"),
        ("CELERY_BROKER_URL", "amqp://us:i,t@host/"),
        ("CELERY_BROKER_URL", "redis://"),
        ("CELERY_BROKER_URL", "redis://one/0;redis://another:6380/0"),
        ("CELERY_BROKER_URL", "redis+socket:///run/redis.sock"),
        ("CACHE_URL", "rediss://:%23@host:6380/1"),
        ("CACHE_URL", "redis:///run/redis.sock"),
        ("EMAIL_URL", "smtp+ssl://us%40example.com:it@host:465"),
        ("EMAIL_URL", "smtp+tls://us:i;t@host:587"),
        ("EMAIL_URL", "smtp+tls://us@example.com:four of four letters@host:587"),
        ("SMS_URL", "https://us:it@host/send?from=Island Pay"),
        ("PIN_PEPPER_FALLBACKS", '"in quotes and with a line end"\n'),
    ],
)
def test_an_address_that_works_is_taken(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)

    environment.refuse_unreadable()
