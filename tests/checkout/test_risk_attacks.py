"""What a thief of a phone number, or of an unlocked browser, tries with real money."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from core.clock import utc_now
from customers.errors import NewProofLimitReached, ProofNeeded, VerificationFailed
from customers.models import Customer, CustomerSession
from customers.passkeys import begin_confirmation, begin_registration, finish_confirmation
from customers.services import top_up
from payments.models import Payment
from payments.paying import pay
from payments.statuses import PaymentStatus
from payments.verification import Verification
from tests.checkout.shopper import Shopper
from tests.checkout.thefts import NEW_PIN, PHONE, PIN, paid, press_pay, signed_in_to_account
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import enrol, proven
from tests.customers.texts import TextBox

pytestmark = pytest.mark.django_db
PaymentOf = Callable[..., Payment]


def test_small_payments_without_proof_end_after_five(
    browser: Shopper, payment_of: PaymentOf
) -> None:
    for _ in range(25):
        press_pay(browser, payment_of(200, livemode=True))

    assert paid() == [200] * 5
    assert browser.path.endswith("/pin")

    browser.send(pin=PIN)
    assert "<h1>Paid</h1>" in browser.text
    press_pay(browser, payment_of(200, livemode=True))
    assert paid() == [200] * 7


def test_small_payments_without_proof_end_at_a_sum(
    browser: Shopper, payment_of: PaymentOf, settings
) -> None:
    settings.RISK_UNPROVEN_AMOUNT = 700
    for _ in range(4):
        press_pay(browser, payment_of(200, livemode=True))

    assert paid() == [200] * 3
    assert browser.path.endswith("/pin")


def test_a_pin_pays_so_much_a_day(browser: Shopper, payment_of: PaymentOf) -> None:
    for _ in range(2):
        press_pay(browser, payment_of(5_000, livemode=True))
        browser.send(pin=PIN)

    press_pay(browser, payment_of(300, livemode=True))
    assert paid() == [5_000] * 2
    assert "passkey" in browser.path

    Customer.objects.update(paid_by_pin=f"{int(utc_now().timestamp()) - 86_400}:10000")
    assert press_pay(browser, payment_of(300, livemode=True)) == "pin"


def test_a_pin_reset_by_a_stolen_text_pays_fifty(
    browser: Shopper, texts: TextBox, payment_of: PaymentOf
) -> None:
    browser.visit("/account/pin/forgotten")
    browser.send(again="1")
    browser.send(code=texts.code, pin=NEW_PIN)
    assert "Your PIN has been changed." in browser.text

    for _ in range(8):
        if press_pay(browser, payment_of(5_000, livemode=True)) == "pin":
            browser.send(pin=NEW_PIN)

    assert paid() == [5_000]
    assert "Your PIN or passkey is new" in browser.text
    assert browser.response.status_code == 422


def test_a_first_pin_set_by_a_stolen_number_pays_fifty(
    victim: Customer, texts: TextBox, payment_of: PaymentOf
) -> None:
    Customer.objects.update(pin_hash="")  # the owner has never set one
    thief = signed_in_to_account(texts)
    thief.visit("/account/pin/forgotten")
    thief.send(again="1")
    thief.send(code=texts.code, pin=NEW_PIN)

    for _ in range(3):
        if press_pay(thief, payment_of(5_000, livemode=True)) == "pin":
            thief.send(pin=NEW_PIN)

    assert paid() == [5_000]
    assert "Your PIN or passkey is new" in thief.text


def test_the_first_pin_of_a_new_customer_is_no_new_proof(
    texts: TextBox, payment_of: PaymentOf
) -> None:
    newcomer = signed_in_to_account(texts)
    newcomer.visit("/account/pin/forgotten")
    newcomer.send(again="1")
    newcomer.send(code=texts.code, pin=NEW_PIN)
    top_up(customer=Customer.objects.get(), amount=10_000, currency="BSD", now=utc_now())

    for _ in range(2):
        press_pay(newcomer, payment_of(5_000, livemode=True))
        newcomer.send(pin=NEW_PIN)

    assert paid() == [5_000] * 2


def test_a_second_reset_opens_no_second_fifty(
    browser: Shopper, texts: TextBox, payment_of: PaymentOf
) -> None:
    for pin in (NEW_PIN, "9174"):
        browser.visit("/account/pin/forgotten")
        browser.send(again="1")
        browser.send(code=texts.code, pin=pin)
        if press_pay(browser, payment_of(5_000, livemode=True)) == "pin":
            browser.send(pin=pin)

    assert paid() == [5_000]

    Customer.objects.update(proof_changed_at=utc_now() - timedelta(hours=24))
    press_pay(browser, payment_of(5_000, livemode=True))
    browser.send(pin="9174")
    assert paid() == [5_000] * 2


def test_a_passkey_of_a_minute_ago_does_not_empty_the_wallet(
    victim: Customer, payment_of: PaymentOf
) -> None:
    now = utc_now()
    enrol(proven(victim, now - timedelta(minutes=1)), VirtualAuthenticator(), now)
    payment = payment_of(400_000, livemode=True)

    with pytest.raises(NewProofLimitReached):
        prove_and_pay(payment, victim, Verification.PASSKEY)

    tomorrow = now + timedelta(hours=24)
    Payment.objects.update(expires_at=tomorrow + timedelta(hours=1))
    prove_and_pay(payment, victim, Verification.PASSKEY, now=tomorrow)
    assert paid() == [400_000]


def prove_and_pay(
    payment: Payment, customer: Customer, verified: Verification, now: datetime | None = None
) -> Payment:
    now = now or utc_now()
    Payment.objects.filter(pk=payment.id).update(status=PaymentStatus.PENDING)
    return pay(payment_id=payment.id, customer=customer, verified=verified, actor="thief", now=now)


def test_what_the_page_did_not_ask_for_the_payment_refuses(
    victim: Customer, payment_of: PaymentOf
) -> None:
    Customer.objects.update(unproven_payments=5)

    with pytest.raises(VerificationFailed):
        prove_and_pay(payment_of(150, livemode=True), victim, Verification.NONE)

    assert paid() == []


def test_a_code_read_out_for_one_payment_opens_nothing_else(
    victim: Customer, texts: TextBox, payment_of: PaymentOf
) -> None:
    bait, other = payment_of(100, livemode=True), payment_of(150, livemode=True)
    thief = Shopper()
    thief.visit(f"{bait.hosted_url}/phone")
    thief.send(phone=PHONE)
    assert "to pay B$1.00 to" in texts.texts[-1]
    thief.send(code=texts.code)

    for address in ("/account", "/account/pin", "/account/pin/forgotten", "/account/passkeys/new"):
        thief.visit(address)
        assert thief.path == "/account/phone"
    assert press_pay(thief, other) == "phone"
    assert paid() == []

    press_pay(thief, bait)
    assert paid() == [100]


@pytest.mark.parametrize(
    ("bait", "choice"), [(201, "pin/new"), (201, "passkey/new"), (6_000, "passkey/new")]
)
def test_a_code_read_out_for_one_payment_makes_no_key(
    victim: Customer, texts: TextBox, payment_of: PaymentOf, bait: int, choice: str
) -> None:
    """Its text said no word of a PIN or passkey, which would open the whole wallet for good."""
    Customer.objects.update(pin_hash="")  # the owner has never set one
    payment, thief = payment_of(bait, livemode=True), Shopper()
    thief.visit(f"{payment.hosted_url}/phone")
    thief.send(phone=PHONE)
    thief.send(code=texts.code)
    fresh = f"{payment.hosted_url}/code/fresh"
    thief.visit(f"{payment.hosted_url}/{choice}")
    assert thief.path == fresh

    fields = thief.form().fields | {"pin": NEW_PIN, "credential": "{}"}
    for address in (choice, "passkey/new/options"):
        answer = thief.client.post(f"{payment.hosted_url}/{address}", fields)
        assert fresh in (answer.get("Location"), answer.content and answer.json().get("go"))
    session = CustomerSession.objects.get()
    with pytest.raises(ProofNeeded):
        begin_registration(session=session, now=utc_now(), payment_id=payment.id, amount=bait)
    assert not Customer.objects.get().has_pin
    assert "to pay B$" in texts.texts[-1]

    thief.visit(fresh)
    thief.send(again="1")
    assert "is your code for a new PIN or passkey at Payments." in texts.texts[-1]
    thief.send(code=texts.code)
    thief.visit(f"{payment.hosted_url}/{choice}")
    assert thief.path == f"{payment.hosted_url}/{choice}"  # as for its owner


def test_a_pin_and_a_code_to_pay_make_no_passkey(
    victim: Customer, texts: TextBox, payment_of: PaymentOf
) -> None:
    payment, thief = payment_of(6_000, livemode=True), Shopper()
    thief.visit(f"{payment.hosted_url}/phone")
    thief.send(phone=PHONE)
    thief.send(code=texts.code)

    assert thief.path == f"{payment.hosted_url}/code/fresh"


def test_the_code_for_a_payment_is_no_code_for_the_account(
    victim: Customer, texts: TextBox, payment_of: PaymentOf
) -> None:
    thief = Shopper()
    thief.visit(f"{payment_of(100, livemode=True).hosted_url}/phone")
    thief.send(phone=PHONE)
    thief.visit("/account/code")

    assert thief.path == "/account/phone?number=1"
    assert not CustomerSession.objects.exists()


def test_a_stolen_number_resets_no_pin_where_there_is_a_passkey(
    victim: Customer, texts: TextBox
) -> None:
    device, now = VirtualAuthenticator(), utc_now()
    enrol(proven(victim, now), device, now)
    thief = signed_in_to_account(texts)
    thief.visit("/account/pin/forgotten")
    assert thief.path == "/account/pin/proof"

    session = CustomerSession.objects.latest("pk")
    finish_confirmation(
        session=session,
        credential=device.get(begin_confirmation(session=session, now=now)),
        now=utc_now(),
    )
    thief.visit("/account/pin/proof")
    assert thief.path == "/account/pin/forgotten"
    thief.send(again="1")
    thief.send(code=texts.code, pin=NEW_PIN)
    assert "Your PIN has been changed." in thief.text


def test_the_magic_phone_shows_it_and_the_others_do_not(payment_of: PaymentOf) -> None:
    for phone, small in (("+1 242 555 0107", 5), ("+1 242 555 0100", 7)):
        shopper = Shopper()
        shopper.visit(f"/account/phone?test={payment_of(150).id}")
        shopper.send(phone=phone)
        shopper.send(code="000000")
        before = len(paid())
        for _ in range(7):
            press_pay(shopper, payment_of(150))
        assert len(paid()) - before == small
