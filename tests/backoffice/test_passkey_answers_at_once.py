"""One answer of a colleague's passkey, sent several times at the same instant: good once."""

import pytest
from django.test import Client

from backoffice.authenticators import Authenticator
from backoffice.models import AuditEntry
from backoffice.pages.sign_in import SIGN_IN
from backoffice.roles import Role
from tests.backoffice.conftest import enter, make_user
from tests.customers.authenticator import VirtualAuthenticator
from tests.races import at_once

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
PAGE = "/admin/two-factor/passkey/"


@pytest.mark.parametrize("counter", [None, 1])
def test_an_answer_of_staff_that_is_sent_many_times_at_once_signs_in_once(
    counter: int | None,
) -> None:
    """Of a passkey that counts nothing, as phones' do, each was good, and opened its own."""
    device = VirtualAuthenticator(counter=counter)
    Authenticator.objects.filter(user=make_user(Role.FINANCE)).delete()
    first = enter("finance")
    options = first.post(f"{PAGE}set-up/options/").json()
    first.post(f"{PAGE}set-up/", {"credential": device.create(options)})
    done = AuditEntry.objects.filter(act=SIGN_IN, outcome="done")
    before, client = done.count(), enter("finance")
    answer = device.get(client.post(f"{PAGE}options/").json())

    def send() -> bool:
        thief = Client()
        thief.cookies.load({name: cookie.value for name, cookie in client.cookies.items()})
        thief.post(PAGE, {"credential": answer})
        return thief.get("/admin/").status_code == 200

    assert at_once([send] * 4).count(True) == 1
    assert done.count() == before + 1
