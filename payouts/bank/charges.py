"""What of a booked debit is the bank's own charge: only what the bank says of it, to the cent."""

from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element

from payouts.bank.reports import cents_of, text_at

Money = tuple[int, str]
# Sub-families of ISO 20022's bank transaction codes: what is booked is nothing but a charge.
SUB_FAMILIES = frozenset({"CHRG", "FEES", "COME", "COMI", "COMT", "TAXE"})
_STATED = ("Amt", "AmtDtls/TxAmt/Amt", "AmtDtls/InstdAmt/Amt", "NtryDtls/Btch/TtlAmt")


def is_charge(*elements: Element) -> bool:
    """Return whether the bank calls all of what it has booked a charge."""
    return any(text_at(each, "BkTxCd/Domn/Fmly/SubFmlyCd") in SUB_FAMILIES for each in elements)


def charge_within(booked: Money, *elements: Element, stated: Iterable[int] = ()) -> int:
    """Return the charge that is in a booked amount; 0 where none is, or it is not certain.

    Banks state a charge in the amount or beside it. It counts where it and an amount that is stated
    make the booked one, or where it is said to be included.
    """
    amount, currency = booked
    transfers = {*stated, *(found for each in elements for found in _stated(each, currency))}
    for each in elements:
        for charge in _charges(each, currency):
            if 0 < charge < amount and (amount - charge in transfers or _says_included(each)):
                return charge
    return 0


def charge_beside(element: Element, currency: str) -> int:
    """Return the charge that is stated with a transfer, whether or not it is in its amount."""
    return next((charge for charge in _charges(element, currency) if charge > 0), 0)


def _charges(element: Element, currency: str) -> Iterator[int]:
    """Yield the sum of the charges that are not booked by themselves, then the total with tax."""
    signs = {"CRDT": -1}
    records = _records(element)
    found = [(cents_at(each, "Amt", currency), text_at(each, "CdtDbtInd")) for each in records]
    if all(cents is not None for cents, _ in found):
        yield sum(signs.get(sign, 1) * (cents or 0) for cents, sign in found)
    total = cents_at(element, "Chrgs/TtlChrgsAndTaxAmt", currency)
    if total is not None:
        yield total


def _records(element: Element) -> list[Element]:
    """Return the charges of an entry or a payment; before version 4 they had no records."""
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
    """Return an amount in this currency; what cannot be read is as if it were not there."""
    found = element.find(path)
    if found is None or found.get("Ccy") != currency:
        return None
    return cents_of(found.text or "", currency)
