"""Where the customer is signed in, and freezing the wallet on the customer's own page."""

import re
from datetime import timedelta
from functools import partial

import pytest

from backoffice.errors import InstructionDecided
from backoffice.models import Instruction
from backoffice.services.customers import unfreeze_with_approval
from checkout.browser_session import session_cookie
from checkout.views import safety
from core.clock import utc_now
from customers import own_safety
from customers.account_changes import AccountChange, CustomerChange
from customers.errors import VerificationFailed
from customers.models import Customer, CustomerSession
from customers.own_safety import end_other_session, end_other_sessions, freeze_own_wallet
from customers.services import find_or_create, freeze_by_owner
from customers.sessions import find_session, start_session
from merchants.callers import Caller
from tests.checkout.shopper import Shopper
from tests.checkout.signed_in_devices import signed_in_on
from tests.checkout.thefts import PHONE, press_pay
from tests.customers.texts import TextBox
from tests.factories import PasskeyFactory
from tests.races import at_once

pytestmark = pytest.mark.django_db
DEVICES, FREEZE = "/account/devices", "/account/freeze"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15"


def is_open(token: str) -> bool:
    return find_session(token, livemode=True, now=utc_now()) is not None


def test_it_lists_where_the_customer_is_signed_in_and_signs_one_out(victim: Customer) -> None:
    here, own = signed_in_on(victim, "iPhone")
    _, lost = signed_in_on(victim, "Android")
    _, at_home = signed_in_on(victim, "Windows", payment_id="pay_1")
    here.visit("/account")
    assert f'href="{DEVICES}"' in here.text
    here.visit(DEVICES)
    assert here.text.index("iPhone") < here.text.index("Windows") < here.text.index("Android")
    assert here.text.count("This device") == here.text.count("for one payment only") == 1

    stolen = CustomerSession.objects.get(device="Android")
    here.send(session=stolen.handle)

    assert (here.path, here.text.count("Signed out.")) == (DEVICES, 1)
    assert "Android" not in here.text
    assert [is_open(token) for token in (own, lost, at_home)] == [True, False, True]


def test_a_device_named_as_before_an_upgrade_is_not_said_to_be_signed_out(victim: Customer) -> None:
    """An owner in a hurry left it at that, with the thief signed in."""
    here, _ = signed_in_on(victim, "iPhone")
    _, stolen = signed_in_on(victim, "Android")
    here.visit(DEVICES)
    here.send(session=str(CustomerSession.objects.get(device="Android").pk))

    assert (here.path, is_open(stolen)) == (DEVICES, True)
    assert "Signed out." not in here.text


def test_all_other_devices_are_signed_out_at_once(victim: Customer) -> None:
    here, own = signed_in_on(victim, "iPhone")
    others = [signed_in_on(victim, device)[1] for device in ("Android", "Windows")]
    here.visit(DEVICES)

    here.send(session="others")

    assert "No other device is signed in." in here.text
    assert [is_open(token) for token in (own, *others)] == [True, False, False]


@pytest.mark.parametrize(
    ("language", "button", "unknown"),
    [
        ("en", "Sign out", "Unknown device"),
        ("es", "Cerrar sesión", "Dispositivo desconocido"),
        ("fr", "Déconnecter", "Appareil inconnu"),
        ("ht", "Dekonekte", "Aparèy nou pa konnen"),
    ],
)
def test_a_button_says_which_other_device_it_signs_out(
    victim: Customer, language: str, button: str, unknown: str
) -> None:
    """French had "sign yourself out"; a device that named itself nothing had no name to hear."""
    here, _ = signed_in_on(victim, "iPhone")
    for device in ("Android", ""):
        signed_in_on(victim, device)

    here.visit(f"{DEVICES}?lang={language}")

    for name in ("Android", unknown):
        assert f'>{button}<span class="away"> {name}</span></button>' in here.text


def test_a_long_list_of_devices_says_that_it_is_cut(
    victim: Customer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of sixty, fifty were shown as if they were all."""
    for module in (own_safety, safety):
        monkeypatch.setattr(module, "MOST_SHOWN", 2)
    signed_in_on(victim, "Android")
    here, _ = signed_in_on(victim, "iPhone")
    here.visit(DEVICES)
    assert "are not listed" not in here.text

    signed_in_on(victim, "Windows")
    here.visit(DEVICES)
    assert "Those used longer ago are not listed." in here.text


def test_no_page_numbers_what_all_customers_have(victim: Customer) -> None:
    """Two visits told how many customers had signed in, or added a passkey, between them."""
    here, _ = signed_in_on(victim, "iPhone")
    signed_in_on(victim, "Android")
    passkey = PasskeyFactory(customer=victim)

    here.visit(DEVICES)
    others = re.findall(r'name="session" value="(.+?)"', here.text)
    assert others == [CustomerSession.objects.get(device="Android").handle, "others"]
    here.visit("/account")
    assert re.findall("/passkeys/(.+?)/remove", here.text) == [passkey.handle]
    assert all(len(each) == 16 for each in (others[0], passkey.handle))


@pytest.mark.parametrize(
    "chosen",
    ["own", "of another customer", "²", pytest.param("1" * 5_000, id="no number"), "-1", ""],
)
def test_it_signs_out_neither_this_device_nor_anyone_else(victim: Customer, chosen: str) -> None:
    here, own = signed_in_on(victim, "iPhone")
    _, other = signed_in_on(victim, "Android")
    stranger = find_or_create(phone="+12423590000", now=utc_now())
    _, theirs = signed_in_on(stranger, "Linux")
    named = {"own": "iPhone", "of another customer": "Linux"}
    if chosen in named:
        chosen = CustomerSession.objects.get(device=named[chosen]).handle
    here.visit(DEVICES)
    assert "Linux" not in here.text

    here.send(session=chosen)

    assert here.response.status_code == 200
    assert is_open(own)
    assert is_open(other)
    assert is_open(theirs)


def test_by_the_number_alone_others_are_not_told_but_can_be_signed_out(
    browser: Shopper, victim: Customer
) -> None:
    """A thief of the number could tell staff, who ask callers who they are, what is listed."""
    _, owners = signed_in_on(victim, "Android")
    browser.visit(DEVICES)
    assert "Other devices are signed in, too." in browser.text
    assert "Android" not in browser.text

    browser.send(session="others")

    assert not is_open(owners)


def test_with_a_proof_of_today_others_are_not_told(victim: Customer) -> None:
    """A thief of the number may have set that PIN."""
    Customer.objects.update(
        created_at=utc_now() - timedelta(days=9), proof_changed_at=utc_now() - timedelta(hours=1)
    )
    here, _ = signed_in_on(victim, "iPhone")
    signed_in_on(victim, "Android")

    here.visit(DEVICES)

    assert "Other devices are signed in, too." in here.text
    assert "Android" not in here.text


def test_a_session_knows_the_kind_of_its_device(victim: Customer, texts: TextBox) -> None:
    shopper = Shopper(user_agent=IPHONE)
    shopper.visit("/account/phone")
    shopper.send(phone=PHONE)
    shopper.send(code=texts.code)

    assert shopper.path == "/account"
    assert CustomerSession.objects.get().device == "iPhone"


def test_the_customer_freezes_the_wallet(victim: Customer, payment_of) -> None:
    here, own = signed_in_on(victim, "iPhone")
    thief, stolen = signed_in_on(victim, "Android")
    here.visit("/account")
    assert f'href="{FREEZE}"' in here.text
    here.visit(FREEZE)
    assert "You cannot undo this" in here.text
    assert is_open(stolen)

    here.send()

    assert "<h1>Your wallet is frozen</h1>" in here.text
    assert victim.masked_phone not in here.text  # at the top, as of who is signed in
    assert here.client.cookies[session_cookie(livemode=True)].value == ""
    assert not is_open(own)
    assert not is_open(stolen)
    assert press_pay(thief, payment_of(150, livemode=True)) == "phone"
    change = CustomerChange.objects.get()
    assert (change.change, change.actor) == (AccountChange.FROZEN, f"customer:{victim.pk}")
    assert change.cause == "On the customer's own page."


def test_a_thief_who_signs_in_cannot_undo_it(victim: Customer, texts: TextBox) -> None:
    here, _ = signed_in_on(victim, "iPhone")
    here.visit(FREEZE)
    here.send()

    thief = Shopper()
    thief.visit("/account/phone")
    thief.send(phone=PHONE)
    thief.send(code=texts.code)

    assert "Your wallet cannot pay at the moment" in thief.text
    victim.refresh_from_db()
    assert victim.frozen_at is not None


def test_an_ended_session_freezes_nothing(victim: Customer) -> None:
    session = start_session(customer=victim, now=utc_now()).session
    CustomerSession.objects.update(ended_at=utc_now() - timedelta(seconds=1))

    with pytest.raises(VerificationFailed):
        freeze_own_wallet(session=session, now=utc_now())

    victim.refresh_from_db()
    assert victim.frozen_at is None


def test_a_device_that_was_signed_out_signs_no_other_out(victim: Customer) -> None:
    """A thief's request, on its way when the owner signs the thief out, took the owner along."""
    now = utc_now()
    thief = start_session(customer=victim, now=now).session
    owner = start_session(customer=victim, now=now)
    end_other_sessions(session=owner.session, now=now)

    with pytest.raises(VerificationFailed):
        end_other_sessions(session=thief, now=now)
    with pytest.raises(VerificationFailed):
        end_other_session(session=thief, handle=owner.session.handle, now=now)

    assert is_open(owner.token)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_of_two_devices_that_sign_each_other_out_at_once_one_stays() -> None:
    now = utc_now()
    customer = find_or_create(phone="+12423590000", now=now)
    both = [start_session(customer=customer, now=now) for _ in range(2)]

    outcomes = at_once([partial(end_other_sessions, session=s.session, now=now) for s in both])

    assert outcomes.count(None) == 1
    assert sum(is_open(each.token) for each in both) == 1


def test_who_freezes_first_takes_nothing_from_the_owners_link(victim: Customer) -> None:
    """A thief froze the wallet and had staff asked to unfreeze it: the link did not void that."""
    froze_at = utc_now()
    freeze_own_wallet(session=start_session(customer=victim, now=froze_at).session, now=froze_at)
    asked = Instruction(subject_id=victim.pk, asked_at=froze_at + timedelta(minutes=1))
    denied_at, later = (froze_at + timedelta(minutes=each) for each in (2, 3))

    freeze_by_owner(customer_id=victim.pk, since=froze_at, now=denied_at)
    freeze_by_owner(customer_id=victim.pk, since=froze_at, now=later)

    victim.refresh_from_db()
    assert victim.frozen_at == denied_at
    with pytest.raises(InstructionDecided):
        unfreeze_with_approval(asked, Caller.for_staff(livemode=True, actor="staff:ann"), later)


def test_testers_who_share_a_phone_cannot_freeze_it(payment) -> None:
    tester = Shopper()
    tester.visit(f"/account?test={payment.id}")
    tester.send(phone="+12425550177")
    tester.send(code="000000")
    assert FREEZE not in tester.text

    tester.visit(f"{FREEZE}?test={payment.id}")
    assert tester.path.startswith("/account?")
    tester.client.handler.enforce_csrf_checks = False
    assert tester.client.post(f"{FREEZE}?test={payment.id}").status_code == 303

    assert Customer.objects.get(phone="+12425550177").frozen_at is None
