"""Credit incoming bank transfers by the top-up reference that the customer wrote on them.

Called in the transaction that matches a bank entry, which is locked. Nothing is guessed: an entry
without one of our references waits for a person, like other unmatched entries.
"""

from collections import defaultdict
from datetime import datetime

from django.db import transaction

from core.creditor_references import references_in
from core.errors import ApiError
from core.money import MAX_AMOUNT
from customers.models import Customer
from funding.errors import FundingLimitReached
from funding.models import FundingWay, TopUp
from funding.services import credit_locked, open_top_up, refuse_above_day_limit
from funding.statuses import CREDITABLE, TopUpStatus
from payouts.bank.incoming import refuse_uncreditable, refuse_words_of_order
from payouts.bank.matching import refuse_resolved
from payouts.bank.same_money import is_same_money, refuse_credited_elsewhere
from payouts.bank_words import WordsOfOrders
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry


def credit_entry(entry: BankEntry, *, words: WordsOfOrders, actor: str, now: datetime) -> str:
    """Credit the top-up whose reference a bank entry names; return its id, or "" if none.

    Money that another kind of file also reports is credited only once. Raises BankEntryUnfit if a
    person has to decide.
    """
    named = references_in(entry.end_to_end_id, entry.message)
    found = TopUp.objects.filter(
        reference__in=named, livemode=entry.livemode, way=FundingWay.BANK_TRANSFER
    )
    keys = list(found.values_list("pk", flat=True)[:2]) if named else []
    if not keys:
        return ""
    if len(keys) > 1:
        raise BankEntryUnfit("It names more than one top-up.")
    top_up = TopUp.objects.locked(keys[0])
    _refuse_uncertain(entry, top_up, words)
    if TopUpStatus(top_up.status) in CREDITABLE:
        customer, amount = Customer.objects.locked(top_up.customer_id), _amount_of(entry)
        _refuse_unable(customer, {top_up.pk: amount}, now)
        credit_locked(top_up, amount=amount, actor=actor, now=now)
    return top_up.pk


class Foresight:
    """Predict what matching entries, in their order, would credit. Locks and moves nothing.

    Makes the same checks as `credit_entry`, taking earlier predictions into account.
    """

    def __init__(self, now: datetime) -> None:
        self._now, self._words = now, WordsOfOrders()
        self._arriving: dict[str, dict[str, int]] = defaultdict(dict)

    def foresee_credit(self, entry: BankEntry, top_up: TopUp) -> bool:
        """Return whether an entry that names only this top-up would be credited.

        If so, it counts as credited in later predictions.
        """
        arriving = self._arriving[top_up.customer_id]
        if top_up.pk in arriving or TopUpStatus(top_up.status) not in CREDITABLE:
            return False
        try:
            refuse_uncreditable(entry)
            _refuse_uncertain(entry, top_up, self._words)
            with_it = {**arriving, top_up.pk: _amount_of(entry)}
            _refuse_unable(top_up.customer, with_it, self._now)
        except ApiError:
            return False
        self._arriving[top_up.customer_id] = with_it
        return True


@transaction.atomic
def credit_by_hand(
    *, entry_id: str, customer_id: str, actor: str, now: datetime, top_up_id: str = ""
) -> TopUp:
    """Credit incoming money to the customer whom a person names, as the top-up it was meant for.

    That is `top_up_id`, or else the customer's oldest pending one of this amount: another file may
    bring its reference later, and must not credit the same money again. Only statement entries are
    accepted, as a notification may report the same money too.

    Raises BankEntryNotFound, BankEntryUnfit, CustomerNotFound, CustomerErased, TopUpNotFound.
    """
    entry = BankEntry.objects.locked(entry_id)
    refuse_no_credit(entry)
    amount = _amount_of(entry)
    meant = top_up_id or _awaited(customer_id, amount, entry.currency)
    top_up = TopUp.objects.locked(meant) if meant else None
    customer = Customer.objects.locked(customer_id)
    customer.refuse_erased()
    if top_up is None:
        top_up = open_top_up(
            customer=customer,
            way=FundingWay.BANK_TRANSFER,
            amount=amount,
            currency=entry.currency,
            expires_at=now,
            actor=actor,
            now=now,
        )
    if (top_up.customer_id, top_up.livemode) != (customer_id, entry.livemode):
        raise BankEntryUnfit("It is a different customer, or one of the other mode.")
    _refuse_unfit(entry, top_up)
    if TopUpStatus(top_up.status) not in CREDITABLE or top_up.way != FundingWay.BANK_TRANSFER:
        raise BankEntryUnfit("The top-up is not waiting for a transfer.")
    credit_locked(top_up, amount=amount, actor=actor, now=now)
    entry.match(credited_to=top_up.pk, by=actor, at=now)
    return top_up


def _awaited(customer_id: str, amount: int, currency: str) -> str:
    """Return the id of the customer's oldest top-up pending for this amount, or ""."""
    waiting = TopUp.objects.filter(
        customer=customer_id,
        way=FundingWay.BANK_TRANSFER,
        status=TopUpStatus.PENDING,
        amount=amount,
        currency=currency,
    )
    return waiting.order_by("pk").values_list("pk", flat=True).first() or ""


def refuse_no_credit(entry: BankEntry) -> None:
    """Raise BankEntryUnfit unless an entry is booked incoming money that waits for a person."""
    refuse_resolved(entry)
    if not entry.is_booked_credit:
        raise BankEntryUnfit("It is not incoming money booked in a statement.")
    if _amount_of(entry) > MAX_AMOUNT:
        raise BankEntryUnfit("It is more than a top-up can be.")
    refuse_uncreditable(entry)
    refuse_credited_elsewhere(entry)


def _amount_of(entry: BankEntry) -> int:
    """Return the amount received, in cents. Raises BankEntryUnfit if there is none."""
    if not entry.amount:
        raise BankEntryUnfit("It has no amount: there is nothing to credit.")
    return entry.amount


def _refuse_unfit(entry: BankEntry, top_up: TopUp) -> None:
    for earlier in BankEntry.objects.filter(credited_to=top_up.pk):
        _refuse_other_money(entry, earlier)
    if entry.currency != top_up.currency:
        raise BankEntryUnfit("The currency is not that of the top-up.")
    if TopUpStatus(top_up.status) in CREDITABLE:
        return
    if entry.amount != top_up.amount_received:
        raise BankEntryUnfit("A different amount has already come in with this reference.")


def _refuse_other_money(entry: BankEntry, earlier: BankEntry) -> None:
    """Refuse an entry that the bank's own reference does not prove to be the credited money.

    A notification and a statement report the same money if both carry the same bank reference. If
    one has none, the customer may have sent the same sum twice.
    """
    days, same = {entry.booking_date, earlier.booking_date} - {None}, is_same_money(entry, earlier)
    is_of_day = len(days) < 2 or entry.uetr == earlier.uetr != ""
    if entry.source == earlier.source or not is_of_day or same is False:
        raise BankEntryUnfit("Money with this reference has already come in.")
    if same is None:
        raise BankEntryUnfit(
            f"Money with this reference was credited by {earlier.pk}, of another file, and the bank"
            " gives no reference of its own that tells whether it is the same: compare its pages."
        )


def _refuse_uncertain(entry: BankEntry, top_up: TopUp, words: WordsOfOrders) -> None:
    """Refuse money that may not be the customer's, or was credited elsewhere."""
    _refuse_unfit(entry, top_up)
    refuse_credited_elsewhere(entry, top_up.pk)
    if TopUpStatus(top_up.status) in CREDITABLE:
        since = top_up.created_at
        refuse_words_of_order(entry, top_up.reference, since=since, words=words)


def _refuse_unable(customer: Customer, arriving: dict[str, int], now: datetime) -> None:
    """Refuse an erased customer, or one whom these top-ups would bring above the daily limit.

    `arriving` has the cents received by top-up, which count instead of the amounts ordered.
    """
    customer.refuse_erased()  # no one could spend the money: it has to be sent back
    try:
        refuse_above_day_limit(customer, sum(arriving.values()), now=now, besides=arriving)
    except FundingLimitReached as error:
        raise BankEntryUnfit("It is more than the customer may add in a day.") from error
