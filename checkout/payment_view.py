"""A payment as its pages show it, ready to be rendered."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from checkout.branding import normal_color
from checkout.formats import ending, last_moment, time_left
from checkout.models import Logo
from checkout.redirects import host_of, return_url
from core.formats import day_of, money
from links.models import PaymentLink
from merchants.models import Merchant
from payments.drafts import items_sum
from payments.models import Payment
from payments.numbers import number_of
from payments.statuses import PAYABLE, PaymentStatus

# The columns that pages need: each additional one costs as much as a small template. Others are
# loaded on access.
SHOWN = (
    "livemode",
    "amount",
    "currency",
    "status",
    "payment_mode",
    "description",
    "paid_description",
    "transaction_id",
    "static_payment",
    "ticket",
    "tip",
    "success_url",
    "cancel_url",
    "order_id",
    "line_items",
    "invoice_number",
    "due_date",
    "terms",
    "reference",
    "amount_refunded",
    "error_code",
    "expires_at",
    "completed_at",
    "merchant__name",
    "merchant__status",
    "merchant__time_zone",
    "merchant__brand_color",
    "merchant__support_email",
    "merchant__logo_url",
    "merchant__logo__source_url",
    "merchant__logo__digest",
    "link__status",
    "link__expires_at",
    "link__merchant__slug",
    "customer__phone",
)


@dataclass(frozen=True)
class Payee:
    """A merchant as customers see it."""

    name: str
    brand_color: str = ""
    logo: str = ""
    support_email: str = ""

    @property
    def initials(self) -> str:
        words = [word for word in self.name.split() if word[0].isalnum()]
        return "".join(word[0] for word in words[:2]).upper() or "•"


@dataclass(frozen=True)
class Item:
    """One line of an order; `amount` is quantity times price."""

    name: str
    quantity: int
    amount: int


@dataclass(frozen=True)
class PaymentView:
    """A payment as the pages show it. Amounts in the smallest unit; texts are empty if unknown.

    `version` changes whenever a page that shows the payment has to be reloaded. `agreed` is the
    digest of the description, which forms submit: pressing Pay agrees to that description.
    """

    id: str
    payee: Payee
    amount: int | None
    currency: str
    livemode: bool = False
    description: str = ""
    agreed: str = ""
    zone: str = "America/Nassau"
    address: str = ""
    path: str = ""
    version: str = ""
    expires_at: datetime | None = None
    until: str = ""
    left: str = ""
    items: tuple[Item, ...] = ()
    difference: int = 0
    at_counter: bool = False
    tip: int = 0
    tax: int = 0
    facts: tuple[tuple[str, str], ...] = ()
    payable: bool = False
    success_address: str = ""
    cancel_address: str = ""
    again_address: str = ""
    transaction_id: str = ""
    completed_at: datetime | None = None
    amount_refunded: int = 0
    payer: str = ""

    @property
    def number(self) -> str:
        """The human-readable number, the same on pages, in e-mails and on paper."""
        return number_of(self.id)

    @cached_property
    def shown_amount(self) -> str:
        """The amount in the language of the page, which writes it in several places."""
        return money(self.amount or 0, self.currency)

    @property
    def before_tip(self) -> int:
        return (self.amount or 0) - self.tip

    @property
    def success_host(self) -> str:
        return host_of(self.success_address)

    @property
    def receipt_address(self) -> str:
        return f"{settings.CHECKOUT_URL}/receipts/{self.id}"

    @property
    def difference_name(self) -> str:
        if self.difference < 0:
            return _("Discount")
        return _("Other items") if self.at_counter else _("Tax, delivery and other")


def payee_of(merchant: Merchant) -> Payee:
    """Return what customers see of a merchant."""
    return Payee(
        name=merchant.name,
        logo=_logo_address(merchant),
        brand_color=normal_color(merchant.brand_color),
        support_email=merchant.support_email,
    )


def _logo_address(merchant: Merchant) -> str:
    """Return the URL of the merchant's current logo; empty if there is no image of it."""
    logo: Logo | None = getattr(merchant, "logo", None)
    if logo is None or not logo.digest or logo.source_url != merchant.logo_url:
        return ""
    return reverse("checkout-logo", args=[merchant.id, logo.digest])


def payment_view_of(payment: Payment, *, now: datetime) -> PaymentView:
    """Return a payment as its pages show it. Select its merchant, link and customer with it."""
    status = payment.status_at(now)
    payee = payee_of(payment.merchant)
    zone = payment.merchant.time_zone
    items = tuple(items_of(payment.line_items))
    return PaymentView(
        id=payment.id,
        payee=payee,
        amount=payment.amount,
        currency=payment.currency,
        livemode=payment.livemode,
        description=payment.agreed_description,
        agreed=_digest(payment.agreed_description),
        zone=zone,
        address=payment.url,
        path=payment.hosted_url,
        version=version_of(status),
        expires_at=payment.expires_at if status in PAYABLE and not _is_at_till(payment) else None,
        until=last_moment(payment.expires_at, zone, now),
        left=time_left(payment.expires_at, now),
        items=items,
        difference=_difference(payment) if items else 0,
        at_counter=payment.is_counter or payment.static_payment_id is not None,
        tip=payment.tip or 0,
        tax=sum(item.get("tax", 0) for item in payment.line_items or []),
        facts=tuple(_facts(payment)),
        payable=status in PAYABLE and not payment.is_counter,
        success_address=return_url(payment.success_url, payment.id),
        cancel_address=return_url(payment.cancel_url, payment.id),
        again_address=_again(payment),
        transaction_id=payment.transaction_id or "",
        completed_at=payment.completed_at,
        amount_refunded=payment.amount_refunded,
        payer=ending(payment.customer.phone) if payment.customer else "",
    )


def _digest(description: str) -> str:
    return sha256(description.encode()).hexdigest()


def _difference(payment: Payment) -> int:
    """Return the amount without the tip, less the sum of the items, in cents."""
    return (payment.amount or 0) - (payment.tip or 0) - items_sum(payment.line_items or [])


def _is_at_till(payment: Payment) -> bool:
    """Return whether it was opened at a counter without a ticket, where a countdown is no use."""
    return payment.static_payment_id is not None and payment.ticket_id is None


def link_view_of(link: PaymentLink, *, now: datetime) -> PaymentView:
    """Return a payment link as its page shows it. Select its merchant with it."""
    zone = link.merchant.time_zone
    return PaymentView(
        id=link.id,
        payee=payee_of(link.merchant),
        amount=link.amount,
        currency=link.currency,
        livemode=link.livemode,
        description=link.description,
        agreed=_digest(link.description),
        zone=zone,
        address=link.url,
        path=urlsplit(link.url).path,
        expires_at=link.expires_at,
        until=last_moment(link.expires_at, zone, now),
        left=time_left(link.expires_at, now),
    )


def version_of(status: PaymentStatus) -> str:
    """Return the status, with one word for all statuses in which it can still be paid."""
    return "open" if status in PAYABLE else status.value


def items_of(line_items: list[dict[str, Any]] | None) -> Iterator[Item]:
    """Yield the lines of an order, or of a cashier's ticket."""
    for item in line_items or []:
        yield Item(item["name"], item["quantity"], item["quantity"] * item["price"])


def _facts(payment: Payment) -> Iterator[tuple[str, str]]:
    if payment.order_id:
        yield _("Order"), payment.order_id
    if payment.invoice_number:
        yield _("Invoice"), payment.invoice_number
    if payment.due_date:
        yield _("Due"), day_of(payment.due_date)
    if payment.terms:
        yield _("Terms"), payment.terms
    if payment.reference:
        yield _("Shop reference"), payment.reference


def _again(payment: Payment) -> str:
    """Return the URL of the counter or link where it can be paid again; empty if there is none."""
    if payment.static_payment_id is not None:
        return f"/checkout/{payment.static_payment_id}"
    return payment.link.url if payment.link else ""
