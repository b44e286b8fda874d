"""Every resource of the back office, declared once.

The side bar, the search box, the attention queues and the pages read from here a resource's title,
icon, required right and id prefix.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Model, Q

from backoffice.models import AuditEntry, ExportRun, Instruction, Note, ResendRun
from backoffice.roles import Right
from backoffice.staff import Staff, tasks_hidden_from
from customers.models import Customer, Passkey
from funding.models import TopUp
from ledger.models import Account, Transfer
from links.models import PaymentLink
from merchants.models import ApiKey, Merchant
from messages.models import Message
from payments.models import Payment
from payouts.models import (
    AccountStatement,
    BankAccount,
    BankEntry,
    BankHoliday,
    BankStatement,
    Payout,
    PayoutBatch,
    StatementLine,
)
from refunds.models import Inquiry, Refund
from webhooks.models import Delivery, Event, Webhook

R = Right
_ENTRIES = ("audit entry", "audit entries")


@dataclass(frozen=True)
class CatalogEntry:
    """One resource. `right` is required to see it; `prefix` starts its public ids.

    `counted` is the singular and plural, if they cannot be derived from the title. A resource
    without an icon is not in the side bar. `hidden` returns the rows that a member of staff with
    the right still does not see; None if there are none. `is_kept`: no row is ever deleted.
    """

    model: type[Model]
    title: str
    icon: str
    right: Right
    prefix: str = ""
    counted: tuple[str, str] | None = None
    hidden: Callable[[Staff], Q | None] = lambda staff: None
    is_kept: bool = True

    def rows_seen(self, rows: Any, staff: Staff) -> Any:
        """Return those of some rows that a member of staff with the right sees."""
        hidden = self.hidden(staff)
        return rows if hidden is None else rows.exclude(hidden)

    def is_open_to(self, staff: Staff, pk: Any) -> bool:
        """Return whether there is a page about a row that a member of staff may open."""
        if not staff.may(self.right) or (self.is_kept and self.hidden(staff) is None):
            return staff.may(self.right)
        rows = self.model._default_manager.filter(pk=pk)
        return bool(self.rows_seen(rows, staff).exists())

    @property
    def counted_as(self) -> tuple[str, str]:
        """The singular and the plural, in lower case."""
        several = self.title.lower()
        one = f"{several[:-3]}y" if several.endswith("ies") else several.removesuffix("s")
        return self.counted or (one, several)


def _hidden_requests(staff: Staff) -> Q | None:
    """Return the requests about payouts or staff, if this member of staff may not see those."""
    hidden = tasks_hidden_from(staff)
    return Q(task__in=hidden) if hidden else None


def _exports_of_others(staff: Staff) -> Q:
    """Return the exports of others: a file may contain what this role does not see."""
    return ~Q(asked_by_id=staff.user_id)


# The groups of the side bar, and the resources in each.
GROUPS: dict[str, tuple[CatalogEntry, ...]] = {
    "Payments": (
        CatalogEntry(Payment, "Payments", "payments", R.VIEW_TRADE, "pay"),
        CatalogEntry(Refund, "Refunds", "undo", R.VIEW_TRADE, "ref"),
        CatalogEntry(Inquiry, "Inquiries", "contact_support", R.VIEW_TRADE, "inq"),
        CatalogEntry(PaymentLink, "Payment links", "link", R.VIEW_TRADE, "link"),
        CatalogEntry(Message, "Messages", "mail", R.VIEW_TRADE, "msg", is_kept=False),
        CatalogEntry(Customer, "Customers", "person", R.VIEW_TRADE, "cus"),
        CatalogEntry(TopUp, "Top-ups", "add_card", R.VIEW_TRADE, "top"),
        CatalogEntry(Passkey, "Passkeys", "", R.VIEW_TRADE),
    ),
    "Merchants": (
        CatalogEntry(Merchant, "Merchants", "storefront", R.VIEW_TRADE, "mer"),
        CatalogEntry(ApiKey, "API keys", "key", R.VIEW_KEYS, "key", ("key", "keys")),
        CatalogEntry(BankAccount, "Bank accounts", "account_balance", R.VIEW_PAYOUTS, "ba"),
    ),
    "Money": (
        CatalogEntry(
            Instruction, "Approvals", "how_to_reg", R.VIEW_TRADE, "ins", hidden=_hidden_requests
        ),
        CatalogEntry(Payout, "Payouts", "send_money", R.VIEW_PAYOUTS, "po"),
        CatalogEntry(
            PayoutBatch, "Payout runs", "upload_file", R.VIEW_PAYOUTS, "bat", ("run", "runs")
        ),
        CatalogEntry(BankEntry, "Bank entries", "receipt_long", R.VIEW_PAYOUTS, "ben"),
        CatalogEntry(
            AccountStatement,
            "Merchants' statements",
            "summarize",
            R.VIEW_PAYOUTS,
            "stm",
            ("statement", "statements"),
            is_kept=False,
        ),
        CatalogEntry(StatementLine, "Movements", "", R.VIEW_PAYOUTS),
        CatalogEntry(BankStatement, "Bank statements", "account_balance_wallet", R.VIEW_PAYOUTS),
        CatalogEntry(BankHoliday, "Bank holidays", "event_busy", R.VIEW_PAYOUTS),
        CatalogEntry(Account, "Accounts", "wallet", R.VIEW_LEDGER),
        CatalogEntry(Transfer, "Transfers", "swap_horiz", R.VIEW_LEDGER),
    ),
    "Webhooks": (
        CatalogEntry(Webhook, "Endpoints", "webhook", R.VIEW_WEBHOOKS, "wh"),
        CatalogEntry(
            Delivery, "Deliveries", "outgoing_mail", R.VIEW_WEBHOOKS, "dlv", is_kept=False
        ),
        CatalogEntry(ResendRun, "Resendings", "send", R.VIEW_WEBHOOKS, "run"),
        CatalogEntry(Event, "Events", "bolt", R.VIEW_WEBHOOKS, "evt", is_kept=False),
    ),
    "Office": (
        CatalogEntry(Note, "Notes", "sticky_note_2", R.VIEW_TRADE),
        CatalogEntry(ExportRun, "Exports", "download", R.EXPORT, "exp", hidden=_exports_of_others),
        CatalogEntry(AuditEntry, "Audit trail", "history", R.VIEW_AUDIT, "", _ENTRIES),
        CatalogEntry(User, "Staff", "badge", R.VIEW_STAFF, "", ("account", "accounts")),
    ),
}

CATALOG: dict[type[Model], CatalogEntry] = {
    entry.model: entry for entries in GROUPS.values() for entry in entries
}
BY_PREFIX: dict[str, CatalogEntry] = {
    entry.prefix: entry for entry in CATALOG.values() if entry.prefix
}


def entry_of(public_id: str) -> CatalogEntry | None:
    """Return the resource that a public id belongs to; None if the id has no known prefix."""
    prefix, _, rest = public_id.partition("_")
    return BY_PREFIX.get(prefix) if rest else None
