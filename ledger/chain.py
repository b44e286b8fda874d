"""The form of the chain: which fields a seal covers. It never changes."""

import hashlib
from collections.abc import Iterable
from datetime import datetime

import orjson

from core.hash_chain import chain_hash
from core.signatures import instant_text

_FORM = orjson.OPT_PASSTHROUGH_DATETIME
_DELETE = b"\x7f"  # the one character of ASCII that the chain escapes and orjson does not

# Read from a Seal or an UnsealedTransfer. The accounts' own fields are among them, so that a
# history cannot be given to another owner by changing the account instead of the transfers.
SEALED_FIELDS = (
    "transfer_id",
    "transfer__transaction_id",
    "transfer__kind",
    "transfer__reference",
    "transfer__amount",
    "transfer__currency",
    "transfer__livemode",
    "transfer__description",
    "transfer__created_at",
    "transfer__debit_account_id",
    "transfer__debit_account__owner",
    "transfer__debit_account__purpose",
    "transfer__debit_account__currency",
    "transfer__debit_account__livemode",
    "transfer__credit_account_id",
    "transfer__credit_account__owner",
    "transfer__credit_account__purpose",
    "transfer__credit_account__currency",
    "transfer__credit_account__livemode",
)


def seal_hash(
    previous: str, *, sequence: int, sealed_at: datetime, fields: Iterable[object]
) -> str:
    """Return a seal's hash: of the previous hash, its place in the chain, and the sealed values."""
    values = [sequence, sealed_at, *fields]
    text = orjson.dumps([previous, *values], default=instant_text, option=_FORM)
    if text.isascii() and _DELETE not in text:
        return hashlib.sha256(text).hexdigest()
    return chain_hash(previous, values, written=instant_text)  # which escapes non-ASCII characters
