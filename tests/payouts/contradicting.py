"""A payout after one that the bank speaks of, and what a person says of the bank's entries."""

from core.clock import utc_now
from payouts.bank.by_hand import set_aside
from payouts.models import BankEntry, Payout, PayoutOrigin
from payouts.services import schedule_payout
from tests.payouts.batching import batch_of

STAFF = "staff:ann"


def next_payout(payout, currency="BSD", livemode=True):
    return schedule_payout(
        merchant=payout.merchant,
        livemode=livemode,
        currency=currency,
        amount=None,
        origin=PayoutOrigin.SCHEDULE,
        actor=STAFF,
        now=utc_now(),
    )


def leaves(payout):
    batch_of()
    return Payout.objects.get(pk=payout.pk).status == "in_transit"


def explain():
    note = "Paid, and adjusted."
    for entry_id in BankEntry.objects.unmatched().values_list("pk", flat=True):
        set_aside(entry_id=entry_id, note=note, actor=STAFF, now=utc_now(), by_two=True)
