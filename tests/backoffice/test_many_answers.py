"""Staff write to customers in the service's name a number of times within an hour."""

from typing import Any

import pytest

from backoffice.errors import ActionLimitReached
from backoffice.roles import Role
from core.clock import utc_now
from refunds.inquiries import ProblemReport, report_problem
from refunds.inquiry_statuses import InquiryReason
from tests.backoffice.acting import act
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", ["answer", "close"])
def test_answers_end_at_thirty_an_hour(office: Office, merchant, name: str) -> None:
    browser = office(Role.SUPPORT)

    def write(number: int) -> Any:
        inquiry = report_problem(
            payment_id=paid_payment(merchant, 1_000 + number).pk,
            report=ProblemReport(InquiryReason.OTHER, ""),
            actor="visitor",
            now=utc_now(),
        )
        return act(browser, inquiry, name, text="Your wallet is locked: call us.")

    assert [write(number).status_code for number in range(30)] == [302] * 30
    refused = write(30)
    assert ActionLimitReached.message in refused.content.decode()
