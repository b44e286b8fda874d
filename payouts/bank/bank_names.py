"""Read what banks call money: our bank, and all on its way."""

from xml.etree.ElementTree import Element

from payouts.bank.reports import NOT_PROVIDED, BankNames, text_at

NO_REFERENCE = frozenset({NOT_PROVIDED, "NONREF"})


def name_at(element: Element, path: str) -> str:
    """Return a name; empty where the bank says that it has none."""
    found = text_at(element, path)
    return "" if found in NO_REFERENCE else found


def bank_names(part: Element, of_entry: str, *, is_whole: bool) -> BankNames:
    """Return the names of a payment. That of its entry is its own if it is the whole entry."""
    uetr, transaction_id = name_at(part, "Refs/UETR").lower(), name_at(part, "Refs/TxId")
    reference = name_at(part, "Refs/AcctSvcrRef") or (of_entry if is_whole else "")
    return BankNames(
        reference=reference or uetr or transaction_id,
        entry_reference=of_entry,
        uetr=uetr,
        transaction_id=transaction_id,
    )
