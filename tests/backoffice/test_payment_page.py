"""The page about a payment: the plain answer, the timeline, and what can be done."""

import re
from datetime import timedelta

import pytest

from backoffice.models import AuditEntry, Instruction, Note
from backoffice.payment_answer import answer_of
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from backoffice.services.webhooks import deliveries_of_payment
from core.clock import utc_now
from merchants.models import Merchant
from messages.models import Message, MessageStatus
from payments.customer_steps import ask_for_proof, start_payment
from payments.models import Payment
from payments.statuses import PaymentStatus
from refunds.models import Refund
from tests.backoffice.acting import act, fields_of, page_of_act
from tests.backoffice.conftest import Office
from tests.backoffice.rows import caller_of, paid_payment
from tests.factories import PaymentFactory
from tests.nights import ITS_OWN
from webhooks.endpoints import create_webhook
from webhooks.models import Delivery, Webhook
from webhooks.statuses import DeliveryStatus

pytestmark = pytest.mark.django_db


@pytest.fixture
def paid(merchant: Merchant) -> Payment:
    return paid_payment(merchant)


@pytest.fixture
def sent_delivery(merchant: Merchant) -> Delivery:
    """The delivery of payment.completed to the merchant's endpoint."""
    caller = caller_of(merchant)
    create_webhook(
        caller=caller,
        url="https://shop.example/hook",
        events=["payment.completed"],
        description="",
        now=utc_now(),
    )
    return deliveries_of_payment(paid_payment(merchant).pk).get()


def assert_only_the_webhook_is_wrong(payment: Payment) -> None:
    answer = answer_of(payment, utc_now())
    assert (answer.tone, len(answer.troubles)) == ("good", 1)


def words(payment: Payment) -> str:
    answer = answer_of(payment, utc_now())
    return " ".join([*answer.words, *answer.troubles])


def test_it_says_that_a_payment_was_paid(paid: Payment) -> None:
    assert words(paid).startswith("Paid ")
    assert "by +1 242 ••• 0100: B$12.50 BSD." in words(paid)
    assert words(paid).endswith(
        "The shop had no webhook for this event: it has to poll the status."
    )


def test_it_says_when_the_shop_was_told(sent_delivery: Delivery) -> None:
    payment = Payment.objects.get(pk=sent_delivery.event.resource_id)
    Delivery.objects.filter(pk=sent_delivery.pk).update(
        status=DeliveryStatus.DELIVERED, next_attempt_at=None, ended_at=utc_now()
    )

    assert "The shop was notified " in words(payment)
    assert answer_of(payment, utc_now()).tone == "good"


def test_it_says_when_the_webhook_fails(sent_delivery: Delivery) -> None:
    payment = Payment.objects.get(pk=sent_delivery.event.resource_id)
    Delivery.objects.filter(pk=sent_delivery.pk).update(
        attempt_count=3, next_attempt_at=utc_now() + timedelta(hours=2)
    )

    assert "Webhook to the shop failed 3 times, next attempt " in words(payment)
    assert_only_the_webhook_is_wrong(payment)
    Delivery.objects.filter(pk=sent_delivery.pk).update(attempt_count=1)
    assert "Webhook to the shop failed once, next attempt " in words(payment)


def test_it_says_that_the_shops_server_is_failing(sent_delivery: Delivery) -> None:
    payment = Payment.objects.get(pk=sent_delivery.event.resource_id)
    assert words(payment).endswith("The shop is being notified.")
    Webhook.objects.update(failures=7, failing_since=utc_now() - timedelta(hours=1))

    assert "The shop has not been notified yet: its server has been failing since " in words(
        payment
    )
    assert_only_the_webhook_is_wrong(payment)


def test_it_says_that_the_webhook_was_given_up(sent_delivery: Delivery) -> None:
    payment = Payment.objects.get(pk=sent_delivery.event.resource_id)
    Delivery.objects.filter(pk=sent_delivery.pk).update(
        status=DeliveryStatus.FAILED, attempt_count=5, next_attempt_at=None, ended_at=utc_now()
    )

    assert (
        "The shop was not notified: the webhook failed 5 times and will not be retried."
        in words(payment)
    )


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (PaymentStatus.CREATED, "No one has started to pay since "),
        (PaymentStatus.PENDING, "The customer has signed in, and has not paid yet."),
        (PaymentStatus.REQUIRES_ACTION, "The customer is asked for a PIN or a passkey."),
    ],
)
def test_it_says_that_an_open_payment_took_no_money(
    payment: Payment, status: PaymentStatus, said: str
) -> None:
    if status != PaymentStatus.CREATED:
        start_payment(payment_id=payment.pk, actor="customer:cus_1", now=utc_now())
    if status == PaymentStatus.REQUIRES_ACTION:
        ask_for_proof(payment_id=payment.pk, actor="customer:cus_1", now=utc_now())
    payment.refresh_from_db()

    assert words(payment).startswith(said)
    assert words(payment).endswith("No money has been taken.")


def test_it_says_expired_whether_or_not_the_sweep_has_come_by(merchant: Merchant) -> None:
    payment = PaymentFactory(merchant=merchant, expires_at=utc_now() - timedelta(minutes=1))

    assert words(payment).startswith("Expired ")


def test_half_is_refunded_and_the_rest_is_said(office: Office, paid: Payment) -> None:
    browser = office(Role.SUPPORT)
    form = browser.get(page_of_act(paid, "refund")).content.decode()
    assert 'value="12.50"' in form
    assert 'data-sample="B$12.50 BSD">B$0.00 BSD</output> left.' in form

    response = act(browser, paid, "refund", amount="6.25", reason="Half was cold", note="Pat")

    assert response.headers["Location"] == f"/admin/payments/payment/{paid.pk}/change/"
    assert Refund.objects.get().amount == 625
    paid.refresh_from_db()
    assert paid.amount_refundable == 625
    assert "B$6.25 BSD of B$12.50 BSD was refunded" in words(paid)
    assert Note.objects.get().text == "Pat"


@pytest.mark.parametrize("typed", ["1.5", "1,5", "B$1.50", "1.50 BSD", " 1.5 "])
def test_one_and_a_half_is_one_fifty(office: Office, paid: Payment, typed: str) -> None:
    act(office(Role.SUPPORT), paid, "refund", amount=typed, reason="Half was cold", note="Pat")

    assert Refund.objects.get().amount == 150


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"amount": "12.51"}, "At most B$12.50 BSD can be refunded."),
        ({"amount": "0"}, "Enter an amount in BSD, such as 12.50."),
        ({"amount": "1e2"}, "Enter an amount in BSD, such as 12.50."),
        ({"amount": "1.005"}, "Enter an amount in BSD, such as 12.50."),
        ({"amount": "-1"}, "Enter an amount in BSD, such as 12.50."),
        ({"amount": "1", "reason": ""}, "This field is required."),
        ({"amount": "1", "note": ""}, "This field is required."),
    ],
)
def test_a_refund_needs_an_amount_a_reason_and_a_note(
    office: Office, paid: Payment, values: dict[str, str], said: str
) -> None:
    response = act(office(Role.SUPPORT), paid, "refund", **{"reason": "x", "note": "y"} | values)

    assert response.status_code == 422
    page = response.content.decode()
    assert said in page
    left = re.findall("After this refund: <output[^>]*>([^<]*)<", page)
    assert left == {"12.51": [], "1": ["B$11.50 BSD"]}.get(values["amount"], ["—"])
    assert not Refund.objects.exists()


def test_a_stale_form_says_so(office: Office, paid: Payment) -> None:
    browser = office(Role.SUPPORT)
    act(browser, paid, "refund", amount="1.00", reason="x", note="y")
    stale = {
        "amount": "1.00",
        "reason": "x",
        "note": "y",
        "form_key": "k",
        "expected_available": "1250",
    }

    response = browser.post(page_of_act(paid, "refund"), stale)

    assert response.status_code == 422
    page = response.content.decode()
    assert (
        "What can be refunded has changed since this form was opened. B$11.50 BSD is left now"
        in page
    )
    assert Refund.objects.count() == 1

    # Having read that, one may send it again.
    again = fields_of(page) | {"note": "y"}
    assert browser.post(page_of_act(paid, "refund"), again).status_code == 302
    assert Refund.objects.count() == 2


def test_above_the_limit_it_waits_for_someone_else(office: Office, merchant: Merchant) -> None:
    payment = paid_payment(merchant, 50_000)
    browser = office(Role.SUPPORT)
    form = browser.get(page_of_act(payment, "refund")).content.decode()
    assert "Up to B$100.00 BSD at once; more waits for a colleague&#x27;s approval." in form

    response = act(browser, payment, "refund", reason="The full amount", note="Pat")

    instruction = Instruction.objects.get()
    assert response.headers["Location"].endswith(f"/{instruction.pk}/change/")
    assert act(office(Role.FINANCE), instruction, "approve", note="Yes").status_code == 302
    assert Refund.objects.get().amount == 50_000


def test_an_open_payment_is_canceled(office: Office, payment: Payment) -> None:
    act(office(Role.SUPPORT), payment, "cancel", reason="Ordered twice" + 300 * "!")

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.CANCELED
    assert payment.transitions.get().cause == "Ordered twice" + 242 * "!"
    assert "by support (staff). No money has been taken." in words(payment)
    entry = AuditEntry.objects.get()
    assert (entry.before, entry.after) == ({"status": "created"}, {"status": "canceled"})


def test_a_paid_payment_cannot_be_canceled(office: Office, paid: Payment) -> None:
    response = office(Role.SUPPORT).post(
        page_of_act(paid, "cancel"), {"form_key": "1", "reason": "x"}
    )

    assert response.status_code == 409
    assert "is no longer possible, and nothing was done." in response.content.decode()
    paid.refresh_from_db()
    assert paid.status == PaymentStatus.COMPLETED


@pytest.mark.each_on_postgres(ITS_OWN)
def test_a_receipt_is_sent_again(office: Office, paid: Payment) -> None:
    browser = office(Role.SUPPORT)
    for _ in range(2):
        act(browser, paid, "receipt", recipient="pat@example.com")
        mail = Message.objects.get(about=paid.pk, status=MessageStatus.PLANNED)
        assert (mail.kind, mail.recipient) == ("receipt", "pat@example.com")
        Message.objects.update(status=MessageStatus.SENT, sent_at=utc_now())

    entry = AuditEntry.objects.latest("sequence")
    assert entry.after == {"recipient": "p•••@example.com"}


@pytest.mark.each_on_postgres(ITS_OWN)
def test_its_webhooks_are_sent_again_and_those_that_arrived_on_a_tick(
    office: Office, sent_delivery: Delivery
) -> None:
    payment = Payment.objects.get(pk=sent_delivery.event.resource_id)
    browser = office(Role.SUPPORT)
    Delivery.objects.update(
        status=DeliveryStatus.DELIVERED, next_attempt_at=None, ended_at=utc_now(), attempt_count=1
    )
    assert act(browser, payment, "resend").status_code == 422
    assert Delivery.objects.get().status == DeliveryStatus.DELIVERED

    assert act(browser, payment, "resend", delivered_too="on").status_code == 302

    assert Delivery.objects.get().status == DeliveryStatus.PENDING
    assert AuditEntry.objects.latest("sequence").act == "resend webhook"


def test_an_order_that_another_payment_has_paid_is_said_with_both(
    merchant: Merchant, stranger: Merchant
) -> None:
    first = paid_payment(merchant, 700, order_id="A-7")
    paid_payment(stranger, 700, order_id="A-7")
    second = paid_payment(merchant, 900, order_id="A-7")
    waiting = PaymentFactory(merchant=merchant, order_id="A-7")

    for payment, others in ((first, [second]), (second, [first]), (waiting, [first, second])):
        said = answer_of(payment, utc_now()).words
        told = [each for each in said if "Order A-7 was paid with another payment " in each]
        assert all(" by +1 242 ••• 0100 (" in each for each in told)
        assert all(page_of(other) in each for other, each in zip(others, told, strict=True))
