"""The references under which the bank knows our orders and the files that contain them."""

import hashlib
import re

from payouts.models import Payout, PayoutBatch, PayoutOrder

# Banks accept at most 35 characters: a prefix, and 128 bits as 32 hexadecimal characters.
REFERENCE_CHARACTERS = 32
BATCH_PREFIX, ORDER_PREFIX = "B-", "E-"
DIGEST = f"[0-9a-f]{{{REFERENCE_CHARACTERS}}}$"
# Older formats only have room for 16 characters, so a bank may pass on a truncated reference.
CUT_DIGEST = f"[0-9a-f]{{14,{REFERENCE_CHARACTERS - 1}}}$"
ORDER_REFERENCE = f"^{ORDER_PREFIX}({DIGEST}|{CUT_DIGEST})"
BATCH_REFERENCE = f"^{BATCH_PREFIX}({DIGEST}|{CUT_DIGEST})"


def end_to_end_id(payout: Payout) -> str:
    """Return the bank reference of a payout, derived only from the statement that it pays out.

    A restored database would schedule the payout of that statement again, under another id: the
    bank then sees the same reference and refuses to pay twice.
    """
    place = f"{payout.statement.account_id} {payout.statement.number}"
    text = f"{payout.merchant_id} {payout.currency} {payout.livemode} {place}"
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{ORDER_PREFIX}{digest[:REFERENCE_CHARACTERS]}"


def normalize_reference(reference: str) -> str:
    """Return a reference in our spelling, if the bank has changed only its case."""
    if re.match(f"[BE]-({DIGEST}|{CUT_DIGEST})", reference, re.IGNORECASE):
        return reference[0].upper() + reference[1:].lower()
    return reference


def is_truncated_reference(reference: str) -> bool:
    """Return whether this looks like a truncated reference of an order or batch.

    An entry is never matched by such a reference, but it does hold back payouts.
    """
    return re.match(f"({ORDER_PREFIX}|{BATCH_PREFIX}){CUT_DIGEST}", reference) is not None


def with_truncated_forms(reference: str) -> list[str]:
    """Return a reference, and the truncated forms of it that a bank may pass on."""
    begun = (reference[:length] for length in range(len(reference)))
    return [reference, *filter(is_truncated_reference, begun)]


def is_order_reference(reference: str) -> bool:
    """Return whether a reference is an order's, or has the form of one, whole or truncated."""
    if re.match(ORDER_REFERENCE, reference, re.IGNORECASE):
        return True
    return bool(reference) and PayoutOrder.objects.filter(end_to_end_id=reference).exists()


def is_batch_reference(reference: str) -> bool:
    """Return whether a reference is a batch's, or has the form of one, whole or truncated."""
    if re.match(BATCH_REFERENCE, reference, re.IGNORECASE):
        return True
    return bool(reference) and PayoutBatch.objects.filter(message_id=reference).exists()
