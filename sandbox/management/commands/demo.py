from argparse import ArgumentParser, ArgumentTypeError
from time import monotonic
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from backoffice.figures import count_finished_days
from core.clock import utc_now
from core.json import dump_json
from core.progress_bar import ProgressBar
from sandbox.demo import Demo, make_demo
from sandbox.shop_month import SLUG, Month, fill_month

MOST_SALES = 20_000


class Command(BaseCommand):
    help = (
        "Create a demo merchant with its keys, one test payment per mode, a payment link, and a "
        "webhook that is switched off; with --size, another one with a month of sales, refunds "
        "and payouts (500 take a few seconds). Does nothing if it exists."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the ids and keys as JSON")
        parser.add_argument(
            "--size", type=_sales, metavar="SALES", help="a month with this many test sales"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEVELOPMENT_MODE:
            raise CommandError("demo data belongs in development: set DEVELOPMENT_MODE=true")
        if options["size"]:
            record, lines = self._month(options["size"])
        else:
            demo = make_demo(currency=settings.DEFAULT_CURRENCY, now=utc_now())
            record, lines = _record(demo), _lines(demo)
        self.stdout.write(dump_json(record).decode() if options["json"] else lines)

    def _month(self, size: int) -> tuple[dict[str, object], str]:
        began = monotonic()
        bar = ProgressBar(self.stderr, "acts")
        month = fill_month(
            size=size, currency=settings.DEFAULT_CURRENCY, progress=bar.show, now=utc_now()
        )
        bar.clear()
        count_finished_days(now=utc_now())
        if month is None:
            return {"created": False}, f"The shop with a month of sales already exists: {SLUG}."
        return _month_record(month), _month_lines(month, monotonic() - began)


def _sales(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_SALES:
        raise ArgumentTypeError(f"must be 1 to {MOST_SALES}")
    return int(text)


def _month_record(month: Month) -> dict[str, object]:
    registration = month.registration
    return {
        "created": True,
        "merchant_id": registration.merchant.id,
        "merchant_slug": registration.merchant.slug,
        "api_keys": {"test": registration.test.secret, "live": registration.live.secret},
        "sales": month.sales,
    }


def _month_lines(month: Month, seconds: float) -> str:
    merchant = month.registration.merchant
    rows = [
        f"A month of {month.sales:,} test sales, in {seconds:.0f} s.",
        f"merchant  {merchant.id}  {merchant.slug}",
        f"test key  {month.registration.test.secret}",
        f"office    {settings.BASE_URL}/admin/",
    ]
    return "\n".join(rows)


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
        "webhook_id": demo.issued.webhook.id,
        "webhook_secret": demo.issued.secret,
    }


def _lines(demo: Demo | None) -> str:
    if demo is None:
        return "The demo merchant already exists."
    merchant = demo.registration.merchant
    rows = [
        f"merchant  {merchant.id}  {merchant.slug}",
        f"test key  {demo.registration.test.secret}",
        *(f"{payment.payment_mode:13}  {payment.url}" for payment in demo.payments),
        f"{'link':13}  {settings.CHECKOUT_URL}/pay/{merchant.slug}/{demo.link_id}",
        f"{'webhook, off':13}  {demo.issued.webhook.id}  {demo.issued.secret}",
    ]
    return "\n".join(rows)
