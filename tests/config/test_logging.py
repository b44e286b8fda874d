"""Logs are JSON, carry the request's id, and hide secrets."""

import json
import logging
from io import StringIO
from logging.config import dictConfig

import pytest
import structlog
from django.db import IntegrityError
from django.test import Client

from config.logging import HIDDEN, logging_config, redact
from core.clock import utc_now
from core.ids import new_id

SECRETS = ["sk_live_4f9aB", "sk_test_4f9aB", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw+/="]


@pytest.mark.django_db
def test_a_request_is_one_line_with_its_id(client: Client, lines) -> None:
    response = client.get("/v1/nothing", headers={"X-Request-Id": "mine-7"})

    (line,) = lines()
    assert response["X-Request-Id"] == line["request_id"] == "mine-7"
    assert (line["event"], line["request"]) == ("request_finished", "GET /v1/nothing")
    assert (line["code"], line["level"]) == (404, "info")


@pytest.mark.django_db
def test_probes_that_go_well_are_not_logged(client: Client, lines) -> None:
    client.get("/healthz")

    assert lines() == []


@pytest.mark.django_db
def test_a_request_may_not_name_itself_after_a_secret(client: Client, lines) -> None:
    client.get("/v1/nothing", headers={"X-Request-Id": "sk_live_4f9aB"})

    (line,) = lines()
    assert line["request_id"] == f"sk_live_{HIDDEN}"


def test_a_dictionary_that_another_package_logs_is_redacted(lines) -> None:
    logging.getLogger("another").warning({"key": "sk_live_4f9aB"})

    assert "4f9aB" not in json.dumps(lines())


@pytest.mark.parametrize("secret", SECRETS)
def test_secrets_are_hidden_wherever_they_are_said(lines, secret: str) -> None:
    logging.getLogger("anyone").warning("the key is %s, he said", secret)
    structlog.get_logger("anyone").warning("said", said=f"Bearer {secret}")
    try:
        raise ValueError(secret)
    except ValueError:
        logging.getLogger("anyone").exception("failed")

    logged = lines()
    assert len(logged) == 3
    assert secret not in json.dumps(logged)
    assert logged[0]["event"].endswith(f"{HIDDEN}, he said")


@pytest.mark.parametrize("name", ["secret", "pin", "password", "api_token", "authorization"])
def test_what_is_named_like_a_secret_is_hidden(lines, name: str) -> None:
    structlog.get_logger("anyone").warning("said", **{name: "7391"})
    logging.getLogger("anyone").warning("said", extra={name: "7391"})

    assert [line[name] for line in lines()] == [HIDDEN, HIDDEN]


@pytest.mark.django_db
def test_the_address_of_a_counters_screen_is_hidden(client: Client, lines) -> None:
    client.get("/counter/pay_0123/S3cr3t/feed")

    (line,) = lines()
    assert line["request"] == f"GET /counter/pay_0123/{HIDDEN}/feed"


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["not-me", "confirm-address"])
def test_a_link_that_stops_a_wallet_or_names_its_address_is_hidden(
    client: Client, lines, page: str
) -> None:
    client.get(f"/{page}/cus_0123:1abc:S3cr3t_s-ignature")

    [line] = lines()
    assert line["request"] == f"GET /{page}/{HIDDEN}"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path",
    [
        "/checkout/{}", "/checkout/{}/status", "/checkout/{}/qr.png", "/receipts/{}",
        "/receipts/{}.pdf", "/counter/{}/S3cr3t", "/v1/payments/{}",
        "/v1/payments?starting_after={}", "/nowhere?next=%2Fcheckout%2F{}", "/x?next=%2f{}",
    ],
)  # fmt: skip
def test_the_address_of_a_payments_pages_is_cut(client: Client, lines, path: str) -> None:
    payment_id = new_id("pay", utc_now())

    client.get(path.format(payment_id))

    (line,) = lines()
    assert payment_id not in json.dumps(line)
    assert payment_id[:16] + HIDDEN in line["request"]  # enough to find it in the back office


@pytest.mark.parametrize("prefix", ["link", "top"])
def test_the_address_of_a_page_is_cut(lines, prefix: str) -> None:
    row_id = new_id(prefix, utc_now())

    structlog.get_logger("anyone").warning("left out", rows=[row_id], about={"row": (row_id,)})

    (line,) = lines()
    assert row_id not in json.dumps(line)
    assert line["rows"] == [row_id[: len(prefix) + 13] + HIDDEN]


def test_the_access_log_of_the_web_server_is_cut(lines) -> None:
    server, written, payment_id = (
        logging.getLogger("granian.access"),
        StringIO(),
        new_id("pay", utc_now()),
    )
    server.addHandler(logging.StreamHandler(written))  # as granian does before it loads the service
    server.propagate = False
    dictConfig(logging_config(level="INFO", form="json"))

    assert server.handlers == []
    assert server.propagate
    assert redact(f'"GET /checkout/{payment_id} HTTP/1.1" 200').count(HIDDEN) == 1


@pytest.mark.django_db
def test_an_unexpected_error_does_not_say_which_payment(
    client: Client, lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    payment_id = new_id("pay", utc_now())

    def fail(*args: object, **values: object) -> None:
        raise RuntimeError(f"no such page: /checkout/{payment_id}")

    monkeypatch.setattr("checkout.views.paying.ReviewPage.get", fail)
    monkeypatch.setattr("checkout.views.paying.ReviewPage.prepare", fail)
    client.raise_request_exception = False
    client.get(f"/checkout/{payment_id}")

    logged = lines()
    assert "RuntimeError" in json.dumps(logged)
    assert payment_id not in json.dumps(logged)


@pytest.mark.django_db
def test_metrics_name_the_view_and_not_the_payment(client: Client) -> None:
    payment_id = new_id("pay", utc_now())
    client.get(f"/checkout/{payment_id}")
    client.get(f"/receipts/{payment_id}")

    metrics = client.get("/metrics").content.decode()

    assert 'view="checkout"' in metrics
    assert payment_id[:12] not in metrics


def test_what_a_caller_is_looked_up_by_is_hidden(client: Client, lines) -> None:
    client.get("/admin/search/?q=%2B12425550100")

    (line,) = lines()
    assert line["request"] == f"GET /admin/search/?{HIDDEN}"


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("/admin/login/?next=/admin/search/%3Fq%3D%252B12425550100", "/admin/login/?"),
        ("/admin/search?q=jane@example.org", "/admin/search?"),
        ("/admin/customers/customer/?q=jane", "/admin/customers/customer/?"),
        ("/confirm-email/?token=abc", "/confirm-email/?"),
        ("/counter/pay_1//SECRET", "/counter/pay_1//"),
        ("/admin?q=jane", "/admin?"),
        ("/v1/payments?limit=5&q=jane%20doe", "/v1/payments?limit=5&q="),
        ("/v1/payments?metadata%5Bcustomer%5D=jane", "/v1/payments?metadata%5Bcustomer%5D="),
        ("/v1/payments?metadata%5bcustomer%5d=jane", "/v1/payments?metadata%5bcustomer%5d="),
        ("/v1/payments?%71=jane%20doe", "/v1/payments?%71="),
        (
            "/v1/payments?limit=5&%6Detadata[customer]=jane",
            "/v1/payments?limit=5&%6Detadata[customer]=",
        ),
        ("/v1/payments?m%65tadata%5Bcustomer%5D=jane", "/v1/payments?m%65tadata%5Bcustomer%5D="),
    ],
)
def test_a_detour_or_a_mistyped_address_does_not_show_it(address: str, kept: str) -> None:
    assert redact(f"GET {address}") == f"GET {kept}{HIDDEN}"


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/v1/nothing", "/pay/nothing", "/docs/nothing", "/admin/nothing"])
def test_a_long_address_does_not_fill_the_log(client: Client, lines, path: str) -> None:
    """What is kept for a year would have to leave: 60 MB a minute fit in a network's budget."""
    client.get(f"{path}?{'x' * 20_000}")

    assert all(len(json.dumps(line)) < 1_000 for line in lines())
    assert any(path in line.get("request", "") for line in lines())


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", "no boundary"),
        ("application/x-www-form-urlencoded", "a=1&" * 1_001),
    ],
)
def test_no_form_of_a_stranger_raises_the_alarm(lines, kind: str, body: str) -> None:
    stranger = Client(enforce_csrf_checks=True)
    stranger.cookies["csrf"] = "a" * 32

    response = stranger.post("/account/phone", body, content_type=kind)

    assert response.status_code == 400
    assert "error" not in {line["level"] for line in lines()}


@pytest.mark.parametrize("end", ["", "\n\nThe above exception was", "\nHINT:  Try again."])
def test_the_row_that_a_database_quotes_is_hidden(lines, end: str) -> None:
    """A log is kept for a year, and no erasure reaches it."""
    row = "(cus_1, +12423591234,\nada@example.com, argon2$x)"
    logging.getLogger("another").error("violates a check\nDETAIL:  Failing row: %s.%s", row, end)

    assert lines()[0]["event"] == f"violates a check\nDETAIL:  {HIDDEN}{end}"


def test_the_row_in_the_repr_of_an_error_is_hidden() -> None:
    """Celery logs the errors of tasks so."""
    error = IntegrityError("check\nDETAIL:  Failing row: (+12423591234).\nHINT:  Try again.")

    assert redact(repr(error)) == rf"IntegrityError('check\nDETAIL:  {HIDDEN}\nHINT:  Try again.')"


def test_what_is_no_secret_stays() -> None:
    assert redact("pay_1 shipping spinning sk_live is a prefix") == (
        "pay_1 shipping spinning sk_live is a prefix"
    )


def test_a_request_names_who_asked(api, merchant, lines) -> None:
    api(merchant).get("/v1/payments")

    (line,) = lines()
    assert line["actor"].startswith("key:key_")
    assert line["ip"] == "127.0.0.1"
    assert "sk_test" not in json.dumps(line)


@pytest.mark.django_db
def test_a_log_line_looks_no_user_up(client: Client, lines, django_assert_num_queries) -> None:
    with django_assert_num_queries(0):
        client.get("/healthz")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path",
    [
        "/counter/pay_1/S3cr3t", "/not-me/S3cr3t", "/confirm-address/S3cr3t",
        "/confirm-email?token=S3cr3t", "/admin/invitation/7/S3cr3t/", "/checkout/{}/pay",
    ],
)  # fmt: skip
def test_a_form_that_is_refused_does_not_show_its_address(lines, path: str) -> None:
    """Django logs the request itself: a page that was open too long shows that."""
    payment_id = new_id("pay", utc_now())

    Client(enforce_csrf_checks=True).post(path.format(payment_id), {"a": "b"})

    logged = json.dumps(lines())
    assert "Forbidden" in logged
    assert "S3cr3t" not in logged
    assert payment_id not in logged


def test_what_is_no_text_is_cut_as_it_is_written(lines) -> None:
    class Held:
        def __repr__(self) -> str:
            return "holds sk_live_4f9aB"

    logging.getLogger("another").warning("A key", extra={"held": Held(), "many": [{Held()}]})
    structlog.get_logger("anyone").warning("A key", held=Held(), count=3, sure=True, none=None)

    foreign, ours = lines()
    assert foreign["held"] == ours["held"] == f"holds sk_live_{HIDDEN}"
    assert "4f9aB" not in json.dumps(foreign)
    assert (ours["count"], ours["sure"], ours["none"]) == (3, True, None)
