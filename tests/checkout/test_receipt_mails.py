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
