"""A payment that waits for its payer while the session that pays is ended: it pays nothing."""

from collections.abc import Callable
from functools import partial

import pytest
from pytest_django import Settings

from core.clock import utc_now
from customers.errors import ProofMethod
from customers.models import Customer, Passkey
from customers.passkey_removal import remove_passkey, revoke_passkey
from customers.services import wallet
from customers.sessions import remember_proof, start_session
from funding.continuing import follow_up, store_verification
from funding.services import credit_top_up
from ledger.models import Transfer
from payments.models import Payment
from payments.statuses import PaymentStatus
from payments.verification import Verification
from tests.checkout.shopper import Shopper
from tests.checkout.thefts import PIN
from tests.funding.money_in import ordered
from tests.races import held_up

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
BEFORE = 1_000_000


@pytest.fixture
def lost(victim: Customer) -> Passkey:
    """The passkey of a laptop that is lost, on which the customer is signed in."""
    return Passkey.objects.create(
        customer=victim,
        credential_id="lost-laptop",
        public_key=b"",
        sign_count=0,
        transports=[],
        is_synced=False,
        created_at=utc_now(),
    )


def by_the_owner(lost: Passkey) -> None:
    session = start_session(customer=lost.customer, now=utc_now()).session
    remember_proof(session, ProofMethod.PASSKEY, now=utc_now())
    remove_passkey(session=session, passkey_id=lost.pk, now=utc_now())


def by_staff(lost: Passkey) -> None:
    revoke_passkey(passkey_id=lost.pk, now=utc_now())


@pytest.mark.parametrize("end", [by_the_owner, by_staff])
@pytest.mark.parametrize("amount", [150, 1_250])
def test_a_payment_of_a_session_that_ends_meanwhile_is_not_paid(
    browser: Shopper,
    lost: Passkey,
    payment_of: Callable[..., Payment],
    end: Callable[[Passkey], None],
    amount: int,
) -> None:
    """The owner was told that the laptop is signed out; then it paid."""
    payment = payment_of(amount, livemode=True)
    browser.visit(payment.hosted_url)

    held_up(partial(end, lost), lambda: browser.send(to="/pay", pin=PIN))

    payment.refresh_from_db()
    assert payment.status != PaymentStatus.COMPLETED
    assert wallet(lost.customer, "BSD").balance == BEFORE
    assert not Transfer.objects.filter(reference=payment.id).exists()
    assert "No money has been taken." in browser.text
    browser.visit(payment.hosted_url)
    browser.send(to="/pay")
    assert browser.path == f"{payment.hosted_url}/phone"


def test_what_it_has_proved_pays_nothing_when_money_arrives(
    lost: Passkey, payment_of: Callable[..., Payment], settings: Settings
) -> None:
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"
    payment = payment_of(1_250, livemode=True)
    laptop = start_session(customer=lost.customer, now=utc_now()).session
    pin = Verification.PIN
    store_verification(payment=payment, session=laptop, verified=pin, now=utc_now())
    top_up = ordered(lost.customer, 2_000, payment=payment)
    credit_top_up(top_up_id=top_up.pk, amount=2_000, actor="staff:ann", now=utc_now())

    followed = held_up(
        partial(by_staff, lost), partial(follow_up, top_up_id=top_up.pk, now=utc_now())
    )

    assert followed is True
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.CREATED
    assert wallet(lost.customer, "BSD").balance == BEFORE + 2_000
