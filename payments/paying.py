"""Pay a payment, settle it or fail it. One service per business fact.

Locks are taken in the order link, ticket, payment, customer, ledger account.
"""

from datetime import datetime

from django.db import transaction

from core.ids import new_id
from core.money import basis_points_of
from customers.errors import CustomerNotFound
from customers.magic_phones import SLOW_SETTLEMENT, Behaviour, behaviour_of
from customers.models import Customer
from customers.services import fill_test_wallet, lock_payer
from ledger.errors import InsufficientBalance
from ledger.models import Purpose, TransferKind
from ledger.services import Movement, accounts_for, post_transfers
from links.errors import PaymentLinkExpired, PaymentLinkInactive
from links.services import lock_for_use, record_use
from merchants.errors import MerchantInactive
from merchants.standing import refuse_suspended
from payments import emails
from payments.errors import DescriptionChanged, PaymentDeclined
from payments.failures import DECLINED, Failure, failure_of
from payments.models import Payment
from payments.reporting import move_and_report
from payments.risk import count_payment
from payments.statuses import PAYABLE, PaymentStatus
from payments.tickets import lock_ticket, take_ticket
from payments.verification import Verification

_UNSETTLED = (InsufficientBalance, MerchantInactive, PaymentLinkExpired, PaymentLinkInactive)


def pay(
    *,
    payment_id: str,
    customer: Customer,
    verified: Verification,
    actor: str,
    now: datetime,
    agreed: str | None = None,
    session_id: int | None = None,
) -> Payment:
    """Move the money from wallet to merchant and complete the payment, in one transaction.

    `verified` is how the customer has just been verified, `agreed` the description that the
    customer read, `session_id` the session that pays. The result may also be `processing`: it
    settles later. If the balance is too low, or the payment is declined, commits a return to the
    review, where the customer may pay another way, then raises InsufficientBalance or
    PaymentDeclined. Otherwise raises, with nothing changed, DescriptionChanged if the description
    is no longer `agreed`; VerificationFailed if the amount, or what the customer has paid before,
    requires more, or the session has ended; NewProofLimitReached, CustomerFrozen, MerchantInactive,
    the error of the current status, and those of its link.
    """
    with transaction.atomic():
        payment = lock_payable(payment_id, now)
        if agreed not in (None, payment.agreed_description):
            raise DescriptionChanged
        if payment.status == PaymentStatus.CREATED:
            payment.transition_to(PaymentStatus.PENDING, now=now, actor=actor)
        try:
            with transaction.atomic():
                done = pay_locked(
                    payment,
                    customer=customer,
                    verified=verified,
                    actor=actor,
                    now=now,
                    session_id=session_id,
                )
                if done.status == PaymentStatus.FAILED:
                    raise PaymentDeclined
                return done
        except (InsufficientBalance, PaymentDeclined) as error:
            refusal = error
        payment.refresh_from_db()
        if payment.status == PaymentStatus.REQUIRES_ACTION:
            payment.transition_to(PaymentStatus.PENDING, now=now, actor=actor, cause=refusal.code)
    raise refusal


def pay_locked(
    payment: Payment,
    *,
    customer: Customer,
    verified: Verification,
    actor: str,
    now: datetime,
    session_id: int | None = None,
) -> Payment:
    """Pay a payment that `lock_payable` returned; it may also be declined, and is `failed` then.

    Raises InsufficientBalance, and otherwise as `pay` does.
    """
    payer = lock_payer(customer.id, payee_id=payment.merchant_id)
    count_payment(
        payer,
        payment.sale_amount,
        verified,
        payee_id=payment.merchant_id,
        session_id=session_id,
        now=now,
    )
    return pay_as_read(payment, customer=payer, actor=actor, now=now)


def pay_as_read(payment: Payment, *, customer: Customer, actor: str, now: datetime) -> Payment:
    """Pay for a customer read in this transaction, verified sufficiently and not frozen.

    Raises CustomerNotFound for another merchant's test customer, MerchantInactive, TicketClosed,
    InsufficientBalance.
    """
    if not customer.may_pay(payment.merchant_id):
        raise CustomerNotFound
    refuse_suspended(payment.merchant)
    behaviour = behaviour_of(customer)
    if behaviour == Behaviour.INSUFFICIENT_BALANCE:
        raise InsufficientBalance
    payment.customer = customer
    if behaviour == Behaviour.DECLINED:
        return decline(payment, DECLINED, actor, now)
    take_ticket(payment, actor=actor, now=now)
    if behaviour == Behaviour.SLOW:
        payment.settles_at = now + SLOW_SETTLEMENT
        payment.transition_to(PaymentStatus.PROCESSING, now=now, actor=actor)
    else:
        settle(payment, actor=actor, now=now)
    return payment


@transaction.atomic
def fail_payment(*, payment_id: str, failure: Failure, actor: str, now: datetime) -> Payment:
    """Fail a payment whose verification failed too often. Raises the error of its status."""
    return fail(Payment.objects.locked(payment_id), failure, actor, now)


@transaction.atomic
def settle_due_payment(*, payment_id: str, now: datetime) -> Payment:
    """Complete a payment that was left in `processing`.

    It fails if a live wallet or the link no longer allows it, or if the merchant is suspended.
    """
    try:
        with transaction.atomic():
            payment = _lock_with_origin(payment_id, now)
            _refuse_unless_processing(payment, now)
            refuse_suspended(payment.merchant)
            if not payment.livemode:  # other tests may have spent what it was confirmed on
                payer, least = payment.paying_customer, payment.sale_amount
                fill_test_wallet(payer, payment.currency, least=least, now=now)
            settle(payment, actor="system:payments.settle", now=now)
            return payment
    except _UNSETTLED as error:
        payment = Payment.objects.locked(payment_id)
        _refuse_unless_processing(payment, now)
        return fail(payment, failure_of(error.code), "system:payments.settle", now)


def _refuse_unless_processing(payment: Payment, now: datetime) -> None:
    if payment.status != PaymentStatus.PROCESSING:
        raise payment.refusal(now)


def settle(payment: Payment, *, actor: str, now: datetime) -> None:
    """Post the ledger transfers and complete a locked payment, payable or in `processing`.

    Raises InsufficientBalance.
    """
    payment.transaction_id = new_id("txn", now)
    payment.fee = basis_points_of(payment.sale_amount, payment.merchant.fee_basis_points)
    payment.settles_at = None
    post_transfers(transaction_id=payment.transaction_id, movements=_movements(payment), now=now)
    processing = () if payment.status == PaymentStatus.PROCESSING else (PaymentStatus.PROCESSING,)
    move_and_report(payment, *processing, PaymentStatus.COMPLETED, now=now, actor=actor)
    if payment.link_id is not None:
        record_use(payment.link_id, payment_id=payment.id, amount=payment.sale_amount, now=now)
    emails.plan_receipt(payment, now=now)


def fail(
    payment: Payment, failure: Failure, actor: str, now: datetime, *before: PaymentStatus
) -> Payment:
    """Fail a locked payment, through the statuses in `before`, with its reason and event."""
    payment.error_code, payment.error_message = failure.code, failure.message
    payment.settles_at = None
    path = (*before, PaymentStatus.FAILED)
    move_and_report(payment, *path, now=now, actor=actor, cause=failure.code)
    return payment


def decline(payment: Payment, failure: Failure, actor: str, now: datetime) -> Payment:
    """Fail a locked payment, through `processing`: the customer was verified, then declined."""
    return fail(payment, failure, actor, now, PaymentStatus.PROCESSING)


def lock_payable(payment_id: str, now: datetime) -> Payment:
    """Lock a payment in order to pay it, after its link and ticket.

    Raises as `pay` does; the payment's own status, such as completed, goes before its link's.
    """
    if alone := Payment.objects.locked_alone(payment_id):
        refuse_unless_payable(alone, now)
        return alone
    try:
        payment = _lock_with_origin(payment_id, now)
    except (PaymentLinkInactive, PaymentLinkExpired):
        refuse_unless_payable(Payment.objects.locked(payment_id), now)
        raise
    refuse_unless_payable(payment, now)
    return payment


def refuse_unless_payable(payment: Payment, now: datetime) -> None:
    """Raise the error of its current status, unless it is payable."""
    if payment.is_counter or payment.amount is None or payment.status_at(now) not in PAYABLE:
        raise payment.refusal(now)


def _lock_with_origin(payment_id: str, now: datetime) -> Payment:
    origin = Payment.objects.one(payment_id)
    if origin.link_id is not None:
        lock_for_use(origin.link_id, now=now)
    if origin.ticket_id is not None:
        lock_ticket(origin.ticket_id)
    return Payment.objects.locked(payment_id)


def _movements(payment: Payment) -> list[Movement]:
    amount, fee = payment.sale_amount, payment.fee or 0
    wallet, balance, fees = accounts_for(
        (payment.customer_id or "", Purpose.WALLET),
        (payment.merchant_id, Purpose.MERCHANT),
        (payment.merchant_id, Purpose.FEES),
        currency=payment.currency,
        livemode=payment.livemode,
    )
    tip = payment.tip or 0
    moved = [
        (TransferKind.PAYMENT, wallet, balance, amount - tip),
        (TransferKind.TIP, wallet, balance, tip),
        (TransferKind.FEE, balance, fees, fee),
    ]
    return [
        Movement(kind=kind, reference=payment.id, debit=debit, credit=credit, amount=part)
        for kind, debit, credit, part in moved
        if part
    ]
