"""Files as a bank writes them: status reports, statements and notifications."""

from core.clock import utc_now
from core.money import decimal_text
from payouts.bank.importing import import_bank_file
from payouts.models import BankEntry, Payout

ACCOUNT = "000777"
STATEMENT = ("053", "BkToCstmrStmt", "Stmt")
NOTIFICATION = ("054", "BkToCstmrDbtCdtNtfctn", "Ntfctn")


def order_of(payout):
    payout.refresh_from_db()
    return payout.order.end_to_end_id


def read(content, livemode=True):
    return import_bank_file(
        content=content.encode() if isinstance(content, str) else content,
        livemode=livemode,
        actor="staff:ann",
        now=utc_now(),
    )


def document(kind, version, body):
    namespace = f"urn:iso:std:iso:20022:tech:xsd:{kind}.001.{version}"
    return f'<?xml version="1.0" encoding="UTF-8"?><Document xmlns="{namespace}">{body}</Document>'


def status_report(
    batch,
    *orders,
    group="",
    message_id="S-1",
    version="10",
    payment="",
    reason="",
    group_reason="",
    payment_reason="",
):
    """Orders are pairs of EndToEndId and status, or triples with the amount.

    `reason` is that of each order, and without orders that of the group.
    """
    why = _why(reason)
    rows = "".join(_order(each, why) for each in orders)
    return document(
        "pain.002",
        version,
        f"<CstmrPmtStsRpt><GrpHdr><MsgId>{message_id}</MsgId>"
        "<CreDtTm>2026-01-20T09:00:00</CreDtTm></GrpHdr>"
        f"<OrgnlGrpInfAndSts><OrgnlMsgId>{batch.message_id}</OrgnlMsgId>"
        "<OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>"
        f"{f'<GrpSts>{group}</GrpSts>' if group else ''}"
        f"{_why(group_reason) or (why if group and not orders else '')}</OrgnlGrpInfAndSts>"
        f"<OrgnlPmtInfAndSts><OrgnlPmtInfId>{batch.message_id}</OrgnlPmtInfId>"
        f"{f'<PmtInfSts>{payment}</PmtInfSts>' if payment else ''}"
        f"{_why(payment_reason)}{rows}</OrgnlPmtInfAndSts>"
        "</CstmrPmtStsRpt>",
    )


def _why(reason):
    return f"<StsRsnInf>{reason}</StsRsnInf>" if reason else ""


def _order(told, why):
    end_to_end_id, status, amount = (*told, "")[:3]
    original = f'<OrgnlTxRef><Amt><InstdAmt Ccy="BSD">{amount}</InstdAmt></Amt></OrgnlTxRef>'
    return (
        f"<TxInfAndSts><OrgnlEndToEndId>{end_to_end_id}</OrgnlEndToEndId><TxSts>{status}</TxSts>"
        f"{why}{original if amount else ''}</TxInfAndSts>"
    )


def entry(
    amount,
    end_to_end_id="",
    *,
    direction="DBIT",
    reference="TRN 1",
    returned="",
    booked="<Sts><Cd>BOOK</Cd></Sts>",
    details="",
    currency="BSD",
    reversal=False,
):
    """An entry of one payment; `amount` in cents, `returned` the reason code of a return."""
    back = f"<RtrInf><Rsn><Cd>{returned}</Cd></Rsn><AddtlInf>Account closed</AddtlInf></RtrInf>"
    one = (
        f"<NtryDtls><TxDtls><Refs><EndToEndId>{end_to_end_id or 'NOTPROVIDED'}</EndToEndId></Refs>"
        f"{back if returned else ''}</TxDtls></NtryDtls>"
    )
    return (
        f'<Ntry><Amt Ccy="{currency}">{decimal_text(amount, currency)}</Amt>'
        f"<CdtDbtInd>{direction}</CdtDbtInd>{'<RvslInd>true</RvslInd>' if reversal else ''}{booked}"
        f"{f'<AcctSvcrRef>{reference}</AcctSvcrRef>' if reference else ''}"
        f"{details or one}</Ntry>"
    )


def batch_details(batch, *parts):
    """What an entry says that books a whole batch: by its name, or by pairs of order and amount."""
    rows = "".join(
        f'<TxDtls><Refs><EndToEndId>{name}</EndToEndId></Refs><Amt Ccy="BSD">'
        f"{decimal_text(amount, 'BSD')}</Amt><CdtDbtInd>DBIT</CdtDbtInd></TxDtls>"
        for name, amount in parts
    )
    return f"<NtryDtls><Btch><PmtInfId>{batch.message_id}</PmtInfId></Btch>{rows}</NtryDtls>"


def statement(*entries, opening=None, closing=None, currency="BSD", **options):
    """A camt.053 of the account that payouts leave from; balances in cents."""
    balances = "".join(
        _balance(kind, amount, currency)
        for kind, amount in (("OPBD", opening), ("CLBD", closing))
        if amount is not None
    )
    return _account_report(STATEMENT, balances + "".join(entries), currency=currency, **options)


def notification(*entries, **options):
    """A camt.054 of the account that payouts leave from."""
    return _account_report(NOTIFICATION, "".join(entries), **options)


def _balance(kind, amount, currency):
    direction = "CRDT" if amount >= 0 else "DBIT"
    return (
        f"<Bal><Tp><CdOrPrtry><Cd>{kind}</Cd></CdOrPrtry></Tp>"
        f'<Amt Ccy="{currency}">{decimal_text(abs(amount), currency)}</Amt>'
        f"<CdtDbtInd>{direction}</CdtDbtInd></Bal>"
    )


def _account_report(
    form,
    rows,
    *,
    message_id="M-1",
    number="2026-1",
    version="08",
    account=ACCOUNT,
    currency="BSD",
    written="2026-01-20T22:00:00",
    start="2020-01-01T00:00:00Z",
    end="2026-01-20T23:59:59Z",
):
    kind, message, report = form
    return document(
        f"camt.{kind}",
        version,
        f"<{message}><GrpHdr><MsgId>{message_id}</MsgId></GrpHdr><{report}><Id>{number}</Id>"
        f"<CreDtTm>{written}</CreDtTm><FrToDt><FrDtTm>{start}</FrDtTm>"
        f"<ToDtTm>{end}</ToDtTm></FrToDt>"
        f"<Acct><Id><Othr><Id>{account}</Id></Othr></Id><Ccy>{currency}</Ccy></Acct>{rows}"
        f"</{report}></{message}>",
    )


def returned(payout, **options):
    """An entry that brings a payout back, because its account is closed."""
    details = {"direction": "CRDT", "returned": "AC04", "reference": "RTN 1", **options}
    return entry(payout.amount, order_of(payout), **details)


def statuses_of(payouts):
    return [Payout.objects.get(pk=payout.pk).status for payout in payouts]


def waiting_entries():
    """Return why each entry that waits does so, the oldest first."""
    waiting = BankEntry.objects.unmatched().order_by("created_at", "pk")
    return list(waiting.values_list("problem", flat=True))
