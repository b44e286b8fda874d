"""`manage.py rotate_encryption`, and the start that is refused while a key is missing."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from pytest_django import Settings

from config import key_rotation
from config.key_check import refuse_missing_keys
from core.clock import utc_now
from core.crypto import decrypt, encrypt, try_decrypt
from core.key_register import configured_ids, missing_keys, note_keys
from core.models import IdempotencyKey, KeyInUse, KeyPurpose
from core.sealed import sealed_columns
from core.signatures import is_signed, signature_field
from customers.models import Customer
from customers.pin_hashing import newest_pepper
from merchants.models import Merchant
from payouts.bank_accounts import BankDetails, open_bank_account
from payouts.models import BankAccount
from tests.client import Api
from tests.factories import CustomerFactory
from webhooks.models import Webhook

pytestmark = pytest.mark.django_db

NEW = Fernet.generate_key().decode()
PEPPER = "a new pepper of thirty-two characters or more"


def position_of_key(token: str) -> int:
    found = try_decrypt(token)
    assert found
    return found.position


def rotate(*arguments: str) -> str:
    out = StringIO()
    call_command("rotate_encryption", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def stored(api: Api, merchant: Merchant) -> None:
    """Store secrets of several kinds, the response of a POST among them."""
    api(merchant).post(
        "/v1/webhooks",
        {"url": "https://shop.example.com/hook", "events": ["*"]},
        idempotency_key="one",
    )
    api(merchant).post("/v1/payments", {"amount": 100}, idempotency_key="two")
    details = BankDetails("BSD", "Shop", "Bank", "000123456789", clearing_code="000000")
    open_bank_account(
        merchant_id=merchant.id, livemode=False, details=details, actor="tests", now=utc_now()
    )
    note_keys(now=utc_now())


@pytest.fixture
def old_key(stored: None, settings: Settings) -> str:
    """Start, a day later, with a new key before the one of what is stored; return that."""
    old = settings.ENCRYPTION_KEY
    settings.ENCRYPTION_KEY = f"{NEW},{old}"
    note_keys(now=utc_now() + timedelta(days=1))
    return str(old)


def test_it_knows_every_column_that_holds_secrets() -> None:
    assert sorted((model.__name__, name) for model, name in sealed_columns()) == [
        ("AddressKey", "sealed_key"),
        ("Authenticator", "sealed_key"),
        ("BankAccount", "encrypted_number"),
        ("IdempotencyKey", "body"),
        ("Instruction", "sealed_arguments"),
        ("Instruction", "sealed_result"),
        ("InstructionFile", "sealed_content"),
        ("PayoutOrder", "encrypted_number"),
        ("Webhook", "previous_secret"),
        ("Webhook", "secret"),
    ]


def test_it_moves_all_to_the_new_key(old_key: str, settings: Settings) -> None:
    secret = decrypt(Webhook.objects.get().secret)
    assert position_of_key(Webhook.objects.get().secret) == 1

    said = rotate()

    assert "0 rows left on key 2" in said
    assert "webhooks.Webhook.secret: 1 secrets, 1 moved to key 1" in said
    settings.ENCRYPTION_KEY = NEW
    assert decrypt(Webhook.objects.get().secret) == secret
    assert BankAccount.objects.get().decrypt_number()
    bodies = {row.key: bytes(row.body or b"") for row in IdempotencyKey.objects.all()}
    assert json.loads(decrypt(bodies["one"].decode()))["secret"] == secret
    assert json.loads(bodies["two"])["amount"] == 100
    refuse_missing_keys()


def test_it_goes_on_where_it_was_ended(
    old_key: str, merchant: Merchant, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_rotation, "BATCH", 1)
    for number in range(2):
        url = f"https://shop.example.com/{number}"
        api(merchant).post("/v1/webhooks", {"url": url, "events": ["*"]})
    [first, *_] = Webhook.objects.order_by("pk")
    Webhook.objects.filter(pk=first.pk).update(secret=encrypt("moved before"))

    assert "0 rows left on key 2" in rotate()

    assert {position_of_key(row.secret) for row in Webhook.objects.all()} == {0}
    assert decrypt(Webhook.objects.get(pk=first.pk).secret) == "moved before"


def test_what_another_rotation_has_moved_meanwhile_is_not_left(
    old_key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overtaken(text: str, place: bytes) -> str:
        if text.startswith("whsec_"):
            Webhook.objects.update(secret=encrypt(text, place))
        return encrypt(text, place)

    monkeypatch.setattr(key_rotation, "encrypt", overtaken)

    assert "0 rows left on key 2" in rotate()


def test_a_check_writes_nothing_and_fails_while_something_is_left(old_key: str) -> None:
    before = list(KeyInUse.objects.order_by("pk").values())
    with pytest.raises(CommandError, match=r"[1-9] rows left on key 2"):
        rotate("--check")

    assert position_of_key(Webhook.objects.get().secret) == 1
    assert list(KeyInUse.objects.order_by("pk").values()) == before


def test_nothing_is_moved_to_a_key_that_another_has_followed(
    old_key: str, settings: Settings
) -> None:
    Webhook.objects.update(secret=encrypt("whsec_new"))
    new, _ = configured_ids()[KeyPurpose.ENCRYPTION]
    settings.ENCRYPTION_KEY = f"{old_key},{NEW}"  # of a shell from before the second restart

    with pytest.raises(CommandError, match=f"{new} is newer than key 1"):
        rotate()
    assert position_of_key(Webhook.objects.get().secret) == 1

    assert "0 rows left on key 2" in rotate("--back")
    assert position_of_key(Webhook.objects.get().secret) == 0


def test_the_first_start_registers_earlier_keys_too(settings: Settings) -> None:
    settings.ENCRYPTION_KEY = f"{NEW},{settings.ENCRYPTION_KEY}"

    note_keys(now=utc_now())

    entered = KeyInUse.objects.filter(purpose=KeyPurpose.ENCRYPTION)
    assert {each.key_id for each in entered} == set(configured_ids()[KeyPurpose.ENCRYPTION])


def test_a_key_that_is_released_stays_so_until_something_is_written_under_it(
    old_key: str, settings: Settings
) -> None:
    rotate()
    refuse_missing_keys()  # a process that still has both starts again

    settings.ENCRYPTION_KEY = NEW
    refuse_missing_keys()
    settings.ENCRYPTION_KEY = f"{old_key},{NEW}"  # of a shell from before the rotation
    with pytest.raises(CommandError, match="No process writes under key 1"):
        rotate()
    assert position_of_key(Webhook.objects.get().secret) == 1


def test_a_start_without_a_needed_key_is_refused(stored: None, settings: Settings) -> None:
    settings.ENCRYPTION_KEY = NEW

    with pytest.raises(ImproperlyConfigured, match=r"ENCRYPTION_KEY .* is missing, in use since"):
        refuse_missing_keys()
    assert configured_ids()[KeyPurpose.ENCRYPTION][0] not in KeyInUse.objects.values_list(
        "key_id", flat=True
    )


def test_a_start_without_a_needed_pepper_is_refused(stored: None, settings: Settings) -> None:
    settings.PIN_PEPPER = PEPPER

    with pytest.raises(ImproperlyConfigured, match=r"PIN_PEPPER .* PIN_PEPPER_FALLBACKS"):
        refuse_missing_keys()


def test_what_no_key_reads_is_named(old_key: str, settings: Settings) -> None:
    settings.ENCRYPTION_KEY = NEW

    with pytest.raises(CommandError, match=Webhook.objects.get().pk):
        rotate()

    assert len(missing_keys()) == 1


def test_a_lost_key_can_be_given_up(old_key: str, settings: Settings) -> None:
    settings.ENCRYPTION_KEY = NEW
    [lost] = missing_keys()

    rotate("--give-up", lost.key_id)

    refuse_missing_keys()


def test_a_key_that_is_here_is_not_given_up(stored: None) -> None:
    with pytest.raises(CommandError, match="is not missing"):
        rotate("--give-up", newest_pepper())


def test_a_lost_pepper_is_given_up_with_the_pins_under_it(stored: None, settings: Settings) -> None:
    lost = newest_pepper()
    customer = CustomerFactory.create(pin_hash="$argon2id$", pin_pepper=lost)
    settings.PIN_PEPPER = PEPPER

    said = rotate("--give-up", lost)

    assert "1 PINs have to be reset" in said
    customer = Customer.objects.get(pk=customer.pk)
    assert customer.pin_is_disabled
    refuse_missing_keys()


def test_it_counts_the_pins_that_need_an_earlier_pepper(stored: None, settings: Settings) -> None:
    old = newest_pepper()
    customer = CustomerFactory.create(pin_hash="$argon2id$", pin_pepper=old)
    settings.PIN_PEPPER_FALLBACKS, settings.PIN_PEPPER = [settings.PIN_PEPPER], PEPPER

    assert f"1 PINs left on pepper {old}" in rotate()
    assert KeyInUse.objects.filter(key_id=old).exists()

    Customer.objects.filter(pk=customer.pk).update(pin_pepper=newest_pepper())
    assert "PINs left" not in rotate()
    assert not KeyInUse.objects.filter(key_id=old).exists()


def test_the_response_of_a_repeat_is_the_same_under_another_key(
    old_key: str, api: Api, merchant: Merchant
) -> None:
    rotate()

    body = {"url": "https://shop.example.com/hook", "events": ["*"]}
    response = api(merchant).post("/v1/webhooks", body, idempotency_key="one")

    assert response.headers["Idempotent-Replayed"] == "true"
    assert response.json()["secret"].startswith("whsec_")


def test_a_missing_key_is_our_fault_to_the_caller(
    old_key: str, api: Api, merchant: Merchant, settings: Settings
) -> None:
    settings.ENCRYPTION_KEY = NEW

    body = {"url": "https://shop.example.com/hook", "events": ["*"]}
    response = api(merchant).post("/v1/webhooks", body, idempotency_key="one")

    assert (response.status_code, response.json()["code"]) == (503, "SERVICE_UNAVAILABLE")


def test_a_row_whose_signature_covers_the_secret_is_signed_anew(
    old_key: str, settings: Settings
) -> None:
    rotate()

    account, covers = BankAccount.objects.get(), signature_field(BankAccount)
    assert covers
    assert position_of_key(account.encrypted_number) == 0
    assert is_signed(account.signature, covers.values_of(account))


def test_a_row_that_another_hand_has_altered_is_named_and_left(
    old_key: str, settings: Settings
) -> None:
    account = BankAccount.objects.get()
    BankAccount.objects.update(holder_name="Mallory")

    with pytest.raises(CommandError, match=f"altered by another hand, and left: {account.pk}"):
        rotate()

    assert BankAccount.objects.get().encrypted_number == account.encrypted_number


def test_a_start_without_a_key_that_signed_rows_is_refused(
    stored: None, settings: Settings
) -> None:
    settings.LEDGER_KEY = NEW

    with pytest.raises(ImproperlyConfigured, match=r"LEDGER_KEY .* is missing"):
        refuse_missing_keys()
