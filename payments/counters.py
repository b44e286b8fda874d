"""A static counter: one QR code on a till, and a payment of its own for each customer.

A screen beside the till lists what was paid. Its URL contains a separate secret, because the
counter's own URL is printed on the poster. The secret is derived, not stored. If a screen URL
leaks, the merchant renews all of them at once; its printed codes stay.
"""

import hashlib
import hmac
from datetime import datetime

from django.conf import settings
from django.db import transaction

from core.address_keys import address_key
from core.errors import InvalidAmount
from core.ids import base62
from core.money import MAX_AMOUNT
from merchants.callers import Caller
from merchants.known_keys import forget_keys
from merchants.models import ApiKey, Merchant
from merchants.owner_notices import count_notice, tell_owner
from merchants.standing import refuse_revoked_key, refuse_suspended
from payments.drafts import PaymentDraft
from payments.models import Payment
from payments.modes import LIFETIME, PaymentMode
from payments.services import open_payment
from payments.statuses import PaymentStatus
from payments.tickets import TICKET_LIFETIME
from payments.till_models import Ticket
from payments.tills import refuse_tip

SCREENS = "payments.counter"  # the name of the key that derives the secrets
NOTICE = "counter_screens"
DIGEST_CHARACTERS = 43  # of a SHA-256, in base62


def screen_token(counter: Payment) -> str:
    """Return the secret part of the URL of a counter's screen, until its merchant renews it."""
    renewed = getattr(counter.merchant, _renewed(livemode=counter.livemode))
    message = f"{counter.id} {renewed}" if renewed else counter.id
    digest = hmac.digest(address_key(SCREENS), message.encode(), hashlib.sha256)
    return base62(int.from_bytes(digest), DIGEST_CHARACTERS)


def screen_url(counter: Payment) -> str:
    """Return the URL of a counter's screen, which only its merchant may see."""
    return f"{settings.CHECKOUT_URL}/counter/{counter.id}/{screen_token(counter)}"


@transaction.atomic
def renew_screens(*, caller: Caller, now: datetime) -> None:
    """Give the caller's counters, live or test, other screen URLs (`POST /v1/till/renew-screens`).

    The present ones stop working at once; the owner is told of live ones. Raises ValidationFailed
    if development mode names no merchant, and Unauthorized if the live key has been revoked while
    this waited.
    """
    merchant, counted = Merchant.objects.locked(caller.owner.id), _renewed(livemode=caller.livemode)
    key = refuse_revoked_key(caller)
    setattr(merchant, counted, getattr(merchant, counted) + 1)
    merchant.updated_at = now
    merchant.save(update_fields=[counted, "updated_at"])
    forget_keys()
    if key is not None:
        _tell(merchant, key, now)


def _tell(merchant: Merchant, key: ApiKey, now: datetime) -> None:
    if count_notice(merchant.id, of=f"{merchant.id} {NOTICE}", now=now):
        tell_owner(
            merchant,
            kind=NOTICE,
            subject="the screens of your counters",
            text=f"The API key {key.hint} gave all screens of your counters another URL. The ones"
            " open at your tills no longer work.\n"
            "If you did not request this, reply to this e-mail at once.",
            now=now,
        )


def _renewed(*, livemode: bool) -> str:
    return "live_screens_renewed" if livemode else "test_screens_renewed"


@transaction.atomic(savepoint=False)
def pay_at_counter(
    *,
    counter_id: str,
    payment_id: str,
    amount: int | None,
    now: datetime,
    ticket_id: str = "",
    tip: int = 0,
) -> Payment:
    """Open a payment at a counter: for its fixed amount, a ticket, or what the customer entered.

    `tip`, in cents, is added on top. Raises PaymentNotFound, PaymentCanceled for a closed counter,
    MerchantInactive, InvalidAmount if the amount is missing or differs from the fixed one,
    TicketClosed, and ValidationFailed for a tip that the counter does not accept.
    """
    # Not locked, so that customers do not queue: a concurrent cancel takes effect just afterwards.
    counter = Payment.objects.select_related("merchant").one(counter_id)
    refuse_closed_counter(counter, now=now)
    ticket = Ticket.objects.locked_open(counter_id, ticket_id, now) if ticket_id else None
    charged = _charged(counter, amount) if ticket is None else ticket.amount
    refuse_tip(tip, sum_amount=charged, merchant_id=counter.merchant_id, livemode=counter.livemode)
    draft = PaymentDraft(
        currency=counter.currency,
        payment_mode=PaymentMode.STATIC_PAY,
        amount=_with_tip(charged, tip),
        description=counter.description,
        success_url=counter.success_url,
        cancel_url=counter.cancel_url,
        metadata=counter.metadata,
        expires_at=now + (LIFETIME if ticket is None else TICKET_LIFETIME),
    )
    return open_payment(
        merchant=counter.merchant,
        livemode=counter.livemode,
        payment_id=payment_id,
        draft=draft,
        now=now,
        static_payment_id=counter.id,
        ticket_id=None if ticket is None else ticket.id,
        line_items=None if ticket is None else ticket.items,
        tip=tip or None,
    )


def refuse_closed_counter(counter: Payment, *, now: datetime) -> None:
    """Raise PaymentCanceled for a closed counter, MerchantInactive for a suspended merchant's."""
    if counter.status != PaymentStatus.CREATED:
        raise counter.refusal(now)
    refuse_suspended(counter.merchant)


def _with_tip(charged: int, tip: int) -> int:
    if charged + tip > MAX_AMOUNT:
        raise InvalidAmount(amount=f"must be at most {MAX_AMOUNT}, the tip included")
    return charged + tip


def _charged(counter: Payment, amount: int | None) -> int:
    if counter.amount is None:
        if amount is None:
            raise InvalidAmount(amount="is required at this counter: an integer number of cents")
        return amount
    if amount not in (None, counter.amount):
        raise InvalidAmount(amount="must equal the amount of this counter, or be left out")
    return counter.amount
