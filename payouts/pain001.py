"""A batch of payouts as an ISO 20022 credit transfer initiation, pain.001.001.09."""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from django.conf import settings

from core.clock import iso
from core.money import decimal_text
from payouts.account_numbers import compact, is_iban
from payouts.bank_words import to_bank_characters
from payouts.errors import DebtorUnknown
from payouts.models import PayoutBatch, PayoutOrder

NAMESPACE = "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"
NO_NAME = "NOTPROVIDED"
Element = ElementTree.Element


@dataclass(frozen=True)
class Party:
    """A party with a bank account. The bank is identified by BIC or clearing code."""

    name: str
    number: str
    bic: str = ""
    clearing_code: str = ""


def pain001(batch: PayoutBatch, orders: Sequence[PayoutOrder]) -> bytes:
    """Return the file of a batch. Raises DebtorUnknown if the debtor account is not configured."""
    debtor = _debtor()
    document = Element("Document", xmlns=NAMESPACE)
    initiation = _add(document, "CstmrCdtTrfInitn")
    header = _add(initiation, "GrpHdr")
    _add(header, "MsgId", batch.message_id or reference(batch.id))
    _add(header, "CreDtTm", iso(batch.created_at))
    _add_sums(header, orders, batch.currency)
    _add(_add(header, "InitgPty"), "Nm", to_bank_characters(debtor.name) or NO_NAME)
    _add_payment(initiation, batch, orders, debtor)
    ElementTree.indent(document)
    body: bytes = ElementTree.tostring(document, encoding="UTF-8", xml_declaration=True)
    return body


def reference(public_id: str) -> str:
    """Return one of our ids in the character set of all banks: without underscores."""
    return public_id.replace("_", "-")


def _debtor() -> Party:
    debtor = Party(
        name=settings.PAYOUT_DEBTOR_NAME,
        number=compact(settings.PAYOUT_DEBTOR_ACCOUNT),
        bic=compact(settings.PAYOUT_DEBTOR_BIC),
        clearing_code=compact(settings.PAYOUT_DEBTOR_CLEARING_CODE),
    )
    if not debtor.number or not (debtor.bic or debtor.clearing_code):
        raise DebtorUnknown
    return debtor


def _add_payment(
    initiation: Element, batch: PayoutBatch, orders: Sequence[PayoutOrder], debtor: Party
) -> None:
    payment = _add(initiation, "PmtInf")
    _add(payment, "PmtInfId", batch.message_id or reference(batch.id))
    _add(payment, "PmtMtd", "TRF")
    _add_sums(payment, orders, batch.currency)
    _add(_add(payment, "ReqdExctnDt"), "Dt", batch.execution_date.isoformat())
    _add(_add(payment, "Dbtr"), "Nm", to_bank_characters(debtor.name) or NO_NAME)
    _add_account(payment, "DbtrAcct", debtor.number, currency=batch.currency)
    _add_bank(payment, "DbtrAgt", debtor)
    _add(payment, "ChrgBr", "DEBT")
    for order in orders:
        _add_transfer(payment, order)


def _add_transfer(payment: Element, order: PayoutOrder) -> None:
    currency, number = order.batch.currency, order.decrypt_number()
    creditor = Party(order.holder_name, number, order.bic, order.clearing_code)
    transfer = _add(payment, "CdtTrfTxInf")
    _add(_add(transfer, "PmtId"), "EndToEndId", order.end_to_end_id)
    amount = _add(_add(transfer, "Amt"), "InstdAmt", decimal_text(order.amount, currency))
    amount.set("Ccy", currency)
    _add_bank(transfer, "CdtrAgt", creditor)
    _add(_add(transfer, "Cdtr"), "Nm", to_bank_characters(creditor.name) or NO_NAME)
    _add_account(transfer, "CdtrAcct", creditor.number)
    text = to_bank_characters(order.description) or reference(order.payout_id)
    _add(_add(transfer, "RmtInf"), "Ustrd", text)


def _add_sums(parent: Element, orders: Sequence[PayoutOrder], currency: str) -> None:
    _add(parent, "NbOfTxs", str(len(orders)))
    _add(parent, "CtrlSum", decimal_text(sum(order.amount for order in orders), currency))


def _add_account(parent: Element, tag: str, number: str, currency: str = "") -> None:
    account = _add(parent, tag)
    identification = _add(account, "Id")
    if is_iban(number):
        _add(identification, "IBAN", number)
    else:
        _add(_add(identification, "Othr"), "Id", number)
    if currency:
        _add(account, "Ccy", currency)


def _add_bank(parent: Element, tag: str, party: Party) -> None:
    bank = _add(_add(parent, tag), "FinInstnId")
    if party.bic:
        _add(bank, "BICFI", party.bic)
    if party.clearing_code:
        _add(_add(bank, "ClrSysMmbId"), "MmbId", party.clearing_code)


def _add(parent: Element, tag: str, text: str | None = None) -> Element:
    element = ElementTree.SubElement(parent, tag)
    element.text = text
    return element
