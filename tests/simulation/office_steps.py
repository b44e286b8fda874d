"""What staff do: runs in two persons, files to and from the bank, accounts and merchants."""

from collections.abc import Callable
from datetime import date, datetime
from functools import partial

from backoffice.errors import FormAlreadySubmitted
from backoffice.models import Instruction
from backoffice.services.decisions import approve, decline
from backoffice.services.instruction_kinds import RUN_PAYOUTS
from backoffice.services.instructions import InstructionRequest, instruct
from backoffice.services.payouts import RUN, batch_drafts
from backoffice.statuses import InstructionStatus
from merchants.services import set_status
from merchants.statuses import MerchantStatus
from payouts.bank.by_hand import set_aside
from payouts.bank_accounts import BankDetails, close_bank_account, open_bank_account
from payouts.batches import create_batch, note_file, orders_of
from payouts.business_days import BusinessDays
from payouts.errors import BankEntriesWaiting, PayoutsShut
from payouts.models import BankAccount, BankEntry, PayoutBatch
from payouts.pain001 import pain001
from tests.simulation.payout_trail import CURRENCIES, can_leave, local_day
from tests.simulation.truths import look
from tests.simulation.virtual_weeks import VirtualWeeks

ACTOR = "staff:ann"


def ask_for_run(weeks: VirtualWeeks) -> None:
    """Finance asks for a run of all that is due; a small one leaves at once, others wait."""
    _look_at_unknown_files(weeks)
    at, day = weeks.tick(), _business_day(weeks)
    runs = batch_drafts(livemode=True, currency="BSD", execution_date=day)
    named = {pk for run in runs for pk in run.payout_ids}
    due = {pk for pk in _scheduled(weeks, "BSD") if can_leave(weeks, weeks.books.payouts[pk])}
    asked = {pk for each in _waiting() for pk in each.arguments["payouts"]}
    assert due - asked == named, f"a run would leave out or add {(due - asked) ^ named}"
    for number, run in enumerate(runs):
        request = InstructionRequest(
            task=RUN_PAYOUTS,
            subject_id=RUN,
            livemode=True,
            amount=run.total_amount,
            currency="BSD",
            reason="The run of the day",
            note="",
            form_key=f"{weeks.seed}-{weeks.number}-{number}",
            arguments={"execution_date": day.isoformat(), "payouts": run.payout_ids},
        )
        _expecting_open(weeks, partial(_instruct_once, weeks, request, at))
    still = {pk for each in _waiting() for pk in each.arguments["payouts"]}
    _take_departures(weeks, may=named - still, must=set() if weeks.shut else named - still)


def _instruct_once(weeks: VirtualWeeks, request: InstructionRequest, at: datetime) -> None:
    try:
        instruct(staff=weeks.staff["ann"], request=request, now=at)
    except FormAlreadySubmitted:
        return  # the first time it was carried out or written down, and the answer was lost


def decide_run(weeks: VirtualWeeks) -> None:
    """A colleague approves what was asked for, and exactly that leaves; or declines it."""
    waiting, at = _waiting(), weeks.tick()
    if not waiting:
        return
    _look_at_unknown_files(weeks)
    asked = weeks.random.choice(waiting)
    act = decline if weeks.random.random() < 0.1 else approve

    def decide() -> None:
        if Instruction.objects.get(pk=asked.pk).status == InstructionStatus.WAITING:
            act(staff=weeks.staff["bob"], instruction_id=asked.pk, note="", now=at)

    _expecting_open(weeks, decide, always=act is decline)
    named = set(asked.arguments["payouts"]) if act is approve and not weeks.shut else set()
    _take_departures(weeks, may=named, must=named)


def export_dinars(weeks: VirtualWeeks) -> None:
    """Runs of another currency are made by command, until nothing is left to send."""
    _look_at_unknown_files(weeks)
    at, day, due = weeks.tick(), _business_day(weeks), _scheduled(weeks, "IQD")

    def export() -> None:
        while create_batch(livemode=True, currency="IQD", execution_date=day, actor=ACTOR, now=at):
            pass

    _expecting_open(weeks, export)
    _take_departures(weeks, may=due, must=set() if weeks.shut else due)


def send_files(weeks: VirtualWeeks) -> None:
    """Bring to the bank what it was not told yet; now and then, a file once more."""
    weeks.tick()
    for batch in PayoutBatch.objects.order_by("created_at", "pk"):
        again = batch.file_hash and weeks.random.random() < 0.02
        if batch.file_hash and not again:
            continue
        content = weeks.survive(partial(_write_file, batch))
        weeks.bank.take(content, now=weeks.now)
        if not batch.file_hash and weeks.random.random() < 0.1:
            weeks.note("sent twice")
            weeks.bank.take(content, now=weeks.now)


def _write_file(batch: PayoutBatch) -> bytes:
    content = pain001(batch, orders_of(batch))
    note_file(batch, content)
    return content


def close_account(weeks: VirtualWeeks) -> None:
    """A bank account is closed, or replaced by a new one."""
    shop = weeks.random.choice(list(weeks.books.shops.values()))
    currency, at = weeks.random.choice(CURRENCIES), weeks.tick()
    account = BankAccount.objects.open().filter(merchant=shop.id, currency=currency).first()
    if account is None or weeks.random.random() < 0.4:
        open_account(weeks, shop.id, currency)
        return
    close_bank_account(bank_account_id=account.pk, actor=ACTOR, now=at)
    del shop.accounts[currency]


def open_account(weeks: VirtualWeeks, shop: str, currency: str) -> None:
    weeks.opened += 1
    number = f"{1_000_000 + weeks.opened}"
    details = BankDetails(
        currency=currency,
        holder_name="Conch Shack Ltd",
        bank_name="Bank of the Islands",
        number=number,
        bic="BOTIBSNSXXX",
    )
    open_bank_account(
        merchant_id=shop, livemode=True, details=details, actor=ACTOR, now=weeks.tick()
    )
    weeks.books.shops[shop].accounts[currency] = number


def suspend(weeks: VirtualWeeks) -> None:
    """One merchant at a time is suspended, and later let in again."""
    at, suspended = weeks.tick(), [each for each in weeks.books.shops.values() if each.suspended]
    shop = suspended[0] if suspended else weeks.random.choice(list(weeks.books.shops.values()))
    status = MerchantStatus.VERIFIED if shop.suspended else MerchantStatus.SUSPENDED
    weeks.merchants[shop.id] = set_status(merchant_id=shop.id, status=status, now=at)
    shop.suspended = not shop.suspended
    for payout in weeks.books.payouts.values():
        if payout.shop == shop.id and payout.status == "scheduled":
            payout.since = weeks.now


def _business_day(weeks: VirtualWeeks) -> date:
    return BusinessDays.load().on_or_after(local_day(weeks.now))


def _waiting() -> list[Instruction]:
    waiting = Instruction.objects.filter(status=InstructionStatus.WAITING, task=RUN_PAYOUTS)
    return list(waiting.order_by("pk"))


def _scheduled(weeks: VirtualWeeks, currency: str) -> set[str]:
    return {
        payout.id
        for payout in weeks.books.payouts.values()
        if payout.currency == currency and payout.status == "scheduled"
    }


def _look_at_unknown_files(weeks: VirtualWeeks) -> None:
    """Explain what the bank says of files that a restore has lost: until then nothing leaves."""
    if weeks.shut:
        return
    ours = PayoutBatch.objects.values("message_id")
    waiting = BankEntry.objects.unmatched().filter(end_to_end_id="").exclude(message_reference="")
    for entry in waiting.exclude(message_reference__in=ours).order_by("pk"):
        note, now = "Of a lost file", weeks.tick()
        set_aside(entry_id=entry.pk, note=note, actor=ACTOR, now=now, by_two=True)


def _expecting_open(weeks: VirtualWeeks, work: Callable[[], None], *, always: bool = False) -> None:
    """Do what sends payouts: while they are shut, it must be refused."""
    try:
        weeks.survive(work)
    except (PayoutsShut, BankEntriesWaiting):
        assert weeks.shut, "refused although no database was restored"
        return
    assert always or not weeks.shut, "payouts left although they are shut"


def _take_departures(weeks: VirtualWeeks, *, may: set[str], must: set[str]) -> None:
    """Take what has left into the books: nothing that was not named, and all that could."""
    for pk, _, _, _, status, _, reference in look("payouts"):
        payout = weeks.books.payouts.get(pk)
        if payout is None or payout.status != "scheduled":
            continue
        closed = weeks.books.is_closed(payout)
        if status == "in_transit":
            assert pk in may, f"{pk} has left, and was not approved"
            assert can_leave(weeks, payout), f"{pk} has left for a merchant who must wait"
            assert not closed, f"{pk} has left for an account that is closed"
            payout.status, payout.reference, payout.since = status, reference, weeks.now
        elif status == "failed":
            assert pk in may, f"{pk} has failed, and was not approved"
            assert closed, f"{pk} has failed without a reason"
            weeks.books.end_payout(payout, status)
        elif pk in must:
            assert not can_leave(weeks, payout), f"{pk} was approved, and has not left"
