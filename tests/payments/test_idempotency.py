"""Idempotency-Key: a request that is repeated under its key runs once and gets one response."""

from datetime import datetime
from functools import partial

import pytest

from core import idempotency
from core.clock import utc_now
from core.idempotency import RETENTION
from core.models import IdempotencyKey
from core.tasks import forget_idempotency_keys
from merchants.models import Merchant
from payments.models import Payment
from tests.client import Api
from tests.factories import PaymentFactory
from tests.races import at_once
from webhooks.models import Event

BODY = {"amount": 100, "metadata": {"cart": "1"}}
one_at_a_time = pytest.mark.django_db


@one_at_a_time
def test_it_answers_alike(api: Api, merchant: Merchant) -> None:
    first = api(merchant).post("/v1/payments", BODY, idempotency_key="abc")
    again = api(merchant).post("/v1/payments", BODY, idempotency_key="abc")

    assert (again.status_code, again.content) == (201, first.content)
    assert again["Idempotent-Replayed"] == "true"
    assert again["Location"] == first["Location"]
    assert "Idempotent-Replayed" not in first
    assert Payment.objects.count() == Event.objects.count() == 1


@one_at_a_time
def test_each_key_has_its_own_answer(api: Api, merchant: Merchant) -> None:
    keys = ("abc", "def")
    first, again = (
        [api(merchant).post("/v1/payments", BODY, idempotency_key=key) for key in keys]
        for _ in range(2)
    )

    assert [each.content for each in again] == [each.content for each in first]
    assert first[0].json()["id"] != first[1].json()["id"]


@one_at_a_time
def test_a_quoted_key_is_the_same_key(api: Api, merchant: Merchant) -> None:
    first = api(merchant).post("/v1/payments", BODY, idempotency_key="abc")
    again = api(merchant).post("/v1/payments", BODY, idempotency_key='"abc"')
    assert again.content == first.content


@one_at_a_time
def test_a_quoted_key_may_hold_every_printable_character(api: Api, merchant: Merchant) -> None:
    key = "".join(map(chr, range(0x20, 0x7F))).replace('"', "")

    assert api(merchant).post("/v1/payments", BODY, idempotency_key=f'"{key}"').status_code == 201
    assert IdempotencyKey.objects.get().key == key


@one_at_a_time
def test_another_request_under_the_key_is_refused(
    api: Api, merchant: Merchant, payment: Payment
) -> None:
    api(merchant).post("/v1/payments", BODY, idempotency_key="abc")
    unchanged = "send another one, or the request that it came with, unchanged"

    for path, body, status, code in (
        ("/v1/payments", BODY | {"amount": 101}, 422, "IDEMPOTENCY_KEY_REUSED"),
        ("/v1/payments?x=1", BODY, 400, "INVALID_REQUEST"),
        (f"/v1/payments?merchant_id={merchant.id}", BODY, 422, "IDEMPOTENCY_KEY_REUSED"),
        (f"/v1/payments/{payment.id}/cancel", BODY, 422, "IDEMPOTENCY_KEY_REUSED"),
    ):
        response = api(merchant).post(path, body, idempotency_key="abc")
        assert (response.status_code, response.json()["code"]) == (status, code)
        told = response.json()["details"] == f"Idempotency-Key: {unchanged}"
        assert told is (code == "IDEMPOTENCY_KEY_REUSED")
    payment.refresh_from_db()
    assert payment.status == "created"


@one_at_a_time
def test_keys_belong_to_a_merchant_and_a_mode(
    api: Api, merchant: Merchant, stranger: Merchant
) -> None:
    first, again = (
        [
            api(who, live=live).post("/v1/payments", BODY, idempotency_key="abc").json()
            for who, live in ((merchant, False), (merchant, True), (stranger, False))
        ]
        for _ in range(2)
    )
    assert again == first
    assert len({answer["id"] for answer in first}) == 3


@one_at_a_time
@pytest.mark.parametrize("key", ["", "   ", "k" * 256, "a\tb", "é", '""', "a,b", "a, a", '"a","b"'])
def test_a_malformed_key_is_refused(api: Api, merchant: Merchant, key: str) -> None:
    response = api(merchant).post("/v1/payments", BODY, idempotency_key=key)

    assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")
    assert "Idempotency-Key" in response.json()["details"]
    assert Payment.objects.count() == 0


@one_at_a_time
def test_a_refusal_leaves_no_record(api: Api, merchant: Merchant) -> None:
    refused = api(merchant).post("/v1/payments", {"amount": 0}, idempotency_key="abc")
    assert refused.status_code == 422
    assert IdempotencyKey.objects.count() == 0

    assert api(merchant).post("/v1/payments", BODY, idempotency_key="abc").status_code == 201


@one_at_a_time
def test_a_refusal_of_the_service_leaves_no_record(api: Api, merchant: Merchant) -> None:
    done = PaymentFactory(merchant=merchant)
    path = f"/v1/payments/{done.id}/cancel"
    api(merchant).post(path)

    assert api(merchant).post(path, idempotency_key="abc").status_code == 422
    assert IdempotencyKey.objects.count() == 0


@one_at_a_time
def test_a_crash_leaves_nothing(
    api: Api, merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*args: object, **options: object) -> None:
        raise RuntimeError("power cut")

    monkeypatch.setattr("payments.services.emit", crash)
    broken = api(merchant).post("/v1/payments", BODY, idempotency_key="abc")
    assert (broken.status_code, broken.json()["code"]) == (500, "INTERNAL_ERROR")
    assert "power cut" not in broken.content.decode()
    assert Payment.objects.count() == IdempotencyKey.objects.count() == 0
    monkeypatch.undo()

    assert api(merchant).post("/v1/payments", BODY, idempotency_key="abc").status_code == 201


@one_at_a_time
def test_keys_are_forgotten_after_three_days(api: Api, merchant: Merchant) -> None:
    api(merchant).post("/v1/payments", BODY, idempotency_key="abc")
    assert forget_idempotency_keys() == 0
    IdempotencyKey.objects.update(created_at=utc_now() - RETENTION * 2)
    assert forget_idempotency_keys() == 1


@one_at_a_time
def test_a_key_that_is_forgotten_while_it_is_looked_up_is_a_new_one(
    api: Api, merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = api(merchant).post("/v1/payments", BODY, idempotency_key="abc").json()["id"]
    IdempotencyKey.objects.update(created_at=utc_now() - RETENTION * 2)
    claim = idempotency._claim

    def claim_before_a_sweep(scope: str, key: str, fingerprint: str, at: datetime) -> bool:
        claimed = claim(scope, key, fingerprint, at)
        forget_idempotency_keys()
        return claimed

    monkeypatch.setattr(idempotency, "_claim", claim_before_a_sweep)
    again = api(merchant).post("/v1/payments", BODY, idempotency_key="abc")

    assert (again.status_code, again.json().get("id") in (None, first)) == (201, False)
    assert "Idempotent-Replayed" not in again
    monkeypatch.undo()
    assert api(merchant).post("/v1/payments", BODY, idempotency_key="abc").content == again.content


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_20_twins_make_one_payment(api: Api, merchant: Merchant) -> None:
    client = api(merchant)

    post = partial(client.post, "/v1/payments", BODY, idempotency_key="abc")
    answers = at_once([post] * 20)

    bodies = {answer.content for answer in answers if not isinstance(answer, Exception)}
    assert len(bodies) == 1
    assert Payment.objects.count() == Event.objects.count() == 1
    replays = [
        a for a in answers if not isinstance(a, Exception) and a.has_header("Idempotent-Replayed")
    ]
    assert len(replays) == 19
