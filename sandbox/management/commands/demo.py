from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from core.clock import utc_now
from core.json import dump_json
from sandbox.demo import Demo, make_demo


class Command(BaseCommand):
    help = (
        "Make a demo merchant with its keys, one test payment per mode and a payment link. "
        "Does nothing where it exists."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the ids and keys as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEVELOPMENT_MODE:
            raise CommandError("demo data belongs in development: set DEVELOPMENT_MODE=true")
        demo = make_demo(currency=settings.DEFAULT_CURRENCY, now=utc_now())
        if options["json"]:
            self.stdout.write(dump_json(_record(demo)).decode())
        elif demo is None:
            self.stdout.write("The demo merchant is there already.")
        else:
            self.stdout.write(_lines(demo))


def _record(demo: Demo | None) -> dict[str, object]:
    if demo is None:
        return {"created": False}
    merchant = demo.registration.merchant
    return {
        "created": True,
        "merchant_id": merchant.id,
        "merchant_slug": merchant.slug,
        "api_keys": {
            "test": demo.registration.test.secret,
            "live": demo.registration.live.secret,
        },
        "payments": {str(payment.payment_mode): payment.id for payment in demo.payments},
        "payment_link_id": demo.link_id,
    }


def _lines(demo: Demo) -> str:
    merchant = demo.registration.merchant
    rows = [
        f"merchant  {merchant.id}  {merchant.slug}",
        f"test key  {demo.registration.test.secret}",
        *(
            f"{payment.payment_mode:13}  {settings.CHECKOUT_URL}{payment.hosted_url}"
            for payment in demo.payments
        ),
        f"{'link':13}  {settings.CHECKOUT_URL}/pay/{merchant.slug}/{demo.link_id}",
    ]
    return "\n".join(rows)
