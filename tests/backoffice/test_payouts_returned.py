"""What the page of a payout says that the bank sent back."""

import pytest

from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from core.clock import utc_now
from merchants.models import Merchant
from payouts.models import Payout
from payouts.services import RETURNED_BY_BANK, mark_sent, record_paid, record_returned
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment, scheduled_payout

pytestmark = pytest.mark.django_db


@pytest.fixture
def returned(merchant: Merchant) -> Payout:
    paid_payment(merchant, 10_000)
    payout = scheduled_payout(merchant)
    mark_sent(payout_id=payout.pk, actor="staff:x", now=utc_now())
    record_paid(payout_id=payout.pk, actor="staff:x", now=utc_now())
    return record_returned(
        payout_id=payout.pk, code="AC04", message="Account closed.", actor="system:x", now=utc_now()
    )


def page(office: Office, payout: Payout) -> str:
    return office(Role.SUPPORT).get(page_of(payout)).content.decode()


def test_it_says_why_it_was_returned(office: Office, returned: Payout) -> None:
    shown = page(office, returned)

    assert "Account closed (AC04)." in shown
    assert "<dt>Requested by</dt><dd>staff</dd>" in shown
    assert (
        ", to go out with the merchant&#x27;s next payout: check that the bank account is" in shown
    )


def test_a_code_that_is_ours_is_no_reason(office: Office, returned: Payout) -> None:
    Payout.objects.update(failure_code=RETURNED_BY_BANK)

    assert "The bank sent it back: Account closed.<" in page(office, returned)


def test_the_money_is_followed_into_the_next_payout(office: Office, returned: Payout) -> None:
    following = scheduled_payout(returned.merchant)

    shown = page(office, returned)

    assert "to go out with" not in shown
    assert "; the next payout, made " in shown
    assert page_of(following) in shown
