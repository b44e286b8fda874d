"""A receipt as PDF, for printing."""

from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from io import BytesIO
from xml.sax.saxutils import escape

from django.utils.translation import get_language
from django.utils.translation import gettext as _
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import (
    Flowable,
    HRFlowable,
    Image,
    Paragraph,
    SimpleDocTemplate,
    Spacer,
    Table,
)

from checkout.payment_view import PaymentView
from checkout.receipts import ReceiptState, Seller
from checkout.shapes import writable
from core.formats import moment_of, money, money_and_code
from refunds.models import Refund

INK, QUIET, LINE = HexColor("#10242b"), HexColor("#4d6169"), HexColor("#c3d0d3")
WARN = HexColor("#6b4a00")
MARGIN, BODY, AMOUNT_COLUMN, LOGO = 14 * mm, 10, 42 * mm, 14 * mm
_TEXT = ParagraphStyle("text", fontName="Helvetica", fontSize=BODY, leading=14, textColor=INK)
_QUIET = ParagraphStyle("quiet", parent=_TEXT, textColor=QUIET)
_RIGHT = ParagraphStyle("right", parent=_TEXT, alignment=2)
_NAME = ParagraphStyle("name", parent=_TEXT, fontName="Helvetica-Bold", fontSize=15, leading=19)
_SUM = ParagraphStyle("sum", parent=_NAME, fontSize=26, leading=34)
_WARN = ParagraphStyle("warn", parent=_TEXT, fontName="Helvetica-Bold", textColor=WARN)
_BOLD = ParagraphStyle("bold", parent=_TEXT, fontName="Helvetica-Bold")

RECEIPTS_KEPT = 256  # 4 kB each
Rows = list[tuple[str, str]]
GivenBack = tuple[tuple[datetime, int], ...]


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
    """Write the receipt, once for what says the same; `printed` is its date, `head` the log's."""
    shown = replace(payment_view, until="", left="")
    given_back = tuple((refund.created_at, refund.amount) for refund in refunds)
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
    out = BytesIO()
    title = _("Receipt from %(name)s") % {"name": payment_view.payee.name}
    document = SimpleDocTemplate(
        out,
        pagesize=A5,
        leftMargin=MARGIN,
        rightMargin=MARGIN,
        topMargin=MARGIN,
        bottomMargin=MARGIN,
        title=writable(title),
        author=writable(service),
    )
    document.build(
        [*_seller(payment_view, seller), *_story(payment_view, state, refunds, printed, head)]
    )
    return out.getvalue()


def _seller(payment_view: PaymentView, seller: Seller) -> list[Flowable]:
    """Set who sold: name, address and tax number, with the logo on the left where there is one."""
    about = [] if payment_view.livemode else [_paragraph(_("Test: no money moves"), _WARN)]
    about += [
        _paragraph(_("Receipt from"), _QUIET),
        _paragraph(payment_view.payee.name, _NAME),
        *(_paragraph(line, _QUIET) for line in seller.address.splitlines()),
    ]
    if seller.tax_id:
        about.append(_paragraph(_("Tax number %(number)s") % {"number": seller.tax_id}, _QUIET))
    if not seller.logo:
        return about
    logo = Image(BytesIO(seller.logo), LOGO, LOGO)
    room = A5[0] - 2 * MARGIN - LOGO
    plain = [("VALIGN", (0, 0), (-1, -1), "TOP")]
    return [Table([[logo, about]], colWidths=[LOGO + 3 * mm, room - 3 * mm], style=plain)]


def _story(
    payment_view: PaymentView, state: ReceiptState, refunds: GivenBack, printed: str, head: str
) -> list[Flowable]:
    assert payment_view.amount is not None  # noqa: S101  # only what was paid has a receipt
    story = [
        Spacer(0, 3 * mm),
        _paragraph(money_and_code(payment_view.amount, payment_view.currency), _SUM),
        _paragraph(state.words, _BOLD),
    ]
    if payment_view.description:
        story.append(_paragraph(payment_view.description, _TEXT))
    signed = [(_("Signed head"), head)] if head else []
    facts = [*_facts(payment_view), *signed]
    for rows in (_items(payment_view), facts, _refunds(payment_view, refunds)):
        if rows:
            story += [_rule(), _table(rows)]
    words = _("As of %(when)s. The page %(address)s shows the state as it is now.")
    note = words % {"when": printed, "address": payment_view.receipt_address}
    return [*story, _rule(), _paragraph(note, _QUIET)]


def _items(payment_view: PaymentView) -> Rows:
    rows = [
        (f"{item.quantity} × {item.name}", money(item.amount, payment_view.currency))  # noqa: RUF001
        for item in payment_view.items
    ]
    if payment_view.difference:
        rows.append(
            (payment_view.difference_name, money(payment_view.difference, payment_view.currency))
        )
    if payment_view.tip:
        rows.append((_("Tip"), money(payment_view.tip, payment_view.currency)))
    if payment_view.tax:
        rows.append((_("Tax included"), money(payment_view.tax, payment_view.currency)))
    return rows


def _facts(payment_view: PaymentView) -> Rows:
    assert payment_view.completed_at is not None  # noqa: S101  # only what was paid has a receipt
    return [
        *payment_view.facts,
        (_("Paid"), moment_of(payment_view.completed_at, payment_view.zone)),
        (_("Paid by"), payment_view.payer),
        (_("Receipt number"), payment_view.number),
        (_("Transaction"), payment_view.transaction_id),
        (_("Reference"), payment_view.id),
    ]


def _refunds(payment_view: PaymentView, refunds: GivenBack) -> Rows:
    return [
        (
            _("Paid back %(when)s") % {"when": moment_of(created_at, payment_view.zone)},
            money(amount, payment_view.currency),
        )
        for created_at, amount in refunds
    ]


def _table(rows: Rows) -> Table:
    room = A5[0] - 2 * MARGIN
    cells = [[_paragraph(name, _TEXT), _paragraph(value, _RIGHT)] for name, value in rows]
    widest = max(len(value) for _name, value in rows)
    right = AMOUNT_COLUMN if widest < 20 else room * 2 // 3
    return Table(
        cells, colWidths=[room - right, right], style=[("VALIGN", (0, 0), (-1, -1), "TOP")]
    )


def _rule() -> HRFlowable:
    return HRFlowable(width="100%", color=LINE, dash=(2, 2), spaceBefore=3 * mm, spaceAfter=3 * mm)


def _paragraph(text: str, style: ParagraphStyle) -> Paragraph:
    """Set a text; what looks like markup in it stays text."""
    return Paragraph(escape(writable(text)), style)
