"""What a merchant can do with a payment: create, change or cancel it."""

from datetime import datetime
from typing import Any

from django.db import transaction

from core.changes import real_changes
from core.writing import insertion_of
from merchants.callers import Caller
from merchants.models import Merchant
from merchants.standing import refuse_ended_key, refuse_revoked_key
from payments import emails, events
from payments.drafts import PaymentDraft, amount_of, expiry_of, extra_fields_of
from payments.models import Payment
from payments.modes import PaymentMode
from payments.replacements import replace_payment
from payments.reporting import move_and_report
from payments.statuses import PaymentStatus
from webhooks.event_types import EventType
from webhooks.outbox import emit


def create_payment(
    *,
    caller: Caller,
    payment_id: str,
    draft: PaymentDraft,
    now: datetime,
) -> Payment:
    """Create a payment session under a pregenerated id (`POST /v1/payments`).

    Raises ValidationFailed if development mode names no merchant, InvalidAmount and
    ValidationFailed for inputs that contradict the mode, PaymentNotFound and ValidationFailed for
    a payment that cannot be replaced. For an invoice, which waits to be counted, and a replacement,
    which waits for what it replaces, as `refuse_ended_key` if the key or the merchant has been
    stopped meanwhile.
    """
    owner, livemode = caller.owner, caller.livemode
    is_mailed = draft.payment_mode == PaymentMode.INVOICE_PAY
    if draft.replaces is None and not is_mailed:
        return open_payment(
            merchant=owner, livemode=livemode, payment_id=payment_id, draft=draft, now=now
        )
    with transaction.atomic():
        payment = open_payment(
            merchant=owner, livemode=livemode, payment_id=payment_id, draft=draft, now=now
        )
        if draft.replaces is not None:
            replace_payment(caller=caller, payment_id=draft.replaces, by=payment, now=now)
        refuse_ended_key(caller)
    return payment


@transaction.atomic(savepoint=False)
def open_payment(
    *,
    merchant: Merchant,
    livemode: bool,
    payment_id: str,
    draft: PaymentDraft,
    now: datetime,
    **origin: Any,
) -> Payment:
    """Write a new payment, its event and its e-mail plan.

    `origin` holds the extra columns of a payment through a link (`link_id`) or at a counter
    (`static_payment_id`, `ticket_id`, `line_items`, `tip`).
    """
    extras = extra_fields_of(draft, time_zone=merchant.time_zone, now=now)
    payment = Payment(
        id=payment_id,
        merchant=merchant,
        livemode=livemode,
        amount=amount_of(draft),
        currency=draft.currency,
        payment_mode=draft.payment_mode,
        description=draft.description,
        success_url=draft.success_url,
        cancel_url=draft.cancel_url,
        metadata=draft.metadata,
        created_at=now,
        updated_at=now,
        expires_at=expiry_of(
            draft, due_date=extras.get("due_date"), time_zone=merchant.time_zone, now=now
        ),
        **extras,
        **origin,
    )
    emit(
        EventType.PAYMENT_CREATED,
        about=payment,
        data=events.payment_created(payment),
        now=now,
        beside=[insertion_of(payment)],
    )
    if payment.payment_mode == PaymentMode.INVOICE_PAY:
        emails.plan_invoice(payment, now=now)
    return payment


@transaction.atomic
def update_payment(
    *, caller: Caller, payment_id: str, changes: dict[str, Any], now: datetime
) -> Payment:
    """Change the description, or replace all metadata; `updated_at` moves only if one differs.

    A receipt keeps the description that the customer paid for. Raises PaymentNotFound, and
    Unauthorized if the live key has been revoked while this waited.
    """
    payment = Payment.objects.locked_of(caller, payment_id)
    refuse_revoked_key(caller)
    empty: dict[str, Any] = {"description": "", "metadata": {}}
    changes = real_changes(payment, {name: changes[name] or empty[name] for name in changes})
    if not changes:
        return payment
    if "description" in changes:
        payment.describe(changes["description"])
    payment.metadata = changes.get("metadata", payment.metadata)
    payment.updated_at = now
    payment.save(update_fields=["description", "paid_description", "metadata", "updated_at"])
    return payment


@transaction.atomic(savepoint=False)
def cancel_payment(*, caller: Caller, payment_id: str, now: datetime, cause: str = "") -> Payment:
    """Cancel an unpaid payment.

    Raises PaymentNotFound, the error of its current status, and Unauthorized if the live key has
    been revoked while this waited.
    """
    payment = Payment.objects.locked_of(caller, payment_id)
    refuse_revoked_key(caller)
    move_and_report(payment, PaymentStatus.CANCELED, now=now, actor=caller.actor, cause=cause)
    return payment
