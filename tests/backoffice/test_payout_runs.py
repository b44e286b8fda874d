"""A run of payouts: what it takes in, and what is refused of it when a colleague approves."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from backoffice.admin.payouts import LEAVES
from backoffice.models import Instruction
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from backoffice.services import payouts
from backoffice.services.decisions import approve
from backoffice.services.instructions import InstructionRequest, instruct
from backoffice.services.payouts import BatchDraft, batch_drafts
from core.clock import utc_now
from core.errors import ApiError
from merchants.services import set_status
from merchants.statuses import MerchantStatus
from payouts.models import Payout, PayoutBatch
from payouts.services import record_failed, record_paid
from tests.backoffice.conftest import Office, staff_as
from tests.client import Api
from tests.payouts.bank_files import entry, order_of, read, statement
from tests.payouts.batching import FAR, batch_of, live_payout
from tests.payouts.contradicting import next_payout
from tests.payouts.merchant_balance import credit

pytestmark = pytest.mark.django_db


def due() -> list[BatchDraft]:
    return batch_drafts(livemode=True, currency="BSD", execution_date=FAR)


def ask(amount: int, payout_ids: list[str], task: str = "run_payouts", **more: Any) -> Instruction:
    request: dict[str, Any] = {
        "task": task,
        "subject_id": "run",
        "livemode": True,
        "amount": amount,
        "currency": "BSD",
        "reason": "The run of the day",
        "note": "",
        "form_key": f"{task} {amount}",
        "arguments": {"execution_date": "2100-01-01", "payouts": payout_ids},
    }
    return instruct(
        staff=staff_as(Role.FINANCE), request=InstructionRequest(**request | more), now=utc_now()
    )


def agree(asked: Instruction) -> Instruction:
    staff = staff_as(Role.FINANCE, "another")
    return approve(staff=staff, instruction_id=asked.pk, note="", now=utc_now())


def test_what_waits_for_approval_is_in_no_other_run(api: Api) -> None:
    first, second = (live_payout(api, amount=amount) for amount in (600_000, 700))
    ask(600_000, [first.pk])

    assert due() == [BatchDraft([second.pk], 700)]


def test_what_the_bank_speaks_of_is_in_no_run(api: Api, settings: Any) -> None:
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"
    payout = live_payout(api, amount=1_250)
    batch_of()
    read(statement(entry(1_249, order_of(payout))))
    credit(payout.merchant, 800, livemode=True)
    next_payout(payout)
    other = live_payout(api, amount=700)

    assert due() == [BatchDraft([other.pk], 700)]


def test_what_one_file_does_not_hold_goes_in_two(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [live_payout(api, amount=amount).pk for amount in (500, 600, 700)]
    assert due() == [BatchDraft(ids, 1_800)]
    monkeypatch.setattr(payouts, "MAX_PAYOUTS", 2)
    assert due() == [BatchDraft(ids[:2], 1_100), BatchDraft(ids[2:], 700)]

    monkeypatch.setattr(payouts, "MAX_AMOUNT", 1_099)

    assert due() == [
        BatchDraft([ids[0]], 500),
        BatchDraft([ids[1]], 600),
        BatchDraft([ids[2]], 700),
    ]


def test_a_run_of_nothing_is_refused() -> None:
    with pytest.raises(ApiError) as refused:
        ask(0, [])

    assert (refused.value.code, refused.value.status) == ("NOTHING_TO_SEND", 422)
    assert not Instruction.objects.exists()


def test_payouts_of_another_sum_than_was_approved_do_not_leave(api: Api) -> None:
    payout = live_payout(api, amount=700_000)
    asked = ask(600_000, [payout.pk])

    with pytest.raises(ApiError) as refused:
        agree(asked)

    assert refused.value.code == "ALREADY_DECIDED"
    assert refused.value.details == "These payouts do not add up to the amount that was approved."
    asked.refresh_from_db()
    assert (asked.status, PayoutBatch.objects.count()) == ("waiting", 0)
    assert Payout.objects.get().status == "scheduled"


def test_who_was_suspended_meanwhile_is_paid_nothing(api: Api) -> None:
    merchant = live_payout(api).merchant
    credit(merchant, 900_000, livemode=True)
    asked = ask(900_000, [], "pay_out", subject_id=merchant.pk)
    set_status(merchant_id=merchant.pk, status=MerchantStatus.SUSPENDED, now=utc_now())

    with pytest.raises(ApiError) as refused:
        agree(asked)

    assert refused.value.code == "MERCHANT_INACTIVE"
    asked.refresh_from_db()
    assert asked.status == "waiting"
    assert Payout.objects.get().amount == 1_250


def test_the_page_of_a_run_says_what_has_come_of_it(api: Api, office: Office) -> None:
    first, second = (live_payout(api, amount=amount) for amount in (1_250, 700))
    run = batch_of()

    def words() -> list[str]:
        return list(office(Role.VIEWER).get(page_of(run)).context["answer"].words)

    assert words()[0] == "0 of 2 paid."
    assert words()[1].startswith("2 on the way to the bank: send it the file once")
    record_paid(payout_id=first.pk, actor="staff:x", now=utc_now())
    record_failed(payout_id=second.pk, code="", message="", actor="staff:x", now=utc_now())
    assert words() == ["1 of 2 paid.", "1 refused or returned."]


def test_a_request_for_a_run_names_no_subject(api: Api, office: Office) -> None:
    asked = ask(600_000, [live_payout(api, amount=600_000).pk])

    assert "<dt>About</dt>" not in office(Role.VIEWER).get(page_of(asked)).content.decode()


def test_the_day_of_leaving_is_that_on_which_it_left() -> None:
    """What a run was late for names the day of the run, and what never left names none."""
    late = Payout(status="scheduled", send_date=date(2026, 11, 4))
    assert LEAVES.value(late) == date(2026, 11, 4)

    late.status, late.in_transit_at = "in_transit", datetime(2026, 11, 26, 15, tzinfo=UTC)
    assert LEAVES.value(late) == date(2026, 11, 26)

    late.status, late.in_transit_at = "failed", None
    assert LEAVES.value(late) is None
