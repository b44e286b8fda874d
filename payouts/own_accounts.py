"""Change a merchant's bank accounts, by API or by staff.

A verified merchant's new account waits for review by staff: the thief of a live key must not be
paid out. Closing one sends money nowhere, so it takes effect at once. The owner is notified of
changes to live accounts.
"""

from datetime import datetime

from django.db import transaction

from merchants.callers import Caller
from merchants.models import Merchant
from merchants.owner_notices import count_notice, count_notice_or_refuse, tell_owner
from merchants.standing import recheck_caller, refuse_revoked_key
from merchants.statuses import MerchantStatus
from payouts.bank_accounts import (
    BankDetails,
    bank_account_of,
    close_bank_account,
    close_bank_accounts,
    open_bank_account,
)
from payouts.models import BankAccount

KIND = "bank_account"
_PAID_OUT, _NO_LONGER = "now receives your payouts", "no longer receives your payouts"


@transaction.atomic
def request_bank_account(*, caller: Caller, details: BankDetails, now: datetime) -> BankAccount:
    """Request an account to be paid out to (`POST /v1/bank-accounts`).

    A verified merchant's live account waits for staff, and replaces one that is already waiting;
    any other opens at once. Raises ValidationFailed, RateLimited, and as `recheck_caller` does.
    """
    merchant = Merchant.objects.locked(caller.owner.id)
    recheck_caller(caller, merchant)
    if caller.livemode:
        count_notice_or_refuse(merchant.id, now=now)
    if not caller.livemode or merchant.status != MerchantStatus.VERIFIED:
        return replace_bank_account(
            merchant_id=merchant.id,
            livemode=caller.livemode,
            details=details,
            actor=caller.actor,
            now=now,
        )
    account = bank_account_of(merchant, details, livemode=True, actor=caller.actor, now=now)
    close_bank_accounts(BankAccount.objects.pending().like(account), actor=caller.actor, now=now)
    account.is_pending = True
    account.save(force_insert=True)
    _tell(account, "will receive your payouts once we have reviewed it", now)
    return account


@transaction.atomic
def close_own_account(*, caller: Caller, bank_account_id: str, now: datetime) -> BankAccount:
    """Close an account, or withdraw a pending one (`POST /v1/bank-accounts/:id/close`).

    Raises BankAccountNotFound, also if it is already closed, and Unauthorized if the live key has
    been revoked while this waited.
    """
    account = BankAccount.objects.visible_to(caller).not_closed().one(bank_account_id)
    Merchant.objects.locked(account.merchant_id)
    refuse_revoked_key(caller)
    account = BankAccount.objects.not_closed().select_related("merchant").locked(account.id)
    close_bank_accounts([account], actor=caller.actor, now=now)
    if account.livemode and count_notice(account.merchant_id, of=account.id, now=now):
        _tell(account, _NO_LONGER, now)
    return account


@transaction.atomic
def replace_bank_account(
    *, merchant_id: str, livemode: bool, details: BankDetails, actor: str, now: datetime
) -> BankAccount:
    """Open an account, replacing the previous one. Raises as `open_bank_account` does."""
    account = open_bank_account(
        merchant_id=merchant_id, livemode=livemode, details=details, actor=actor, now=now
    )
    if livemode:
        _tell(account, _PAID_OUT, now)
    return account


@transaction.atomic
def shut_bank_account(*, bank_account_id: str, actor: str, now: datetime) -> BankAccount:
    """Close an account, as staff. Raises as `close_bank_account` does."""
    account = close_bank_account(bank_account_id=bank_account_id, actor=actor, now=now)
    if account.livemode:
        _tell(account, _NO_LONGER, now)
    return account


@transaction.atomic
def approve_bank_account(*, bank_account_id: str, actor: str, now: datetime) -> BankAccount:
    """Open the account that the merchant requested. Raises BankAccountNotFound."""
    account = _locked(bank_account_id)
    close_bank_accounts(BankAccount.objects.open().like(account), actor=actor, now=now)
    account.is_pending = False
    account.save(update_fields=["is_pending"])
    _tell(account, _PAID_OUT, now)
    return account


@transaction.atomic
def decline_bank_account(*, bank_account_id: str, actor: str, now: datetime) -> BankAccount:
    """Decline the account that the merchant requested. Raises BankAccountNotFound."""
    account = _locked(bank_account_id)
    close_bank_accounts([account], actor=actor, now=now)
    return account


def _locked(bank_account_id: str) -> BankAccount:
    """Lock a pending account, after its merchant."""
    Merchant.objects.locked(BankAccount.objects.pending().one(bank_account_id).merchant_id)
    return BankAccount.objects.pending().select_related("merchant").locked(bank_account_id)


def _tell(account: BankAccount, what: str, now: datetime) -> None:
    """Notify the owner, who may be unaware of the change."""
    passes = what != _NO_LONGER and _passes_for_the_one_before(account)
    differs = "It is not the previous account, although that ends in the same digits.\n"
    tell_owner(
        account.merchant,
        kind=KIND,
        subject="your bank account",
        text=f"The account …{account.last_four} ({account.currency}) {what}.\n"
        f"{differs if passes else ''}"
        "If you did not request this, reply to this e-mail at once.",
        now=now,
    )


def _passes_for_the_one_before(account: BankAccount) -> bool:
    """Return whether it differs from the account it replaces but ends in the same digits."""
    before = BankAccount.objects.before(account)
    if before is None or before.last_four != account.last_four:
        return False
    return _destination(before) != _destination(account)


def _destination(account: BankAccount) -> tuple[str, ...]:
    return account.bank_name, account.bic, account.clearing_code, account.decrypt_number()
