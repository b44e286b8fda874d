"""`manage.py advance` and `expire`: no test waits a day."""

import json
from datetime import UTC, date, datetime, timedelta
from io import StringIO

import pytest
from django.core import mail
from django.core.management import CommandError, call_command

from core.clock import utc_now
from links.errors import PaymentLinkNotFound
from links.models import PaymentLink
from links.statuses import LinkStatus
from merchants.callers import Caller
from merchants.models import Merchant
from messages.models import Message
from messages.tasks import send_messages
from payments.errors import PaymentNotFound
from payments.models import Payment
from payments.modes import PaymentMode
from payments.statuses import PaymentStatus
from payments.tasks import expire_payments
from payouts.models import Payout
from payouts.tasks import send_payouts
from sandbox.time_travel import expire_now
from tests.client import Api
from tests.factories import PaymentFactory
from tests.links.conftest import new_link
from tests.payments.journeys import bring_to
from tests.payouts.merchant_balance import credit
from tests.query_counts import Statements
from tests.row_changes import changed, rows_of
from webhooks.models import Delivery, Event, Webhook

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def said(*words: str) -> str:
    output = StringIO()
    call_command(*words, stdout=output)
    return output.getvalue()


def test_a_day_expires_what_lives_a_day(merchant: Merchant, payment: Payment) -> None:
    counts = json.loads(said("advance", merchant.id, "--days", "1", "--json"))
    expire_payments()

    payment.refresh_from_db()
    assert counts["payments"] == 1
    assert payment.status == PaymentStatus.EXPIRED
    assert Event.objects.get().type == "payment.expired"


def test_nothing_else_is_touched(merchant: Merchant, stranger: Merchant) -> None:
    kept: list[Payment] = [
        PaymentFactory(merchant=merchant, livemode=True),
        PaymentFactory(merchant=stranger),
        PaymentFactory(merchant=merchant, payment_mode=PaymentMode.STATIC_PAY, expires_at=None),
        bring_to(PaymentFactory(merchant=merchant), PaymentStatus.COMPLETED),
    ]
    before = [Payment.objects.values().get(pk=payment.pk) for payment in kept]

    said("advance", merchant.id, "--days", "2")

    assert [Payment.objects.values().get(pk=payment.pk) for payment in kept] == before


def test_no_deadline_moves_that_is_live_over_or_another_merchants(
    api: Api, merchant: Merchant, stranger: Merchant
) -> None:
    invoice = {"payment_mode": "INVOICE_PAY", "amount": 500, "customer_email": "a@example.com"}
    for owner in (merchant, stranger):
        api(owner).post("/v1/webhooks", {"url": "https://example.com/hook", "events": ["*"]})
        new_link(api, owner, expires_at=(utc_now() + 9 * DAY).isoformat())
        api(owner).post("/v1/payments", invoice)
        credit(owner, 5_000)
        api(owner).post("/v1/payouts", {})
    for model in (Payment, PaymentLink, Payout, Webhook):
        model._default_manager.filter(merchant=merchant).update(livemode=True)
    ended = new_link(api, merchant, expires_at=(utc_now() + 9 * DAY).isoformat())
    api(merchant).post(f"/v1/payment-links/{ended.pk}/deactivate")
    credit(merchant, 5_000)
    canceled = api(merchant).post("/v1/payouts", {}).json()["id"]
    assert api(merchant).post(f"/v1/payouts/{canceled}/cancel").status_code == 200
    given_up = PaymentFactory(merchant=merchant, payment_mode=PaymentMode.INVOICE_PAY)
    bring_to(given_up, PaymentStatus.CANCELED)
    Payment.objects.update(due_date=date(2040, 1, 1))
    Payout.objects.update(send_date=date(2040, 1, 2), arrival_date=date(2040, 1, 3))
    Delivery.objects.update(next_attempt_at=utc_now() + 30 * DAY)
    Message.objects.update(due_at=utc_now() + 9 * DAY)
    tables = (Payment, PaymentLink, Payout, Delivery, Message)
    before = rows_of(*(model._default_manager.all() for model in tables))
    assert all(len(before[table]) >= 2 for table in before)

    said("advance", merchant.id, "--days", "2")

    after = rows_of(*(model._default_manager.all() for model in tables))
    assert changed(before, after) == {}


def test_an_invoice_is_reminded_of(api: Api, merchant: Merchant) -> None:
    invoice = {"payment_mode": "INVOICE_PAY", "amount": 500, "customer_email": "a@example.com"}
    api(merchant).post("/v1/payments", invoice)
    send_messages()

    said("advance", merchant.id, "--days", "28")
    send_messages()

    assert [message.subject.split()[1] for message in mail.outbox] == ["Invoice", "Reminder:"]


def test_the_due_dates_of_many_invoices_move_by_one_statement(merchant: Merchant) -> None:
    """Seventeen hundred, made in seconds with a key that anyone gets, took a thread for five."""
    end = datetime(2027, 11, 21, 5, tzinfo=UTC)  # of the day before, where the merchant is
    for _ in range(3):
        PaymentFactory(
            merchant=merchant,
            payment_mode=PaymentMode.INVOICE_PAY,
            due_date=date(2027, 11, 20),
            expires_at=end,
        )
    other = PaymentFactory(payment_mode=PaymentMode.INVOICE_PAY, due_date=date(2027, 11, 20))

    with Statements() as statements:
        said("advance", merchant.id, "--days", "3")

    moved = Payment.objects.exclude(pk=other.pk)
    assert {row.due_date for row in moved} == {date(2027, 11, 17)}
    other.refresh_from_db()
    assert other.due_date == date(2027, 11, 20)
    assert sum('SET "due_date"' in text for text in statements.work) == 1


def test_a_payout_leaves_and_arrives(api: Api, merchant: Merchant) -> None:
    credit(merchant, 5_000)
    api(merchant).post("/v1/payouts", {})
    seen = []

    for _ in range(2):
        said("advance", merchant.id, "--days", "7")
        send_payouts()
        seen.append(Payout.objects.get().status)

    assert seen == ["in_transit", "paid"]


def test_links_and_deliveries_come_nearer(api: Api, merchant: Merchant) -> None:
    link = new_link(api, merchant, expires_at=(utc_now() + DAY).isoformat())
    api(merchant).post("/v1/webhooks", {"url": "https://example.com/hook", "events": ["*"]})
    api(merchant).post("/v1/payments", {"amount": 1})
    Delivery.objects.update(next_attempt_at=utc_now() + 30 * DAY)
    due_at = Delivery.objects.get().next_attempt_at
    assert due_at is not None

    said("advance", merchant.id, "--days", "7")

    assert Delivery.objects.get().next_attempt_at == due_at - 7 * DAY
    assert PaymentLink.objects.get(pk=link.pk).status_at(utc_now()) == LinkStatus.EXPIRED
    Delivery.objects.update(lease_token="being sent")
    said("advance", merchant.id, "--days", "7")
    assert Delivery.objects.get().next_attempt_at == due_at - 7 * DAY


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["mer_none", "--days", "1"], "There is no such merchant"),
        (["mer_none"], "days: must be given, or hours or minutes"),
        (["mer_none", "--hours", "-1"], "hours: must be an integer from 0 to 9600"),
        (["mer_none", "--days", "99999999999"], "days: must be an integer from 0 to 400"),
    ],
)
def test_it_says_what_it_needs(words: list[str], reason: str) -> None:
    with pytest.raises(CommandError, match=reason):
        said("advance", *words)


def test_one_payment_or_link_expires_now(api: Api, merchant: Merchant, payment: Payment) -> None:
    link = new_link(api, merchant)

    assert said("expire", payment.id) == f"{payment.id}  expired\n"
    assert said("expire", link.id) == f"{link.id}  expired\n"
    types = set(Event.objects.values_list("type", flat=True))
    assert types == {"payment_link.created", "payment.expired", "payment_link.expired"}


def test_what_cannot_expire_says_why(api: Api, merchant: Merchant, payment: Payment) -> None:
    counter = PaymentFactory(merchant=merchant, payment_mode=PaymentMode.STATIC_PAY)
    live = PaymentFactory(merchant=merchant, livemode=True)
    bring_to(payment, PaymentStatus.COMPLETED)

    for pk, reason in (
        ("pay_none", "There is no such payment"),
        (live.pk, "There is no such payment"),
        (counter.pk, "never expires"),
        (payment.pk, "already completed"),
        (f"link_{'0' * 30}", "There is no such payment link"),
    ):
        with pytest.raises(CommandError, match=reason):
            said("expire", pk)


def test_no_key_of_live_mode_expires_what_is_live(
    api: Api, merchant: Merchant, payment: Payment
) -> None:
    caller, link = Caller(merchant, livemode=True, actor="key:live"), new_link(api, merchant)
    for model in (Payment, PaymentLink):
        model._default_manager.update(livemode=True)

    for pk, missing in ((payment.pk, PaymentNotFound), (link.pk, PaymentLinkNotFound)):
        with pytest.raises(missing):
            expire_now(caller=caller, object_id=pk, now=utc_now())
