"""What signs a bank account: rows of the version before its newest column prove as they are."""

import pytest

from core.signatures import sign, signature_field
from payouts.models import BankAccount
from tests.ledger.command import verify

pytestmark = pytest.mark.django_db(transaction=True)

ADDED = "is_pending"


def signature_over(account: BankAccount, *, without: str = "") -> str:
    covers = signature_field(BankAccount)
    assert covers
    names = [name for name in covers.signed if name != without]
    return sign((BankAccount._meta.db_table, *(getattr(account, name) for name in names)))


def test_an_open_account_is_signed_as_by_the_version_before(bank_account: BankAccount) -> None:
    assert bank_account.signature == signature_over(bank_account, without=ADDED)
    assert verify()[0] == 0


def test_one_that_was_signed_with_the_column_proves_and_can_change(
    bank_account: BankAccount,
) -> None:
    BankAccount.objects.update(signature=signature_over(bank_account))
    assert verify()[0] == 0

    account = BankAccount.objects.get()
    account.closed_by = "staff:ann"
    account.save(update_fields=["closed_by"])

    assert verify()[0] == 0


def test_a_pending_account_is_signed_as_such(bank_account: BankAccount) -> None:
    bank_account.is_pending = True
    bank_account.save(update_fields=[ADDED])

    assert bank_account.signature == signature_over(bank_account)
    assert verify()[0] == 0


@pytest.mark.parametrize("was_pending", [False, True])
def test_the_column_changed_by_another_hand_is_named(
    bank_account: BankAccount, was_pending: bool
) -> None:
    bank_account.is_pending = was_pending
    bank_account.save(update_fields=[ADDED])

    BankAccount.objects.update(is_pending=not was_pending)

    wrong = f"Bank account {bank_account.id} was not written by the service, or was changed."
    assert verify() == (1, wrong)
