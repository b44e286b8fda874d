"""What comes from the bank: late, twice, out of order, wrong; and what a restore needs."""

from functools import partial

from core.errors import ApiError
from payouts import continuity
from payouts.bank.by_hand import set_aside
from payouts.bank.importing import ImportResult, import_bank_file
from payouts.models import BankEntry
from tests.payouts.bank_files import entry, notification, statement
from tests.simulation.money_in_steps import follow_top_ups
from tests.simulation.payout_trail import follow_payouts
from tests.simulation.simulated_bank import AnswerFile
from tests.simulation.truths import check_bank
from tests.simulation.virtual_weeks import VirtualWeeks

ACTOR = "staff:ann"
UNKNOWN = "E-00000000000000000000000000000000"


def bank_works(weeks: VirtualWeeks) -> None:
    weeks.bank.work(now=weeks.tick())


def bank_closes_day(weeks: VirtualWeeks) -> None:
    weeks.bank.close_day(now=weeks.tick())


def read_any_file(weeks: VirtualWeeks) -> None:
    """Read any file that is there: mostly one that is new, in no order."""
    fresh = [file for file in weeks.bank.files if not file.read]
    files = fresh if fresh and weeks.random.random() < 0.8 else weeks.bank.files[-40:]
    if files:
        read_file(weeks, weeks.random.choice(files))
        follow(weeks)


def read_old_files(weeks: VirtualWeeks) -> None:
    """Read what lies there too long, and once more what waits; then look at it as a person."""
    for file in weeks.bank.files:
        if not file.read or file.waits:
            read_file(weeks, file)
    follow(weeks)
    for waiting in BankEntry.objects.unmatched().order_by("pk"):
        if (weeks.now - waiting.created_at).days >= 5:
            note, now = "Looked at", weeks.tick()
            set_aside(entry_id=waiting.pk, note=note, actor=ACTOR, now=now, by_two=True)
            _let_go(weeks)


def follow(weeks: VirtualWeeks) -> None:
    follow_payouts(weeks)
    follow_top_ups(weeks)


def _let_go(weeks: VirtualWeeks) -> None:
    """What an entry has held back has time to leave from now on."""
    for payout in weeks.books.payouts.values():
        if payout.status == "scheduled":
            payout.since = weeks.now


def read_file(weeks: VirtualWeeks, file: AnswerFile) -> None:
    weeks.note(file.name)
    result = weeks.survive(partial(_import, weeks, file.content))
    file.waits, file.read = result.unmatched, True
    file.read_at = min(file.read_at, weeks.now)


def _import(weeks: VirtualWeeks, content: str) -> ImportResult:
    return import_bank_file(content=content.encode(), livemode=True, actor=ACTOR, now=weeks.tick())


def read_wrong_file(weeks: VirtualWeeks) -> None:
    """What is wrong is refused, or waits for a person; it moves nothing."""
    name = f"W-{weeks.number}"
    orders = list(weeks.bank.orders.values())
    told = weeks.random.choice(orders).reference if orders else UNKNOWN
    row = entry(77, told, reference=f"{name} row")
    wrong = {
        "garbage": "<Document",
        "another account": notification(row, message_id=name, account="000778"),
        "unknown order": notification(entry(77, UNKNOWN, reference=name), message_id=name),
        "another amount": notification(row, message_id=name),
        "does not add up": statement(row, message_id=name, number=name, opening=100, closing=100),
    }
    known = [file for file in weeks.bank.files if file.read]
    if known:
        file = weeks.random.choice(known)
        wrong["same name, other contents"] = file.content.replace("</Document>", " </Document>")
    kind = weeks.random.choice(sorted(wrong))
    weeks.note(kind)
    try:
        result = _import(weeks, wrong[kind])
    except ApiError:
        assert kind not in ("unknown order", "another amount"), kind
    else:
        assert kind in ("unknown order", "another amount"), f"{kind} was read"
        assert result.matched == 0, kind
    follow(weeks)


def back_up(weeks: VirtualWeeks) -> None:
    """From now on, for a while, everything will be lost."""
    if not weeks.lost and not weeks.shut:
        weeks.back_up(weeks.random.randint(5, 40))


def reconcile(weeks: VirtualWeeks) -> None:
    """After a restore: read all that the bank has to tell, then open payouts again."""
    if not weeks.shut:
        return
    weeks.bank.work(now=weeks.tick(), all_of_it=True)
    weeks.bank.close_day(now=weeks.now)
    for file in weeks.bank.files:
        if not file.read or file.waits:
            read_file(weeks, file)
    # A fault leaves an entry out, which each later file looks at: of the last, a person sees it.
    for file in weeks.bank.files[-1:]:
        _import(weeks, file.content)
    follow(weeks)
    continuity.confirm(actor=ACTOR, now=weeks.tick())
    weeks.shut = False
    check_bank(weeks)
