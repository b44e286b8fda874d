"""The draft of a payment, checked against its mode: pure functions, no queries."""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from core.errors import InvalidAmount, ValidationFailed
from core.instants import today_in
from core.money import MAX_AMOUNT
from payments.modes import (
    INVOICE_TERM,
    LIFETIME,
    MAX_INVOICE_TERM,
    RULES,
    PaymentMode,
    end_of_day,
)


@dataclass(frozen=True)
class PaymentDraft:
    """The inputs of a new payment, as parsed. Amounts in cents, `expires_in` in seconds.

    `expires_at` replaces `expires_in`; a payment made at a counter or through a link also sets it.
    """

    currency: str
    payment_mode: PaymentMode = PaymentMode.DYNAMIC_PAY
    amount: int | None = None
    description: str = ""
    success_url: str = ""
    cancel_url: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    expires_in: int | None = None
    expires_at: datetime | None = None
    order_id: str | None = None
    line_items: list[dict[str, Any]] | None = None
    total: int | None = None
    invoice_number: str | None = None
    customer_email: str | None = None
    due_date: date | None = None
    terms: str | None = None
    reference: str | None = None
    replaces: str | None = None

    @property
    def expires(self) -> bool:
        return RULES[self.payment_mode].expires


def amount_of(draft: PaymentDraft) -> int | None:
    """Return the amount to charge in cents; None if the customer enters it.

    Raises InvalidAmount if it is missing, or differs from the total of an order.
    """
    if draft.payment_mode == PaymentMode.ORDER_PAY:
        return _order_amount(draft)
    if draft.amount is None and RULES[draft.payment_mode].amount_required:
        raise InvalidAmount(amount="is required: an integer number of cents")
    return draft.amount


def items_sum(items: list[dict[str, Any]]) -> int:
    """Return the sum of the line items, in cents."""
    return sum(item["quantity"] * item["price"] for item in items)


def _order_amount(draft: PaymentDraft) -> int:
    named = {value for value in (draft.amount, draft.total) if value is not None}
    if len(named) > 1:
        raise InvalidAmount(total="must equal the amount")
    items = draft.line_items or []
    if sum(abs(item["quantity"] * item["price"]) for item in items) > MAX_AMOUNT:
        raise InvalidAmount(line_items=f"must add up to at most {MAX_AMOUNT}, whatever their signs")
    amount = named.pop() if named else items_sum(items)
    if amount < 1:
        raise InvalidAmount(amount="is required: an amount, a total or line items above 0 in all")
    if sum(item.get("tax", 0) for item in items) > amount:
        raise InvalidAmount(line_items="must have no more tax in all than the amount")
    return amount


def extra_fields_of(draft: PaymentDraft, *, time_zone: str, now: datetime) -> dict[str, Any]:
    """Return the mode's own fields. Raises ValidationFailed if the due date is past or too far."""
    extras = {name: getattr(draft, name) for name in RULES[draft.payment_mode].extra_fields}
    if draft.payment_mode == PaymentMode.INVOICE_PAY:
        extras["due_date"] = _due_date(draft, today_in(time_zone, now))
    return extras


def expiry_of(
    draft: PaymentDraft, *, due_date: date | None, time_zone: str, now: datetime
) -> datetime | None:
    """Return when the payment expires; None for a counter, which never does."""
    if draft.expires_at is not None:
        return draft.expires_at
    if not draft.expires:
        if draft.expires_in is not None:
            raise ValidationFailed(expires_in="cannot be set: a STATIC_PAY payment never expires")
        return None
    if draft.expires_in is not None:
        return now + timedelta(seconds=draft.expires_in)
    return end_of_day(due_date, time_zone) if due_date else now + LIFETIME


def _due_date(draft: PaymentDraft, today: date) -> date:
    if draft.due_date is None:
        return today + INVOICE_TERM
    if not today <= draft.due_date <= today + MAX_INVOICE_TERM:
        raise ValidationFailed(
            due_date=f"must be today or later, and within {MAX_INVOICE_TERM.days // 366} years"
        )
    return draft.due_date
