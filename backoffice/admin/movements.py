"""The movements that payouts consist of: each is a line of the statement that a payout closes."""

from collections.abc import Iterable
from typing import Any

from backoffice import formats
from backoffice.admin.office import OfficeAdmin
from backoffice.page_parts import Table
from backoffice.resource.filters import OfficeFilter, Rows, link_filter
from backoffice.resource.page_urls import list_of, page_of, page_to_open
from backoffice.resource.shown import Amount, Code, Field, Instant, Reference
from backoffice.statement_files import KINDS, SUM_WORDS
from payouts.account_statements import SUMS
from payouts.composition import composition_of, explain_payout, lines_too_late_for
from payouts.models import Payout, StatementLine

AT = Instant("At", "transfer.created_at")
KIND = Field("Kind", lambda line: KINDS[line.transfer.kind])
AMOUNT = Amount("Amount", "amount", currency="transfer.currency")
REFERENCE = Reference("About", "transfer.reference")
TRANSACTION = Code("Transaction", "transfer.transaction_id")
# Fees are one sum, though two kinds of movements: what refunds give back lowers it.
PARTS = SUM_WORDS | {"fees_amount": "Fees, less fees refunded"}


class PartFilter(OfficeFilter):
    title = "part"
    parameter_name = "part"
    options = tuple(PARTS.items())

    def narrowed(self, rows: Rows, value: str) -> Rows:
        return rows.filter(
            transfer__kind__in=[kind for kind, name in SUMS.items() if name == value]
        )


class MovementAdmin(OfficeAdmin):
    model = StatementLine
    audited = False
    heading_format = "Movement of {amount}"
    summed = "amount"
    list_select_related = ("transfer",)
    list_display = (AT, KIND, AMOUNT, REFERENCE, TRANSACTION)
    list_filter = (PartFilter, link_filter("payout", "payout", "statement__payout"))
    details = (
        Field("Description", "transfer.description"),
        Reference("Payout", "statement.payout.pk"),
    )


def composition_table(payout: Payout) -> Table:
    """Return the parts of a payout, each with a link to its movements."""
    made_of, currency = composition_of(payout), payout.currency
    before = formats.bare_amount(made_of.opening_amount, currency)
    rows: list[tuple[Any, ...]] = [("Balance before", "", before)]
    for name, words in PARTS.items():
        part = made_of.parts[name]
        if part.count:
            url = list_of(StatementLine, payout=payout.pk, part=name)
            amount = formats.bare_amount(part.amount, currency)
            rows.append((formats.link(words, url), formats.amount(f"{part.count:,}"), amount))
    rows += [
        ("This payout", "", formats.bare_amount(-made_of.payout_amount, currency)),
        ("Balance after", "", formats.bare_amount(made_of.closing_amount, currency)),
    ]
    more = list_of(StatementLine, payout=payout.pk)
    columns = ("What", formats.amount("How many"), formats.amount(f"Amount, {currency}"))
    return Table("What it is made of", columns, rows, more=more, is_first=True)


def explanation_tables(payout: Payout, text: str) -> list[Table]:
    """Return the movements that explain a difference, and those that came too late."""
    currency = payout.currency
    amount = formats.cents(text.lstrip(f"-{formats.MINUS}"), currency)
    if amount is None:
        return [Table(f"“{text}” is not an amount in {currency}", (), (), is_first=True)]
    words = formats.money(amount, currency)
    columns = ("No.", "Kind", formats.amount(f"Amount, {currency}"), "About", "At")
    found = _numbered(explain_payout(payout, amount))
    nothing = f"Nothing here makes up {words}, alone or in pairs"
    title = f"What makes up {words} here" if found else nothing
    tables = [Table(title, columns if found else (), found, is_first=True)]
    if late := _numbered(lines_too_late_for(payout, amount)):
        title = f"What came too late for this payout: {words} in the next one"
        tables.append(Table(title, columns, late, is_first=True))
    return tables


def _numbered(groups: Iterable[Iterable[StatementLine]]) -> list[tuple[Any, ...]]:
    return [(number, *_cells(line)) for number, group in enumerate(groups, 1) for line in group]


def _cells(line: StatementLine) -> tuple[Any, ...]:
    url = page_of(line) if line.statement_id else page_to_open(line.transfer)
    kind = formats.link(KIND.cell(line), url)
    amount = formats.bare_amount(line.amount, line.transfer.currency)
    return (kind, amount, REFERENCE.cell(line), AT.cell(line))
