"""Someone with the receipt writes while it is answered: no word of theirs leaves as an answer."""

from datetime import datetime, timedelta
from functools import partial

import pytest
from django.core.mail import EmailMessage
from django.db.models import F

from core.clock import utc_now
from merchants.callers import VISITOR, Caller
from merchants.models import Merchant
from messages.models import Message
from messages.tasks import send_messages
from payments.models import Payment
from refunds.inquiries import ProblemReport, answer_inquiry, close_inquiry, report_problem
from refunds.inquiry_models import Inquiry, InquiryEntry
from refunds.inquiry_statuses import InquiryReason
from tests.races import held_up
from tests.refunds.refunding import sell_live

WORDS = "Call our fraud desk at +1 242 919 0000 and read them your code."
OWNER = "ann@example.com"


@pytest.fixture
def sale(merchant: Merchant) -> Payment:
    sold = sell_live(merchant, 1_250)
    type(sold.paying_customer).objects.update(email=OWNER)
    return sold


def report(sale: Payment, text: str, now: datetime) -> Inquiry:
    said = ProblemReport(InquiryReason.OTHER, text)
    return report_problem(payment_id=sale.id, report=said, actor=VISITOR, now=now)


def answer(inquiry: Inquiry, now: datetime) -> Inquiry:
    caller = Caller(inquiry.merchant, livemode=True, actor="key:key_1")
    return answer_inquiry(caller=caller, inquiry_id=inquiry.id, text="On its way.", now=now)


def refute_that_it_left_as_ours(merchant: Merchant, mailoutbox: list[EmailMessage]) -> None:
    send_messages()
    [sent] = [mail for mail in mailoutbox if mail.to != [merchant.email]]
    assert sent.to == [OWNER]
    assert sent.subject == f"Answer from {merchant.name}: your payment of B$12.50 BSD"
    assert ("On its way." in sent.body, WORDS in sent.body) == (True, False)


@pytest.mark.django_db
def test_what_began_before_an_answer_and_came_after_it_is_none(merchant, sale, mailoutbox):
    began = utc_now() - timedelta(seconds=1)
    inquiry = report(sale, "", began)
    answer(inquiry, began + timedelta(milliseconds=9))
    report(sale, WORDS, began + timedelta(milliseconds=3))

    refute_that_it_left_as_ours(merchant, mailoutbox)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_one_that_waits_for_the_answers_lock_is_none(merchant, sale, mailoutbox):
    inquiry = report(sale, "", utc_now() - timedelta(minutes=1))
    began = utc_now() - timedelta(seconds=1)
    answered = began + timedelta(milliseconds=9)

    held_up(first=partial(answer, inquiry, answered), then=partial(report, sale, WORDS, began))

    assert InquiryEntry.objects.latest("pk").at < answered
    refute_that_it_left_as_ours(merchant, mailoutbox)


@pytest.mark.django_db
@pytest.mark.parametrize("earlier", [timedelta(milliseconds=6), timedelta(0)])
def test_each_answer_is_sent_as_its_own(merchant, sale, mailoutbox, earlier):
    """Staff began to close it before the merchant answered, or with it, and came after."""
    began = utc_now() - timedelta(seconds=1)
    inquiry = report(sale, "", began)
    answered_at = began + timedelta(milliseconds=9)
    answer(inquiry, answered_at)
    staff = Caller.for_staff(livemode=True, actor="staff:support")
    closed_at = answered_at - earlier
    close_inquiry(caller=staff, inquiry_id=inquiry.id, text="It was collected.", now=closed_at)
    send_messages()

    told = {sent.subject.partition(":")[0]: sent.body for sent in mailoutbox}
    assert set(told) == {f"Answer from {merchant.name}", "Answer from Payments"}
    assert "On its way." in told[f"Answer from {merchant.name}"]
    assert "It was collected." in told["Answer from Payments"]


@pytest.mark.django_db
def test_an_answer_of_an_earlier_release_is_sent(merchant, sale, mailoutbox):
    """Its message does not name the answer: it is the last one of its instant."""
    began = utc_now() - timedelta(seconds=1)
    staff = Caller.for_staff(livemode=True, actor="staff:support")
    inquiry = report(sale, "", began)
    close_inquiry(caller=staff, inquiry_id=inquiry.id, text="It was collected.", now=began)
    report(sale, WORDS, began)
    answer(inquiry, began)
    newest = Message.objects.filter(kind="inquiry").latest("created_at", "pk").pk
    report(sale, WORDS, began)
    later = began + timedelta(milliseconds=1)
    close_inquiry(caller=staff, inquiry_id=inquiry.id, text="It has come.", now=later)
    Message.objects.exclude(pk=newest).delete()
    Message.objects.update(key=F("id"))

    refute_that_it_left_as_ours(merchant, mailoutbox)
