"""Every event says what the contract says, when the operation that makes it true is done."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import override_settings

from core.clock import utc_now
from links.expiry import expire_due as expire_links
from links.services import record_use
from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from payments.expiry import expire_payment
from payments.models import Payment
from payments.replacements import request_replacement
from payouts.models import Payout
from payouts.services import mark_sent, record_failed, record_paid
from refunds.inquiries import ProblemReport, report_problem
from refunds.inquiry_statuses import InquiryReason
from refunds.models import Inquiry
from tests.client import Api
from tests.payouts.merchant_balance import credit
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.contract import BUILT, IDS, TABLES
from tests.webhooks.dispatching import send_due
from tests.webhooks.receiver import Receiver
from webhooks.event_types import EventType
from webhooks.models import Event
from webhooks.samples import sample_of

T = EventType
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
DATE = re.compile(r"\d{4}-\d\d-\d\d")


@pytest.mark.parametrize("event_type", TABLES)
def test_the_tables_of_the_contract_are_kept_exactly(event_type: EventType) -> None:
    assert tuple(BUILT[event_type]) == TABLES[event_type]


@pytest.mark.parametrize("event_type", EventType)
def test_every_payload_begins_with_the_id_of_its_subject(event_type: EventType) -> None:
    assert next(iter(BUILT[event_type])) == IDS[event_type.split(".")[0]]


@pytest.mark.parametrize("event_type", EventType)
def test_every_sample_has_all_fields_of_the_real_thing(event_type: EventType) -> None:
    assert list(sample_of(event_type)) == list(BUILT[event_type])


def test_a_sample_may_be_changed_by_its_caller() -> None:
    sample_of(T.PAYMENT_COMPLETED)["metadata"]["order"] = "changed"

    assert sample_of(T.PAYMENT_COMPLETED)["metadata"]["order"] == "1001"


def test_every_field_comes_from_where_its_name_says() -> None:
    elsewhere = {
        (event_type, name): source
        for event_type, fields in BUILT.items()
        for name, source in fields.items()
        if not source.endswith(f".{name}") and source != f"{name.removesuffix('_id')}.id"
    }

    assert elsewhere == {
        (T.PAYMENT_LINK_DEACTIVATED, "deactivated_at"): "payment_link.ended_at",
        (T.PAYMENT_LINK_EXPIRED, "expired_at"): "payment_link.ended_at",
        (T.PAYOUT_FAILED, "error_code"): "payout.failure_code",
        (T.PAYOUT_FAILED, "error_message"): "payout.failure_message",
    }


# Done in life, as a merchant would see it


def paid(api: Api, merchant: Merchant, phone: str | None = None, **body: Any) -> str:
    created = api(merchant).post("/v1/payments", {"amount": 1250, **body}).json()
    path = f"/v1/payments/{created['id']}/confirm"
    api(merchant).post(path, {"customer_phone": phone} if phone else {})
    return str(created["id"])


def create(api: Api, merchant: Merchant) -> None:
    api(merchant).post("/v1/payments", {"amount": 1250, "metadata": {"order": "7"}})


def complete(api: Api, merchant: Merchant) -> None:
    paid(api, merchant, metadata={"order": "7"})


def fail(api: Api, merchant: Merchant) -> None:
    paid(api, merchant, "+12425550103", metadata={"order": "7"})


def expire(api: Api, merchant: Merchant) -> None:
    create(api, merchant)
    expire_payment(payment_id=Payment.objects.get().id, now=utc_now() + timedelta(hours=25))


def cancel(api: Api, merchant: Merchant) -> None:
    create(api, merchant)
    api(merchant).post(f"/v1/payments/{Payment.objects.get().id}/cancel")


def ask_again(api: Api, merchant: Merchant) -> None:
    cancel(api, merchant)
    request_replacement(payment_id=Payment.objects.get().id, now=utc_now())


def refund(api: Api, merchant: Merchant) -> None:
    payment_id = paid(api, merchant, metadata={"order": "7"})
    body = {"amount": 500, "reason": "Sold out"}
    api(merchant).post(f"/v1/payments/{payment_id}/refund", body)


def fail_refund(api: Api, merchant: Merchant) -> None:
    payment_id = paid(api, merchant, "+12425550105")
    body = {"amount": 500, "reason": "Sold out"}
    api(merchant).post(f"/v1/payments/{payment_id}/refund", body)


def report(api: Api, merchant: Merchant) -> Inquiry:
    report = ProblemReport(InquiryReason.NOT_RECEIVED, "Where are the tickets?")
    return report_problem(
        payment_id=paid(api, merchant), report=report, actor="customer", now=utc_now()
    )


def report_and_answer(api: Api, merchant: Merchant) -> None:
    inquiry = report(api, merchant)
    api(merchant).post(f"/v1/inquiries/{inquiry.id}/answer", {"text": "On their way."})


def pay_out(api: Api, merchant: Merchant) -> Payout:
    credit(merchant, 98_000)
    api(merchant).post("/v1/payouts", {})
    return Payout.objects.get()


def pay_out_to_the_end(api: Api, merchant: Merchant) -> None:
    payout = pay_out(api, merchant)
    mark_sent(payout_id=payout.id, actor="tests", now=utc_now())
    record_paid(payout_id=payout.id, actor="tests", now=utc_now())


def fail_payout(api: Api, merchant: Merchant) -> None:
    payout = pay_out(api, merchant)
    mark_sent(payout_id=payout.id, actor="tests", now=utc_now())
    record_failed(
        payout_id=payout.id, code="account_closed", message="Closed.", actor="tests", now=utc_now()
    )


def take_payout_back(api: Api, merchant: Merchant) -> None:
    api(merchant).post(f"/v1/payouts/{pay_out(api, merchant).id}/cancel")


def link(api: Api, merchant: Merchant, **body: Any) -> str:
    body = {"amount": 1250, "description": "Tour", "metadata": {"tour": "7"}, **body}
    return str(api(merchant).post("/v1/payment-links", body).json()["id"])


def pay_through_link(api: Api, merchant: Merchant) -> None:
    payment_id = paid(api, merchant)
    record_use(link(api, merchant, max_uses=5), payment_id=payment_id, amount=1250, now=utc_now())


def deactivate_link(api: Api, merchant: Merchant) -> None:
    api(merchant).post(f"/v1/payment-links/{link(api, merchant)}/deactivate")


def expire_link(api: Api, merchant: Merchant) -> None:
    link(api, merchant, expires_at="2999-01-01T00:00:00Z")
    expire_links(now=datetime(2999, 1, 2, tzinfo=UTC))


def change_profile(api: Api, merchant: Merchant) -> None:
    """By the test key, which may as long as the merchant cannot sell live."""
    Merchant.objects.update(status=MerchantStatus.UNVERIFIED)
    with override_settings(REQUIRE_VERIFIED_MERCHANTS=True):
        api(merchant).patch(f"/v1/merchants/{merchant.id}", {"brand_color": "#00778b"})


IN_LIFE: dict[EventType, Callable[[Api, Merchant], Any]] = {
    T.PAYMENT_CREATED: create,
    T.PAYMENT_COMPLETED: complete,
    T.PAYMENT_FAILED: fail,
    T.PAYMENT_EXPIRED: expire,
    T.PAYMENT_CANCELED: cancel,
    T.PAYMENT_REFUNDED: refund,
    T.PAYMENT_REPLACEMENT_REQUESTED: ask_again,
    T.REFUND_CREATED: refund,
    T.REFUND_COMPLETED: refund,
    T.REFUND_FAILED: fail_refund,
    T.INQUIRY_CREATED: report,
    T.INQUIRY_UPDATED: report_and_answer,
    T.PAYOUT_CREATED: pay_out,
    T.PAYOUT_PAID: pay_out_to_the_end,
    T.PAYOUT_FAILED: fail_payout,
    T.PAYOUT_CANCELED: take_payout_back,
    T.PAYMENT_LINK_CREATED: link,
    T.PAYMENT_LINK_PAYMENT_COMPLETED: pay_through_link,
    T.PAYMENT_LINK_DEACTIVATED: deactivate_link,
    T.PAYMENT_LINK_EXPIRED: expire_link,
    T.MERCHANT_UPDATED: change_profile,
}


def test_every_type_is_emitted_by_some_operation() -> None:
    assert set(IN_LIFE) == set(EventType)


@pytest.mark.parametrize("event_type", IN_LIFE)
def test_the_operation_sends_it(
    api: Api,
    merchant: Merchant,
    endpoint: MakeEndpoint,
    receiver: Receiver,
    event_type: EventType,
) -> None:
    webhook = endpoint(events=(event_type,))

    IN_LIFE[event_type](api, merchant)
    send_due()

    [request] = receiver.received(webhook.url)
    event = Event.objects.get(type=event_type)
    assert request.body == event.payload
    content = json.loads(request.body)
    assert list(content)[:6] == ["id", "type", "created", "data", "livemode", "test"]
    assert (content["livemode"], content["test"]) == (event.livemode, False)
    assert content["sequence"] == event.sequence
    assert content.get("previous_sequence") == event.previous_sequence
    assert INSTANT.fullmatch(content["created"])
    data = content["data"]
    assert data[IDS[event_type.split(".")[0]]] == event.resource_id
    assert data.get("merchant_id", merchant.id) == merchant.id
    if event_type in TABLES:
        assert set(data) == set(TABLES[event_type])
    assert set(data) <= set(sample_of(event_type))
    for name, value in data.items():
        _check_type(name, value)


def _check_type(name: str, value: Any) -> None:
    if name.endswith("_at"):
        assert INSTANT.fullmatch(value), name
    elif name.endswith("_date"):
        assert DATE.fullmatch(value), name
    elif "amount" in name or name.endswith(("_uses", "_count")):
        assert type(value) is int, name
    elif name == "metadata":
        assert type(value) is dict
    elif name == "changed":
        assert value
        assert {type(each) for each in value} == {str}
    else:
        assert type(value) is str, name
