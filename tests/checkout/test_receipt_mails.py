"""Receipts by e-mail leave from a page that anyone may open, to any address."""

from dataclasses import replace

import pytest

from checkout import receipts
from merchants.models import Merchant
from messages.models import Message
from tests.checkout.shopper import Shopper
from tests.refunds.refunding import sell

pytestmark = pytest.mark.django_db


def test_many_payments_are_not_many_mails_to_one_address(
    merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Payments of a cent cost nothing, and each could send five mails to a stranger."""
    monkeypatch.setattr(receipts, "MAILS_TO_ONE", replace(receipts.MAILS_TO_ONE, times=2))
    shopper = Shopper()
    answers = []
    for _ in range(3):
        shopper.visit(f"/receipts/{sell(merchant, 1).id}")
        answers.append(shopper.send(email="Ann@example.com").status_code)

    assert answers == [200, 200, 422]
    assert Message.objects.filter(recipient="Ann@example.com").count() == 2


def test_what_a_payment_may_not_send_leaves_the_address_its_mails(
    merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asked again and again for one receipt kept every other from the address for a day."""
    monkeypatch.setattr(receipts, "MAILS", replace(receipts.MAILS, times=1))
    monkeypatch.setattr(receipts, "MAILS_TO_ONE", replace(receipts.MAILS_TO_ONE, times=2))
    shopper = Shopper()
    asked, other = sell(merchant, 1), sell(merchant, 1)
    answers = []
    for payment in (asked, asked, asked, other):
        shopper.visit(f"/receipts/{payment.id}")
        answers.append(shopper.send(email="ann@example.com").status_code)

    assert answers == [200, 422, 422, 200]
