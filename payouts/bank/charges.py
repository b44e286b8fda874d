"""The bank's own charge within a booked debit: only what the bank itself states, to the cent."""

from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element

from payouts.bank.reports import cents_of, text_at

Money = tuple[int, str]
# ISO 20022 bank transaction sub-family codes of entries that are nothing but a charge.
SUB_FAMILIES = frozenset({"CHRG", "FEES", "COME", "COMI", "COMT", "TAXE"})
_STATED = ("Amt", "AmtDtls/TxAmt/Amt", "AmtDtls/InstdAmt/Amt", "NtryDtls/Btch/TtlAmt")


def is_charge(*elements: Element) -> bool:
    """Return whether the bank classifies the whole booking as a charge."""
    return any(text_at(each, "BkTxCd/Domn/Fmly/SubFmlyCd") in SUB_FAMILIES for each in elements)


def charge_within(booked: Money, *elements: Element, stated: Iterable[int] = ()) -> int:
    """Return the charge included in a booked amount; 0 if there is none or it is uncertain.

    Banks state a charge as part of the amount or next to it. It counts if it and a stated amount
    add up to the booked one, or if the bank says that it is included.
    """
    amount, currency = booked
    transfers = {*stated, *(found for each in elements for found in _stated(each, currency))}
    for each in elements:
        for charge in _charges(each, currency):
            if 0 < charge < amount and (amount - charge in transfers or _says_included(each)):
                return charge
    return 0


def charge_beside(element: Element, currency: str) -> int:
    """Return the charge stated with a transfer, whether or not its amount includes it."""
    return next((charge for charge in _charges(element, currency) if charge > 0), 0)


def _charges(element: Element, currency: str) -> Iterator[int]:
    """Yield the sum of the charges not booked separately, then the stated total with tax."""
    signs = {"CRDT": -1}
    records = _records(element)
    found = [(cents_at(each, "Amt", currency), text_at(each, "CdtDbtInd")) for each in records]
    known = [signs.get(sign, 1) * cents for cents, sign in found if cents is not None]
    if len(known) == len(records):
        yield sum(known)
    total = cents_at(element, "Chrgs/TtlChrgsAndTaxAmt", currency)
    if total is not None:
        yield total


def _records(element: Element) -> list[Element]:
    """Return the charge records of an entry or a payment; before version 4, the charges."""
    records = element.findall("Chrgs/Rcrd") or element.findall("Chrgs")
    return [each for each in records if text_at(each, "ChrgInclInd") not in ("false", "0")]


def _says_included(element: Element) -> bool:
    records = _records(element)
    return bool(records) and all(text_at(it, "ChrgInclInd") in ("true", "1") for it in records)


def _stated(element: Element, currency: str) -> Iterator[int]:
    for path in _STATED:
        cents = cents_at(element, path, currency)
        if cents is not None:
            yield cents


def cents_at(element: Element, path: str, currency: str) -> int | None:
    """Return an amount in this currency, in cents; None if it is absent or unreadable."""
    found = element.find(path)
    if found is None or found.get("Ccy") != currency:
        return None
    return cents_of(found.text or "", currency)
