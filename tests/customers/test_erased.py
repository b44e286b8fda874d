"""Who was erased stays so, and keeps a number that no one has."""

from datetime import datetime, timedelta

import pytest

from customers.challenges import Binding, issue
from customers.erasure import erase_customer
from customers.errors import CustomerErased
from customers.models import ChallengePurpose, Customer, PasskeyChallenge, SignInCode
from customers.services import freeze, unfreeze

pytestmark = pytest.mark.django_db


def test_a_person_who_was_erased_stays_frozen(payer: Customer, now: datetime) -> None:
    freeze(customer_id=payer.pk, actor="staff:ada", now=now)
    later = now + timedelta(days=1)
    erased = erase_customer(customer_id=payer.pk, actor="staff:ada", cause="", now=later)

    assert (erased.frozen_at, erased.erased_at, erased.pin_failures) == (now, later, 0)
    with pytest.raises(CustomerErased):
        unfreeze(customer_id=payer.pk, actor="staff:ada", now=later)
    with pytest.raises(CustomerErased):
        erase_customer(customer_id=payer.pk, actor="staff:ada", cause="", now=later)


def test_the_number_of_who_was_erased_fits_and_codes_of_tests_stay(
    payer: Customer, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secrets.randbelow", lambda most: most - 1)
    for livemode in (False, True):
        code = {"phone": payer.phone, "livemode": livemode, "handle_hash": str(livemode)}
        SignInCode.objects.create(**code, purpose="sign_in", created_at=now, expires_at=now)

    erased = erase_customer(customer_id=payer.pk, actor="staff:ada", cause="", now=now)

    assert erased.phone == "+0" + "9" * 14
    assert [code.livemode for code in SignInCode.objects.all()] == [False]


def test_what_a_known_device_was_asked_goes_with_them(payer: Customer, now: datetime) -> None:
    issue(customer_id=payer.pk, session=None, binding=Binding(ChallengePurpose.SIGN_IN), now=now)

    erase_customer(customer_id=payer.pk, actor="staff:ada", cause="", now=now)

    assert not PasskeyChallenge.objects.exists()  # it belongs to no session
