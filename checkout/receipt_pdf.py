"""A receipt as PDF, for printing."""

from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from io import BytesIO
from itertools import starmap, zip_longest
from typing import NamedTuple

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from checkout.paper import Paper, cut
from checkout.payment_view import PaymentView
from checkout.receipts import ReceiptState, Seller
from core.concurrency import drawing_slot
from core.formats import moment_and_offset_of, money, money_and_code
from refunds.models import Refund

INK, QUIET, LINE, WARN = "#10242b", "#4d6169", "#c3d0d3", "#6b4a00"
WIDTH, HEIGHT, MARGIN = 148, 210, 14  # A5 in millimetres
AMOUNT_COLUMN, LOGO, GAP, PADDING = 42, 14, 3, 1
SHORT = 20  # letters that fit into the column of amounts
MOST_LETTERS = 8_000  # in all items, or all reasons, together: layout time grows with them


@dataclass(frozen=True)
class Look:
    """How a text is set: its size in points, colour and weight."""

    points: float = 10
    color: str = INK
    bold: bool = False

    @property
    def height(self) -> float:
        """The height of a line in millimetres."""
        return self.points / 2


_TEXT, _QUIET, _NAME = Look(), Look(color=QUIET), Look(15, bold=True)
_SUM, _BOLD, _WARN = Look(26, bold=True), Look(bold=True), Look(color=WARN, bold=True)
RECEIPTS_KEPT = 256  # 20 kB each


class ReceiptRow(NamedTuple):
    """A row of a table, and how it is set."""

    name: str
    value: str
    look: Look = _TEXT


Rows = list[ReceiptRow]
GivenBack = tuple[tuple[datetime | None, int, str], ...]  # no instant: still on its way


def receipt_pdf(
    payment_view: PaymentView,
    *,
    state: ReceiptState,
    seller: Seller,
    refunds: list[Refund],
    service: str,
    printed: str,
    head: str,
) -> bytes:
    """Return the receipt, cached by contents; `printed` is its date, `head` the log's head.

    Raises ConcurrencyLimitReached.
    """
    shown = replace(payment_view, until="", left="")
    given_back = tuple((refund.succeeded_at, refund.amount, refund.reason) for refund in refunds)
    return _written(shown, state, seller, given_back, service, printed, head, get_language() or "")


@lru_cache(maxsize=RECEIPTS_KEPT)
def _written(
    payment_view: PaymentView,
    state: ReceiptState,
    seller: Seller,
    refunds: GivenBack,
    service: str,
    printed: str,
    head: str,
    language: str,
) -> bytes:
    with drawing_slot():
        paper = _begun(payment_view, service)
        _seller(paper, payment_view, seller)
        _sale(paper, payment_view, state)
        signed = [ReceiptRow(_("Signed head"), head)] if head else []
        facts = [*_facts(payment_view), *signed]
        for rows in (_items(payment_view), facts, _refunds(payment_view, refunds)):
            if rows:
                _rule(paper)
                _table(paper, rows)
        _rule(paper)
        words = _("As of %(when)s. The page %(address)s always shows the current status.")
        _say(paper, words % {"when": printed, "address": payment_view.receipt_address}, _QUIET)
        return bytes(paper.output())


def _begun(payment_view: PaymentView, author: str) -> Paper:
    """Return the first page, with nothing on it yet."""
    assert payment_view.completed_at is not None  # noqa: S101  # only what was paid has a receipt
    title = _("Receipt from %(name)s") % {"name": payment_view.payee.name}
    paper = Paper(WIDTH, HEIGHT, title=title, made_at=payment_view.completed_at)
    paper.set_author(author)
    paper.set_margin(MARGIN)
    paper.set_auto_page_break(auto=True, margin=MARGIN)
    paper.add_page()
    return paper


def _seller(paper: Paper, payment_view: PaymentView, seller: Seller) -> None:
    """Write the seller: name, address and tax number, with any logo on the left."""
    top = paper.y
    if seller.logo:
        paper.image(BytesIO(seller.logo), MARGIN, top, LOGO, LOGO, keep_aspect_ratio=True)
        paper.set_left_margin(MARGIN + LOGO + GAP)
    if not payment_view.livemode:
        _say(paper, _("Test: no money moves"), _WARN)
    _say(paper, _("Receipt from"), _QUIET)
    _say(paper, payment_view.payee.name, _NAME)
    for line in seller.address.splitlines():
        _say(paper, line, _QUIET)
    if seller.tax_id:
        _say(paper, _("Tax number %(number)s") % {"number": seller.tax_id}, _QUIET)
    paper.set_left_margin(MARGIN)
    paper.set_xy(MARGIN, max(paper.y, top + LOGO if seller.logo else 0) + GAP)


def _sale(paper: Paper, payment_view: PaymentView, state: ReceiptState) -> None:
    assert payment_view.amount is not None  # noqa: S101  # only what was paid has a receipt
    _say(paper, money_and_code(payment_view.amount, payment_view.currency), _SUM)
    _say(paper, state.words, _BOLD)
    if payment_view.description:
        _say(paper, payment_view.description, _TEXT)


def _items(payment_view: PaymentView) -> Rows:
    """Return the rows of what was paid for, as on the page."""
    items = payment_view.items
    names = _cut_alike([item.name for item in items])
    rows = [
        ReceiptRow(
            f"{item.quantity} × " * (item.quantity != 1) + name,  # noqa: RUF001
            money(item.amount, payment_view.currency),
        )
        for item, name in zip(items, names, strict=True)
    ]
    return [*rows, *_sums(payment_view)]


def _cut_alike(texts: list[str]) -> list[str]:
    """Cut texts that are too long together, each to the same length."""
    if sum(map(len, texts)) <= MOST_LETTERS:
        return texts
    return [cut(text, MOST_LETTERS // len(texts)) for text in texts]


def _sums(payment_view: PaymentView) -> Rows:
    """Return what follows the items: what adds up to the total, and the tax in it."""
    items, tip = payment_view.items, payment_view.tip
    sums = [
        (payment_view.difference_name, payment_view.difference, _TEXT),
        (_("Amount"), payment_view.before_tip if tip and not items else 0, _TEXT),
        (_("Tip"), tip, _TEXT),
        (_("Total"), payment_view.amount or 0 if tip or items else 0, _BOLD),
        (_("Tax included"), payment_view.tax, _TEXT),
    ]
    currency = payment_view.currency
    return [
        ReceiptRow(name, money(amount, currency), look) for name, amount, look in sums if amount
    ]


def _facts(payment_view: PaymentView) -> Rows:
    assert payment_view.completed_at is not None  # noqa: S101  # only what was paid has a receipt
    return [
        *starmap(ReceiptRow, payment_view.facts),
        ReceiptRow(
            _("Paid on"), moment_and_offset_of(payment_view.completed_at, payment_view.zone)
        ),
        ReceiptRow(_("Paid by"), payment_view.payer),
        ReceiptRow(_("Receipt number"), payment_view.number),
        ReceiptRow(_("Transaction"), payment_view.transaction_id),
        ReceiptRow(_("Reference"), payment_view.id),
    ]


def _refunds(payment_view: PaymentView, refunds: GivenBack) -> Rows:
    reasons = _cut_alike([" ".join(reason.split()) for _when, _amount, reason in refunds])
    return [
        ReceiptRow(
            f"{_refunded(instant, payment_view.zone)}\n{reason}".rstrip(),
            money(amount, payment_view.currency),
        )
        for (instant, amount, _whole), reason in zip(refunds, reasons, strict=True)
    ]


def _refunded(instant: datetime | None, zone: str) -> str:
    if instant is None:
        return _("Refund on its way")
    return _("Refunded %(when)s") % {"when": moment_and_offset_of(instant, zone)}


def _table(paper: Paper, rows: Rows) -> None:
    """Write a table with names on the left and values on the right."""
    widest = max(len(row.value) for row in rows)
    right = AMOUNT_COLUMN if widest < SHORT else paper.epw * 2 / 3
    for row in rows:
        _row(paper, row, right=right)


def _row(paper: Paper, row: ReceiptRow, *, right: float) -> None:
    """Write a row, keeping it on one page if it fits on one."""
    name, value, look = row
    paper.write_with(look.points, look.color, bold=look.bold)
    left, height = paper.epw - right, look.height
    lines = [*zip_longest(paper.wrapped(name, left), paper.wrapped(value, right), fillvalue="")]
    whole = len(lines) * height + 2 * PADDING
    if whole <= paper.eph and paper.will_page_break(whole):
        paper.add_page()
    paper.ln(PADDING)
    for of_name, of_value in lines:
        paper.line_of(name, of_name, width=left, height=height)
        paper.line_of(value, of_value, width=right, height=height, align="R")
        paper.ln(height)
    paper.ln(PADDING)


def _rule(paper: Paper) -> None:
    """Draw a dotted line, like a tear-off line."""
    paper.set_draw_color(LINE)
    paper.set_dash_pattern(dash=0.7, gap=0.7)
    paper.ln(GAP)
    paper.line(MARGIN, paper.y, WIDTH - MARGIN, paper.y)
    paper.ln(GAP)
    paper.set_dash_pattern()


def _say(paper: Paper, text: str, look: Look) -> None:
    paper.write_with(look.points, look.color, bold=look.bold)
    paper.lines(text, height=look.height)
