"""Every resource of the back office, declared once: the side bar, the search box, the attention
queues and the pages take a resource's title, icon, right and prefix of ids from here.
"""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Model

from backoffice.models import AuditEntry, Instruction, Note, ResendRun
from backoffice.roles import Right
from customers.models import Customer, Passkey
from ledger.models import Account, Transfer
from links.models import PaymentLink
from merchants.models import ApiKey, Merchant
from payments.models import Payment, PaymentEmail
from payouts.models import BankAccount, BankHoliday, Payout, PayoutBatch
from refunds.models import Refund
from webhooks.models import Delivery, Event, Webhook

R = Right


@dataclass(frozen=True)
class Entry:
    """`right` is what it takes to see the resource; `prefix` is that of its public ids.

    `counted` is what one row and several are called, where the model's own name does not serve.
    A resource without an icon has no place in the side bar.
    """

    model: type[Model]
    title: str
    icon: str
    right: Right
    prefix: str = ""
    counted: tuple[str, str] | None = None

    @property
    def counted_as(self) -> tuple[str, str]:
        """What one row is called, and what several are."""
        meta = self.model._meta
        return self.counted or (str(meta.verbose_name), str(meta.verbose_name_plural))


# The groups of the side bar, and the resources in each.
GROUPS: dict[str, tuple[Entry, ...]] = {
    "Payments": (
        Entry(Payment, "Payments", "payments", R.VIEW_TRADE, "pay"),
        Entry(Refund, "Refunds", "undo", R.VIEW_TRADE, "ref"),
        Entry(PaymentLink, "Payment links", "link", R.VIEW_TRADE, "link"),
        Entry(PaymentEmail, "Mails", "mail", R.VIEW_TRADE, "", ("mail", "mails")),
        Entry(Customer, "Customers", "person", R.VIEW_TRADE, "cus"),
        Entry(Passkey, "Passkeys", "", R.VIEW_TRADE),
    ),
    "Merchants": (
        Entry(Merchant, "Merchants", "storefront", R.VIEW_TRADE, "mer"),
        Entry(ApiKey, "API keys", "key", R.VIEW_KEYS, "key", ("key", "keys")),
        Entry(BankAccount, "Bank accounts", "account_balance", R.VIEW_PAYOUTS, "ba"),
    ),
    "Money": (
        Entry(
            Instruction,
            "Approvals",
            "how_to_reg",
            R.VIEW_TRADE,
            "ins",
            ("approval", "approvals"),
        ),
        Entry(Payout, "Payouts", "send_money", R.VIEW_PAYOUTS, "po"),
        Entry(PayoutBatch, "Payout runs", "upload_file", R.VIEW_PAYOUTS, "bat", ("run", "runs")),
        Entry(BankHoliday, "Bank holidays", "event_busy", R.VIEW_PAYOUTS),
        Entry(Account, "Accounts", "wallet", R.VIEW_LEDGER),
        Entry(Transfer, "Transfers", "swap_horiz", R.VIEW_LEDGER),
    ),
    "Webhooks": (
        Entry(Webhook, "Endpoints", "webhook", R.VIEW_WEBHOOKS, "wh", ("endpoint", "endpoints")),
        Entry(
            Delivery,
            "Deliveries",
            "outgoing_mail",
            R.VIEW_WEBHOOKS,
            "dlv",
            ("delivery", "deliveries"),
        ),
        Entry(ResendRun, "Resendings", "send", R.VIEW_WEBHOOKS, "run"),
        Entry(Event, "Events", "bolt", R.VIEW_WEBHOOKS, "evt"),
    ),
    "Office": (
        Entry(Note, "Notes", "sticky_note_2", R.VIEW_TRADE),
        Entry(AuditEntry, "Audit trail", "history", R.VIEW_AUDIT),
        Entry(User, "Staff", "badge", R.VIEW_STAFF, "", ("account", "accounts")),
    ),
}

CATALOG: dict[type[Model], Entry] = {
    entry.model: entry for entries in GROUPS.values() for entry in entries
}
BY_PREFIX: dict[str, Entry] = {entry.prefix: entry for entry in CATALOG.values() if entry.prefix}
