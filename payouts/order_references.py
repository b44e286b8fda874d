"""The names under which the bank knows our orders and the files that they came in."""

import hashlib
import re

from payouts.models import Payout, PayoutBatch, PayoutOrder

# Banks take at most 35 characters; a prefix and 32 hexadecimal ones are 128 bits.
REFERENCE_CHARACTERS = 32
BATCH_PREFIX, ORDER_PREFIX = "B-", "E-"
DIGEST = f"[0-9a-f]{{{REFERENCE_CHARACTERS}}}$"
# Older formats have room for 16 characters: what a bank passes on of a name may be its beginning.
CUT_DIGEST = f"[0-9a-f]{{14,{REFERENCE_CHARACTERS - 1}}}$"
ORDER_NAME = f"^{ORDER_PREFIX}({DIGEST}|{CUT_DIGEST})"
RUN_NAME = f"^{BATCH_PREFIX}({DIGEST}|{CUT_DIGEST})"


def end_to_end_id(payout: Payout) -> str:
    """Name a payout to the bank by the statement that it pays out, whatever else is known of it.

    A database set back to an earlier state would schedule the payout of that statement again, under
    another id: the bank sees the same reference and refuses to pay it twice.
    """
    place = f"{payout.statement.account_id} {payout.statement.number}"
    text = f"{payout.merchant_id} {payout.currency} {payout.livemode} {place}"
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{ORDER_PREFIX}{digest[:REFERENCE_CHARACTERS]}"


def in_our_spelling(reference: str) -> str:
    """Return a reference as we write it, where a bank has changed nothing but its case."""
    if re.match(f"[BE]-({DIGEST}|{CUT_DIGEST})", reference, re.IGNORECASE):
        return reference[0].upper() + reference[1:].lower()
    return reference


def is_cut_name(reference: str) -> bool:
    """Return whether a reference has the form of the beginning of an order's name, or a run's.

    It is never matched by that, but what it says keeps payouts here.
    """
    return re.match(f"({ORDER_PREFIX}|{BATCH_PREFIX}){CUT_DIGEST}", reference) is not None


def is_order_name(reference: str) -> bool:
    """Return whether a reference is that of an order, or has the form of one, whole or cut."""
    if re.match(ORDER_NAME, reference, re.IGNORECASE):
        return True
    return bool(reference) and PayoutOrder.objects.filter(end_to_end_id=reference).exists()


def is_run_name(reference: str) -> bool:
    """Return whether a reference is that of a run of ours, or has the form of one."""
    if re.match(RUN_NAME, reference, re.IGNORECASE):
        return True
    return bool(reference) and PayoutBatch.objects.filter(message_id=reference).exists()
