"""One request decided by two at the same instant: it ends once, and moves money once at most."""

from collections.abc import Callable
from functools import partial

import pytest

from backoffice.errors import InstructionDecided
from backoffice.models import Instruction
from backoffice.roles import Role
from backoffice.services.decisions import approve, decline, withdraw
from backoffice.services.instructions import instruct
from core.clock import utc_now
from merchants.models import Merchant
from refunds.models import Refund
from tests.backoffice.conftest import staff_as
from tests.backoffice.rows import paid_payment, refund_request
from tests.races import at_once

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
AMOUNT = 100_001


@pytest.mark.parametrize(("other", "who"), [(approve, "bob"), (decline, "bob"), (withdraw, "ann")])
def test_a_request_that_two_decide_at_once_ends_once(
    merchant: Merchant, other: Callable[..., Instruction], who: str
) -> None:
    ann = staff_as(Role.FINANCE, "ann")
    staff = {"ann": ann, "bob": staff_as(Role.FINANCE, "bob")}
    eve = staff_as(Role.FINANCE, "eve")
    request = refund_request(paid_payment(merchant, AMOUNT), AMOUNT)
    asked = instruct(staff=ann, request=request, now=utc_now())

    calls = [
        partial(call, staff=by, instruction_id=asked.pk, note="n", now=utc_now())
        for call, by in ((approve, eve), (other, staff[who]))
    ]
    done = at_once(calls)

    refused = [type(one) for one in done if isinstance(one, Exception)]
    assert len(refused) == 1, done
    assert refused == [InstructionDecided], done
    asked.refresh_from_db()
    assert Refund.objects.count() == (asked.status == "carried_out")
