"""Many at once: no money is spent twice, and there is one chain."""

import pytest

from ledger.errors import InsufficientBalance
from ledger.models import (
    Account,
    Purpose,
    Seal,
    Transfer,
    TransferKind,
)
from ledger.sealing import seal_transfers
from ledger.services import account_for, balance_of
from tests.ledger.funding import NOW, fund, move, opened, problems
from tests.races import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_wallet_is_not_spent_twice() -> None:
    wallet, merchant = opened(Purpose.WALLET, holding=100), opened(Purpose.MERCHANT)

    outcomes = at_once([lambda: move(wallet, merchant, 60)] * 30)

    refused = [outcome for outcome in outcomes if isinstance(outcome, InsufficientBalance)]
    assert len(refused) == 29
    assert (balance_of(wallet), balance_of(merchant)) == (40, 60)
    assert problems() == []


@pytest.mark.parametrize("sealed", [True, False])
def test_a_merchant_does_not_give_more_than_it_has(sealed: bool) -> None:
    merchant, customer = opened(Purpose.MERCHANT, holding=100), opened(Purpose.WALLET)
    if sealed:
        seal_transfers(now=NOW)

    outcomes = at_once([lambda: move(merchant, customer, 7, TransferKind.REFUND)] * 20)

    refused = [outcome for outcome in outcomes if isinstance(outcome, InsufficientBalance)]
    assert len(refused) == 6
    assert (balance_of(merchant), balance_of(customer)) == (2, 98)
    assert problems() == []


def test_a_reference_is_posted_once() -> None:
    wallet, merchant = opened(Purpose.WALLET, holding=1_000), opened(Purpose.MERCHANT)

    at_once([lambda: move(wallet, merchant, 10, reference="pay_1")] * 10)

    assert Transfer.objects.filter(reference="pay_1").count() == 1
    assert balance_of(wallet) == 990


def test_an_account_is_opened_once() -> None:
    def open_account() -> Account:
        return account_for(owner="mer_1", purpose=Purpose.FEES, currency="BSD", livemode=False)

    accounts = at_once([open_account] * 16)

    assert accounts == [Account.objects.get()] * 16


def test_several_sealers_make_one_chain() -> None:
    merchant = opened(Purpose.MERCHANT)
    for _ in range(60):
        fund(merchant, 1)

    def seal_all() -> int:
        return sum(seal_transfers(now=NOW, limit=5) for _ in range(20))

    sealed = at_once([seal_all] * 4)

    while seal_transfers(now=NOW):  # what all of them left to each other
        pass
    assert all(isinstance(number, int) for number in sealed)
    chain = list(Seal.objects.order_by("sequence").values_list("sequence", "transfer_id"))
    ids = list(Transfer.objects.order_by("id").values_list("id", flat=True))
    assert chain == list(enumerate([None, *ids]))
    assert problems() == []
