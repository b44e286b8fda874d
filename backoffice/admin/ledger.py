"""Accounts and transfers: the books, to read."""

from django.db.models import Q
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from backoffice import formats
from backoffice.admin.office import OfficeAdmin
from backoffice.page_parts import Section, Table, facts
from backoffice.resource.addresses import page_of_id
from backoffice.resource.columns import (
    MODE,
    Column,
    amount_column,
    instant_column,
)
from backoffice.resource.filters import ModeFilter, OfficeFilter, choice_filter, link_filter
from ledger.models import Account, Kind, Purpose, Transfer
from ledger.services import balance_of

SHOWN = 30
MOST_DIGITS = 18


class _EitherAccount(OfficeFilter):
    """Transfers that touch an account, on either side."""

    title = "account"
    parameter_name = "account"
    hidden = True

    def queryset(self, request, queryset):  # type: ignore[no-untyped-def]  # as its parent
        value = str(self.value() or "")
        if not value.isdecimal() or len(value) > MOST_DIGITS:
            return queryset
        return queryset.filter(Q(debit_account_id=value) | Q(credit_account_id=value))


def name_of(account: Account) -> str:
    """Return an account's name as staff say it."""
    return f"{account.get_purpose_display()}: {account.owner}"


def _account_column(title: str, name: str) -> Column:
    """Return the column of an account: its purpose, and the end of its owner's id."""
    return Column(
        title,
        show=lambda transfer: format_html(
            "{} {}",
            getattr(transfer, name).get_purpose_display(),
            formats.short_code(getattr(transfer, name).owner),
        ),
        plain=lambda transfer: name_of(getattr(transfer, name)),
    )


def _linked(public_id: str) -> SafeString:
    """Draw an id as a link to its page, where it has one."""
    url, words = page_of_id(public_id), formats.code(public_id)
    return formats.link(words, url) if url else words


def _account(account: Account) -> SafeString:
    return format_html("{} {}", account.get_purpose_display(), _linked(account.owner))


class AccountAdmin(OfficeAdmin):
    list_display = (
        Column("Purpose", show=lambda account: account.get_purpose_display()),
        Column(
            "Owner", show=lambda account: formats.code(account.owner), plain=lambda row: row.owner
        ),
        amount_column("Sealed balance", "balance"),
        MODE,
    )
    list_filter = (
        choice_filter("purpose", "purpose", Purpose.choices),
        ModeFilter,
        link_filter("owner", "owner"),
    )

    def heading(self, row: Account) -> str:
        return f"Account {name_of(row)}"

    def sections(self, row: Account) -> list[Section]:
        return [
            Section(
                "Account",
                facts(
                    ("Purpose", row.get_purpose_display()),
                    ("Owner", _linked(row.owner)),
                    ("Balance now", formats.money(balance_of(row), row.currency)),
                    ("Sealed balance", formats.money(row.balance, row.currency)),
                    ("Mode", formats.mode(row.livemode)),
                ),
            )
        ]

    def tables(self, row: Account) -> list[Table]:
        sides = []
        for side in ("debit_account", "credit_account"):
            rows = Transfer.objects.filter(**{side: row}).order_by("-pk")
            sides += list(rows.select_related("debit_account", "credit_account")[:SHOWN])
        newest = sorted(sides, key=lambda transfer: transfer.pk, reverse=True)[:SHOWN]
        return [
            Table(
                "Newest transfers",
                ("At", "Kind", "Amount", "Reference"),
                [
                    (
                        formats.link(
                            formats.moment(transfer.created_at),
                            reverse("admin:ledger_transfer_change", args=[transfer.pk]),
                        ),
                        transfer.get_kind_display(),
                        formats.money(
                            transfer.amount
                            if transfer.credit_account_id == row.pk
                            else -transfer.amount,
                            transfer.currency,
                        ),
                        formats.code(transfer.reference),
                    )
                    for transfer in newest
                ],
                more=f"{reverse('admin:ledger_transfer_changelist')}?account={row.pk}&mode=both",
            )
        ]


class TransferAdmin(OfficeAdmin):
    list_select_related = ("debit_account", "credit_account", "seal")
    list_display = (
        Column("Transfer", show=lambda transfer: transfer.pk),
        instant_column("At", "created_at"),
        Column("Kind", show=lambda transfer: transfer.get_kind_display()),
        amount_column("Amount"),
        _account_column("From", "debit_account"),
        _account_column("To", "credit_account"),
        Column(
            "Reference",
            show=lambda transfer: formats.short_code(transfer.reference),
            plain=lambda transfer: transfer.reference,
        ),
        MODE,
    )
    list_filter = (
        choice_filter("kind", "kind", Kind.choices),
        ModeFilter,
        link_filter("reference", "reference"),
        link_filter("transaction", "transaction", "transaction_id"),
        _EitherAccount,
    )

    def heading(self, row: Transfer) -> str:
        return f"Transfer of {formats.money(row.amount, row.currency)}"

    def sections(self, row: Transfer) -> list[Section]:
        seal = getattr(row, "seal", None)
        return [
            Section(
                "Transfer",
                facts(
                    ("Transaction", formats.code(row.transaction_id)),
                    ("Kind", row.get_kind_display()),
                    ("Reference", _linked(row.reference)),
                    ("From", _account(row.debit_account)),
                    ("To", _account(row.credit_account)),
                    ("Amount", formats.money(row.amount, row.currency)),
                    ("Mode", formats.mode(row.livemode)),
                    ("Description", row.description),
                    ("At", formats.moment(row.created_at)),
                    ("Sealed as", f"number {seal.sequence}" if seal else "not yet"),
                ),
            )
        ]
