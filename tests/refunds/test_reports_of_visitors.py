"""A report by someone who only has the receipt: not in the customer's place."""

import pytest

from core.clock import utc_now
from core.ids import new_id
from payments.models import Payment
from refunds.inquiries import ProblemReport, report_problem
from refunds.inquiry_statuses import InquiryReason
from refunds.models import Inquiry

pytestmark = pytest.mark.django_db


def report(payment: Payment, reason: InquiryReason, *, by: str | None = None) -> Inquiry:
    return report_problem(
        payment_id=payment.id,
        report=ProblemReport(reason),
        actor=f"customer:{by or payment.customer_id}",
        now=utc_now(),
    )


def test_who_is_not_its_customer_reports_as_a_visitor(paid):
    for reason in (InquiryReason.OTHER, InquiryReason.DUPLICATE):
        report(paid, reason, by=new_id("cus", utc_now()))

    inquiry = Inquiry.objects.get()
    assert (inquiry.reason, inquiry.entries.latest("pk").actor) == ("duplicate", "visitor")
    assert report(paid, InquiryReason.UNRECOGNIZED).reason == "unrecognized"


@pytest.mark.parametrize("is_answered", [False, True])
def test_a_visitor_does_not_replace_what_the_customer_reported(
    client, api, merchant, paid, is_answered
):
    """The merchant has the receipt, too: staff read its "other" in place of a theft."""
    inquiry = report(paid, InquiryReason.UNRECOGNIZED)
    path = f"/v1/inquiries/{inquiry.id}"
    if is_answered:
        assert api(merchant).post(f"{path}/answer", {"text": "Sorry"}).status_code == 200

    said = {"reason": "other", "text": "All is fine"}
    assert client.post(f"/receipts/{paid.id}/problem", said).status_code == 303

    read = api(merchant).get(path).json()
    assert (read["reason"], read["status"]) == ("unrecognized", "open")
    assert read["entries"][-1]["author"] == "visitor"
    assert report(paid, InquiryReason.DUPLICATE).reason == "duplicate"
