"""The input and output serializers of the test tools."""

from datetime import timedelta
from typing import Any

from core.errors import ValidationFailed
from core.fields import AmountField, InstantField, OneOfField, StrictIntegerField, TextField
from core.serializers import Input, Output
from links.statuses import LinkStatus
from payments.statuses import PaymentStatus
from sandbox.simulating import PlayedOutcome

MOST_DAYS = 400


class Simulation(Input):
    outcome = OneOfField(allowed=tuple(PlayedOutcome))
    amount = AmountField(required=False, help_text="Required at a counter without an amount.")


class SimulatedPayment(Output):
    id = TextField(max_length=40)
    status = OneOfField(allowed=tuple(PaymentStatus.values))
    error_code = TextField(max_length=40, required=False)
    error_message = TextField(max_length=255, required=False)
    transaction_id = TextField(max_length=40, required=False)


class ExpiredLink(Output):
    id = TextField(max_length=40)
    status = OneOfField(allowed=(LinkStatus.EXPIRED.value,))


class TimeStep(Input):
    merchant_id = TextField(max_length=64, required=False, help_text="Development mode only.")
    days = StrictIntegerField(min_value=0, max_value=MOST_DAYS, required=False)
    hours = StrictIntegerField(min_value=0, max_value=MOST_DAYS * 24, required=False)
    minutes = StrictIntegerField(min_value=0, max_value=MOST_DAYS * 24 * 60, required=False)


class MovedDeadlines(Output):
    moved_to = InstantField()
    payments = StrictIntegerField()
    processing_payments = StrictIntegerField()
    payment_links = StrictIntegerField()
    emails = StrictIntegerField()
    deliveries = StrictIntegerField()
    payouts = StrictIntegerField()


def step_of(values: dict[str, Any]) -> timedelta:
    """Return by how much to advance time. Raises ValidationFailed for zero."""
    by = timedelta(**{unit: values.get(unit, 0) for unit in ("days", "hours", "minutes")})
    if not by:
        raise ValidationFailed(days="must be given, or hours or minutes")
    return by
