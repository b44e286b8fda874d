"""What finance does with payouts and bank accounts: on instruction, or by itself."""

import json
from datetime import date, datetime

from django.conf import settings
from django.db import transaction
from django.db.models import Sum

from backoffice.audit import AuditAction, audited
from backoffice.errors import InstructionDecided, NothingToSend
from backoffice.models import Instruction
from backoffice.roles import Right
from backoffice.staff import Staff
from core import crypto
from merchants.callers import Caller
from merchants.errors import MerchantInactive
from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from payouts.bank_accounts import BankDetails, open_bank_account
from payouts.batches import create_batch
from payouts.errors import PayoutStatusUnfit, PayoutTooSmall
from payouts.models import BankHoliday, Payout, PayoutBatch, PayoutOrigin
from payouts.services import (
    REFUSED,
    record_failed,
    schedule_payout,
)
from payouts.statuses import TRANSITIONS, PayoutStatus

RUN = "run"


def check_pay_out(instruction: Instruction, now: datetime) -> None:
    """Raises MerchantNotFound, MerchantInactive, PayoutTooSmall."""
    merchant = Merchant.objects.one(instruction.subject_id)
    if merchant.status == MerchantStatus.SUSPENDED:
        raise MerchantInactive
    if instruction.amount < settings.PAYOUT_MINIMUM:
        raise PayoutTooSmall(amount=f"must be at least {settings.PAYOUT_MINIMUM}")


def pay_out(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Schedule a payout to a merchant. Raises as `schedule_payout` does, and MerchantInactive."""
    check_pay_out(instruction, now)
    payout = schedule_payout(
        merchant=Merchant.objects.locked(instruction.subject_id),
        livemode=instruction.livemode,
        currency=instruction.currency,
        amount=instruction.amount,
        origin=PayoutOrigin.STAFF,
        actor=caller.actor,
        now=now,
    )
    return payout.id


def due_total(*, livemode: bool, currency: str, execution_date: date) -> int:
    """Return what a run on this day would send, in cents."""
    due = Payout.objects.filter(
        status=PayoutStatus.SCHEDULED,
        livemode=livemode,
        currency=currency,
        send_date__lte=execution_date,
    )
    return int(due.aggregate(total=Sum("amount"))["total"] or 0)


def check_run(instruction: Instruction, now: datetime) -> None:
    """Raises NothingToSend, and InstructionDecided where the run is not what was asked for."""
    total = due_total(
        livemode=instruction.livemode,
        currency=instruction.currency,
        execution_date=_execution_date(instruction),
    )
    if not total:
        raise NothingToSend
    if total != instruction.amount:
        raise InstructionDecided("Other payouts have become due since: submit the run again.")


def run_payouts(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Put what is due into a batch for the bank. Raises as `check_run` and `create_batch` do."""
    batch = create_batch(
        livemode=instruction.livemode,
        currency=instruction.currency,
        execution_date=_execution_date(instruction),
        actor=caller.actor,
        now=now,
    )
    if batch.total_amount != instruction.amount:
        raise InstructionDecided("Other payouts have become due since: submit the run again.")
    return batch.id


def check_failure(instruction: Instruction, now: datetime) -> None:
    """Raises PayoutNotFound, PayoutStatusUnfit."""
    payout = Payout.objects.one(instruction.subject_id)
    if PayoutStatus.FAILED not in TRANSITIONS[PayoutStatus(payout.status)]:
        raise PayoutStatusUnfit(status=f"is {payout.status}")


def record_failure(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Record that the bank refused a payout: its money returns to the merchant's balance."""
    payout = record_failed(
        payout_id=instruction.subject_id,
        code=REFUSED,
        message=instruction.reason[:255],
        actor=caller.actor,
        now=now,
    )
    return payout.id


def check_bank_account(instruction: Instruction, now: datetime) -> None:
    """Try it, and undo it: raises MerchantNotFound, ValidationFailed."""
    caller = Caller.for_staff(livemode=instruction.livemode, actor="system:check")
    before = transaction.savepoint()
    set_bank_account(instruction, caller, now)
    transaction.savepoint_rollback(before)


def set_bank_account(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Pay a merchant out to this account from now on. Raises ValidationFailed."""
    details = BankDetails(**json.loads(crypto.decrypt(instruction.sealed_arguments)))
    account = open_bank_account(
        merchant_id=instruction.subject_id,
        livemode=instruction.livemode,
        details=details,
        actor=caller.actor,
        now=now,
    )
    return account.id


def note_download(*, staff: Staff, batch: PayoutBatch, form: str, now: datetime) -> None:
    """Record the download of a file with account numbers. Raises Forbidden."""
    action = AuditAction(
        act=f"download {form}", right=Right.PAY_OUT, subject_type="payout", subject_id=batch.pk
    )
    with audited(staff=staff, action=action, now=now):
        pass


def add_holiday(*, staff: Staff, day: date, name: str, now: datetime) -> BankHoliday:
    """Add a day on which banks move no money. Raises Forbidden."""
    with audited(staff=staff, action=_holiday_action("add bank holiday", day), now=now) as record:
        holiday, _ = BankHoliday.objects.update_or_create(date=day, defaults={"name": name})
        record.after = {"date": day, "name": name}
    return holiday


def drop_holiday(*, staff: Staff, day: date, now: datetime) -> None:
    """Take a day off the list. Raises Forbidden."""
    with audited(staff=staff, action=_holiday_action("drop bank holiday", day), now=now) as record:
        record.before = {"date": day}
        BankHoliday.objects.filter(date=day).delete()


def _execution_date(instruction: Instruction) -> date:
    return date.fromisoformat(instruction.arguments["execution_date"])


def _holiday_action(act: str, day: date) -> AuditAction:
    return AuditAction(
        act=act,
        right=Right.HOLIDAYS,
        subject_type="bankholiday",
        subject_id=day.isoformat(),
    )
