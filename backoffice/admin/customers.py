"""Customers: masked, helped after an identity check, frozen in a hurry."""

from typing import Any, ClassVar

from django.urls import reverse

from backoffice import formats
from backoffice.acts import Act
from backoffice.admin.customer_acts import CUSTOMER_ACTS
from backoffice.admin.filters import ModeFilter, day_filter
from backoffice.admin.office import OfficeAdmin
from backoffice.page_parts import Answer, Section, Table, facts
from backoffice.resource.columns import MODE, Column, id_column, instant_column
from backoffice.roles import Right
from backoffice.services.payments import masked_address
from core.clock import request_now
from customers.models import Customer, Passkey
from ledger.models import Account, Purpose
from payments.models import Payment

SHOWN = 20


def pin_words(customer: Customer) -> str:
    """Say how the PIN is, as one tells a caller."""
    if customer.pin_is_disabled:
        return "off until reset by a code"
    if customer.pin_locked_until and customer.pin_locked_until > request_now():
        return f"locked until {formats.clock(customer.pin_locked_until, request_now())}"
    return "set" if customer.has_pin else "none yet"


def _state(customer: Customer) -> str:
    if customer.frozen_at:
        return "frozen"
    locked = customer.pin_is_disabled or (
        customer.pin_locked_until is not None and customer.pin_locked_until > request_now()
    )
    return "locked" if locked else "active"


class CustomerAdmin(OfficeAdmin):
    view_right: ClassVar[Right] = Right.VIEW_TRADE
    notes = True
    list_display = (
        Column("Phone", show=lambda customer: customer.masked_phone),
        Column(
            "State",
            show=lambda customer: formats.badge(_state(customer)),
            plain=_state,
        ),
        Column("E-mail", show=lambda customer: masked_address(customer.email) or "—"),
        instant_column("Since", "created_at"),
        id_column("Customer"),
        MODE,
    )
    list_filter = (day_filter(prefix="cus"), ModeFilter)
    acts: ClassVar[tuple[Act, ...]] = CUSTOMER_ACTS

    def heading(self, row: Customer) -> str:
        return f"Customer {row.masked_phone}"

    def answer(self, row: Customer, now: Any) -> Answer:
        if row.frozen_at:
            return Answer([f"Frozen since {formats.clock(row.frozen_at, now)}: cannot pay."], "bad")
        if row.pin_is_disabled:
            words = "The PIN is off after too many wrong ones: it is reset by a code at checkout."
            return Answer([words], "bad")
        if row.pin_locked_until and row.pin_locked_until > now:
            until = formats.clock(row.pin_locked_until, now)
            return Answer([f"The PIN is locked until {until}: too many wrong ones."], "wait")
        return Answer(["Nothing is in the way of paying."], "good")

    def sections(self, row: Customer) -> list[Section]:
        return [
            Section(
                "Customer",
                facts(
                    ("Customer", formats.code(row.pk)),
                    ("Phone", row.masked_phone),
                    ("E-mail", masked_address(row.email)),
                    ("Name", row.name),
                    ("Language", row.language),
                    ("Mode", formats.mode(row.livemode)),
                    ("PIN", pin_words(row)),
                    ("Wrong PINs in a row", row.pin_failures),
                    ("PIN set", formats.moment(row.pin_set_at) if row.pin_set_at else ""),
                    ("Since", formats.moment(row.created_at)),
                ),
            ),
            Section("Wallet", facts(*_wallets(row))),
        ]

    def tables(self, row: Customer) -> list[Table]:
        return [_payments(row), _passkeys(row)]


def _wallets(customer: Customer) -> list[tuple[str, str]]:
    accounts = Account.objects.filter(owner=customer.pk, purpose=Purpose.WALLET)
    return [
        (account.currency, formats.money(account.balance, account.currency))
        for account in accounts.filter(livemode=customer.livemode).order_by("currency")
    ]


def _payments(customer: Customer) -> Table:
    newest = Payment.objects.filter(customer=customer).select_related("merchant").order_by("-pk")
    mode = "live" if customer.livemode else "test"
    return Table(
        "Newest payments",
        ("Created", "Amount", "Status", "Merchant", "Refunded"),
        [
            (
                formats.link(
                    formats.moment(payment.created_at),
                    reverse("admin:payments_payment_change", args=[payment.pk]),
                ),
                formats.money(payment.amount, payment.currency),
                formats.badge(payment.status_at(request_now())),
                payment.merchant.name,
                formats.badge(payment.refund_status) if payment.amount_refunded else "—",
            )
            for payment in newest[:SHOWN]
        ],
        more=f"{reverse('admin:payments_payment_changelist')}?customer={customer.pk}&mode={mode}",
    )


def _passkeys(customer: Customer) -> Table:
    passkeys = Passkey.objects.filter(customer=customer).order_by("-pk")[:SHOWN]
    return Table(
        "Passkeys",
        ("Passkey", "State", "Added", "Last used"),
        [
            (
                formats.link(passkey, reverse("admin:customers_passkey_change", args=[passkey.pk])),
                formats.badge("off" if passkey.removed_at else "active"),
                formats.moment(passkey.created_at),
                formats.moment(passkey.last_used_at),
            )
            for passkey in passkeys
        ],
    )
