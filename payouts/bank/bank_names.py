"""Read the references that banks give to a payment: our own bank, and those on its way."""

from xml.etree.ElementTree import Element

from payouts.bank.reports import NOT_PROVIDED, BankNames, text_at

NO_REFERENCE = frozenset({NOT_PROVIDED, "NONREF"})


def name_at(element: Element, path: str) -> str:
    """Return a reference; empty if the bank says that there is none."""
    found = text_at(element, path)
    return "" if found in NO_REFERENCE else found


def bank_names(part: Element, of_entry: str, *, is_whole: bool) -> BankNames:
    """Return a payment's references. If it is the whole entry, the entry's reference is its own."""
    uetr, transaction_id = name_at(part, "Refs/UETR").lower(), name_at(part, "Refs/TxId")
    reference = name_at(part, "Refs/AcctSvcrRef") or (of_entry if is_whole else "")
    return BankNames(
        reference=reference or uetr or transaction_id,
        entry_reference=of_entry,
        uetr=uetr,
        transaction_id=transaction_id,
    )
