"""What each act changes of one customer, column by column, and nothing of another like them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest

from core.models import Quota
from customers.account_changes import AccountChange, record_change
from customers.codes import check_code, request_code
from customers.erasure import erase_customer
from customers.errors import InvalidCode, InvalidPin, ProofMethod, VerificationFailed
from customers.models import (
    CodePurpose,
    Customer,
    CustomerChange,
    CustomerSession,
    Passkey,
    PasskeyChallenge,
    SignInCode,
)
from customers.passkey_removal import remove_passkey, revoke_passkey
from customers.pin_locks import unlock_pin
from customers.pins import replace_pin, set_pin
from customers.services import find_or_create, freeze, freeze_by_owner, unfreeze
from customers.sessions import (
    SignedIn,
    end_session,
    find_session,
    remember_proof,
    sign_in,
    start_session,
)
from messages.models import Message
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import answer, ask, enrol
from tests.customers.guessing import ADDRESS, OTHER_PIN, PIN, WRONG_PIN, check
from tests.customers.texts import TextBox
from tests.row_changes import World, changed, rows_of

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


@dataclass
class Neighbour:
    """A live customer in the middle of everything: signed in, with a code, a PIN and a passkey."""

    customer: Customer
    signed_in: SignedIn
    device: VirtualAuthenticator
    handle: str
    code: str

    @property
    def session(self) -> CustomerSession:
        return self.signed_in.session

    def rows(self) -> World:
        customer, phone = self.customer.pk, self.customer.phone
        return rows_of(
            Customer.objects.filter(pk=customer),
            CustomerSession.objects.filter(customer=customer),
            Passkey.objects.filter(customer=customer),
            PasskeyChallenge.objects.filter(customer=customer),
            CustomerChange.objects.filter(customer=customer),
            SignInCode.objects.filter(phone=phone),
            Quota.objects.filter(key__endswith=phone),
            Message.objects.filter(about=customer),
        )


def person(phone: str, texts: TextBox, now: datetime) -> Neighbour:
    before, device = now - MINUTE, VirtualAuthenticator(counter=1)
    customer = find_or_create(phone=phone, now=before)
    set_pin(customer_id=customer.pk, pin=PIN, now=before)
    handle = request_code(
        phone=phone, livemode=True, purpose=CodePurpose.SIGN_IN, address=ADDRESS, now=before
    )
    signed_in = start_session(customer=Customer.objects.get(pk=customer.pk), now=before)
    remember_proof(signed_in.session, ProofMethod.PIN, now=before)
    enrol(signed_in.session, device, before)
    remember_proof(signed_in.session, ProofMethod.PASSKEY, now=before)
    start_session(customer=signed_in.session.customer, now=before)
    ask(signed_in.session, before)
    Customer.objects.filter(pk=customer.pk).update(
        pin_failures=3, pin_locked_until=before, name="Ada", email="ada@example.com"
    )
    customer.refresh_from_db()
    return Neighbour(customer, signed_in, device, handle, texts.code)


def copied(who: Neighbour, now: datetime) -> None:
    Passkey.objects.update(sign_count=9)
    with pytest.raises(VerificationFailed):
        answer(who.session, who.device.get(ask(who.session, now)), now)
    Passkey.objects.update(sign_count=1)


def wrong_pin(who: Neighbour, now: datetime) -> None:
    with pytest.raises(InvalidPin):
        check(who.customer, WRONG_PIN, now)


def wrong_code(who: Neighbour, now: datetime) -> None:
    wrong = f"{(int(who.code) + 1) % 1_000_000:06}"
    with pytest.raises(InvalidCode):
        check_code(handle=who.handle, code=wrong, purpose=CodePurpose.SIGN_IN, now=now)


def deny_address(who: Neighbour, now: datetime) -> None:
    """Deny what came a day ago, with an address that came just then."""
    since, pk = now - timedelta(days=1), who.customer.pk
    record_change(pk, AccountChange.EMAIL_SET, actor="", now=since)
    freeze_by_owner(customer_id=pk, since=since, now=now)


def freeze_and_unfreeze(who: Neighbour, now: datetime) -> None:
    for act in (freeze, unfreeze):
        act(customer_id=who.customer.pk, actor="staff:ada", now=now)


ENDED = {"CustomerSession": {"ended_at"}}
TOLD = {"Message": {"new"}}
UNLOCKED = {"pin_failures", "pin_locked_until", "updated_at"}
NEW_PIN = UNLOCKED | {"pin_hash", "pin_set_at"}
NEW_PROOF = {"proof_changed_at"}
Act = Callable[[Neighbour, datetime], object]
ACTS: dict[str, tuple[Act, dict[str, set[str]]]] = {
    "freeze": (
        lambda who, now: freeze(customer_id=who.customer.pk, actor="staff:ada", now=now),
        ENDED | {"Customer": {"frozen_at", "updated_at", "signature"}, "CustomerChange": {"new"}},
    ),
    "deny a change": (
        lambda who, now: freeze_by_owner(
            customer_id=who.customer.pk, since=now - timedelta(days=1), now=now
        ),
        ENDED
        | TOLD
        | {
            "Customer": NEW_PIN | NEW_PROOF | {"frozen_at", "signature"},
            "Passkey": {"removed_at"},
            "CustomerChange": {"new"},
        },
    ),
    "deny a change, of the address as well": (
        deny_address,
        ENDED
        | TOLD
        | {
            "Customer": NEW_PIN | NEW_PROOF | {"frozen_at", "signature", "email"},
            "Passkey": {"removed_at"},
            "CustomerChange": {"new"},
        },
    ),
    "unfreeze": (
        freeze_and_unfreeze,
        ENDED | {"Customer": {"updated_at"}, "CustomerChange": {"new"}},
    ),
    "erase": (
        lambda who, now: erase_customer(
            customer_id=who.customer.pk, actor="staff:ada", cause="Asked", now=now
        ),
        {
            "Customer": NEW_PIN | {"phone", "name", "email", "frozen_at", "erased_at", "signature"},
            "CustomerSession": {"gone"},
            "Passkey": {"gone"},
            "PasskeyChallenge": {"gone"},
            "SignInCode": {"gone"},
            "Quota": {"gone"},
            "CustomerChange": {"new"},
        },
    ),
    "unlock": (
        lambda who, now: unlock_pin(customer_id=who.customer.pk, now=now),
        {"Customer": UNLOCKED},
    ),
    "replace the PIN": (
        lambda who, now: replace_pin(who.customer, OTHER_PIN, now=now, session_id=who.session.pk),
        ENDED | TOLD | {"Customer": NEW_PIN},
    ),
    "replace the PIN by the phone": (
        lambda who, now: replace_pin(
            who.customer, OTHER_PIN, now=now, session_id=who.session.pk, is_new_proof=True
        ),
        ENDED | TOLD | {"Customer": NEW_PIN | NEW_PROOF},
    ),
    "enter a wrong PIN": (wrong_pin, {"Customer": UNLOCKED}),
    "enter the PIN": (lambda who, now: check(who.customer, PIN, now), {"Customer": UNLOCKED}),
    "sign out": (lambda who, now: end_session(who.signed_in.token, now=now), ENDED),
    "sign in again": (
        lambda who, now: start_session(
            customer=who.customer, now=now, replaces=who.signed_in.token
        ),
        {"CustomerSession": {"ended_at", "new"}},
    ),
    "sign in by code, in another language": (
        lambda who, now: sign_in(handle=who.handle, code=who.code, now=now, language="es"),
        {
            "CustomerSession": {"new"},
            "SignInCode": {"attempts", "used_at"},
        },
    ),
    "enter a wrong code": (wrong_code, {"SignInCode": {"attempts"}}),
    "come back": (
        lambda who, now: find_session(who.signed_in.token, livemode=True, now=now),
        {"CustomerSession": {"last_seen_at"}},
    ),
    "show the PIN": (
        lambda who, now: remember_proof(who.session, ProofMethod.PIN, now=now),
        {"CustomerSession": {"pin_verified_at"}},
    ),
    "agree by passkey": (
        lambda who, now: answer(who.session, who.device.get(ask(who.session, now)), now),
        {"Passkey": {"sign_count", "last_used_at"}, "PasskeyChallenge": {"new"}},
    ),
    "agree by a copied passkey": (
        copied,
        TOLD | {"Passkey": {"copied_at"}, "PasskeyChallenge": {"new"}},
    ),
    "add a passkey": (
        lambda who, now: enrol(who.session, VirtualAuthenticator(), now),
        TOLD
        | {
            "Customer": {"proof_changed_at", "updated_at"},
            "Passkey": {"new"},
            "PasskeyChallenge": {"new"},
        },
    ),
    "remove a passkey": (
        lambda who, now: remove_passkey(
            session=who.session, passkey_id=who.customer.passkeys.get().pk, now=now
        ),
        ENDED | TOLD | {"Passkey": {"removed_at"}},
    ),
    "have staff remove it": (
        lambda who, now: revoke_passkey(passkey_id=who.customer.passkeys.get().pk, now=now),
        ENDED | TOLD | {"Passkey": {"removed_at"}},
    ),
}


@pytest.mark.parametrize("name", ACTS)
def test_it_changes_these_columns_and_no_one_elses(
    texts: TextBox, now: datetime, name: str
) -> None:
    act, expected = ACTS[name]
    older, who, newer = (person(f"+1242359123{n}", texts, now) for n in (4, 5, 6))
    before = [each.rows() for each in (older, who, newer)]

    act(who, now)

    after = [each.rows() for each in (older, who, newer)]
    assert [changed(*pair) for pair in zip(before, after, strict=True)] == [{}, expected, {}]


@pytest.mark.parametrize(
    "name",
    ["deny a change", "unlock", "replace the PIN", "replace the PIN by the phone", "enter the PIN"],
)
def test_the_count_of_wrong_pins_begins_anew(texts: TextBox, now: datetime, name: str) -> None:
    who = person("+12423591234", texts, now)

    ACTS[name][0](who, now)

    who.customer.refresh_from_db()
    assert (who.customer.pin_failures, who.customer.pin_locked_until) == (0, None)
