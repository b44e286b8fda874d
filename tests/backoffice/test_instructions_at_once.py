"""Instructions given and decided at the same instant."""

from functools import partial

import pytest

from backoffice.errors import InstructionDecided
from backoffice.models import Instruction
from backoffice.roles import Role
from backoffice.services.decisions import approve
from backoffice.services.instructions import instruct
from core.clock import utc_now
from refunds.models import Refund
from tests.backoffice.conftest import staff_as
from tests.backoffice.rows import paid_payment, refund_request
from tests.races import at_once

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

EACH = 10_000


def test_forms_at_once_do_not_both_fit_into_a_limit(merchant) -> None:
    payments = [paid_payment(merchant, EACH) for _ in range(8)]
    support = staff_as(Role.SUPPORT)
    wishes = [refund_request(payment, EACH) for payment in payments]

    calls = [partial(instruct, staff=support, request=request, now=utc_now()) for request in wishes]
    results = at_once(calls)

    assert [result for result in results if isinstance(result, Exception)] == []
    assert Instruction.objects.filter(status="carried_out").count() == 5
    assert Refund.objects.count() == 5


def test_two_approvals_at_once_are_one(merchant) -> None:
    request = refund_request(paid_payment(merchant, 500_000), 2 * EACH)
    waiting = instruct(staff=staff_as(Role.SUPPORT), request=request, now=utc_now())
    people = [staff_as(Role.FINANCE), staff_as(Role.ADMINISTRATOR)]
    agree = partial(approve, instruction_id=waiting.pk, note="", now=utc_now())

    results = at_once([partial(agree, staff=staff) for staff in people])

    refused = [result for result in results if isinstance(result, Exception)]
    assert [type(error) for error in refused] == [InstructionDecided]
    assert Refund.objects.count() == 1
