"""What Finance does with payouts and bank accounts, by instruction or directly."""

import json
from dataclasses import dataclass
from datetime import date, datetime
from itertools import chain

from django.conf import settings
from django.db.models import QuerySet, Sum

from backoffice.audit import AuditAction, audited
from backoffice.errors import InstructionDecided, NothingToSend
from backoffice.formats import money
from backoffice.models import Instruction
from backoffice.roles import Right
from backoffice.services.independence import refuse_key_holder, refuse_void_request
from backoffice.staff import Staff
from backoffice.statuses import InstructionStatus
from core.money import MAX_AMOUNT
from core.sealed import unseal
from ledger.errors import InsufficientBalance
from merchants.callers import Caller
from merchants.errors import MerchantInactive
from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from payouts.balances import balances_of
from payouts.bank_accounts import BankDetails, bank_account_of
from payouts.batches import MAX_PAYOUTS, create_batch, first_day, payouts_due, refuse_unknown_file
from payouts.business_days import BusinessDays
from payouts.continuity import refuse_after_restore
from payouts.contradictions import held_back
from payouts.errors import BankAccountMissing, PayoutTooSmall
from payouts.models import BankAccount, BankHoliday, Payout, PayoutBatch, PayoutOrigin
from payouts.own_accounts import approve_bank_account, replace_bank_account
from payouts.services import REFUSED, record_failed, schedule_payout

RUN = "run"


def pay_out(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Schedule a payout to a merchant. Raises MerchantInactive, and as `schedule_payout` does."""
    merchant = Merchant.objects.locked(instruction.subject_id)
    if merchant.status == MerchantStatus.SUSPENDED:
        raise MerchantInactive
    if instruction.amount < settings.PAYOUT_MINIMUM:
        least = money(settings.PAYOUT_MINIMUM, instruction.currency)
        raise PayoutTooSmall(f"At least {least} is paid out.")
    try:
        payout = schedule_payout(
            merchant=merchant,
            livemode=instruction.livemode,
            currency=instruction.currency,
            amount=instruction.amount,
            origin=PayoutOrigin.STAFF,
            actor=caller.actor,
            now=now,
        )
    except BankAccountMissing as missing:
        raise BankAccountMissing("Set the merchant's bank account first.") from missing
    except InsufficientBalance as short:
        held = balances_of(merchant_id=merchant.pk, livemode=instruction.livemode).available
        amounts = " and ".join(money(each.amount, each.currency) for each in held)
        mode = "live" if instruction.livemode else "test"
        raise InsufficientBalance(f"Available, {mode}: {amounts}.") from short
    return payout.id


@dataclass(frozen=True)
class BatchDraft:
    """Payouts that go to the bank in one batch once approved. `total_amount` is in cents."""

    payout_ids: list[str]
    total_amount: int


def batch_drafts(*, livemode: bool, currency: str, execution_date: date) -> list[BatchDraft]:
    """Split what is due by a day into batches that a bank file and an approval can hold.

    Payouts that await an approval already are left out, as are those that the bank mentions
    already.
    """
    due = payouts_due(livemode=livemode, currency=currency, execution_date=execution_date)
    asked_for = (run.arguments.get("payouts", ()) for run in runs_waiting())
    left_out = {*chain(*asked_for), *held_back(due, livemode=livemode)}
    runs, ids, total = [], list[str](), 0
    for payout_id, amount in due.values_list("pk", "amount"):
        if payout_id in left_out:
            continue
        if len(ids) == MAX_PAYOUTS or total + amount > MAX_AMOUNT:
            runs.append(BatchDraft(ids, total))
            ids, total = [], 0
        ids.append(payout_id)
        total += amount
    return [*runs, BatchDraft(ids, total)] if ids else runs


def runs_waiting() -> QuerySet[Instruction]:
    return Instruction.objects.filter(task="run_payouts", status=InstructionStatus.WAITING)


def check_run(instruction: Instruction, now: datetime) -> None:
    """Check a run. Raises NothingToSend; after a restore PayoutsShut or BankEntriesWaiting."""
    refuse_after_restore(now=now)
    refuse_unknown_file(livemode=instruction.livemode)
    if not instruction.arguments.get("payouts"):
        raise NothingToSend


def run_payouts(instruction: Instruction, caller: Caller, now: datetime) -> str | None:
    """Put exactly the requested payouts into a batch; return its id, if it has one.

    Payouts that cannot leave fail or wait. A run approved after its day leaves on the next business
    day. Raises as `create_batch` does, and InstructionDecided if the requested payouts no longer
    add up to the approved amount.
    """
    payout_ids = instruction.arguments.get("payouts", ())
    asked_for = Payout.objects.filter(pk__in=payout_ids).aggregate(total=Sum("amount"))
    if (asked_for["total"] or 0) != instruction.amount:
        raise InstructionDecided("These payouts do not add up to the amount that was approved.")
    asked_day = date.fromisoformat(instruction.arguments["execution_date"])
    batch = create_batch(
        livemode=instruction.livemode,
        currency=instruction.currency,
        execution_date=BusinessDays.load().on_or_after(max(asked_day, first_day(now))),
        payout_ids=payout_ids,
        actor=caller.actor,
        now=now,
    )
    return batch.id if batch else None


def record_failure(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Record that the bank refused a payout; its money returns to the merchant's balance."""
    payout = record_failed(
        payout_id=instruction.subject_id,
        code=REFUSED,
        message=instruction.reason[:255],
        actor=caller.actor,
        now=now,
    )
    return payout.id


def set_bank_account(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Pay a merchant out to this account from now on. Raises MerchantNotFound, ValidationFailed."""
    account = replace_bank_account(
        merchant_id=instruction.subject_id,
        livemode=instruction.livemode,
        details=_bank_details(instruction),
        actor=caller.actor,
        now=now,
    )
    return account.id


def accounts_to_compare(instruction: Instruction) -> tuple[BankAccount, BankAccount | None]:
    """Return the account that an instruction would open, and the one that it would replace."""
    asked_for = bank_account_of(
        Merchant.objects.one(instruction.subject_id),
        _bank_details(instruction),
        livemode=instruction.livemode,
        actor=instruction.asked_by.get_username(),
        now=instruction.asked_at,
    )
    return asked_for, BankAccount.objects.before(asked_for)


def _bank_details(instruction: Instruction) -> BankDetails:
    return BankDetails(**json.loads(unseal(instruction, "sealed_arguments")))


def approve_account(*, staff: Staff, account: BankAccount, now: datetime) -> BankAccount:
    """Approve, as the second person, the account that the merchant's live key has named.

    Raises BankAccountNotFound, IndependentApproverRequired for those who may have had such a key,
    and RequesterNotAuthorized if that key has ended or the merchant is suspended.
    """
    refuse_void_request(asked_by=account.created_by, merchant_id=account.merchant_id, now=now)
    refuse_key_holder(decides=staff, merchant_id=account.merchant_id, now=now)
    return approve_bank_account(bank_account_id=account.pk, actor=staff.actor, now=now)


def note_bank_file(*, staff: Staff, batch: PayoutBatch, form: str, now: datetime) -> None:
    """Record the download of a file with account numbers. Raises Forbidden."""
    action = AuditAction(f"download {form}", Right.PAY_OUT, "payout", batch.pk)
    with audited(staff=staff, action=action, now=now):
        pass


def add_holiday(*, staff: Staff, day: date, name: str, now: datetime) -> BankHoliday:
    """Add a bank holiday. Raises Forbidden."""
    action = AuditAction("add bank holiday", Right.HOLIDAYS, "bankholiday", day.isoformat())
    with audited(staff=staff, action=action, now=now) as record:
        holiday, _ = BankHoliday.objects.update_or_create(date=day, defaults={"name": name})
        record.after = {"date": day, "name": name}
    return holiday


def drop_holiday(*, staff: Staff, day: date, now: datetime) -> None:
    """Remove a bank holiday. Raises Forbidden."""
    action = AuditAction("drop bank holiday", Right.HOLIDAYS, "bankholiday", day.isoformat())
    with audited(staff=staff, action=action, now=now) as record:
        record.before = {"date": day}
        BankHoliday.objects.filter(date=day).delete()
