"""What a timeline tells: of a payment with all that belongs to it, and of other things."""

import re
from datetime import timedelta

import pytest
from django.db.models import Model

from backoffice import timeline
from backoffice.admin.messages import STATUS
from backoffice.models import Note
from backoffice.resource.page_urls import list_of, page_of
from backoffice.roles import Role
from backoffice.services.instructions import instruct
from backoffice.services.webhooks import deliveries_of_payment
from core.clock import utc_now
from customers.models import Customer, SignInCode
from merchants.models import Merchant
from messages.models import Message
from payments.confirming import confirm_payment
from payments.models import Payment
from refunds.inquiries import ProblemReport, report_problem
from refunds.inquiry_statuses import InquiryReason
from refunds.models import Refund
from tests.backoffice.acting import act
from tests.backoffice.conftest import Office, staff_as
from tests.backoffice.invoices import open_invoice
from tests.backoffice.rows import caller_of, paid_payment, refund_request
from tests.factories import PaymentFactory
from tests.nights import ITS_OWN
from tests.payouts.merchant_balance import credit
from webhooks.endpoints import create_webhook
from webhooks.models import Attempt

pytestmark = pytest.mark.django_db

Rows = dict[type[Model], Model]


@pytest.fixture
def paid(merchant: Merchant) -> Payment:
    return paid_payment(merchant)


def test_the_timeline_tells_who_from_where(office: Office, merchant: Merchant) -> None:
    create_webhook(
        caller=caller_of(merchant),
        url="https://shop.example/hook",
        events=["payment.completed"],
        description="",
        now=utc_now(),
    )
    payment = paid_payment(merchant)
    Attempt.objects.create(
        delivery=deliveries_of_payment(payment.pk).get(),
        number=1,
        attempted_at=utc_now(),
        ms=31,
        status=500,
        excerpt="",
        error="",
    )
    browser = office(Role.SUPPORT)
    act(browser, payment, "note", text="The shop called")
    act(browser, payment, "refund", amount="2.00", reason="Cold coffee", note="Spoke to Pat")

    page = browser.get(f"/admin/payments/payment/{payment.pk}/change/").content.decode()

    for said in (
        "Webhook payment.completed: failed",
        "Attempt 1, answered 500 in 31\u00a0ms",
        "Staff: refund of B$2.00 BSD — initiated",
        "support from 127.0.0.1",
        "Reason: Cold coffee",
        "The shop called",
        "Spoke to Pat",
        "B$2.00 BSD refunded",
    ):
        assert said in page


@pytest.mark.each_on_postgres(ITS_OWN)
def test_what_staff_moved_stands_with_its_amount_and_way(office: Office, paid: Payment) -> None:
    finance, why = office(Role.FINANCE), {"reason": "Chargeback", "note": "Case 7"}
    money = {"mode": "test", "currency": "BSD", "amount": "3.00"}
    act(finance, paid.merchant, "adjust", direction="take", **money, **why)
    refused = money | {"amount": "30.00"}
    act(finance, paid.merchant, "adjust", direction="take", **refused, **why)

    page = finance.get(page_of(paid.merchant)).content.decode()
    took = "Staff: adjustment of a balance: B$3.00 BSD out of the balance — done"
    assert page.count(took) == 1
    assert "Staff: adjustment of a balance — refused" in page


@pytest.mark.each_on_postgres(ITS_OWN)
def test_no_reminder_is_planned_of_what_was_canceled(office: Office, merchant: Merchant) -> None:
    payment = open_invoice(merchant, due_in_days=20)
    support = office(Role.SUPPORT)
    assert "Reminder to p•••@example.com: planned" in support.get(page_of(payment)).content.decode()

    act(support, payment, "cancel", reason="Ordered twice")

    page = support.get(page_of(payment)).content.decode()
    assert "Reminder to p•••@example.com: will not be sent" in page
    assert "planned" not in page
    listed = support.get(list_of(Message, kind="reminder", mode="test"))
    [row] = listed.context["cl"].result_list
    assert str(STATUS(row)) == '<span class="bo-badge bo-quiet">will not be sent</span>'


def test_a_reminder_of_what_has_run_out_is_not_planned_either(
    office: Office, merchant: Merchant
) -> None:
    payment, support = open_invoice(merchant, due_in_days=20), office(Role.SUPPORT)
    Payment.objects.update(expires_at=utc_now())  # no sweep has been there

    assert ": will not be sent" in support.get(page_of(payment)).content.decode()


@pytest.mark.each_on_postgres(ITS_OWN)
def test_the_timeline_names_who_did_each_thing(
    office: Office, merchant: Merchant, paid: Payment
) -> None:
    paid.paying_customer.email = "pat@example.com"
    paid.paying_customer.save()
    report = ProblemReport(InquiryReason.DUPLICATE, "I paid twice")
    inquiry = report_problem(
        payment_id=paid.pk, report=report, actor=f"customer:{paid.customer_id}", now=utc_now()
    )
    act(office(Role.SUPPORT), inquiry, "answer", text="We see one payment only.")
    act(office(Role.SUPPORT), paid, "refund", amount="2.00", reason="Cold", note="Pat called")
    credit(merchant, -1_050)
    act(office(Role.SUPPORT), paid, "refund", amount="10.50", reason="All of it", note="Pat called")
    waiting = Refund.objects.get(status="pending")
    own = office(Role.SUPPORT).get(page_of(waiting)).context["answer"].words
    assert own[0].startswith("It waits: the merchant's balance does not cover it. If it still does")
    act(office(Role.FINANCE), waiting, "give-up", reason="The shop is closed")

    page = office(Role.SUPPORT).get(page_of(paid))

    told = {re.sub("<[^>]+>", "", str(each.title)): each for each in page.context["timeline"]}
    assert told["Refund of B$10.50 BSD initiated"].actor == "support (staff)"
    failed = told["Refund of B$10.50 BSD failed: The shop is closed"]
    assert (failed.actor, failed.tone) == ("finance (staff)", "bad")
    assert told["Staff: give up refund — done"].actor == "finance"
    assert told["B$2.00 BSD refunded"].actor == "support (staff)"
    assert "Refund notice to p•••@example.com: planned" in told
    assert list(told["Inquiry: written by the customer"].details) == ["I paid twice"]
    assert list(told["Inquiry: answered"].details) == ["We see one payment only."]


def test_an_inquiry_is_linked_where_it_is_not_the_page(office: Office, paid: Payment) -> None:
    report = ProblemReport(InquiryReason.NOT_RECEIVED, "Nothing came")
    inquiry = report_problem(payment_id=paid.pk, report=report, actor="customer", now=utc_now())
    url = f'href="{page_of(inquiry)}"'
    pages = [office(Role.SUPPORT).get(page_of(row)).content.decode() for row in (paid, inquiry)]

    assert [page.count(url) for page in pages] == [2, 0]  # its sentence, and in what happened


def test_a_timeline_says_where_it_stops(
    office: Office, paid: Payment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline, "SHOWN", 2)
    for _ in range(2):
        act(office(Role.SUPPORT), paid, "note", text="The shop called")

    titles = [each.title for each in timeline.timeline_of(paid)]

    assert titles[-1] == "Of each kind, the newest 2 are shown"


def test_a_decision_is_told_however_much_was_done_alone_since(
    office: Office, merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline, "SHOWN", 2)
    payment, support = paid_payment(merchant, 500_000), office(Role.SUPPORT)
    request = refund_request(payment, 20_000)
    large = instruct(staff=staff_as(Role.SUPPORT), request=request, now=utc_now())
    act(office(Role.FINANCE), large, "decline", note="Not yet")
    for amount in ("1.00", "2.00"):
        act(support, payment, "refund", amount=amount, reason="Cold", note="Pat called")

    moments = support.get(page_of(payment)).context["timeline"]

    told = [re.sub("<[^>]+>", "", str(each.title)) for each in moments]
    assert "Refund of B$200.00 BSD: declined" in told
    assert "Staff: refund of B$2.00 BSD — initiated" in told


def test_a_customers_has_what_was_noted_and_its_beginning(office: Office, paid: Payment) -> None:
    act(office(Role.SUPPORT), paid.paying_customer, "note", text="Called from home")

    page = office(Role.SUPPORT).get(page_of(paid.paying_customer))
    told = [each.title for each in page.context["timeline"]]

    assert (told[0], told[-1]) == ("Called from home", "Created")


def test_notes_are_written_on_what_has_them_and_say_what_it_is(office: Office, rows: Rows) -> None:
    browser = office(Role.FINANCE)
    for model in (Customer, Merchant, Payment):
        act(browser, rows[model], "note", text=model.__name__)

    noted = Note.objects.values_list("text", "subject_type", "subject_id")
    shown = {model for model in rows if browser.get(page_of(rows[model])).context.get("show_notes")}
    assert shown == {Customer, Merchant, Payment}
    assert {(each.__name__, each.__name__.lower(), rows[each].pk) for each in shown} <= set(noted)


def test_a_customer_who_cannot_sign_in_has_codes_that_were_not_entered(
    office: Office, paid: Payment
) -> None:
    customer, now = paid.paying_customer, utc_now()
    kinds = ((0, "sign_in"), (2, "sign_in"), (2, "reset_pin"), (0, "cash"))
    for number, (attempts, purpose) in enumerate(kinds):
        SignInCode.objects.create(
            handle_hash=f"handle {number}",
            phone=customer.phone,
            livemode=customer.livemode,
            purpose=purpose,
            attempts=attempts,
            created_at=now + timedelta(seconds=number),
            expires_at=now,
            used_at=now if purpose == "reset_pin" else None,
        )
    SignInCode.objects.filter(handle_hash="handle 3").update(phone="+12425550199")

    told = office(Role.SUPPORT).get(page_of(customer)).context["timeline"]

    assert [each.title for each in told if each.title.startswith("Code ")] == [
        "Code to reset the PIN: entered, 1 wrong attempt",
        "Code to sign in: not entered, 2 wrong attempts",
        "Code to sign in: not entered",
    ]


def test_a_failure_is_told_in_words(office: Office, merchant: Merchant) -> None:
    payment = PaymentFactory(merchant=merchant)
    confirm_payment(
        caller=caller_of(merchant),
        payment_id=payment.pk,
        phone="+1 242 555 0103",
        amount=None,
        now=utc_now(),
    )

    page = office(Role.SUPPORT).get(page_of(payment)).content.decode()

    timeline_shown = page.partition("What happened")[2].partition("<h2>")[0]
    assert "The payment was declined." in timeline_shown
    assert "PAYMENT_FAILED" not in timeline_shown


def test_a_message_says_when_it_was_sent(office: Office, merchant: Merchant) -> None:
    open_invoice(merchant, due_in_days=3)
    message = Message.objects.get(kind="invoice")
    Message.objects.filter(pk=message.pk).update(status="sent", sent_at=utc_now())

    page = office(Role.SUPPORT).get(page_of(message)).content.decode()

    assert ">Sent</p>" in page.partition("What happened")[2].partition("<h2>")[0]
