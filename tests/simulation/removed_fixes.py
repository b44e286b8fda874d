"""Bugs that the service once had, or could have: each is what it does without one of its fixes."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

from core.clock import utc_now
from core.currencies import EXPONENTS
from core.errors import ValidationFailed
from core.ids import new_id
from ledger.models import HOUSE, Purpose, TransferKind
from ledger.services import Movement, accounts_for, post_transfers
from payouts import batches
from payouts.bank import matching, storage
from payouts.models import BankEntryState, Payout
from payouts.statuses import PayoutStatus

MODULE = Callable[..., Any]


def _refuse_closed(payout: Payout, **options: Any) -> bool:
    if payout.bank_account.closed_at is not None:
        raise ValidationFailed(bank_account="was closed")
    return False


def _all_due(create: MODULE) -> MODULE:
    return lambda **options: create(**options | {"payout_ids": None})


def _stored_anew(store: MODULE) -> MODULE:
    """Look at the entries of a file again each time that it is read.

    Not at those that filled a wallet: the proof of top-ups would speak first, of another bug.
    """

    def store_again(**options: Any) -> Any:
        stored = store(**options)
        entries = stored.file.entries.filter(credited_to="")
        entries.update(state=BankEntryState.UNMATCHED, resolved_at=None)
        return stored

    return store_again


def _credited_again(record: MODULE) -> MODULE:
    """Give the money of a return back each time that the bank speaks of it."""

    def record_again(entry: Any, kind: Any, payout: Payout, **options: Any) -> None:
        again = payout.status == PayoutStatus.RETURNED
        record(entry, kind, payout, **options)
        if again and kind == matching.K.RETURN:
            _give_back(payout, options["now"])

    return record_again


def _give_back(payout: Payout, now: Any) -> None:
    mode: dict[str, Any] = {"currency": payout.currency, "livemode": payout.livemode}
    accounts = accounts_for(
        (HOUSE, Purpose.BANK),
        (payout.merchant_id, Purpose.MERCHANT),
        **mode,
    )
    movement = Movement(
        kind=TransferKind.PAYOUT_REVERSED,
        reference=new_id("po", now),
        debit=accounts[0],
        credit=accounts[1],
        amount=payout.amount,
    )
    post_transfers(transaction_id=new_id("txn", now), movements=[movement], now=now)


# What is patched, and with what.
REMOVED: dict[str, dict[str, Any]] = {
    "a closed account refuses the whole run": {"payouts.batches.fail_unsendable": _refuse_closed},
    "no run succeeds above the most that a batch can hold": {
        "backoffice.services.payouts.MAX_PAYOUTS": 10**9
    },
    "what falls due meanwhile goes into the approved run": {
        "backoffice.services.payouts.create_batch": _all_due(batches.create_batch)
    },
    "a bank file that is read twice credits twice": {
        "payouts.bank.importing.store_bank_file": _stored_anew(storage.store_bank_file),
        "payouts.bank.matching.refuse_duplicate": lambda *arguments: None,
        "payouts.bank.matching._record": _credited_again(matching._record),
    },
    "after a restore a payout leaves under another name": {
        "payouts.batches.end_to_end_id": lambda payout: new_id("E", utc_now()).replace("_", "-"),
    },
    "after a restore payouts leave at once": {
        "payouts.batches.refuse_after_restore": lambda **options: None,
        "backoffice.services.payouts.refuse_after_restore": lambda **options: None,
    },
    "after a restore a payout that has left is canceled": {
        "payouts.services.is_shut": lambda **options: False
    },
    "after a restore the bank's word of a payout is lost": {
        "payouts.bank.matching.note_departure": lambda **options: None
    },
    "a refusal as a duplicate returns the money": {"payouts.bank.matching.DUPLICATES": frozenset()},
    "dinars have no decimals": {"core.money.EXPONENTS": EXPONENTS | {"IQD": 0}},
    "a request that is repeated is done again": {"core.idempotency.key_of": lambda request: None},
    "a debit that contradicts us holds nothing back": {
        "payouts.contradictions._contradicted": lambda *payouts, **options: {}
    },
}

NO_PAYOUT = r"the bank was told of E-\w+, which is no payout here"
# The first seed that meets it, of those that the tests play, and the words of the truth that it
# breaks: another failure is another bug. After a change of the steps it may be another seed.
FOUND_BY: dict[str, tuple[int, str]] = {
    "a closed account refuses the whole run": (1, "ValidationFailed.*bank_account: was closed"),
    "no run succeeds above the most that a batch can hold": (1, "was approved, and has not left"),
    "what falls due meanwhile goes into the approved run": (1, "has left, and was not approved"),
    "a bank file that is read twice credits twice": (1, "holds [0-9]+, should hold [0-9]+"),
    "after a restore a payout leaves under another name": (1, NO_PAYOUT),
    "after a restore payouts leave at once": (1, "payouts left although they are shut"),
    "after a restore a payout that has left is canceled": (3, "was canceled, and may have left"),
    "after a restore the bank's word of a payout is lost": (1, NO_PAYOUT),
    "a refusal as a duplicate returns the money": (1, "failed; for the bank: (accepted|executed)"),
    "dinars have no decimals": (1, "counts IQD with 0 decimals"),
    "a request that is repeated is done again": (1, "was answered otherwise"),
    "a debit that contradicts us holds nothing back": (2, "has left for a merchant who must wait"),
}


@contextmanager
def removed(bug: str) -> Iterator[None]:
    """Take the fix out."""
    with ExitStack() as patches:
        for place, instead in REMOVED[bug].items():
            patches.enter_context(mock.patch(place, instead))
        yield
