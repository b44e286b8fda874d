"""What the driver makes of a request's statements it keeps, however many values they have."""

from collections.abc import Iterator
from unittest import mock

import pytest
from psycopg import _queries

from core.clock import utc_now
from merchants.models import Merchant
from refunds.inquiries import ProblemReport, report_problem
from refunds.inquiry_statuses import InquiryReason, InquiryStatus
from refunds.models import Inquiry
from tests.client import Api
from tests.refunds.refunding import refund, sell

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]


@pytest.fixture
def translated_anew() -> Iterator[mock.Mock]:
    """Note the statements that the driver translates each time that they are sent."""
    translate = _queries._query2pg_nocache
    with mock.patch.object(_queries, "_query2pg_nocache", side_effect=translate) as noted:
        yield noted


def test_the_refund_with_the_most_values_is_translated_once(
    api: Api, merchant: Merchant, translated_anew: mock.Mock
) -> None:
    paid = sell(merchant, 1_250, fee=290)
    report = ProblemReport(InquiryReason.NOT_RECEIVED, "Where is it?")
    report_problem(payment_id=paid.id, report=report, actor="customer", now=utc_now())

    assert refund(api, paid).status_code == 201

    assert Inquiry.objects.get().status == InquiryStatus.REFUNDED
    assert translated_anew.call_args_list == []
