"""The inputs of each payment mode, and when its payments expire."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import TextChoices

from core.instants import start_of_day


class PaymentMode(TextChoices):
    DYNAMIC_PAY = "DYNAMIC_PAY"
    STATIC_PAY = "STATIC_PAY"
    ORDER_PAY = "ORDER_PAY"
    INVOICE_PAY = "INVOICE_PAY"
    REFERENCE_PAY = "REFERENCE_PAY"


LIFETIME = timedelta(hours=24)
INVOICE_TERM = timedelta(days=30)
MAX_INVOICE_TERM = timedelta(days=3_660)


@dataclass(frozen=True)
class ModeRules:
    """A mode's own inputs, whether it requires an amount, and whether its payments expire."""

    extra_fields: tuple[str, ...] = ()
    amount_required: bool = True
    expires: bool = True


RULES: dict[PaymentMode, ModeRules] = {
    PaymentMode.DYNAMIC_PAY: ModeRules(),
    PaymentMode.STATIC_PAY: ModeRules(amount_required=False, expires=False),
    PaymentMode.ORDER_PAY: ModeRules(extra_fields=("order_id", "line_items", "total")),
    PaymentMode.INVOICE_PAY: ModeRules(
        extra_fields=("invoice_number", "customer_email", "due_date", "terms")
    ),
    PaymentMode.REFERENCE_PAY: ModeRules(extra_fields=("reference",)),
}

MODE_OF_FIELD = {name: mode for mode, rules in RULES.items() for name in rules.extra_fields}


def end_of_day(day: date, time_zone: str) -> datetime:
    """Return the instant, in UTC, at which the date ends in that time zone (exclusive)."""
    return start_of_day(day + timedelta(days=1), time_zone)
