"""A demo merchant: one test payment per mode, a payment link and a webhook."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from core.ids import new_id
from links.services import LinkDraft, create_link
from merchants.callers import Caller
from merchants.models import Merchant
from merchants.services import Registration, create_merchant
from payments.drafts import PaymentDraft
from payments.models import Payment
from payments.modes import PaymentMode
from payments.services import create_payment
from webhooks.endpoints import IssuedSecret, create_webhook, update_webhook
from webhooks.event_types import EVERYTHING

SLUG = "island-coffee"
ENDPOINT = "https://shop.example.com/hooks"
ITEMS = [
    {"name": "Flat white", "quantity": 2, "price": 450},
    {"name": "Guava duff", "quantity": 1, "price": 650},
]


@dataclass(frozen=True)
class Demo:
    """The demo data; the secrets of the registration and the webhook are only available now."""

    registration: Registration
    payments: list[Payment]
    link_id: str
    issued: IssuedSecret


def drafts(currency: str) -> list[PaymentDraft]:
    """Return a draft of each payment mode, as a small café would use it."""
    mode = PaymentMode
    return [
        PaymentDraft(currency, mode.DYNAMIC_PAY, amount=1_250, description="Lunch for two"),
        PaymentDraft(currency, mode.STATIC_PAY, description="Counter by the door"),
        PaymentDraft(
            currency, mode.ORDER_PAY, amount=1_736, order_id="A-1001", line_items=ITEMS, total=1_736
        ),
        PaymentDraft(
            currency,
            mode.INVOICE_PAY,
            amount=12_500,
            invoice_number="2026-017",
            customer_email="customer@example.com",
            terms="Thirty days net",
            description="Catering",
        ),
        PaymentDraft(currency, mode.REFERENCE_PAY, amount=150, reference="TABLE-7"),
    ]


@transaction.atomic
def make_demo(*, currency: str, now: datetime) -> Demo | None:
    """Create the demo merchant and what belongs to it; None if it already exists."""
    if Merchant.objects.filter(slug=SLUG).exists():
        return None
    registration = create_merchant(
        name="Island Coffee",
        slug=SLUG,
        email="owner@example.com",
        support_email="hello@example.com",
        category="restaurant",
        brand_color="#0b6e4f",
        fee_basis_points=150,
        now=now,
    )
    caller = Caller(registration.merchant, livemode=False, actor="system:sandbox.demo")
    payments = [
        create_payment(caller=caller, payment_id=new_id("pay", now), draft=draft, now=now)
        for draft in drafts(currency)
    ]
    link = create_link(
        caller=caller,
        draft=LinkDraft(currency=currency, amount=2_500, description="Gift card"),
        now=now,
    )
    return Demo(registration, payments, link.id, _webhook(caller, now))


def _webhook(caller: Caller, now: datetime) -> IssuedSecret:
    """Register an endpoint that is switched off: nothing answers at its URL yet."""
    issued = create_webhook(
        caller=caller, url=ENDPOINT, events=[EVERYTHING], description="Order system", now=now
    )
    update_webhook(
        caller=caller, webhook_id=issued.webhook.id, changes={"is_active": False}, now=now
    )
    return issued
