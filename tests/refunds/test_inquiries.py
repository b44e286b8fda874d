"""What a customer reports on a receipt: told to the merchant, answered, or settled by a refund."""

import pytest

from core.clock import iso, utc_now
from core.ids import new_id
from merchants.callers import Caller
from messages.models import Message
from messages.tasks import send_messages
from payments.models import Payment
from refunds.errors import InquiryChanged
from refunds.inquiries import ProblemReport, close_inquiry, report_problem, settle_by_refund
from refunds.inquiry_statuses import (
    ANSWERS,
    INQUIRY_TRANSITIONS,
    UNSETTLED,
    InquiryReason,
    InquiryStatus,
)
from refunds.models import Inquiry, Refund
from refunds.services import retry_refund
from tests.client import Api
from tests.events import event_data, event_types
from tests.factories import PaymentFactory
from tests.payouts.merchant_balance import credit
from tests.refunds.refunding import LIVE_PHONE, refund, sell_live

pytestmark = pytest.mark.django_db
STAFF = Caller.for_staff(livemode=False, actor="staff:support")
S = InquiryStatus


def report(payment: Payment, text: str = "Where is it?") -> Inquiry:
    return report_problem(
        payment_id=payment.id,
        report=ProblemReport(InquiryReason.NOT_RECEIVED, text),
        actor=f"customer:{payment.customer_id}",
        now=utc_now(),
    )


@pytest.fixture
def inquiry(paid: Payment) -> Inquiry:
    return report(paid)


def answer(api: Api, inquiry: Inquiry, text: str = "On its way.\nSorry!"):
    client = api(inquiry.merchant, live=inquiry.livemode)
    return client.post(f"/v1/inquiries/{inquiry.id}/answer", {"text": text})


def test_it_is_listed_read_and_told_to_the_merchant(api, merchant, paid, inquiry):
    listed = api(merchant).get("/v1/inquiries?status=open").json()
    read = api(merchant).get(f"/v1/inquiries/{inquiry.id}").json()

    at = iso(inquiry.created_at)
    summary = {
        "id": inquiry.id,
        "payment_id": paid.id,
        "merchant_id": merchant.id,
        "reason": "not_received",
        "status": "open",
        "livemode": False,
        "created_at": at,
        "updated_at": at,
        "open_since": at,
    }
    assert (listed["inquiries"], listed["total"]) == ([summary], 1)
    entry = {"author": "customer", "status": "open", "text": "Where is it?", "at": at}
    assert read == summary | {"entries": [entry]}
    assert event_types("inquiry") == ["inquiry.created"]
    assert event_data("inquiry.created") == {
        "inquiry_id": inquiry.id,
        "payment_id": paid.id,
        "merchant_id": merchant.id,
        "reason": "not_received",
        "status": "open",
        "created_at": at,
        "updated_at": at,
    }


def test_the_merchant_answers_first(api, paid, inquiry):
    response = answer(api, inquiry)

    assert response.status_code == 200
    assert response.json()["status"] == "answered"
    assert [(one["author"], one.get("text")) for one in response.json()["entries"]] == [
        ("customer", "Where is it?"),
        ("merchant", "On its way.\nSorry!"),
    ]
    assert "open_since" not in response.json()
    assert event_types("inquiry") == ["inquiry.created", "inquiry.updated"]
    assert Inquiry.objects.open().count() == 0


def test_what_has_changed_since_is_listed(api, merchant, inquiry):
    for since, total in ((iso(inquiry.updated_at), 1), ("2100-01-01", 0)):
        listed = api(merchant).get("/v1/inquiries", {"updated_since": since}).json()
        assert listed["total"] == total


def test_who_writes_again_waits_again(api, paid, inquiry):
    answer(api, inquiry)

    again = report(paid, "It has not come yet.")

    assert again.id == inquiry.id
    assert (again.status, again.open_since is not None) == ("open", True)
    assert answer(api, inquiry, "Refunded soon.").status_code == 200
    assert inquiry.entries.count() == 4


def test_while_it_waits_more_words_do_not_make_it_younger(paid, inquiry):
    assert report(paid, "Hello?").open_since == inquiry.open_since


@pytest.mark.parametrize("text", [" ", "\n", "\u00a0 \n"])
def test_it_is_not_answered_with_nothing(api, inquiry, mailoutbox, text):
    response = answer(api, inquiry, text)

    assert response.status_code == 422
    assert response.json()["details"] == "text: must not be blank"
    inquiry.refresh_from_db()
    assert inquiry.status == "open"
    assert not mailoutbox


def test_it_is_answered_once(api, inquiry):
    answer(api, inquiry)

    response = answer(api, inquiry, "And again")

    assert (response.status_code, response.json()["code"]) == (422, "INQUIRY_NOT_OPEN")
    assert inquiry.entries.count() == 2


def test_a_refund_settles_it(api, paid, inquiry):
    refund(api, paid, 500)

    inquiry.refresh_from_db()
    assert inquiry.status == "refunded"
    assert event_types("inquiry") == ["inquiry.created", "inquiry.updated"]
    assert inquiry.entries.latest("pk").actor == Refund.objects.get().created_by


def test_a_refund_that_waits_for_money_settles_it_when_it_moves(api, merchant, paid, inquiry):
    credit(merchant, -1)
    made = refund(api, paid).json()
    inquiry.refresh_from_db()
    assert (made["status"], inquiry.status) == ("pending", "open")

    credit(merchant, 1)
    retry_refund(refund_id=made["id"], now=utc_now())

    inquiry.refresh_from_db()
    assert inquiry.status == "refunded"


def test_staff_close_it_with_a_reason(inquiry):
    closed = close_inquiry(
        caller=STAFF, inquiry_id=inquiry.id, text="It was collected.", now=utc_now()
    )

    assert closed.status == "closed"
    assert closed.entries.latest("pk").author == "service"


def test_a_text_leads_the_customer_to_the_answer(api, merchant, texts, settings):
    sale = sell_live(merchant, 1_250)
    answer(api, report(sale), "Call +1 900 555 0100")
    send_messages()

    assert texts.to == [LIVE_PHONE]
    page = f"{settings.CHECKOUT_URL}/receipts/{sale.id}/problem"
    assert texts.texts == [f"{merchant.name} has answered what you reported: {page}"]


def test_each_is_told_the_answer_to_their_own(api, merchant, texts, settings):
    sales = [sell_live(merchant, 1_250, phone) for phone in (LIVE_PHONE, "+12423591235")]
    for sale in sales:
        answer(api, report(sale))
    send_messages()

    assert texts.to == [LIVE_PHONE, "+12423591235"]
    for sale, text in zip(sales, texts.texts, strict=True):
        assert text.endswith(f"/receipts/{sale.id}/problem")


def test_the_answer_of_the_house_names_it_and_not_the_shop(merchant, mailoutbox):
    sale = sell_live(merchant, 1_250)
    type(sale.paying_customer).objects.update(email="ann@example.com")
    caller = Caller.for_staff(livemode=True, actor="staff:support")
    for words in ("It was collected.", "Once more"):
        close_inquiry(caller=caller, inquiry_id=report(sale).id, text=words, now=utc_now())
    send_messages()

    subject = "Answer from Payments: your payment of B$12.50 BSD"
    assert [mail.subject for mail in mailoutbox] == [subject] * 2
    for mail, words in zip(mailoutbox, ("It was collected.", "Once more"), strict=True):
        assert words in mail.body


@pytest.mark.parametrize(
    ("kind", "author"),
    [
        ("key:key_1", "merchant"), ("development", "merchant"), ("staff:ann", "service"),
        ("system:sweep", "service"), ("visitor", "visitor"), ("thing:1", "visitor"),
    ],
)  # fmt: skip
def test_who_speaks_is_told_by_who_acted(inquiry, kind, author):
    inquiry.entries.update(actor=kind)

    assert inquiry.entries.get().author == author


def test_what_was_closed_meanwhile_is_not_settled_again(inquiry):
    close_inquiry(caller=STAFF, inquiry_id=inquiry.id, text="Collected", now=utc_now())

    assert settle_by_refund(inquiry, actor="system:x", now=utc_now()) == []
    assert inquiry.entries.latest("pk").status == "closed"


def test_a_mail_has_the_answer_in_it(api, merchant, mailoutbox):
    sale = sell_live(merchant, 1_250)
    customer = sale.paying_customer
    customer.email = "ann@example.com"
    customer.save()
    answer(api, report(sale), "On its <b>way</b>")
    send_messages()

    [mail] = mailoutbox
    assert mail.to == ["ann@example.com"]
    assert mail.subject == f"Answer from {merchant.name}: your payment of B$12.50 BSD"
    assert "On its <b>way</b>" in mail.body
    html = str(mail.alternatives[0][0])
    assert "On its &lt;b&gt;way&lt;/b&gt;" in html
    assert f"/receipts/{sale.id}/problem" in mail.body


def test_what_is_not_paid_has_no_problem_to_report(merchant):
    with pytest.raises(Exception, match="PAYMENT_NOT_COMPLETED"):
        report(PaymentFactory(merchant=merchant))

    assert Inquiry.objects.count() == 0


def test_the_table_is_all_there_is():
    """Only a customer opens it again, and a refund settles what was answered, too."""
    assert {
        S.OPEN: {S.OPEN, S.ANSWERED, S.REFUNDED, S.CLOSED},
        S.ANSWERED: {S.OPEN, S.REFUNDED, S.CLOSED},
        S.REFUNDED: {S.OPEN},
        S.CLOSED: {S.OPEN},
    } == INQUIRY_TRANSITIONS
    assert {S.OPEN, S.ANSWERED} == UNSETTLED
    assert {S.ANSWERED, S.CLOSED} == ANSWERS


def test_a_refund_after_the_answer_settles_it(api, paid, inquiry):
    answer(api, inquiry)

    refund(api, paid, 500)

    inquiry.refresh_from_db()
    assert (inquiry.status, inquiry.entries.count()) == ("refunded", 3)


def test_a_stranger_gets_404(api, stranger, inquiry):
    client = api(stranger)
    path = f"/v1/inquiries/{inquiry.id}"

    for response in (client.get(path), client.post(f"{path}/answer", {"text": "Mine"})):
        assert (response.status_code, response.json()["code"]) == (404, "INQUIRY_NOT_FOUND")
    assert client.get("/v1/inquiries").json()["inquiries"] == []
    assert inquiry.entries.count() == 1
    assert Message.objects.filter(kind="inquiry").count() == 0


def test_what_another_customer_wrote_before_it_was_kept_apart_is_a_visitors(api, merchant, paid):
    """Old entries name the customer who was signed in, who need not be the one who paid."""
    inquiry = report(paid)
    inquiry.entries.update(actor=f"customer:{new_id('cus', utc_now())}")

    read = api(merchant).get(f"/v1/inquiries/{inquiry.id}").json()

    assert [entry["author"] for entry in read["entries"]] == ["visitor"]


def test_what_has_changed_since_it_was_read_is_not_closed(paid, inquiry):
    seen_at = inquiry.updated_at
    again = report(paid, "And one was broken.")
    closing = {"caller": STAFF, "inquiry_id": inquiry.id, "text": "Collected"}

    with pytest.raises(InquiryChanged):
        close_inquiry(**closing, seen_at=seen_at, now=utc_now())
    assert Inquiry.objects.get().status == S.OPEN
    closed = close_inquiry(**closing, seen_at=again.updated_at, now=utc_now())
    assert closed.status == S.CLOSED
