"""Read a status report (pain.002, any version): the outcome of one of our files and its orders."""

from collections.abc import Iterable, Iterator, Sequence
from xml.etree.ElementTree import Element

from payouts.bank.reports import (
    BankNames,
    Report,
    ReportItem,
    amount_at,
    reference_at,
    required,
    required_reference,
    text_at,
)
from payouts.models import BankEntryKind, BankSource
from payouts.order_references import normalize_reference

K = BankEntryKind
KINDS = {
    "ACSC": K.SETTLED,  # settlement completed on our account
    "ACCC": K.SETTLED,  # settlement completed on the account of the payee
    "RJCT": K.REJECTED,
    "RCVD": K.PROCESSING,
    "PDNG": K.PROCESSING,
    "ACTC": K.PROCESSING,
    "ACCP": K.PROCESSING,
    "ACSP": K.PROCESSING,
    "ACFC": K.PROCESSING,
    "ACWC": K.PROCESSING,
    "ACWP": K.PROCESSING,
    "PATC": K.PROCESSING,
}
PARTLY = "PART"  # each order has its own status
# ISO 20022 reasons that reject a duplicate and say nothing about the original order: AM05 is the
# general one, the others name what was duplicated (message, payment, order, EndToEndId, …).
DUPLICATES = frozenset({"AM05", "DU01", "DU02", "DU03", "DU04", "DU05"})


def read_status_report(document: Element) -> Report:
    """Return what the report says. Raises BankFileUnreadable."""
    report = required(document, "CstmrPmtStsRpt")
    message_id = required_reference(report, "GrpHdr/MsgId")
    return Report(
        source=BankSource.STATUS_REPORT,
        message_id=message_id,
        items=list(_items(report, message_id)),
    )


def order_identity(message_id: str, number: int) -> tuple[str, ...]:
    """Return the identity of an order in a report: its position, as the bank may not name it."""
    return message_id, "order", str(number)


def _items(report: Element, message_id: str) -> Iterator[ReportItem]:
    """Yield each order, then each group, whose status holds for the orders that the file omits.

    An unnamed order gets no reference at all, as its status is not that of the whole file.

    Banks state a reason once: an order without one takes its group's or the file's, and the reason
    for the orders that a group omits may also stand with one of its own orders.
    """
    original = required(report, "OrgnlGrpInfAndSts")
    of_message = required_reference(original, "OrgnlMsgId")
    groups = report.findall("OrgnlPmtInfAndSts")
    orders = [(each, group) for group in groups for each in group.findall("TxInfAndSts")]
    for number, (order, group) in enumerate(orders):
        identity = order_identity(message_id, number)
        reasons = _reasons(order, group, original)
        reference = of_message if reference_at(order, "OrgnlEndToEndId") else ""
        yield _item(identity, order, text_at(order, "TxSts"), reference, reasons)
    spoken = False
    for number, group in enumerate(groups):
        status = text_at(group, "PmtInfSts")
        if status and status != PARTLY:
            spoken = True
            reference = required_reference(group, "OrgnlPmtInfId")
            reasons = _reasons(group, original, within=group)
            yield _item((message_id, "payment", str(number)), group, status, reference, reasons)
    status = text_at(original, "GrpSts")
    if status and status != PARTLY and not spoken:
        reasons = _reasons(original, within=report)
        yield _item((message_id, "group"), original, status, of_message, reasons)


def _reasons(*levels: Element, within: Element | None = None) -> list[tuple[str, str]]:
    """Return the codes and texts of the nearest level with any; a duplicate's from any level."""
    each = [_reasons_at(level.findall("StsRsnInf")) for level in levels]
    inside = [] if within is None else _reasons_at(within.iter("StsRsnInf"))
    every = [reason for level in each for reason in level] + inside
    duplicates = [reason for reason in every if reason[0] in DUPLICATES]
    return duplicates or next(filter(None, each), [])


def _reasons_at(found: Iterable[Element]) -> list[tuple[str, str]]:
    return [
        (reference_at(reason, "Rsn/Cd", "Rsn/Prtry"), text_at(reason, "AddtlInf"))
        for reason in found
    ]


def _item(
    identity: tuple[str, ...],
    found: Element,
    status: str,
    reference: str,
    reasons: Sequence[tuple[str, str]],
) -> ReportItem:
    kind = KINDS.get(status, K.UNKNOWN)
    amount, currency = amount_at(found, "OrgnlTxRef/Amt/InstdAmt") or (None, "")
    code = next((code for code, _ in reasons if code), "")
    reason = next((words for _, words in reasons if words), "")
    return ReportItem(
        identity=identity,
        kind=kind,
        amount=amount,
        currency=currency,
        end_to_end_id=normalize_reference(reference_at(found, "OrgnlEndToEndId")),
        message_reference=normalize_reference(reference),
        names=BankNames(reference=text_at(found, "AcctSvcrRef")),
        code=code,
        message=reason if kind != K.UNKNOWN else f"{status} {reason}",
    )
