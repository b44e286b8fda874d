"""Payments that customers open themselves, at a counter or through a link.

The form contains the signed id of the future payment, so that a double submit opens only one.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from django.core import signing
from django.db import IntegrityError, transaction

from core.errors import InvalidAmount
from core.ids import new_id
from links.models import PaymentLink
from links.services import open_link
from links.statistics import note_started
from payments.counters import pay_at_counter
from payments.drafts import PaymentDraft
from payments.models import Payment
from payments.modes import LIFETIME, PaymentMode
from payments.services import open_payment

_SALT = "checkout.key"


def form_key(origin: str, *, now: datetime) -> str:
    """Return the hidden key of a form that opens a payment at this counter or link."""
    return signing.dumps([origin, new_id("pay", now)], salt=_SALT)


def start_at_counter(
    *,
    counter_id: str,
    key: str,
    amount: int | None,
    now: datetime,
    ticket_id: str,
    tip: int,
) -> str:
    """Open a payment at a counter, once per key; return its id. `tip` is added to the amount.

    Raises as `pay_at_counter` does.
    """
    find_id = partial(_id_in, key, counter_id, amount, tip, origin=ticket_id or counter_id, now=now)
    start = partial(
        pay_at_counter,
        counter_id=counter_id,
        amount=amount,
        ticket_id=ticket_id,
        tip=tip,
        now=now,
    )
    return _open_once(find_id, start)[0]


def start_through_link(*, link_id: str, key: str, amount: int | None, now: datetime) -> str:
    """Open a payment through a link, once per key; return its id.

    Raises PaymentLinkNotFound, PaymentLinkInactive, PaymentLinkExpired, InvalidAmount.
    """
    link = open_link(link_id, now=now)
    start = partial(
        open_payment,
        merchant=link.merchant,
        livemode=link.livemode,
        draft=_draft_of(link, amount, now),
        now=now,
        link_id=link.id,
    )
    find_id = partial(_id_in, key, link_id, amount, origin=link_id, now=now)
    payment_id, is_new = _open_once(find_id, start)
    if is_new:
        note_started(link.id)
    return payment_id


def _open_once(find_id: Callable[[], str], start: Callable[..., Payment]) -> tuple[str, bool]:
    """Open a payment under the id of a form's key; return the id, and whether it is a new payment.

    If the same form opens one at the same instant, the id is looked up again: it is another one if
    the amounts differ, as when the customer had corrected it.
    """
    payment_id = find_id()
    try:
        with transaction.atomic():
            start(payment_id=payment_id)
    except IntegrityError:
        if not _is_opened(payment_id):
            raise
        again_id = find_id()
        if again_id == payment_id:
            return payment_id, False
        start(payment_id=again_id)
        return again_id, True
    return payment_id, True


def _draft_of(link: PaymentLink, amount: int | None, now: datetime) -> PaymentDraft:
    if link.amount is None and amount is None:
        raise InvalidAmount(amount="is required")
    return PaymentDraft(
        currency=link.currency,
        payment_mode=PaymentMode.DYNAMIC_PAY,
        amount=link.amount if link.amount is not None else amount,
        description=link.description,
        success_url=link.success_url,
        cancel_url=link.cancel_url,
        metadata=link.metadata,
        expires_at=min(now + LIFETIME, link.expires_at or now + LIFETIME),
    )


def _id_in(
    key: str, page: str, amount: int | None, tip: int = 0, *, origin: str, now: datetime
) -> str:
    """Return the id in the form's key, or a new one if the customer has changed the amount.

    `page` is the counter or link of the form, `origin` the ticket, counter or link to pay.

    An invalid key, or one of another form, is ignored: a new payment does no harm.
    """
    try:
        signed_page, payment_id = signing.loads(key, salt=_SALT, max_age=LIFETIME)
    except (signing.BadSignature, ValueError):
        return new_id("pay", now)
    opened = Payment.objects.filter(pk=payment_id).first()
    is_same = opened is None or _is_of(opened, origin, amount, tip)
    return str(payment_id) if signed_page == page and is_same else new_id("pay", now)


def _is_of(opened: Payment, origin: str, amount: int | None, tip: int) -> bool:
    """Return whether a payment was opened from this origin, with this amount and tip."""
    origins = {opened.ticket_id or opened.static_payment_id, opened.link_id}
    same_sum = amount is None or opened.amount == amount + tip
    return origin in origins and same_sum and (opened.tip or 0) == tip


def _is_opened(payment_id: str) -> bool:
    """Return whether the payment exists: the IntegrityError was a double submit."""
    return Payment.objects.filter(pk=payment_id).exists()
