"""Other money of the same amount, with which two people match a payout, and find that out."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.db.models import Q

from backoffice.errors import FormAlreadySubmitted
from backoffice.models import Instruction
from backoffice.services.decisions import approve, decline
from backoffice.services.instruction_kinds import UNDO_MATCH
from backoffice.services.instructions import InstructionRequest, instruct
from backoffice.statuses import InstructionStatus
from payouts.bank.by_hand import match_batch_by_hand, match_by_hand
from payouts.errors import BankEntryUnfit
from payouts.models import (
    BankEntry,
    BankEntryQuerySet,
    Payout,
    PayoutBatch,
    PayoutQuerySet,
)
from payouts.services import record_returned
from tests.simulation.bank_steps import follow, read_file
from tests.simulation.payout_trail import follow_payouts
from tests.simulation.simulated_bank import OTHER
from tests.simulation.virtual_weeks import VirtualWeeks

ACTOR = "staff:ann"


def pay_rent(weeks: VirtualWeeks) -> None:
    """Something else costs as much as a payout that is on its way, or as its whole run."""
    payout = _unbooked().select_related("batch").order_by("created_at", "pk").last()
    if payout is None or payout.batch is None:
        return
    known = len(weeks.bank.files)
    amount = weeks.random.choice((payout.amount, payout.batch.total_amount))
    weeks.bank.pay_other(amount, now=weeks.tick())
    for file in weeks.bank.files[known:]:
        read_file(weeks, file)
    follow(weeks)


def match_wrongly(weeks: VirtualWeeks) -> None:
    """It is taken for the payout's: no status but that of what was on its way changes."""
    waiting = _other_money().filter(state="unmatched")
    of_one, of_run = _unbooked().values("amount"), _unbooked().values("batch__total_amount")
    told = waiting.filter(Q(amount__in=of_one) | Q(amount__in=of_run)).order_by("pk").last()
    if told is None:
        return
    payout = _unbooked().filter(amount=told.booked_amount).order_by("pk").last()
    run = PayoutBatch.objects.filter(
        payouts__in=_unbooked(), total_amount=told.booked_amount
    ).first()
    known: dict[str, Any] = {"entry_id": told.pk, "actor": ACTOR, "now": weeks.tick()}
    if run and (payout is None or weeks.random.random() < 0.5):
        found, match = run.payouts.all(), partial(match_batch_by_hand, batch_id=run.pk, **known)
    else:
        assert payout
        found = Payout.objects.filter(pk=payout.pk)
        match = partial(match_by_hand, payout_id=payout.pk, **known)
    try:
        match()
    except BankEntryUnfit as refusal:
        weeks.note(str(refusal))  # the bank has told of it, or an order of the run was refused
        return
    for pk in found.values_list("pk", flat=True):
        weeks.books.mistaken.add(pk)
        if (booked := weeks.books.payouts[pk]).status == "in_transit":
            weeks.books.end_payout(booked, "paid")


def ask_to_undo(weeks: VirtualWeeks) -> None:
    """Someone sees it, and asks for it to be undone; now and then, once more."""
    told = _other_money().filter(state="matched").order_by("created_at", "pk").first()
    if told is None:
        return
    request = InstructionRequest(
        task=UNDO_MATCH,
        subject_id=told.payout_id or told.batch_id or "",
        livemode=True,
        amount=told.booked_amount,
        currency=told.currency,
        reason="It was the rent",
        note="",
        form_key=f"{weeks.seed}-{weeks.number}",
        arguments={"entry": told.pk},
    )
    weeks.survive(partial(_ask_once, weeks, request, weeks.tick()))


def _ask_once(weeks: VirtualWeeks, request: InstructionRequest, at: Any) -> None:
    try:
        instruct(staff=weeks.staff["ann"], request=request, now=at)
    except FormAlreadySubmitted:
        return


def decide_to_undo(weeks: VirtualWeeks) -> None:
    """A colleague declines, or approves what is still so; then what was never paid goes back."""
    waiting = Instruction.objects.filter(task=UNDO_MATCH, status=InstructionStatus.WAITING)
    if asked := waiting.order_by("pk").first():
        told = BankEntry.objects.get(pk=asked.arguments["entry"])
        is_so = (told.payout_id or told.batch_id) == asked.subject_id
        if weeks.random.random() < 0.1:
            _decide(weeks, asked, decline)
        elif is_so:
            _decide(weeks, asked, approve)
            _check_undone(told)
        else:
            _refuse(weeks, asked)
            _decide(weeks, asked, decline)
        follow_payouts(weeks)
    _give_back(weeks)


def _decide(weeks: VirtualWeeks, asked: Instruction, act: Callable[..., Any]) -> None:
    at = weeks.tick()

    def decide() -> None:
        if Instruction.objects.get(pk=asked.pk).status == InstructionStatus.WAITING:
            act(staff=weeks.staff["bob"], instruction_id=asked.pk, note="", now=at)

    weeks.survive(decide)


def _refuse(weeks: VirtualWeeks, asked: Instruction) -> None:
    try:
        approve(staff=weeks.staff["bob"], instruction_id=asked.pk, note="", now=weeks.tick())
    except BankEntryUnfit:
        return
    raise AssertionError(f"{asked.pk} undid another match than it names")


def _check_undone(told: BankEntry) -> None:
    """The entry waits, and nothing else waits any more because of it."""
    told.refresh_from_db()
    found = told.state, told.payout_id, told.batch_id
    assert found == ("unmatched", None, None), f"{told.pk} was undone, and is {found}"
    held_up = BankEntry.objects.filter(state="unmatched", problem__contains=told.pk)
    assert not held_up.exists(), f"{held_up[0].pk} waits for {told.pk}, which was undone"


def _give_back(weeks: VirtualWeeks) -> None:
    """Record what the bank has refused, and was taken for paid, as returned."""
    for pk in sorted(weeks.books.mistaken):
        payout = weeks.books.payouts[pk]
        order = weeks.bank.orders.get(payout.reference)
        is_refused = order is not None and order.status == "rejected" and not order.strays
        if not is_refused or payout.status != "paid" or _is_matched(pk):
            continue
        now = weeks.tick()
        record_returned(payout_id=pk, code="x", message="Never paid", actor=ACTOR, now=now)
        weeks.books.end_payout(payout, "returned")


def _is_matched(payout_id: str) -> bool:
    of_payout = _other_money().filter(state="matched")
    run = Payout.objects.get(pk=payout_id).batch_id
    return of_payout.filter(payout=payout_id).exists() or of_payout.filter(batch=run).exists()


def _unbooked() -> PayoutQuerySet:
    sent = Payout.objects.filter(status__in=("in_transit", "paid"), currency="BSD")
    return sent.filter(booked_at=None)


def _other_money() -> BankEntryQuerySet:
    return BankEntry.objects.filter(bank_reference__startswith=OTHER)
