"""Continue a payment that waited for a top-up, as far as the customer has approved it.

The verification for a payment is stored with its session. The paying transaction checks the risk
rules again; if they require more, the customer is told to press Pay.
"""

from datetime import datetime

from django.db import transaction

from core.errors import ApiError
from customers.models import CustomerSession
from funding.models import PaymentProof, TopUp
from funding.notices import ADDED, ADDED_AND_PAID, ADDED_BUT_OPEN, ADDED_TOO_LATE, plan_receipt
from payments.models import Payment
from payments.paying import lock_payable, pay_locked
from payments.statuses import PAYABLE, PaymentStatus
from payments.verification import Verification

ACTOR = "system:funding.continue"


def store_verification(
    *, payment: Payment, session: CustomerSession, verified: Verification, now: datetime
) -> None:
    """Store the verification for a payment that lacks money; the session's next one replaces it.

    That of someone else, who may open the same payment, stays as it is.
    """
    PaymentProof.objects.update_or_create(
        payment_id=payment.pk,
        session=session,
        defaults={
            "verified": verified,
            "proved_at": now,
            "description": payment.agreed_description,
        },
    )


def stored_verification(payment: Payment, customer_id: str) -> Verification | None:
    """Return this customer's stored verification for a payment, if its session has not ended.

    It is void if the description has changed since: the customer then has to press Pay again.
    """
    found = _proof_of(payment, customer_id)
    return Verification(found.verified) if found else None


def _proof_of(payment: Payment, customer_id: str) -> PaymentProof | None:
    found = (
        PaymentProof.objects.filter(
            payment=payment, session__customer=customer_id, session__ended_at=None
        )
        .order_by("-proved_at", "-pk")
        .first()
    )
    is_agreed = found is not None and found.description == payment.agreed_description
    return found if is_agreed else None


@transaction.atomic
def follow_up(*, top_up_id: str, now: datetime) -> bool:
    """Pay the payment that a top-up was made for, once, or tell the customer what is left to do.

    Returns whether there was anything to do. Raises TopUpNotFound.
    """
    top_up = TopUp.objects.locked(top_up_id)
    if not TopUp.objects.to_follow_up().filter(pk=top_up_id).exists():
        return False
    payment = Payment.objects.select_related("merchant").one(top_up.payment_id or "")
    status = payment.status_at(now)
    if status in PAYABLE:
        says = _pay(payment, top_up, now)
    else:
        says = ADDED_TOO_LATE if status == PaymentStatus.EXPIRED else ADDED
    plan_receipt(top_up, now=now, says=says)
    top_up.followed_up_at = top_up.updated_at = now
    top_up.save(update_fields=["followed_up_at", "updated_at"])
    return True


def _pay(payment: Payment, top_up: TopUp, now: datetime) -> str:
    """Pay an open payment if the stored verification suffices; return what to tell the customer.

    The proof is read after locking the payment, as the shop may change the description until then.
    If the customer had canceled the top-up, the money stays in the wallet.
    """
    if top_up.canceled_at is not None:
        return ADDED_BUT_OPEN
    try:
        with transaction.atomic():  # a refusal rolls back what was begun
            locked = lock_payable(payment.pk, now)
            proof = _proof_of(locked, top_up.customer_id)
            if proof is None:
                return ADDED_BUT_OPEN
            paid = pay_locked(
                locked,
                customer=top_up.customer,
                verified=Verification(proof.verified),
                actor=ACTOR,
                now=now,
                session_id=proof.session_id,
            )
    except ApiError:
        # Someone else may have paid, or the merchant canceled, in the meantime.
        left = Payment.objects.one(payment.pk)
        return ADDED_BUT_OPEN if left.status_at(now) in PAYABLE else ADDED
    return ADDED_AND_PAID if paid.status_at(now) == PaymentStatus.COMPLETED else ADDED
