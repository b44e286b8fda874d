"""How the instructions of staff move money. Called by `services.instructions` only."""

from datetime import datetime

from django.db.models import OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from backoffice.errors import RefundFormStale, RefundRequestStale, RefundTooLarge
from backoffice.formats import money
from backoffice.models import Instruction
from backoffice.roles import InstructionKind
from core.ids import new_id
from customers.models import Customer
from customers.services import top_up as top_up_wallet
from customers.services import wallet
from funding.reversal import reverse_top_up
from ledger.models import HOUSE, Account, Purpose, TransferKind
from ledger.services import Movement, account_for, post_transfers
from merchants.callers import Caller
from payments.errors import PaymentNotCompleted
from payments.models import Payment
from payments.statuses import PaymentStatus
from refunds.services import RefundDraft, create_refund

TAKE = "take"


def check_refund(instruction: Instruction, now: datetime) -> None:
    """Check that a refund can be made as the form said.

    Raises PaymentNotFound, PaymentNotCompleted, RefundFormStale, RefundTooLarge.
    """
    payment = Payment.objects.locked(instruction.subject_id)
    if payment.status_at(now) != PaymentStatus.COMPLETED:
        raise PaymentNotCompleted(f"status: is {payment.status_at(now)}")
    left = left_to_refund(payment, now, but=instruction.pk)
    waiting = payment.amount_refundable - left
    words = money(left, payment.currency)
    if instruction.arguments["expected_available"] != payment.amount_refundable:
        raise RefundFormStale(f"{words} is left now: check the amount before you submit this.")
    if not 0 < instruction.amount <= left:
        rest = f" {money(waiting, payment.currency)} waits for approval." if waiting else ""
        raise RefundTooLarge(f"At most {words} can be refunded.{rest}")


def left_to_refund(payment: Payment, now: datetime, *, but: str = "") -> int:
    """Return the cents neither refunded nor claimed by a refund awaiting approval, except `but`."""
    if not payment.amount_refundable:
        return 0
    refunds = Instruction.objects.filter(subject_id=payment.pk, kind=InstructionKind.REFUND)
    asked = refunds.waiting(now).exclude(pk=but).total_amount()
    return max(payment.amount_refundable - asked, 0)


def with_refunds_asked(payments: QuerySet[Payment], now: datetime) -> QuerySet[Payment]:
    """Annotate payments with `refund_asked`: the cents of refunds that await approval."""
    waiting = Instruction.objects.waiting(now).filter(kind=InstructionKind.REFUND)
    of_payment = waiting.filter(subject_id=OuterRef("pk")).order_by().values("subject_id")
    asked = Subquery(of_payment.annotate(total=Sum("amount")).values("total"))
    return payments.annotate(refund_asked=Coalesce(asked, 0))


def refund(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Refund a payment, wholly or in part. Raises RefundRequestStale, and as `create_refund`."""
    payment = Payment.objects.locked(instruction.subject_id)
    if short := short_of(instruction, payment):
        raise RefundRequestStale(short)
    draft = RefundDraft(amount=instruction.amount, reason=instruction.reason)
    made = create_refund(caller=caller, payment_id=payment.pk, draft=draft, now=now)
    return made.id


def refuse_unseen_refund(instruction: Instruction, seen: int | None) -> None:
    """Raise RefundFormStale if not `seen` cents can be refunded, as the approver's form said.

    Without a form, what the requester saw counts. Locks the payment.
    """
    left = Payment.objects.locked(instruction.subject_id).amount_refundable
    if left != (instruction.arguments["expected_available"] if seen is None else seen):
        words = money(left, instruction.currency)
        raise RefundFormStale(f"{words} is left now: read this again before you approve it.")


def short_of(instruction: Instruction, payment: Payment) -> str:
    """Say that less can be refunded now than was requested; empty if enough is left."""
    left, before = payment.amount_refundable, instruction.arguments["expected_available"]
    if instruction.amount <= left:
        return ""
    now_left, was_left = (money(amount, instruction.currency) for amount in (left, before))
    return (
        f"{now_left} can be refunded now, {was_left} when this was requested: decline or withdraw"
        " it, and request again what is still to be refunded."
    )


def top_up(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Add money to a wallet. Raises CustomerNotFound, CustomerErased."""
    customer = Customer.objects.locked(instruction.subject_id)
    customer.refuse_erased()
    return top_up_wallet(
        customer=customer,
        amount=instruction.amount,
        currency=instruction.currency,
        now=now,
        description=f"Top-up {instruction.id}",
    )


def adjust_wallet(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Correct the balance of a wallet.

    Raises InsufficientBalance if it holds less than is to be taken, CustomerErased if money is to
    be given.
    """
    customer = Customer.objects.locked(instruction.subject_id)
    if instruction.arguments["direction"] != TAKE:
        customer.refuse_erased()
    return _adjust(instruction, wallet(customer, instruction.currency), now)


def reverse(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Take back the money of a top-up. Raises as `reverse_top_up` does."""
    top_up = reverse_top_up(
        top_up_id=instruction.subject_id,
        amount=instruction.amount,
        cause=instruction.reason,
        actor=caller.actor,
        now=now,
    )
    return top_up.pk


def adjust_merchant(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Correct the balance of a merchant. Raises InsufficientBalance."""
    balance = _account(instruction, instruction.subject_id, Purpose.MERCHANT)
    return _adjust(instruction, balance, now)


def _account(instruction: Instruction, owner: str, purpose: Purpose) -> Account:
    currency, livemode = instruction.currency, instruction.livemode
    return account_for(owner=owner, purpose=purpose, currency=currency, livemode=livemode)


def _adjust(instruction: Instruction, account: Account, now: datetime) -> str:
    funding = _account(instruction, HOUSE, Purpose.FUNDING)
    takes = instruction.arguments["direction"] == TAKE
    movement = Movement(
        kind=TransferKind.ADJUSTMENT,
        reference=instruction.id,
        debit=account if takes else funding,
        credit=funding if takes else account,
        amount=instruction.amount,
        description=instruction.reason,
    )
    transaction_id = new_id("txn", now)
    post_transfers(transaction_id=transaction_id, movements=[movement], now=now)
    return transaction_id
