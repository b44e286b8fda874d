"""Bank accounts: opened and closed by staff, encrypted, shown as their last four"""

import dataclasses

import pytest
from cryptography.fernet import Fernet
from django.db import IntegrityError, transaction

from core.clock import utc_now
from core.crypto import SecretMisplaced, encrypt
from core.errors import ValidationFailed
from merchants.errors import MerchantNotFound
from payouts.account_numbers import is_iban
from payouts.bank_accounts import account_to_pay, close_bank_account, open_bank_account
from payouts.errors import BankAccountNotFound
from payouts.models import BankAccount
from tests.payouts.conftest import DETAILS

IBAN = "GB82 WEST 1234 5698 7654 32"


def open_one(merchant, livemode=True, **changes):
    return open_bank_account(
        merchant_id=merchant.id,
        livemode=livemode,
        details=dataclasses.replace(DETAILS, **changes),
        actor="staff:ann",
        now=utc_now(),
    )


def test_the_number_is_encrypted_and_its_last_four_are_shown(bank_account):
    row = BankAccount.objects.values().get()

    assert "123456789012" not in str(row)
    assert (row["last_four"], str(bank_account)) == ("9012", "Bank of the Islands …9012")
    assert BankAccount.objects.get().decrypt_number() == "123456789012"


def test_a_number_copied_to_another_account_does_not_open(merchant, stranger, bank_account):
    other = open_one(stranger, number="999 999 999")
    BankAccount.objects.filter(pk=other.pk).update(encrypted_number=bank_account.encrypted_number)

    with pytest.raises(SecretMisplaced):
        BankAccount.objects.get(pk=other.pk).decrypt_number()


def test_a_copied_number_from_before_secrets_were_bound_does_not_open(
    merchant, stranger, bank_account, settings
):
    settings.BOUND_SECRETS_ONLY = False
    other = open_one(stranger, number="999 999 999")
    before = encrypt(f"{bank_account.id} {bank_account.decrypt_number()}")
    BankAccount.objects.update(encrypted_number=before)

    assert BankAccount.objects.get(pk=bank_account.pk).decrypt_number() == "123456789012"
    with pytest.raises(ValueError, match=other.id):
        BankAccount.objects.get(pk=other.pk).decrypt_number()


def test_a_number_survives_the_rotation_of_the_encryption_key(bank_account, settings):
    settings.ENCRYPTION_KEY = f"{Fernet.generate_key().decode()},{settings.ENCRYPTION_KEY}"

    assert BankAccount.objects.get().decrypt_number() == "123456789012"


def test_a_new_account_takes_the_place_of_the_one_before(merchant, bank_account):
    new = open_one(merchant, number="555 000 111")

    bank_account.refresh_from_db()
    assert (bank_account.closed_by, new.closed_at) == ("staff:ann", None)
    assert bank_account.closed_at == new.created_at
    assert list(BankAccount.objects.open()) == [new]


def test_each_currency_and_mode_has_its_own(merchant, bank_account):
    open_one(merchant, currency="USD")
    open_one(merchant, livemode=False)

    assert BankAccount.objects.open().count() == 3


def test_the_database_refuses_two_open_accounts(merchant, bank_account):
    copy = BankAccount.objects.get()
    copy.id = f"{copy.id[:-1]}_"

    with pytest.raises(IntegrityError), transaction.atomic():
        copy.save(force_insert=True)


def test_an_account_is_closed_once(bank_account):
    close_bank_account(bank_account_id=bank_account.id, actor="staff:bob", now=utc_now())

    with pytest.raises(BankAccountNotFound):
        close_bank_account(bank_account_id=bank_account.id, actor="staff:bob", now=utc_now())

    bank_account.refresh_from_db()
    assert bank_account.closed_by == "staff:bob"


def test_an_account_needs_its_merchant(merchant):
    merchant.id = "mer_x"

    with pytest.raises(MerchantNotFound):
        open_one(merchant)


@pytest.mark.parametrize(
    "right",
    [
        {"number": IBAN, "clearing_code": ""},
        {"number": "de89370400440532013000", "bic": "COBADEFF"},
        {"bic": ""},
        {"number": "0001"},
        {"holder_name": "x" * 140},
        {"bank_name": "x" * 140},
        {"clearing_code": "7" * 35},
    ],
)
def test_what_a_bank_account_may_be(merchant, right):
    number = right.get("number", DETAILS.number)

    account = open_one(merchant, **right)

    assert account.decrypt_number() == number.replace(" ", "").upper()


@pytest.mark.parametrize(
    "wrong",
    [
        {"currency": "bsd"},
        {"holder_name": " "},
        {"holder_name": "x" * 141},
        {"holder_name": "a\nb"},
        {"bank_name": ""},
        {"number": "123"},
        {"number": "12345678901234567890123456789012345"},
        {"number": "12/34 56"},
        {"number": "GB82WEST12345698765433"},
        {"bic": "BOTI"},
        {"bic": "BOTIBSNSXX"},
        {"bic": "", "clearing_code": ""},
        {"clearing_code": "7/7"},
        {"clearing_code": "7" * 36},
    ],
)
def test_what_a_bank_account_may_not_be(merchant, wrong):
    with pytest.raises(ValidationFailed) as caught:
        open_one(merchant, **wrong)

    assert list(wrong)[-1] in caught.value.details
    assert not BankAccount.objects.exists()


@pytest.mark.parametrize(
    "number", ["GB82WEST12345698765432", "NO9386011117947", "FR1420041010050500013M02606"]
)
def test_every_wrong_digit_of_an_iban_is_seen(number):
    assert is_iban(number)
    for place in range(4, len(number)):
        if number[place].isdigit():
            digit = str((int(number[place]) + 1) % 10)
            assert not is_iban(number[:place] + digit + number[place + 1 :])


@pytest.mark.parametrize(
    ("changes", "is_before"),
    [
        ({}, True),
        ({"is_pending": True}, False),
        ({"currency": "USD"}, False),
        ({"livemode": False}, False),
        ({"closed_at": "2026-11-16T00:00Z"}, False),
        ({"closed_at": "2026-11-18T00:00Z"}, True),
        ({"closed_at": "2026-11-17T00:00Z", "created_at": "2026-01-02T00:00Z"}, True),
        ({"closed_at": "2026-11-17T00:00Z", "created_at": "2025-12-31T00:00Z"}, False),
    ],
)
def test_the_account_before_is_the_open_one_or_the_last_closed(bank_account, changes, is_before):
    closed = {"closed_at": "2026-11-17T00:00Z", "created_at": "2026-01-01T00:00Z"}
    BankAccount.objects.update(**closed)
    other = BankAccount.objects.get()
    other.pk = "ba_0000000000000000000000000000a1"
    for name, value in ({"closed_at": None} | changes).items():
        setattr(other, name, value)
    other.save(force_insert=True)
    new = BankAccount(merchant=bank_account.merchant, livemode=True, currency="BSD")

    assert BankAccount.objects.before(new) == (other if is_before else bank_account)


def test_no_account_is_before_itself(bank_account):
    assert BankAccount.objects.before(bank_account) is None


@pytest.mark.parametrize("name", ["\u2615", "\u2615" * 140 + "Reef", "Reef\ufffe"])
def test_an_old_name_that_no_account_may_have_keeps_no_one_from_testing_payouts(merchant, name):
    merchant.name = name

    account = account_to_pay(merchant=merchant, livemode=False, currency="BSD", now=utc_now())

    assert account.holder_name == merchant.slug
