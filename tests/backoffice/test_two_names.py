"""One person with two accounts is no second person to themselves."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from backoffice.errors import IndependentApproverRequired
from backoffice.models import AuditEntry
from backoffice.roles import Role
from backoffice.services.decisions import approve, decline
from backoffice.services.instructions import instruct
from core.clock import utc_now
from merchants.models import Merchant
from payments.models import Payment
from tests.backoffice.colleagues import (
    FIRST,
    SECOND,
    ask_for_account,
    at_desk,
    decide,
    let_in,
    staff_named,
    two_administrators,
)
from tests.backoffice.conftest import make_user
from tests.backoffice.rows import paid_payment, refund_request

pytestmark = pytest.mark.django_db

LATER = timedelta(days=60)  # long after anyone was let in
OWN, SAME_MAILBOX = "pat.bethel@gmail.com", "PatBethel+desk@googlemail.com"


@pytest.fixture
def two_names() -> None:
    """Pat, of Finance, whom two Administrators let in again under a new name."""
    two_administrators()
    make_user(Role.FINANCE, "pat")
    User.objects.filter(username="pat").update(email=OWN)
    ask_for_account(at_desk(), "patricia", Role.FINANCE, SAME_MAILBOX)
    assert decide(SECOND).status_code == 302


@pytest.fixture
def sold(merchant: Merchant) -> Payment:
    return paid_payment(merchant, 500_000)


@pytest.mark.parametrize(("asks", "decides"), [("pat", "patricia"), ("patricia", "pat")])
def test_who_is_let_in_twice_approves_nothing_of_their_own(
    two_names: None, sold: Payment, asks: str, decides: str
) -> None:
    now = utc_now() + LATER
    asked = instruct(staff=staff_named(asks), request=refund_request(sold, 200_000), now=now)

    with pytest.raises(IndependentApproverRequired, match="have the same e-mail address"):
        approve(staff=staff_named(decides), instruction_id=asked.pk, note="", now=now)

    asked.refresh_from_db()
    assert asked.status == "waiting"
    error = AuditEntry.objects.latest("sequence").error
    assert "pat" in error
    assert "@" not in error
    assert approve(staff=staff_named(SECOND), instruction_id=asked.pk, note="", now=now).result_id


def test_an_encoded_spelling_of_an_address_makes_no_second_person(
    two_names: None, sold: Payment
) -> None:
    """Mail to it goes to the same mailbox. No form takes it any more; the account has it still."""
    encoded = "=?utf-8?q?pat.bethel?=@gmail.com"
    User.objects.filter(username="patricia").update(email=encoded)
    now = utc_now() + LATER
    asked = instruct(staff=staff_named("pat"), request=refund_request(sold, 200_000), now=now)

    with pytest.raises(IndependentApproverRequired, match="have the same e-mail address"):
        approve(staff=staff_named("patricia"), instruction_id=asked.pk, note="", now=now)


def test_no_account_is_asked_for_with_an_encoded_address() -> None:
    two_administrators()

    refused = ask_for_account(at_desk(), "patricia", Role.FINANCE, "=?utf-8?q?pat?=@example.com")

    assert refused.status_code == 422
    assert "Enter a valid email address." in refused.content.decode()


def test_a_friend_of_their_other_name_approves_nothing_either(
    two_names: None, sold: Payment
) -> None:
    make_user(Role.ADMINISTRATOR, "third")
    User.objects.filter(username="third").update(email=OWN)
    let_in("friend", asks="third", approves=FIRST)
    now = utc_now() + timedelta(days=2)
    asked = instruct(staff=staff_named("pat"), request=refund_request(sold, 200_000), now=now)

    with pytest.raises(IndependentApproverRequired, match="pat and third"):
        approve(staff=staff_named("friend"), instruction_id=asked.pk, note="", now=now)


def test_one_may_decline_by_the_other_name(two_names: None, sold: Payment) -> None:
    now = utc_now() + LATER
    asked = instruct(staff=staff_named("pat"), request=refund_request(sold, 200_000), now=now)

    decline(staff=staff_named("patricia"), instruction_id=asked.pk, note="", now=now)

    asked.refresh_from_db()
    assert asked.status == "declined"


def test_accounts_without_an_address_are_not_one_person(sold: Payment) -> None:
    for name in ("ann", "ben"):
        make_user(Role.FINANCE, name)
    User.objects.update(email="")
    asked = instruct(staff=staff_named("ann"), request=refund_request(sold, 200_000), now=utc_now())

    approved = approve(staff=staff_named("ben"), instruction_id=asked.pk, note="", now=utc_now())

    assert approved.status == "carried_out"
