"""A restored database says which keys its secrets need before its payouts are opened."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from core.clock import utc_now
from core.models import KeyInUse, KeyPurpose
from payouts.continuity import is_shut

pytestmark = pytest.mark.django_db
LOST = "0123456789abcdef"


@pytest.fixture(autouse=True)
def lost_key() -> None:
    """A key that the backup was written under, and this process does not have."""
    KeyInUse.objects.create(purpose=KeyPurpose.ENCRYPTION, key_id=LOST, since=utc_now())


def test_a_restore_says_which_key_is_missing() -> None:
    errors = StringIO()
    call_command("restored", stdout=StringIO(), stderr=errors)

    first, *missing = errors.getvalue().splitlines()
    assert first == "Stored secrets cannot be read, and no process will start:"
    assert any("ENCRYPTION_KEY" in words and LOST in words for words in missing)


def test_payouts_stay_shut_without_the_key_that_stored_secrets_need() -> None:
    call_command("restored", stdout=StringIO(), stderr=StringIO())

    with pytest.raises(CommandError, match=f"{LOST}(?s:.*)Payouts stay shut"):
        call_command("restored", "--reconciled")
    assert is_shut(now=utc_now())

    KeyInUse.objects.filter(key_id=LOST).delete()
    call_command("restored", "--reconciled", stdout=StringIO())
    assert not is_shut(now=utc_now())
