"""Prove transfers against their seals, what waits for one, and the accounts they move between."""

from collections.abc import Iterator

from django.db.models import Exists, OuterRef

from core.currencies import EXPONENTS, WITHDRAWN
from ledger.models import Account, Transfer, UnsealedTransfer
from ledger.reconciliation import Faults, each, name_each


def check_transfers() -> Iterator[str]:
    """Check that each transfer is sealed or waiting to be, and matches its accounts."""
    return name_each(_wrong_transfers)


def _wrong_transfers() -> Faults:
    yield (
        "Transfer {pk} is neither sealed nor waiting for its seal.",
        Transfer.objects.filter(seal=None, unsealed=None),
    )
    yield (
        "Transfer {pk} is sealed and counted as waiting, too.",
        UnsealedTransfer.objects.exclude(transfer__seal=None),
    )
    same = Transfer.objects.filter(
        pk=OuterRef("pk"),
        amount=OuterRef("amount"),
        debit_account=OuterRef("debit_account"),
        credit_account=OuterRef("credit_account"),
    )
    yield (
        "Transfer {pk} waits for its seal with other values than its own.",
        UnsealedTransfer.objects.filter(~Exists(same)),
    )
    for side in ("debit_account", "credit_account"):
        account = Account.objects.filter(
            pk=OuterRef(side), currency=OuterRef("currency"), livemode=OuterRef("livemode")
        )
        yield (
            "Transfer {pk} is of another currency or mode than its " + f"{side}.",
            Transfer.objects.filter(~Exists(account)),
        )


def check_exponents() -> Iterator[str]:
    """Name every account whose decimals are not those of its currency."""
    known = EXPONENTS | WITHDRAWN
    for currency, exponent in Account.objects.values_list("currency", "exponent").distinct():
        if known.get(currency) != exponent:
            for account in each(Account.objects.filter(currency=currency, exponent=exponent)):
                yield f"Account {account.pk} counts {currency} with {exponent} decimals."
