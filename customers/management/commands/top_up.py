"""Put money into a customer's wallet."""

import json
from argparse import ArgumentParser
from typing import Any

from django.conf import settings

from core.clock import utc_now
from core.commands import RefusableCommand
from core.errors import ValidationFailed
from core.formats import money_and_code
from core.money import is_currency
from customers.models import Customer
from customers.phones import normalize_phone
from customers.services import test_customer, top_up, wallet
from ledger.services import balance_of
from merchants.models import Merchant


class Command(RefusableCommand):
    help = (
        "Put money into a customer's wallet, from the funding account. A merchant's test customer "
        "is created if necessary; a live one must have signed in before."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("phone", help='the customer\'s phone, for example "+1 242 555 0100"')
        parser.add_argument("amount", type=int, help="in cents: 1250 is 12.50")
        whose = parser.add_mutually_exclusive_group(required=True)
        whose.add_argument("--live", action="store_true", help="the live customer with this phone")
        whose.add_argument("--merchant", help="id or slug: this merchant's test customer")
        parser.add_argument(
            "--currency", default=settings.DEFAULT_CURRENCY, help="default: %(default)s"
        )
        parser.add_argument("--json", action="store_true", help="print the result as JSON")

    def handle(self, **options: Any) -> None:
        result = _top_up(
            options["phone"], options["amount"], options["currency"], options["merchant"]
        )
        if options["json"]:
            self.stdout.write(json.dumps(result))
        else:
            money = money_and_code(result["balance"], result["currency"])
            self.stdout.write(f"{result['customer_id']} now holds {money}.")


def _top_up(phone: str, amount: int, currency: str, merchant: str | None) -> dict[str, Any]:
    if not is_currency(currency):
        raise ValidationFailed(currency="must be an ISO 4217 code such as BSD")
    instant = utc_now()
    if merchant is None:
        customer = Customer.objects.live_by_phone(normalize_phone(phone, livemode=True))
    else:
        merchant_id = Merchant.objects.named(merchant).id
        customer = test_customer(phone, instant, currency, merchant_id=merchant_id)
    transaction_id = top_up(customer=customer, amount=amount, currency=currency, now=instant)
    return {
        "customer_id": customer.id,
        "transaction_id": transaction_id,
        "amount": amount,
        "currency": currency,
        "balance": balance_of(wallet(customer, currency)),
    }
