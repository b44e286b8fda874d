"""A receipt as PDF, for whoever keeps paper."""

from io import BytesIO
from xml.sax.saxutils import escape

from django.utils.translation import gettext as _
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import Flowable, HRFlowable, Paragraph, SimpleDocTemplate, Spacer, Table

from checkout.payment_view import Bill
from checkout.receipts import State
from checkout.shapes import writable
from core.formats import moment_of, money, money_and_code
from refunds.models import Refund

INK, QUIET, LINE = HexColor("#10242b"), HexColor("#4d6169"), HexColor("#c3d0d3")
WARN = HexColor("#6b4a00")
MARGIN, BODY, AMOUNT_COLUMN = 14 * mm, 10, 42 * mm
_TEXT = ParagraphStyle("text", fontName="Helvetica", fontSize=BODY, leading=14, textColor=INK)
_QUIET = ParagraphStyle("quiet", parent=_TEXT, textColor=QUIET)
_RIGHT = ParagraphStyle("right", parent=_TEXT, alignment=2)
_NAME = ParagraphStyle("name", parent=_TEXT, fontName="Helvetica-Bold", fontSize=15, leading=19)
_SUM = ParagraphStyle("sum", parent=_NAME, fontSize=26, leading=34)
_WARN = ParagraphStyle("warn", parent=_TEXT, fontName="Helvetica-Bold", textColor=WARN)
_BOLD = ParagraphStyle("bold", parent=_TEXT, fontName="Helvetica-Bold")

Rows = list[tuple[str, str]]


def receipt_pdf(
    bill: Bill, *, state: State, refunds: list[Refund], service: str, printed: str
) -> bytes:
    """Write the receipt; `printed` says as of when it is true."""
    out = BytesIO()
    title = _("Receipt from %(name)s") % {"name": bill.payee.name}
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
    document.build(_story(bill, state, refunds, printed))
    return out.getvalue()


def _story(bill: Bill, state: State, refunds: list[Refund], printed: str) -> list[Flowable]:
    assert bill.amount is not None  # noqa: S101  # only what was paid has a receipt
    story = [] if bill.livemode else [_paragraph(_("Test: no money moves"), _WARN)]
    story += [
        _paragraph(_("Receipt from"), _QUIET),
        _paragraph(bill.payee.name, _NAME),
        Spacer(0, 3 * mm),
        _paragraph(money_and_code(bill.amount, bill.currency), _SUM),
        _paragraph(state.words, _BOLD),
    ]
    if bill.description:
        story.append(_paragraph(bill.description, _TEXT))
    for rows in (_items(bill), _facts(bill), _refunds(bill, refunds)):
        if rows:
            story += [_rule(), _table(rows)]
    words = _("As of %(when)s. The page %(address)s shows the state as it is now.")
    note = words % {"when": printed, "address": bill.receipt_address}
    return [*story, _rule(), _paragraph(note, _QUIET)]


def _items(bill: Bill) -> Rows:
    rows = [
        (f"{item.quantity} × {item.name}", money(item.amount, bill.currency))  # noqa: RUF001
        for item in bill.items
    ]
    if bill.difference:
        rows.append((bill.difference_name, money(bill.difference, bill.currency)))
    return rows


def _facts(bill: Bill) -> Rows:
    assert bill.completed_at is not None  # noqa: S101  # only what was paid has a receipt
    return [
        *bill.facts,
        (_("Paid"), moment_of(bill.completed_at, bill.zone)),
        (_("Paid by"), bill.payer),
        (_("Receipt number"), bill.transaction_id),
        (_("Reference"), bill.id),
    ]


def _refunds(bill: Bill, refunds: list[Refund]) -> Rows:
    return [
        (
            _("Paid back %(when)s") % {"when": moment_of(refund.created_at, bill.zone)},
            money(refund.amount, bill.currency),
        )
        for refund in refunds
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
