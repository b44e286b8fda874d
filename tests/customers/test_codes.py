"""One-time codes: hashed, counted before they are checked, used once, and not sent too often."""

import re
from datetime import datetime, timedelta
from functools import partial

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from core.clock import utc_now
from core.errors import RateLimited, ValidationFailed
from core.models import Quota
from customers import codes
from customers.codes import check_code, request_code
from customers.errors import CodeExpired, InvalidCode
from customers.models import CodePurpose, Customer, SignInCode
from customers.services import find_or_create
from messages import sms
from messages.errors import MessageNotSent
from tests.customers.guessing import ADDRESS
from tests.customers.texts import PHONE, TextBox, ask
from tests.races import at_once

pytestmark = pytest.mark.django_db

TEN_MINUTES = timedelta(minutes=10)


def use(handle: str, code: str, now: datetime) -> SignInCode:
    return check_code(handle=handle, code=code, purpose=CodePurpose.SIGN_IN, now=now)


def wrong(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06}"


def test_it_sends_six_digits_with_payee_and_amount(texts: TextBox, now: datetime) -> None:
    ask(now)

    assert texts.to == ["+12423591234"]
    assert texts.texts[0] == (
        f"{texts.code} is your code to pay B$12.50 to Conch Shack. "
        "Do not share it. It works for 10 minutes.\n\n"
        f"@testserver #{texts.code}"
    )
    assert re.fullmatch("[0-9]{6}", texts.code)


def test_the_code_is_good_once(texts: TextBox, now: datetime) -> None:
    handle = ask(now)

    proof = use(handle, texts.code, now)

    assert (proof.phone, proof.livemode) == ("+12423591234", True)
    with pytest.raises(CodeExpired):
        use(handle, wrong(texts.code), now)
    with pytest.raises(CodeExpired) as refusal:
        use(handle, texts.code, now)
    assert (refusal.value.status, refusal.value.code) == (422, "VERIFICATION_FAILED")


def test_neither_code_nor_handle_is_stored(texts: TextBox, now: datetime) -> None:
    handle = ask(now)

    stored = [str(value) for value in SignInCode.objects.values_list().get()]
    assert not [value for value in stored if texts.code in value or handle in value]


def test_the_same_code_hashes_differently_and_needs_the_pepper(
    texts: TextBox, now: datetime, settings: Settings
) -> None:
    handles = [ask(now, livemode=False), ask(now, livemode=False)]
    assert len(set(SignInCode.objects.values_list("code_hash", flat=True))) == 2

    settings.PIN_PEPPER = "another pepper"
    with pytest.raises(InvalidCode):
        use(handles[0], "000000", now)


def test_spaces_and_hyphens_do_not_matter(texts: TextBox, now: datetime) -> None:
    handle = ask(now)

    use(handle, f" {texts.code[:3]}-{texts.code[3:]} ", now)


@pytest.mark.parametrize("code", ["", "12345", "1234567", "12345a", "١٢٣٤٥٦"])
def test_what_is_no_code_costs_no_attempt(texts: TextBox, now: datetime, code: str) -> None:
    handle = ask(now)

    with pytest.raises(ValidationFailed) as refusal:
        use(handle, code, now)

    assert refusal.value.details == "code: must be 6 digits"
    assert SignInCode.objects.get().attempts == 0


def test_five_wrong_ones_use_it_up(texts: TextBox, now: datetime) -> None:
    handle = ask(now)
    for left in (4, 3, 2, 1, 0):
        with pytest.raises(InvalidCode) as refusal:
            use(handle, wrong(texts.code), now)
        assert refusal.value.attempts_left == left

    with pytest.raises(CodeExpired):
        use(handle, texts.code, now)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_64_guesses_at_once_are_at_most_five(texts: TextBox) -> None:
    now = utc_now()
    handle = ask(now)

    answers = at_once([partial(use, handle, wrong(texts.code), now)] * 64)

    assert sum(isinstance(answer, InvalidCode) for answer in answers) == 5
    assert sum(isinstance(answer, CodeExpired) for answer in answers) == 59


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_code_used_many_times_at_once_is_good_once(texts: TextBox) -> None:
    now = utc_now()
    handle = ask(now)

    answers = at_once([partial(use, handle, texts.code, now)] * 5)

    assert sum(isinstance(answer, SignInCode) for answer in answers) == 1
    assert sum(isinstance(answer, CodeExpired) for answer in answers) == 4


def test_it_expires_after_ten_minutes(texts: TextBox, now: datetime) -> None:
    handle = ask(now)

    with pytest.raises(CodeExpired):
        use(handle, texts.code, now + TEN_MINUTES)

    use(handle, texts.code, now + TEN_MINUTES - timedelta(milliseconds=1))


def test_it_is_good_for_its_purpose_only(texts: TextBox, now: datetime) -> None:
    handle = ask(now)

    with pytest.raises(CodeExpired):
        check_code(handle=handle, code=texts.code, purpose=CodePurpose.RESET_PIN, now=now)
    assert SignInCode.objects.get().attempts == 0


def test_it_is_good_with_its_own_handle_only(
    texts: TextBox, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codes, "_new_code", iter(["111111", "222222"]).__next__)
    ask(now)
    other = ask(now, phone="+12423595678")

    with pytest.raises(InvalidCode):
        use(other, "111111", now)
    with pytest.raises(CodeExpired):
        use("no such handle", "222222", now)


def test_it_is_good_for_the_customer_it_was_sent_to_only(
    texts: TextBox, payer: Customer, now: datetime
) -> None:
    handle = ask(now, phone="+12423595678")

    with pytest.raises(CodeExpired):
        check_code(
            handle=handle,
            code=texts.code,
            purpose=CodePurpose.SIGN_IN,
            now=now,
            customer=payer,
        )


def test_a_test_code_proves_nothing_of_a_live_customer(now: datetime, payer: Customer) -> None:
    handle = ask(now, phone=payer.phone, livemode=False)

    with pytest.raises(CodeExpired):
        check_code(
            handle=handle, code="000000", purpose=CodePurpose.SIGN_IN, now=now, customer=payer
        )
    assert use(handle, "000000", now).livemode is False


def test_in_test_mode_the_code_is_zeros_and_nothing_is_sent(texts: TextBox, now: datetime) -> None:
    for _ in range(100):
        handle = ask(now, phone="+12425550100", livemode=False)

    with pytest.raises(InvalidCode):
        use(handle, "000001", now)
    use(handle, "000000", now)
    assert texts.texts == []
    assert Quota.objects.count() == 0


def test_live_codes_are_random(texts: TextBox, now: datetime) -> None:
    seen = set()
    for number in range(12):
        ask(now, phone=f"+124235912{number:02}")
        seen.add(texts.code)

    assert len(seen) > 8


def test_it_does_the_same_for_known_and_unknown_phones(
    texts: TextBox, payer: Customer, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codes, "_new_code", lambda: "123456")
    statements = []
    for phone in (payer.phone, "+12423595678"):
        with CaptureQueriesContext(connection) as captured:
            assert len(ask(now, phone=phone)) == 43
        statements.append(len(captured))

    assert texts.texts[0] == texts.texts[1]
    assert statements[0] == statements[1]
    assert Customer.objects.count() == 1


def test_a_phone_gets_five_an_hour(texts: TextBox, now: datetime) -> None:
    for number in range(5):
        ask(now, address=f"203.0.113.{number}")

    with pytest.raises(RateLimited):
        ask(now, address="203.0.113.99")

    assert len(texts.texts) == SignInCode.objects.count() == 5
    ask(now + timedelta(hours=1), address="203.0.113.99")


def test_a_phone_gets_fifteen_a_day(texts: TextBox, now: datetime) -> None:
    for number in range(15):
        ask(now + timedelta(hours=number), address=f"203.0.113.{number}")

    with pytest.raises(RateLimited):
        ask(now + timedelta(hours=16))
    ask(now + timedelta(hours=24))


def test_a_network_gets_sixty_an_hour(texts: TextBox, now: datetime) -> None:
    for number in range(60):
        ask(now, phone=f"+124235912{number:02}")

    with pytest.raises(RateLimited):
        ask(now, phone="+12423599999", address="203.0.113.8")

    assert not Quota.objects.filter(key="code-phone-hour:+12423599999").exists()
    ask(now, phone="+12423599999", address="203.0.114.7")


def test_a_phone_must_be_one(texts: TextBox, now: datetime) -> None:
    with pytest.raises(ValidationFailed):
        ask(now, phone="+1 900 555 1234")

    assert (texts.texts, SignInCode.objects.count(), Quota.objects.count()) == ([], 0, 0)


def test_it_sends_after_the_row_is_committed(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*, to: str, text: str) -> None:
        assert SignInCode.objects.count() == 1
        raise MessageNotSent

    monkeypatch.setattr(sms, "send", refuse)
    with pytest.raises(MessageNotSent) as refusal:
        ask(now)
    assert refusal.value.status == 503


def test_it_refuses_to_send_inside_a_transaction(texts: TextBox, now: datetime) -> None:
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        ask(now, livemode=False)


def test_it_refuses_to_count_an_attempt_that_could_be_undone(texts: TextBox, now: datetime) -> None:
    handle = ask(now)

    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        use(handle, texts.code, now)


def test_every_purpose_has_a_code(texts: TextBox, now: datetime) -> None:
    customer = find_or_create(phone=PHONE, now=now)
    for purpose in CodePurpose:
        handle = request_code(
            phone=customer.phone, livemode=True, purpose=purpose, address=ADDRESS, now=now
        )
        check_code(handle=handle, code=texts.code, purpose=purpose, now=now, customer=customer)
