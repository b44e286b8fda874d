"""What came too late for a payout, asked before the next one gathers it."""

import re

import pytest

from backoffice.formats import MINUS
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment, scheduled_payout
from tests.factories import MerchantFactory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("role", "links"), [(Role.FINANCE, 2), (Role.VIEWER, 0)])
def test_a_payout_is_explained_by_what_no_statement_has_gathered_yet(
    office: Office, role: Role, links: int
) -> None:
    seller = MerchantFactory(fee_basis_points=150)
    paid_payment(seller, 5_000)
    payout = scheduled_payout(seller)
    late = paid_payment(seller, 1_269)

    shown = office(role).get(f"{page_of(payout)}?ask=12.50").content.decode()

    [table] = re.findall("What came too late for this payout.*?</table>", shown, re.S)
    assert table.count(f"/admin/payments/payment/{late.pk}/change/") == 2
    assert ">12.69<" in table
    assert f">{MINUS}0.19<" in table
    assert table.count("/admin/ledger/transfer/") == links  # of those who may open it
