"""What importing a bank file would do: what it says, whom it credits, what it removes."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Model, QuerySet

from backoffice.formats import money
from core.creditor_references import references_in
from core.json import dump_json
from funding.bank_transfers import Foresight
from funding.models import FundingWay, TopUp
from payouts.bank.storage import StoredFile
from payouts.batches import scheduled_under
from payouts.models import (
    CAME_IN,
    BankEntry,
    BankEntryKind,
    BankStatement,
    Payout,
    PayoutBatch,
    PayoutOrder,
)
from payouts.statuses import PayoutStatus

GIVES = CAME_IN | {BankEntryKind.REJECTED}
SHOWN = 50
FORESEEN = 200
AT_ONCE = 1_000
NOTHING, NOT_CREDITED = "nothing of ours", "top-up, not credited"
NOT_LEFT = "payout that has not left"
NOT_SAID = "—"
# What an entry does is known by a digest of as many characters: of no more entries than that.
EFFECTS_KEPT, EFFECT_CHARACTERS = 1_000, 32
# What may be less when a file is approved than when it was asked for, where no effect is another.
_COUNTED = frozenset(
    {
        *("effects", "entries", "known_already", "imported_before", "came_in", "left", "says"),
        *("gives", "gives_to_more"),
    }
)

_Named = Callable[[BankEntry], Model | None]


def summary_of(stored: StoredFile, now: datetime) -> dict[str, Any]:
    """Describe what an import would do: totals, what the entries name, and who is credited."""
    file = stored.file
    new = list(file.entries.unmatched().order_by("key"))
    known = stored.known + file.entries.count() - len(new)
    named, gives = _names_of(new, livemode=file.livemode), _giving(now)
    sums: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    gifts, effects = [], []
    for entry in new:
        found = named(entry)
        amount, currency = _money(entry, found)
        is_gift = found is not None and entry.kind in GIVES and gives(entry, found)
        says, what = entry.get_kind_display(), _what(found, is_gift=is_gift)
        sums[says, what, currency].append(amount)
        if found and what != NOT_CREDITED:
            effects.append(_effect(entry.key, says, what, str(found.pk), amount, currency))
        if found and is_gift:
            if isinstance(found, TopUp) and found.amount != amount:
                says += f"; {money(found.amount, found.currency)} was asked for"
            gifts.append([says, str(found.pk), money(amount, currency)])
    statements = file.statements.order_by("currency", "start_at", "number")
    return {
        "file": f"{file.get_source_display()} {file.message_id}",
        "entries": len(new),
        "known_already": known,
        **({"imported_before": _clock(file.created_at)} if stored.repeated else {}),
        "came_in": _total(entry for entry in new if entry.kind in CAME_IN),
        "left": _total(entry for entry in new if entry.kind == BankEntryKind.DEBIT),
        "says": [
            [kind, what, str(len(amounts)), money(sum(amounts), currency) if currency else NOT_SAID]
            for (kind, what, currency), amounts in sorted(sums.items())
        ],
        "gives": gifts[:SHOWN],
        "statements": [_statement(row) for row in statements.select_related("amends")],
        "takes_away": [
            [row.get_kind_display(), row.pk, money(row.amount or 0, row.currency)]
            for row in stored.set_aside[:SHOWN]
        ],
        **({"effects": effects} if len(effects) <= EFFECTS_KEPT else {}),
        **_beyond("gives_to_more", len(gifts)),
        **_beyond("takes_away_more", len(stored.set_aside)),
    }


def does_no_more_than(found: dict[str, Any], shown: dict[str, Any]) -> bool:
    """Return whether an import would do what was shown, or less: never anything else.

    It is less if fewer entries have an effect, because another file has brought them or because
    they now wait for a person. If there are too many entries to list one by one, all must be as
    shown.
    """
    if found == shown or "effects" not in found or "effects" not in shown:
        return found == shown
    fixed = (found.keys() | shown.keys()) - _COUNTED
    is_same = all(found.get(name) == shown.get(name) for name in fixed)
    return is_same and set(found["effects"]) <= set(shown["effects"])


def _effect(*parts: str | int) -> str:
    """Return the digest of what an entry does, and to what."""
    return hashlib.sha256(dump_json(parts)).hexdigest()[:EFFECT_CHARACTERS]


def _beyond(name: str, count: int) -> dict[str, int]:
    return {name: count - SHOWN} if count > SHOWN else {}


def _statement(row: BankStatement) -> list[str]:
    """Describe what a statement says besides its entries, and which closing balance it replaces."""
    balances = [row.opening_amount, row.closing_amount]
    before = row.amends.closing_amount if row.amends else None
    return [
        row.number,
        f"{_here(row.start_at):%Y-%m-%d} to {_here(row.end_at):%Y-%m-%d}",
        _clock(row.written_at) if row.written_at else NOT_SAID,
        *(NOT_SAID if cents is None else money(cents, row.currency) for cents in balances),
        ("none" if before is None else money(before, row.currency)) if row.amends else "",
    ]


def _clock(instant: datetime) -> str:
    return f"{_here(instant):%Y-%m-%d %H:%M}"


def _here(instant: datetime) -> datetime:
    """Return an instant in the time zone of staff, in which bank files are read, too."""
    return instant.astimezone(ZoneInfo(settings.STAFF_TIME_ZONE))


def _what(found: Model | None, *, is_gift: bool) -> str:
    if isinstance(found, TopUp) and not is_gift:
        return NOT_CREDITED
    if isinstance(found, Payout) and found.status == PayoutStatus.SCHEDULED:
        return NOT_LEFT
    return str(found._meta.verbose_name) if found else NOTHING


def _giving(now: datetime) -> Callable[[BankEntry, Model], bool]:
    """Return a test for entries: would matching it give money to what it names?

    The first credits are tested in earnest; each takes several statements, and a file may have
    thousands. Credits beyond those, and all other entries, are assumed to give: no more may be
    imported than was shown.
    """
    foresight, left = Foresight(now), iter(range(FORESEEN))

    def gives(entry: BankEntry, found: Model) -> bool:
        if not isinstance(found, TopUp) or next(left, None) is None:
            return True
        return foresight.foresee_credit(entry, found)

    return gives


def _total(entries: Iterable[BankEntry]) -> str:
    totals: dict[str, int] = defaultdict(int)
    for entry in entries:
        totals[entry.currency] += entry.amount or 0
    return ", ".join(money(total, currency) for currency, total in sorted(totals.items()))


def _money(entry: BankEntry, found: Model | None) -> tuple[int, str]:
    """Return the entry's amount; if a status report has none, the amount of what it names."""
    if entry.amount is None and isinstance(found, PayoutBatch):
        return found.total_amount, found.currency
    if entry.amount is None and found is not None:
        return found.amount, found.currency  # type: ignore[attr-defined]  # a payout or top-up
    return entry.amount or 0, entry.currency


def _names_of(entries: list[BankEntry], *, livemode: bool) -> _Named:
    """Return a function that finds the top-up, payout or run of an entry, as matching will."""
    references = {entry.pk: _references(entry) for entry in entries}
    top_ups = _by(
        TopUp.objects.filter(livemode=livemode, way=FundingWay.BANK_TRANSFER).select_related(
            "customer"
        ),
        "reference",
        {name for names in references.values() for name in names},
    )
    names = {entry.end_to_end_id for entry in entries}
    orders = _by(
        PayoutOrder.objects.filter(payout__livemode=livemode).select_related("payout"),
        "end_to_end_id",
        names,
    )
    scheduled = dict(scheduled_under(names - orders.keys(), livemode=livemode))
    runs = _by(
        PayoutBatch.objects.filter(livemode=livemode),
        "message_id",
        {entry.message_reference for entry in entries if not entry.end_to_end_id},
    )

    def named(entry: BankEntry) -> Model | None:
        found = [top_ups[name] for name in references[entry.pk] if name in top_ups]
        if found or entry.kind == BankEntryKind.CREDIT:
            return found[0] if len(found) == 1 else None
        if entry.end_to_end_id:
            order = orders.get(entry.end_to_end_id)
            return order.payout if order else scheduled.get(entry.end_to_end_id)
        return runs.get(entry.message_reference)

    return named


def _references(entry: BankEntry) -> set[str]:
    is_credit = entry.kind == BankEntryKind.CREDIT
    return references_in(entry.end_to_end_id, entry.message) if is_credit else set()


def _by(rows: QuerySet[Any], field: str, names: set[str]) -> dict[str, Any]:
    wanted = sorted(names - {""})
    parts = (wanted[at : at + AT_ONCE] for at in range(0, len(wanted), AT_ONCE))
    found = (row for part in parts for row in rows.filter(**{f"{field}__in": part}))
    return {getattr(row, field): row for row in found}
