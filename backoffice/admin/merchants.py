"""Merchants: looked at, verified, suspended, paid out."""

from typing import Any, ClassVar

from django.urls import reverse

from backoffice import formats
from backoffice.acts import Act
from backoffice.admin.filters import choice_filter, day_filter
from backoffice.admin.merchant_acts import MERCHANT_ACTS
from backoffice.admin.merchant_changes import PendingChangeFilter
from backoffice.admin.office import OfficeAdmin
from backoffice.page_parts import Section, Table, facts
from backoffice.resource.columns import (
    Column,
    id_column,
    instant_column,
    status_column,
    text_column,
)
from backoffice.roles import Right
from core.clock import request_now
from ledger.models import Purpose
from ledger.services import balances
from merchants.models import ApiKey, Merchant, PayoutSchedule
from merchants.statuses import MerchantStatus
from payments.models import Payment
from payouts.models import BankAccount
from webhooks.models import Webhook

SHOWN = 10


class MerchantAdmin(OfficeAdmin):
    view_right: ClassVar[Right] = Right.VIEW_TRADE
    notes = True
    list_display = (
        text_column("Name", "name"),
        status_column(),
        text_column("Slug", "slug"),
        text_column("Category", "category"),
        Column("Fee", show=lambda merchant: fee_words(merchant)),
        instant_column("Since", "created_at"),
        id_column("Merchant"),
    )
    list_filter = (
        choice_filter("status", "status", MerchantStatus.choices),
        choice_filter("payouts", "payout_schedule", PayoutSchedule.choices),
        PendingChangeFilter,
        day_filter(prefix="mer"),
    )
    acts: ClassVar[tuple[Act, ...]] = MERCHANT_ACTS

    def heading(self, row: Merchant) -> str:
        return row.name

    def sections(self, row: Merchant) -> list[Section]:
        return [_business(row), _money(row)]

    def tables(self, row: Merchant) -> list[Table]:
        return [_payments(row), _keys(row), _bank_accounts(row), _endpoints(row)]


def fee_words(merchant: Merchant) -> str:
    """Write a fee of basis points as percent, without a float."""
    whole, rest = divmod(merchant.fee_basis_points, 100)
    return f"{whole}.{rest:02d} %"


def _business(merchant: Merchant) -> Section:
    return Section(
        "Business",
        facts(
            ("Status", formats.badge(merchant.status)),
            ("Merchant", formats.code(merchant.pk)),
            ("Slug", merchant.slug),
            ("Category", merchant.category),
            ("E-mail", merchant.email),
            ("Support", merchant.support_email),
            ("Website", merchant.website),
            ("Address", merchant.address),
            ("Type", merchant.business_type),
            ("Description", merchant.description),
            ("Time zone", merchant.time_zone),
            ("Since", formats.moment(merchant.created_at)),
        ),
    )


def _money(merchant: Merchant) -> Section:
    pairs: list[tuple[str, Any]] = [
        ("Fee", fee_words(merchant)),
        ("Paid out", merchant.payout_schedule),
    ]
    for livemode, mode in ((True, "live"), (False, "test")):
        for purpose, words in ((Purpose.MERCHANT, "Balance"), (Purpose.PAYOUTS, "On its way")):
            held = balances(owner=merchant.pk, purpose=purpose, livemode=livemode)
            pairs += [
                (f"{words}, {mode}", formats.money(amount, currency))
                for currency, amount in held.items()
            ]
    return Section("Money", facts(*pairs))


def _payments(merchant: Merchant) -> Table:
    newest = Payment.objects.filter(merchant=merchant).select_related("customer").order_by("-pk")
    return Table(
        "Newest payments",
        ("Created", "Amount", "Status", "Customer", "Mode"),
        [
            (
                formats.link(
                    formats.moment(payment.created_at),
                    reverse("admin:payments_payment_change", args=[payment.pk]),
                ),
                formats.money(payment.amount, payment.currency),
                formats.badge(payment.status_at(request_now())),
                payment.customer.masked_phone if payment.customer else "—",
                formats.mode(payment.livemode),
            )
            for payment in newest[:SHOWN]
        ],
        more=f"{reverse('admin:payments_payment_changelist')}?merchant={merchant.pk}&mode=both",
    )


def _keys(merchant: Merchant) -> Table:
    keys = ApiKey.objects.filter(merchant=merchant).order_by("-pk")[:SHOWN]
    return Table(
        "API keys",
        ("Key", "Name", "State", "Last used"),
        [
            (
                formats.link(key.hint, reverse("admin:merchants_apikey_change", args=[key.pk])),
                key.name,
                formats.badge("active" if key.is_active(request_now()) else "revoked"),
                formats.moment(key.last_used_at),
            )
            for key in keys
        ],
        more=f"{reverse('admin:merchants_apikey_changelist')}?merchant={merchant.pk}&mode=both",
        right=Right.VIEW_KEYS,
    )


def _bank_accounts(merchant: Merchant) -> Table:
    accounts = BankAccount.objects.filter(merchant=merchant).order_by("-pk")[:SHOWN]
    return Table(
        "Bank accounts",
        ("Bank", "Number", "Currency", "Mode", "State"),
        [
            (
                formats.link(
                    account.bank_name,
                    reverse("admin:payouts_bankaccount_change", args=[account.pk]),
                ),
                f"…{account.last_four}",
                account.currency,
                formats.mode(account.livemode),
                formats.badge("off" if account.closed_at else "active"),
            )
            for account in accounts
        ],
        right=Right.VIEW_PAYOUTS,
    )


def _endpoints(merchant: Merchant) -> Table:
    endpoints = Webhook.objects.not_deleted().filter(merchant=merchant).order_by("-pk")[:SHOWN]
    return Table(
        "Webhook endpoints",
        ("URL", "State", "Mode"),
        [
            (
                formats.link(
                    endpoint.url[:60],
                    reverse("admin:webhooks_webhook_change", args=[endpoint.pk]),
                ),
                formats.badge("on" if endpoint.is_active else "off"),
                formats.mode(endpoint.livemode),
            )
            for endpoint in endpoints
        ],
    )
