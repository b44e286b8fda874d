"""The side bar: where a person would look for it, in the words of the trade."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse

from backoffice.models import Instruction
from backoffice.roles import Right
from backoffice.staff import staff_of
from backoffice.statuses import InstructionStatus

# Title, icon, address, and the right it takes.
_Entry = tuple[str, str, str, Right]

COUNTED = 99
APPROVALS = "backoffice_instruction_changelist"

GROUPS: tuple[tuple[str, tuple[_Entry, ...]], ...] = (
    (
        "Payments",
        (
            ("Payments", "payments", "payments_payment_changelist", Right.VIEW_TRADE),
            ("Refunds", "undo", "refunds_refund_changelist", Right.VIEW_TRADE),
            ("Payment links", "link", "links_paymentlink_changelist", Right.VIEW_TRADE),
            ("Messages", "mail", "messaging_message_changelist", Right.VIEW_TRADE),
            ("Customers", "person", "customers_customer_changelist", Right.VIEW_TRADE),
        ),
    ),
    (
        "Merchants",
        (
            ("Merchants", "storefront", "merchants_merchant_changelist", Right.VIEW_TRADE),
            ("API keys", "key", "merchants_apikey_changelist", Right.VIEW_KEYS),
            (
                "Bank accounts",
                "account_balance",
                "payouts_bankaccount_changelist",
                Right.VIEW_PAYOUTS,
            ),
        ),
    ),
    (
        "Money",
        (
            ("Approvals", "how_to_reg", APPROVALS, Right.VIEW_TRADE),
            ("Payouts", "send_money", "payouts_payout_changelist", Right.VIEW_PAYOUTS),
            ("Payout runs", "upload_file", "payouts_payoutbatch_changelist", Right.VIEW_PAYOUTS),
            ("Bank entries", "receipt_long", "payouts_bankentry_changelist", Right.VIEW_PAYOUTS),
            (
                "Bank statements",
                "account_balance_wallet",
                "payouts_bankstatement_changelist",
                Right.VIEW_PAYOUTS,
            ),
            ("Bank holidays", "event_busy", "payouts_bankholiday_changelist", Right.VIEW_PAYOUTS),
            ("Accounts", "wallet", "ledger_account_changelist", Right.VIEW_LEDGER),
            ("Transfers", "swap_horiz", "ledger_transfer_changelist", Right.VIEW_LEDGER),
        ),
    ),
    (
        "Webhooks",
        (
            ("Endpoints", "webhook", "webhooks_webhook_changelist", Right.VIEW_WEBHOOKS),
            ("Deliveries", "outgoing_mail", "webhooks_delivery_changelist", Right.VIEW_WEBHOOKS),
            ("Resendings", "send", "backoffice_resendrun_changelist", Right.VIEW_WEBHOOKS),
            ("Events", "bolt", "webhooks_event_changelist", Right.VIEW_WEBHOOKS),
        ),
    ),
    (
        "Office",
        (
            ("Notes", "sticky_note_2", "backoffice_note_changelist", Right.VIEW_TRADE),
            ("Audit trail", "history", "backoffice_auditentry_changelist", Right.VIEW_AUDIT),
            ("Staff", "badge", "auth_user_changelist", Right.VIEW_STAFF),
        ),
    ),
)


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the groups of the side bar, with what this visitor may see of them."""
    top = [_item("Dashboard", "space_dashboard", "index"), _item("Search", "search", "search")]
    groups = [{"title": "", "items": top}]
    waiting = _waiting(request)
    for title, entries in GROUPS:
        items = [
            _item(name, icon, address, waiting if address == APPROVALS else "")
            for name, icon, address, right in entries
            if staff_of(request).may(right)
        ]
        if items:
            groups.append({"title": title, "items": items})
    return groups


def _waiting(request: HttpRequest) -> str:
    """Count the instructions that wait for someone else than this visitor."""
    waiting = Instruction.objects.filter(status=InstructionStatus.WAITING)
    count = waiting.exclude(asked_by_id=request.user.pk)[:COUNTED].count()
    return str(count) if count else ""


def site_title(request: HttpRequest) -> str:
    return f"{settings.SERVICE_NAME} back office"


def stylesheet(request: HttpRequest) -> str:
    return static("backoffice/backoffice.css")


def script(request: HttpRequest) -> str:
    return static("backoffice/backoffice.js")


def favicon(request: HttpRequest) -> str:
    return static("checkout/icon.svg")


def environment(request: HttpRequest) -> list[str] | None:
    return ["Development", "warning"] if settings.DEVELOPMENT_MODE else None


def account_links(request: HttpRequest) -> list[dict[str, str]]:
    return [
        {"title": "Two-factor sign-in", "link": reverse("admin:two_factor_account")},
        {"title": "Change password", "link": reverse("admin:password_change")},
    ]


def _item(title: str, icon: str, address: str, badge: str = "") -> dict[str, Any]:
    item = {"title": title, "icon": icon, "link": reverse(f"admin:{address}")}
    return item | ({"badge": badge} if badge else {})
