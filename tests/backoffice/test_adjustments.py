"""Top-ups and adjustments by staff, and what they may not take."""

import pytest

from backoffice.models import Instruction
from backoffice.roles import Role
from backoffice.services.decisions import approve
from backoffice.services.instructions import InstructionRequest, instruct
from core.clock import utc_now
from customers.models import Customer
from customers.services import wallet
from ledger.errors import InsufficientBalance
from ledger.models import Purpose, Transfer
from ledger.services import balance_of, balances
from payments.models import Payment
from tests.backoffice.conftest import staff_as

pytestmark = pytest.mark.django_db


def test_finance_tops_a_wallet_up_and_adjusts_it(paid: Payment) -> None:
    customer, finance = paid.paying_customer, staff_as(Role.FINANCE)
    before = balance_of(wallet(customer, "BSD"))

    instruct(staff=finance, request=_of_wallet(customer, "top_up", 5_000), now=utc_now())
    take = _of_wallet(customer, "adjust_wallet", 2_000, direction="take")
    instruct(staff=finance, request=take, now=utc_now())

    assert balance_of(wallet(customer, "BSD")) == before + 3_000
    assert Transfer.objects.filter(kind="adjustment").get().amount == 2_000


def test_an_adjustment_takes_no_more_than_there_is(paid: Payment) -> None:
    held = balances(owner=paid.merchant_id, purpose=Purpose.MERCHANT, livemode=False)["BSD"]
    finance, other = staff_as(Role.FINANCE), staff_as(Role.ADMINISTRATOR)
    with pytest.raises(InsufficientBalance):
        instruct(staff=finance, request=_taken(paid, held + 1, "more"), now=utc_now())
    assert not Instruction.objects.exists()
    first, second = (
        instruct(staff=finance, request=_taken(paid, held, key), now=utc_now())
        for key in ("first", "second")
    )
    assert not Transfer.objects.filter(kind="adjustment").exists()  # what was tried was undone

    approve(staff=other, instruction_id=first.pk, note="", now=utc_now())
    with pytest.raises(InsufficientBalance):
        approve(staff=other, instruction_id=second.pk, note="", now=utc_now())

    assert Transfer.objects.filter(kind="adjustment").get().amount == held


def _taken(paid: Payment, amount: int, form_key: str) -> InstructionRequest:
    request = _of_wallet(paid.paying_customer, "adjust_merchant", amount, direction="take")
    values = {**request.__dict__, "subject_id": paid.merchant_id, "form_key": form_key}
    return InstructionRequest(**values)


def _of_wallet(customer: Customer, task: str, amount: int, **arguments: str) -> InstructionRequest:
    return InstructionRequest(
        task=task,
        subject_id=customer.pk,
        livemode=False,
        amount=amount,
        currency="BSD",
        reason="Mistake",
        note="Booked twice",
        form_key=f"{task}-{amount}",
        arguments=arguments,
    )
