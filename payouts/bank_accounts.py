"""Open and close the bank accounts that merchants are paid out to, without review."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from core.errors import ValidationFailed
from core.ids import new_id
from core.money import is_currency
from core.text import is_printable, names_someone
from merchants.models import Merchant
from payouts.account_numbers import compact, is_account_number, is_bic, is_clearing_code
from payouts.errors import BankAccountMissing
from payouts.models import BankAccount

MAX_NAME_LENGTH = 140  # the limit of a payment order
TEST_BANK = "Test Bank"
TEST_CLEARING_CODE = "000000"
TEST_NUMBER = "000123456789"
TEST_NUMBER_REFUSED = "000000000009"


@dataclass(frozen=True)
class BankDetails:
    """What staff or the merchant enter. BIC, clearing code or both identify the bank."""

    currency: str
    holder_name: str
    bank_name: str
    number: str
    bic: str = ""
    clearing_code: str = ""


@transaction.atomic
def open_bank_account(
    *, merchant_id: str, livemode: bool, details: BankDetails, actor: str, now: datetime
) -> BankAccount:
    """Make this the account that the merchant is paid out to, replacing the previous one.

    Raises MerchantNotFound, ValidationFailed. Payouts scheduled to the previous account are no
    longer sent: they fail, and their money returns to the balance.
    """
    merchant = Merchant.objects.locked(merchant_id)
    account = bank_account_of(merchant, details, livemode=livemode, actor=actor, now=now)
    close_bank_accounts(BankAccount.objects.open().like(account), actor=actor, now=now)
    account.save(force_insert=True)
    return account


def bank_account_of(
    merchant: Merchant, details: BankDetails, *, livemode: bool, actor: str, now: datetime
) -> BankAccount:
    """Return a new account, not stored yet. Raises ValidationFailed."""
    number = compact(details.number)
    _refuse_invalid(details, number)
    account = BankAccount(
        id=new_id("ba", now),
        merchant=merchant,
        livemode=livemode,
        currency=details.currency,
        holder_name=details.holder_name,
        bank_name=details.bank_name,
        bic=compact(details.bic),
        clearing_code=compact(details.clearing_code),
        created_at=now,
        created_by=actor,
    )
    account.encrypt_number(number)
    return account


def close_bank_accounts(accounts: Iterable[BankAccount], *, actor: str, now: datetime) -> None:
    """Close accounts of a locked merchant."""
    for account in accounts:
        account.closed_at, account.closed_by = now, actor
        account.save(update_fields=["closed_at", "closed_by"])


@transaction.atomic
def close_bank_account(*, bank_account_id: str, actor: str, now: datetime) -> BankAccount:
    """Close the account: nothing more is sent to it. Raises BankAccountNotFound, also if closed."""
    account = BankAccount.objects.open().locked(bank_account_id)
    close_bank_accounts([account], actor=actor, now=now)
    return account


def account_to_pay(
    *, merchant: Merchant, livemode: bool, currency: str, now: datetime
) -> BankAccount:
    """Return the open account of this currency and mode; in test mode one is created on demand.

    May lock the merchant. Raises BankAccountMissing.
    """
    found = BankAccount.objects.open().filter(
        merchant=merchant, livemode=livemode, currency=currency
    )
    account = found.first()
    if account is not None:
        return account
    if livemode:
        raise BankAccountMissing(bank_account=f"none is on file for {currency}: ask support")
    Merchant.objects.locked(merchant.id)
    return found.first() or _open_test_account(merchant, currency, now)


def _open_test_account(merchant: Merchant, currency: str, now: datetime) -> BankAccount:
    # A name from before a rule for names would be refused.
    name = merchant.name[:MAX_NAME_LENGTH]
    details = BankDetails(
        currency=currency,
        holder_name=merchant.slug if _name_fault(name) else name,
        bank_name=TEST_BANK,
        number=TEST_NUMBER,
        clearing_code=TEST_CLEARING_CODE,
    )
    return open_bank_account(
        merchant_id=merchant.id,
        livemode=False,
        details=details,
        actor="system:payouts.test_account",
        now=now,
    )


def _refuse_invalid(details: BankDetails, number: str) -> None:
    bic, clearing_code = compact(details.bic), compact(details.clearing_code)
    wrong = {
        "currency": "" if is_currency(details.currency) else "must be an ISO 4217 currency code",
        "holder_name": _name_fault(details.holder_name),
        "bank_name": _name_fault(details.bank_name),
        "number": "" if is_account_number(number) else "must be an account number or an IBAN",
        "bic": "" if not bic or is_bic(bic) else "must be a BIC of 8 or 11 characters",
        "clearing_code": ""
        if is_clearing_code(clearing_code) or (bic and not clearing_code)
        else "must be the bank's clearing code, which may be left out where there is a BIC",
    }
    faults = {name: fault for name, fault in wrong.items() if fault}
    if faults:
        raise ValidationFailed(**faults)


def _name_fault(name: str) -> str:
    """Return what is wrong with a name; empty if nothing is.

    Staff compare it with the merchant's, and the bank with the holder's: both have to see it.
    """
    if not name.strip() or len(name) > MAX_NAME_LENGTH or not is_printable(name):
        return f"must be a text of 1 to {MAX_NAME_LENGTH} characters"
    if not names_someone(name):
        return "must contain a letter or a digit, and no character that cannot be seen"
    return ""
