"""Read a status report, pain.002, of any version: what became of a file of ours and its orders."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from payouts.bank.reports import (
    Report,
    ReportItem,
    amount_at,
    reference_at,
    required,
    required_reference,
    text_at,
)
from payouts.models import BankEntryKind, BankSource

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
    "ACWC": K.PROCESSING,
    "ACWP": K.PROCESSING,
    "PATC": K.PROCESSING,
}
PARTLY = "PART"  # what became of each order stands with it


def read_status_report(document: Element) -> Report:
    """Return what the report says. Raises BankFileUnreadable."""
    report = required(document, "CstmrPmtStsRpt")
    message_id = required_reference(report, "GrpHdr/MsgId")
    return Report(
        source=BankSource.STATUS_REPORT,
        message_id=message_id,
        items=list(_items(report, message_id)),
    )


def _items(report: Element, message_id: str) -> Iterator[ReportItem]:
    """Yield each order, then each group: a group speaks for the orders that the file leaves out."""
    original = required(report, "OrgnlGrpInfAndSts")
    of_message = required_reference(original, "OrgnlMsgId")
    groups = report.findall("OrgnlPmtInfAndSts")
    orders = [each for group in groups for each in group.findall("TxInfAndSts")]
    for number, order in enumerate(orders):
        yield _item((message_id, "order", str(number)), order, text_at(order, "TxSts"), of_message)
    spoken = False
    for number, group in enumerate(groups):
        status = text_at(group, "PmtInfSts")
        if status and status != PARTLY:
            spoken = True
            reference = required_reference(group, "OrgnlPmtInfId")
            yield _item((message_id, "payment", str(number)), group, status, reference)
    status = text_at(original, "GrpSts")
    if status and status != PARTLY and not spoken:
        yield _item((message_id, "group"), original, status, of_message)


def _item(identity: tuple[str, ...], found: Element, status: str, reference: str) -> ReportItem:
    kind = KINDS.get(status, K.UNKNOWN)
    amount, currency = amount_at(found, "OrgnlTxRef/Amt/InstdAmt") or (None, "")
    reason = text_at(found, "StsRsnInf/AddtlInf")
    return ReportItem(
        identity=identity,
        kind=kind,
        amount=amount,
        currency=currency,
        end_to_end_id=reference_at(found, "OrgnlEndToEndId"),
        message_reference=reference,
        bank_reference=text_at(found, "AcctSvcrRef"),
        code=reference_at(found, "StsRsnInf/Rsn/Cd", "StsRsnInf/Rsn/Prtry"),
        message=reason if kind != K.UNKNOWN else f"{status} {reason}",
    )
