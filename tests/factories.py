"""Rows that tests start from."""

from typing import Any

import factory
from factory.django import DjangoModelFactory

from core.clock import utc_now
from core.ids import new_id
from customers.models import Customer, Passkey
from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from payments.models import Payment
from payments.modes import LIFETIME, PaymentMode


class MerchantFactory(DjangoModelFactory[Merchant]):
    """A verified merchant without keys: `api(merchant)` issues what it needs.

    Its name has no more than two digits, so that text messages show it as it is.
    """

    class Meta:
        model = Merchant

    id = factory.LazyFunction(lambda: new_id("mer", utc_now()))
    name = factory.Sequence(lambda number: f"Shop {number % 100}")
    slug = factory.Sequence(lambda number: f"shop-{number}")
    email = factory.LazyAttribute(lambda merchant: f"{merchant.slug}@example.com")
    status: Any = MerchantStatus.VERIFIED
    created_at = factory.LazyFunction(utc_now)
    updated_at = factory.SelfAttribute("created_at")
    email_confirmed_at = factory.SelfAttribute("created_at")


class CustomerFactory(DjangoModelFactory[Customer]):
    """A test customer of a merchant, with an empty wallet."""

    class Meta:
        model = Customer

    id = factory.LazyFunction(lambda: new_id("cus", utc_now()))
    merchant = factory.SubFactory(MerchantFactory)
    phone = "+12425550177"
    livemode = False
    created_at = factory.LazyFunction(utc_now)
    updated_at = factory.SelfAttribute("created_at")


class PasskeyFactory(DjangoModelFactory[Passkey]):
    """A passkey that no authenticator holds."""

    class Meta:
        model = Passkey

    customer = factory.SubFactory(CustomerFactory)
    credential_id = factory.Sequence(lambda number: f"credential-{number}")
    public_key = b""
    sign_count = 0
    aaguid = ""
    is_synced = False
    created_at = factory.LazyFunction(utc_now)


class PaymentFactory(DjangoModelFactory[Payment]):
    """A test payment of 12.50 BSD, just created."""

    class Meta:
        model = Payment

    id = factory.LazyFunction(lambda: new_id("pay", utc_now()))
    merchant = factory.SubFactory(MerchantFactory)
    livemode = False
    amount = 1_250
    currency = "BSD"
    payment_mode: Any = PaymentMode.DYNAMIC_PAY
    created_at = factory.LazyFunction(utc_now)
    updated_at = factory.SelfAttribute("created_at")
    expires_at = factory.LazyAttribute(lambda payment: payment.created_at + LIFETIME)
