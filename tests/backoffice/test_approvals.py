"""What approvals say in their list and their export."""

import csv
import io

import pytest

from backoffice.models import Instruction
from backoffice.resource.page_urls import address_of
from backoffice.roles import Role
from backoffice.services.instructions import instruct
from core.clock import utc_now
from merchants.models import Merchant
from tests.backoffice.acting import act
from tests.backoffice.conftest import Office, staff_as
from tests.backoffice.rows import paid_payment, refund_request

pytestmark = pytest.mark.django_db
LIST = {"mode": "both"}


def refund_of(shop: Merchant) -> Instruction:
    request = refund_request(paid_payment(shop, 250_000), 200_000)
    return instruct(staff=staff_as(Role.SUPPORT), request=request, now=utc_now())


def test_an_export_writes_no_amount_where_none_was_asked(
    office: Office, merchant: Merchant
) -> None:
    key = {"mode": "live", "name": "Till", "reason": "A second till"}
    act(office(Role.ADMINISTRATOR), merchant, "issue-key", **key)
    refund_of(merchant)

    content = office(Role.FINANCE).get(address_of(Instruction, "export", "csv"), LIST).content

    rows = csv.DictReader(io.StringIO(content.decode("utf-8-sig")))
    amounts = {row["What"]: (row["Amount"], row["Amount in cents"]) for row in rows}
    assert amounts == {"Refund": ("2000.00", "200000"), "Issue live key": ("", "")}
