"""The data that requests are measured with: two merchants, their customers and payments.

`python -m bench.stage` creates them in the database of its environment and prints them as JSON;
then it reads orders, one per line: `supply PAYMENT_ID FIRST COUNT`, or `tend`.
"""

import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import orjson

from bench.copies import copy_row, numbered

if TYPE_CHECKING:
    from merchants.models import Merchant

PHONES = 50
READERS_FIRST, READERS_PAYMENTS = 9_000_000_000, 200
WEALTH = 10**12


@dataclass(frozen=True)
class Stage:
    """The values that requests need: ids, and the API keys of the two merchants by name."""

    payment: str
    completed: str
    link: str
    slug: str
    keys: dict[str, str]

    def fill(self, path: str) -> str:
        """Replace the placeholders in braces in a path by values of the stage."""
        for name in ("payment", "link", "slug"):
            path = path.replace(f"{{{name}}}", getattr(self, name))
        return path


def phone(number: int) -> str:
    """Return a customer's phone, in rotation, so that concurrent requests share no wallet."""
    return f"+1242425{number % PHONES:04}"


def main() -> None:
    import django

    django.setup()
    say(asdict(build()))
    for line in sys.stdin:
        order, *details = line.split()
        if order == "tend":
            tend()
        else:
            template_id, first, count = details
            supply(template_id, first=int(first), count=int(count))
        say({"done": order})


def say(answer: object) -> None:
    sys.stdout.buffer.write(orjson.dumps(answer) + b"\n")
    sys.stdout.buffer.flush()


def build() -> Stage:
    """Create the data with the service's own functions."""
    from core.clock import utc_now
    from ledger.models import Account
    from links.services import LinkDraft, create_link
    from merchants.callers import Caller
    from merchants.services import issue_key
    from tests.factories import MerchantFactory
    from webhooks.endpoints import create_webhook

    at = utc_now()
    shop, reader = MerchantFactory.create(), MerchantFactory.create()
    open_wallets(shop)
    caller = Caller(shop, livemode=False, actor="bench")
    create_webhook(
        caller=caller, url="https://shop.example.com/hooks", events=["*"], description="", now=at
    )
    link = create_link(caller=caller, draft=LinkDraft(currency="BSD", amount=1_250), now=at)
    payment, completed = sell(shop)
    supply(sell(reader)[1], first=READERS_FIRST, count=READERS_PAYMENTS)
    Account.objects.filter(owner=shop.id).update(balance=WEALTH)
    tend()
    keys = {
        name: issue_key(merchant=merchant, livemode=False, name="Bench", now=at).secret
        for name, merchant in {"shop": shop, "reader": reader}.items()
    }
    return Stage(payment, completed, link.id, shop.slug, keys)


def gather_statistics() -> None:
    """Gather statistics as PostgreSQL does by itself within a minute.

    Without them it expects one payment of a merchant, sorts all of them for each list, and keeps
    that plan. And of a table that was all but empty when a connection first wrote a row that refers
    to it, it reads every row to find the one: three times in a refund, among all events.
    """
    from django.db import connection

    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = 0")  # on a busy machine it takes seconds
            cursor.execute("ANALYZE")


def open_wallets(shop: "Merchant") -> None:
    from core.clock import utc_now
    from customers.services import test_customer

    for number in range(PHONES):
        test_customer(phone(number), utc_now(), merchant_id=shop.id)


def sell(merchant: "Merchant") -> tuple[str, str]:
    """Return the ids of an unpaid and of a paid payment."""
    from core.clock import utc_now
    from core.ids import new_id
    from payments.drafts import PaymentDraft
    from payments.services import open_payment
    from tests.payments.journeys import pay_with, payer

    draft = PaymentDraft(currency="BSD", amount=1_250, description="Two coffees and a cake")
    waiting, paid = (
        open_payment(
            merchant=merchant,
            livemode=False,
            payment_id=new_id("pay", utc_now()),
            draft=draft,
            now=utc_now(),
        )
        for _ in range(2)
    )
    pay_with(paid.id, payer(merchant))
    return waiting.id, paid.id


def supply(template_id: str, *, first: int, count: int) -> None:
    """Copy a payment, numbered from `first`, with the customers in rotation."""
    from payments.models import Payment

    template = Payment.objects.get(pk=template_id)
    changes = {"id": numbered("pay")}
    if template.transaction_id:
        phone = f"'+1242425' || substr(CAST(10000 + i % {PHONES} AS varchar(5)), 2)"
        customer = f"(SELECT id FROM customers_customer WHERE phone = {phone} AND NOT livemode)"  # noqa: S608  # constants
        changes |= {"transaction_id": numbered("txn"), "customer_id": customer}
    copy_row(template, changes, first=first, count=count)


def tend() -> None:
    """Seal, fold and gather statistics as happens by itself, or all would get slower."""
    from core.tasks import fold_counts
    from ledger.tasks import seal_transfers

    seal_transfers()
    fold_counts()
    gather_statistics()


if __name__ == "__main__":
    main()
