"""A booked entry of a statement or notification: what all payments in it have in common."""

from datetime import date
from functools import cached_property
from xml.etree.ElementTree import Element

from payouts.bank.bank_names import name_at
from payouts.bank.charges import Money, is_charge
from payouts.bank.reports import amount_at, day_at, reference_at, text_at
from payouts.errors import BankFileUnreadable

_SIGNS = {"CRDT": 1, "DBIT": -1}


class BookedEntry:
    """A booked entry. Shared values are read once, as it may contain thousands of payments."""

    def __init__(self, element: Element) -> None:
        self.element = element

    @cached_property
    def sign(self) -> int:
        """1 for a credit, -1 for a debit. Raises BankFileUnreadable."""
        return sign_of(self.element)

    @cached_property
    def money(self) -> Money:
        """The amount in cents, and its currency. Raises BankFileUnreadable."""
        found = amount_at(self.element, "Amt")
        if found is None:
            raise BankFileUnreadable(Amt="is missing")
        return found

    @cached_property
    def is_reversal(self) -> bool:
        """Whether the bank reverses an earlier booking."""
        return text_at(self.element, "RvslInd") in ("true", "1")

    @cached_property
    def is_charge(self) -> bool:
        """Whether all of it is the bank's own charge."""
        return is_charge(self.element)

    @cached_property
    def name(self) -> str:
        """The bank's own reference for the whole entry; empty if it gives none."""
        return name_at(self.element, "AcctSvcrRef")

    @cached_property
    def batch_reference(self) -> str:
        """Our reference of the batch that it belongs to; empty if the bank names none."""
        return reference_at(self.element, "NtryDtls/Btch/PmtInfId", "NtryDtls/Btch/MsgId")

    @cached_property
    def booking_date(self) -> date | None:
        """The booking date, or else the value date."""
        days = ("BookgDt/Dt", "BookgDt/DtTm", "ValDt/Dt", "ValDt/DtTm")
        return day_at(self.element, *days)

    @cached_property
    def message(self) -> str:
        """The bank's additional text about the whole entry."""
        return text_at(self.element, "AddtlNtryInf")


def sign_of(element: Element) -> int:
    """Return 1 for a credit, -1 for a debit. Raises BankFileUnreadable."""
    found = _SIGNS.get(text_at(element, "CdtDbtInd"))
    if found is None:
        raise BankFileUnreadable(CdtDbtInd="must be CRDT or DBIT")
    return found
