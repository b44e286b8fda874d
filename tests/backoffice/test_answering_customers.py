"""Support works through what customers report: by age, with an answer, a refund or a reason."""

from functools import partial

import pytest

from backoffice.models import AuditEntry, Instruction
from backoffice.resource.page_urls import list_of, page_of
from backoffice.roles import Role
from core.clock import utc_now
from customers.models import Customer
from merchants.models import Merchant
from payments.models import Payment
from refunds.inquiries import ProblemReport, report_problem
from refunds.inquiry_statuses import InquiryReason
from refunds.models import Inquiry, Refund
from tests.backoffice.acting import act, fields_of, page_of_act
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment
from tests.races import held_up

pytestmark = pytest.mark.django_db


@pytest.fixture
def payment(merchant: Merchant) -> Payment:
    return paid_payment(merchant, 50_000)


@pytest.fixture
def inquiry(payment: Payment) -> Inquiry:
    return report_problem(
        payment_id=payment.pk,
        report=ProblemReport(InquiryReason.DUPLICATE, "I paid twice at the bar"),
        actor=f"customer:{payment.customer_id}",
        now=utc_now(),
    )


def shown(office: Office, address: str) -> str:
    return office(Role.SUPPORT).get(address).content.decode()


def test_it_stands_in_the_queue_with_its_age(office: Office, inquiry: Inquiry) -> None:
    dashboard = shown(office, "/admin/?mode=test")
    listed = shown(office, list_of(Inquiry, mode="test", status="open"))

    assert "Customers waiting for an answer" in dashboard
    assert inquiry.pk in listed
    assert "duplicate" in listed


def test_its_page_and_that_of_the_payment_say_what_was_reported(
    office: Office, payment: Payment, inquiry: Inquiry
) -> None:
    own, of_payment = shown(office, page_of(inquiry)), shown(office, page_of(payment))

    assert "I paid twice at the bar" in own
    assert "“duplicate” was reported on the receipt and has waited for an answer since" in own
    assert "“duplicate” was reported on the receipt" in of_payment
    assert page_of(inquiry) in of_payment


def test_the_form_says_how_the_customer_is_told(
    office: Office, payment: Payment, inquiry: Inquiry
) -> None:
    form, payer = page_of_act(inquiry, "answer"), Customer.objects.filter(pk=payment.customer_id)

    assert "on the receipt only" in shown(office, form)  # test mode sends no text messages
    payer.update(email="pat@example.com")
    assert "told by e-mail, and on the receipt" in shown(office, form)


def test_support_answers(office: Office, inquiry: Inquiry) -> None:
    act(office(Role.SUPPORT), inquiry, "answer", text="We see one payment only.")

    inquiry.refresh_from_db()
    assert inquiry.status == "answered"
    assert inquiry.entries.latest("pk").text == "We see one payment only."
    entry = AuditEntry.objects.get(act="answer inquiry")
    assert (entry.before, entry.after) == ({"status": "open"}, {"status": "answered"})
    assert entry.reason == ""


def test_support_closes_with_a_reason(office: Office, inquiry: Inquiry) -> None:
    act(office(Role.SUPPORT), inquiry, "close", text="These are two tables.")

    inquiry.refresh_from_db()
    assert inquiry.status == "closed"
    assert "was closed without a refund" in shown(office, page_of(inquiry))


@pytest.mark.parametrize("name", ["answer", "close"])
def test_a_form_from_before_the_customer_wrote_again_says_so_once(
    office: Office, payment: Payment, inquiry: Inquiry, name: str
) -> None:
    browser, form = office(Role.SUPPORT), page_of_act(inquiry, name)
    fields = fields_of(browser.get(form).content.decode()) | {"text": "We see one payment only."}
    more = ProblemReport(InquiryReason.DUPLICATE, "Now three times")
    report_problem(payment_id=payment.pk, report=more, actor="customer:x", now=utc_now())

    refused = browser.post(form, fields)

    assert refused.status_code == 422
    page = refused.content.decode()
    assert "Someone has written or answered since this form was opened" in page
    assert "We see one payment only." in page
    inquiry.refresh_from_db()
    assert inquiry.status == "open"
    assert browser.post(form, fields_of(page) | {"text": fields["text"]}).status_code == 302


@pytest.mark.postgres
@pytest.mark.real_clock("a form waits for a lock")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ["answer", "close"])
def test_what_is_written_while_an_answer_waits_for_the_inquiry_refuses_it(
    office: Office, payment: Payment, inquiry: Inquiry, name: str
) -> None:
    browser, form = office(Role.SUPPORT), page_of_act(inquiry, name)
    fields = fields_of(browser.get(form).content.decode()) | {"text": "We see one payment only."}
    more = ProblemReport(InquiryReason.DUPLICATE, "Now three times")
    writes = partial(
        report_problem, payment_id=payment.pk, report=more, actor="customer:x", now=utc_now()
    )

    refused = held_up(writes, partial(browser.post, form, fields))

    assert refused.status_code == 422, refused  # type: ignore[union-attr]  # a response
    inquiry.refresh_from_db()
    assert inquiry.status == "open"
    assert [entry.text for entry in inquiry.entries.all()][1:] == ["Now three times"]
    assert AuditEntry.objects.get(act=f"{name} inquiry").outcome == "refused"


def test_an_answer_to_a_time_that_is_none_is_refused(office: Office, inquiry: Inquiry) -> None:
    browser, form = office(Role.SUPPORT), page_of_act(inquiry, "answer")
    fields = fields_of(browser.get(form).content.decode()) | {"text": "x", "seen_at": "never"}

    assert browser.post(form, fields).status_code == 422
    inquiry.refresh_from_db()
    assert inquiry.status == "open"


def test_support_refunds_from_there(office: Office, inquiry: Inquiry) -> None:
    act(office(Role.SUPPORT), inquiry, "refund", amount="50.00", reason="Paid twice", note="Seen")

    inquiry.refresh_from_db()
    assert Refund.objects.get().amount == 5_000
    assert inquiry.status == "refunded"


def test_a_refund_above_the_limit_waits_and_so_does_the_customer(
    office: Office, inquiry: Inquiry
) -> None:
    browser = office(Role.SUPPORT)
    act(browser, inquiry, "refund", amount="500.00", reason="Paid twice", note="Seen")

    inquiry.refresh_from_db()
    assert Instruction.objects.get().status == "waiting"
    assert inquiry.status == "open"
    page = browser.get(page_of(inquiry)).content.decode()
    assert "waits for a colleague&#x27;s approval" in page
