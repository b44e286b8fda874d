"""A bank: takes our files, pays once by reference, and answers late, in files of its own.

It knows nothing of the service but the formats. Its exponents are written out here a second time.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from types import SimpleNamespace
from xml.etree import ElementTree

from tests.payouts.bank_files import (
    batch_details,
    entry,
    notification,
    statement,
    status_report,
)

EXPONENTS = {"BSD": 2, "IQD": 3}
SPACE = "{urn:iso:std:iso:20022:tech:xsd:pain.001.001.09}"
DUPLICATE = "<Rsn><Cd>AM05</Cd></Rsn><AddtlInf>Duplication</AddtlInf>"
CLOSED = "<Rsn><Cd>AC04</Cd></Rsn><AddtlInf>Account closed</AddtlInf>"
NEVER = datetime.max.replace(tzinfo=UTC)
CHARGE = 35
OTHER = "RENT"
LATEST_ANSWER = timedelta(days=2)


def _charged(order: "BankOrder", charge: int) -> str:
    """What a payment says of a charge beside its amount, in the bank's own decimals."""
    transfer, more = (
        f'<Amt Ccy="{order.currency}">{Decimal(amount).scaleb(-EXPONENTS[order.currency])}</Amt>'
        for amount in (order.amount, charge)
    )
    return f"{transfer}<Chrgs><Rcrd>{more}<CdtDbtInd>DBIT</CdtDbtInd></Rcrd></Chrgs>"


@dataclass
class BankOrder:
    """An order that the bank has taken: accepted, then executed or rejected, perhaps returned.

    One that `strays` was rejected and booked all the same: it comes back.
    """

    reference: str
    message: str
    amount: int
    currency: str
    account: str
    due_at: datetime
    status: str = "accepted"
    strays: bool = False
    is_away: bool = False


@dataclass
class AnswerFile:
    """A file for us. `waits` is how many of its entries we could not match when we read it."""

    name: str
    content: str
    written_at: datetime
    read: bool = False
    read_at: datetime = NEVER
    waits: int = 0


@dataclass
class SimulatedBank:
    random: Random
    orders: dict[str, BankOrder] = field(default_factory=dict)
    messages: set[str] = field(default_factory=set)
    files: list[AnswerFile] = field(default_factory=list)
    booked: dict[str, list[str]] = field(default_factory=dict)
    changes: Counter[str] = field(default_factory=Counter)
    held: Counter[str] = field(default_factory=lambda: Counter({"BSD": 10**9, "IQD": 10**9}))
    received: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    number: int = 0

    def take(self, content: bytes, *, now: datetime) -> None:
        """Take a file of orders; refuse one that was here before, and each order that was."""
        root = ElementTree.fromstring(content)[0]
        message = root.findtext(f"{SPACE}GrpHdr/{SPACE}MsgId") or ""
        if message in self.messages:
            self._report(message, [], now, group="RJCT", reason=DUPLICATE)
            return
        self.messages.add(message)
        twice = []
        for each in root.iter(f"{SPACE}CdtTrfTxInf"):
            order = self._read(each, message, now)
            if self.orders.get(order.reference, order).status != "rejected" and (
                order.reference in self.orders
            ):
                twice.append((order.reference, "RJCT"))
            else:
                self.orders[order.reference] = order
        if twice:
            self._report(message, twice, now, reason=DUPLICATE)

    def _read(self, each: ElementTree.Element, message: str, now: datetime) -> BankOrder:
        amount = each.find(f"{SPACE}Amt/{SPACE}InstdAmt")
        assert amount is not None
        currency = amount.get("Ccy", "")
        units = Decimal(amount.text or "0").scaleb(EXPONENTS[currency])
        assert units == int(units), f"{amount.text} {currency} is no amount"
        return BankOrder(
            reference=each.findtext(f"{SPACE}PmtId/{SPACE}EndToEndId") or "",
            message=message,
            amount=int(units),
            currency=currency,
            account=each.findtext(f"{SPACE}CdtrAcct/{SPACE}Id/{SPACE}Othr/{SPACE}Id") or "",
            due_at=now + LATEST_ANSWER * self.random.random(),
        )

    def work(self, *, now: datetime, all_of_it: bool = False) -> None:
        """Execute or refuse what is due, send some of it back, and write files about it."""
        for run in sorted(self.messages):
            orders = [order for order in self.orders.values() if order.message == run]
            accepted = all(each.status == "accepted" for each in orders) and len(orders) > 1
            is_due = accepted and orders[0].due_at <= now and orders[0].currency == "BSD"
            if is_due and self.random.random() < 0.2:
                self._execute_whole(orders, now)
        for order in list(self.orders.values()):
            if order.status == "accepted" and (all_of_it or order.due_at <= now):
                self._execute(order, now)
            elif order.status == "executed" and self.random.random() < 0.005:
                self._return(order, now)
            elif order.strays and order.is_away and (all_of_it or self.random.random() < 0.2):
                order.is_away = False
                self._book(order, now, sign=1)

    def _execute(self, order: BankOrder, now: datetime) -> None:
        luck = self.random.random()
        told = [(order.reference, "RJCT" if luck < 0.1 else self.random.choice(("ACSC", "ACSP")))]
        if luck < 0.1:
            order.status = "rejected"
            self._report(order.message, told, now, reason=CLOSED)
            order.strays = order.is_away = self.random.random() < 0.4
            if order.strays:
                self._book(order, now, sign=-1)
            return
        order.status = "executed"
        self._book(order, now, sign=-1)
        if luck < 0.6:
            self._report(order.message, told, now)

    def _return(self, order: BankOrder, now: datetime) -> None:
        order.status = "returned"
        self._book(order, now, sign=1)

    def _book(self, order: BankOrder, now: datetime, *, sign: int) -> None:
        self.number += 1
        charge = CHARGE if sign < 0 and self.random.random() < 0.2 else 0
        row = entry(
            order.amount + charge,
            order.reference,
            direction="DBIT" if sign < 0 else "CRDT",
            reference=f"TRN {self.number}",
            returned="" if sign < 0 else "AC04",
            currency=order.currency,
        )
        row = row.replace("</TxDtls>", f"{_charged(order, charge)}</TxDtls>") if charge else row
        self._enter(row, sign * order.amount - charge, order.currency, now)

    def _enter(self, row: str, change: int, currency: str, now: datetime) -> None:
        row = row.replace(
            "<AcctSvcrRef>", f"<BookgDt><Dt>{now:%Y-%m-%d}</Dt></BookgDt><AcctSvcrRef>"
        )
        self.booked.setdefault(currency, []).append(row)
        self.changes[currency] += change
        if self.random.random() < 0.5:
            self._write("camt.054", notification(row, **self._names()), now)

    def _execute_whole(self, orders: list[BankOrder], now: datetime) -> None:
        """Book a run as one amount, with what is rejected of it, which comes back."""
        for order in orders:
            order.strays = order.is_away = self.random.random() < 0.2
            order.status = "rejected" if order.strays else "executed"
            if order.strays:
                self._report(order.message, [(order.reference, "RJCT")], now, reason=CLOSED)
        self.number += 1
        total, run = sum(order.amount for order in orders), orders[0].message
        parts = [(order.reference, order.amount) for order in orders]
        details = batch_details(SimpleNamespace(message_id=run), *parts)
        row = entry(total, reference=f"TRN {self.number}", details=details)
        self._enter(row, -total, "BSD", now)

    def receive(self, reference: str, amount: int, *, now: datetime, named: bool) -> None:
        """Take money that a customer sends us; some banks give it no reference of their own."""
        self.number += 1
        self.received[reference].append(amount)
        name = f"TRN {self.number}" if named else "NONREF"
        words = f"<RmtInf><Ustrd>{reference}</Ustrd></RmtInf></TxDtls>"
        row = entry(amount, direction="CRDT", reference=name).replace("</TxDtls>", words)
        self._enter(row, amount, "BSD", now)

    def pay_other(self, amount: int, *, now: datetime) -> None:
        """Book money that left for something else, such as a rent, and names nothing of ours."""
        self.number += 1
        self._enter(entry(amount, reference=f"{OTHER} {self.number}"), -amount, "BSD", now)

    def close_day(self, *, now: datetime) -> None:
        """Write a statement for each currency in which anything was booked."""
        for currency, rows in self.booked.items():
            opening = self.held[currency]
            self.held[currency] += self.changes[currency]
            balances = {"opening": opening, "closing": self.held[currency]}
            text = statement(*rows, currency=currency, **balances, **self._names())
            self._write("camt.053", text, now)
        self.booked, self.changes = {}, Counter()

    def _report(
        self,
        message: str,
        told: list[tuple[str, str]],
        now: datetime,
        *,
        group: str = "",
        reason: str = "",
    ) -> None:
        batch = SimpleNamespace(message_id=message)
        name = self._names()["message_id"]
        text = status_report(batch, *told, group=group, reason=reason, message_id=name)
        self._write("pain.002", text, now)

    def _names(self) -> dict[str, str]:
        self.number += 1
        return {"message_id": f"M-{self.number}", "number": f"N-{self.number}"}

    def _write(self, name: str, content: str, now: datetime) -> None:
        self.files.append(AnswerFile(f"{name} {self.number}", content, now))
