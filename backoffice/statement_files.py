"""A merchant's statement for its accountant: each movement typed, with a balance that adds up."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import chain, groupby
from typing import Any
from zoneinfo import ZoneInfo

from backoffice.formats import counted, day_text, figures
from backoffice.sheets import Worksheet
from core.money import decimal_text
from ledger.models import TransferKind
from payments.models import Payment
from payouts.account_statements import PART_LINES, SUMS, stored_lines
from payouts.models import AccountStatement
from refunds.models import Refund

STATEMENT_FILE = "statement"
# The sums of a statement in their order, as people call them.
SUM_WORDS = {
    "payments_amount": "Payments",
    "fees_amount": "Fees",
    "refunds_amount": "Refunds",
    "adjustments_amount": "Adjustments",
    "payouts_amount": "Payouts",
    "returned_payouts_amount": "Returned payouts",
}
# The kinds of transfers, as people call them.
KINDS = {kind.value: kind.label.capitalize() for kind in TransferKind} | {
    TransferKind.REFUND_FEE.value: "Fee refunded",
    TransferKind.TOP_UP.value: "Top-up",
    TransferKind.PAYOUT_RETURNED.value: "Payout not made",
    TransferKind.PAYOUT_REVERSED.value: "Payout sent back",
}
COLUMNS = (
    *("Date", "Type", "Object", "Transaction", "Payment", "Order", "Invoice", "Reference"),
    *("Description", "Amount", "Amount in smallest units", "Balance", "Currency"),
)


@dataclass(frozen=True)
class DaySums:
    """Movements of one day of the merchant, by kind, and the closing balance, in minor units."""

    day: date
    sums: dict[str, int]
    closing_amount: int


def statement_sheet(statement: AccountStatement) -> Worksheet:
    """Return a ready statement as a sheet: opening and closing balance, a row per movement."""
    zone = ZoneInfo(statement.merchant.time_zone)
    rows = [*_whose(statement), *summary_rows(statement)]
    summary = Worksheet("Summary", ("What", "Amount", "Currency"), rows)
    return Worksheet("Movements", COLUMNS, _rows(statement), zone=zone, summary=summary)


def sums_of(statement: AccountStatement) -> dict[str, int]:
    """Return the opening balance, the sums of the movements, and the closing balance."""
    return {
        "Opening balance": statement.opening_amount or 0,
        **{words: getattr(statement, name) for name, words in SUM_WORDS.items()},
        "Closing balance": statement.closing_amount or 0,
    }


def summary_rows(statement: AccountStatement) -> list[tuple[str, Decimal, str]]:
    """Return the same in units, each with the currency."""
    currency = statement.currency
    sums = sums_of(statement).items()
    return [(words, _units(amount, currency), currency) for words, amount in sums]


def _whose(statement: AccountStatement) -> list[tuple[str, str | date, str]]:
    """Name the merchant and the days of the statement: a file is read without its page."""
    first, last = period_of(statement)
    mode = "live" if statement.livemode else "test"
    return [
        ("Merchant", statement.merchant.name, ""),
        ("From", first, ""),
        ("To", last, ""),
        ("Time zone", statement.merchant.time_zone, ""),
        ("Mode", mode, ""),
    ]


def period_of(statement: AccountStatement) -> tuple[date, date]:
    """Return the first and the last day of a statement, in the merchant's time zone."""
    zone = ZoneInfo(statement.merchant.time_zone)
    last = _last_moment(statement).astimezone(zone).date()
    return statement.start_at.astimezone(zone).date(), last


def _last_moment(statement: AccountStatement) -> datetime:
    """Return the last instant of its days: the end itself is the first of the next one."""
    return statement.end_at - timedelta(microseconds=1)


def statement_days(statement: AccountStatement) -> Iterator[DaySums]:
    """Yield the days with movements, oldest first."""
    zone, balance = ZoneInfo(statement.merchant.time_zone), statement.opening_amount or 0
    lines = chain.from_iterable(_batches(statement))
    for day, of_day in groupby(lines, lambda line: line["created_at"].astimezone(zone).date()):
        sums = dict.fromkeys(SUM_WORDS, 0)
        for line in of_day:
            sums[SUMS[line["type"]]] += line["amount"]
            balance += line["amount"]
        yield DaySums(day, sums, balance)


def statement_pdf(statement: AccountStatement) -> bytes:
    """Write a statement on paper: its sums, and those of each day."""
    # 20 MB of memory, which processes that print nothing are spared.
    from backoffice.statement_paper import written

    period = " to ".join(map(day_text, period_of(statement)))
    currency, movements = statement.currency, counted(statement.lines_count, "movement")
    days = [
        (
            day_text(each.day),
            *(figures(amount, currency) if amount else "" for amount in each.sums.values()),
            figures(each.closing_amount, currency),
        )
        for each in statement_days(statement)
    ]
    return written(
        title=f"Statement of {statement.merchant.name}",
        lines=(
            f"{period}, {statement.merchant.time_zone}",
            f"{currency}, {'live' if statement.livemode else 'test: no money moves'}",
            f"{statement.id}; {movements}, by the date of the ledger",
        ),
        sums=[(words, figures(amount, currency)) for words, amount in sums_of(statement).items()],
        columns=("Day", *SUM_WORDS.values(), "Balance"),
        days=days,
        foot=f"{statement.id}, {period}, {statement.merchant.name}",
        made_at=statement.created_at,
    )


def _batches(statement: AccountStatement) -> Iterator[list[dict[str, Any]]]:
    for offset in range(0, statement.lines_count, PART_LINES):
        yield stored_lines(statement, offset=offset, limit=PART_LINES)


def _rows(statement: AccountStatement) -> Iterator[tuple[Any, ...]]:
    currency, balance = statement.currency, statement.opening_amount or 0
    yield _end(statement.start_at, "Opening balance", balance, currency)
    for batch in _batches(statement):
        payments = _payments_of(batch)
        for line in batch:
            balance += line["amount"]
            payment = payments.get(line["reference"])
            yield (
                line["created_at"],
                KINDS[line["type"]],
                line["reference"],
                line["transaction_id"],
                payment.pk if payment else "",
                payment.order_id if payment else "",
                payment.invoice_number if payment else "",
                payment.reference if payment else "",
                line["description"] or (payment.description if payment else ""),
                _units(line["amount"], currency),
                line["amount"],
                _units(balance, currency),
                currency,
            )
    yield _end(_last_moment(statement), "Closing balance", balance, currency)


def _end(at: Any, words: str, balance: int, currency: str) -> tuple[Any, ...]:
    return (at, words, *[""] * 7, None, None, _units(balance, currency), currency)


def _payments_of(lines: list[dict[str, Any]]) -> dict[str, Payment]:
    references = {line["reference"] for line in lines}
    refunds = Refund.objects.filter(pk__in=[each for each in references if each.startswith("ref_")])
    of_refund = dict(refunds.values_list("pk", "payment_id"))
    wanted = {each for each in references if each.startswith("pay_")} | set(of_refund.values())
    known = Payment.objects.only(
        "pk", "order_id", "invoice_number", "reference", "description"
    ).in_bulk(wanted)
    return known | {ref: known[pay] for ref, pay in of_refund.items() if pay in known}


def _units(amount: int, currency: str) -> Decimal:
    return Decimal(decimal_text(amount, currency))
