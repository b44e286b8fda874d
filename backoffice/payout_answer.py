"""What to tell a caller about a payout: on its way, paid, or where its money is instead."""

import re
from collections.abc import Sequence
from datetime import datetime

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.html import format_html, format_html_join

from backoffice import formats
from backoffice.page_parts import NextStep, SupportAnswer
from backoffice.resource.page_urls import page_of, page_to_open
from backoffice.resource.shown import linked, with_link
from backoffice.services.payouts import runs_waiting
from core.text import showable
from ledger.models import TransferKind
from merchants.statuses import MerchantStatus
from payouts.batches import entry_of_unknown_file
from payouts.continuity import is_shut
from payouts.contradictions import contradiction_of
from payouts.models import BankAccount, BankEntry, Payout, PayoutBatch, StatementLine
from payouts.order_references import with_truncated_forms
from payouts.providers import provider_for
from payouts.services import REFUSED, RETURNED_BY_BANK
from payouts.statuses import ENDED_UNPAID, PayoutStatus

MOST_QUOTED = 3
_OF_THE_BANK = re.compile(r"\b((?:ben|po|bat|top)_[0-9A-Za-z]{10,})")
MOST_CANCELED = 10
GIVEN_BACK = (TransferKind.PAYOUT_RETURNED, TransferKind.PAYOUT_REVERSED)
_HELD = (
    "It is held: the bank's record of an earlier payout of this merchant contradicts ours, so this"
    " one may contain money that was already paid out. Explain the bank entry"
)


def answer_of(payout: Payout, now: datetime) -> SupportAnswer:
    """Return what to say about a payout at this moment."""
    tone = formats.tone(payout.status)
    if payout.status == PayoutStatus.SCHEDULED:
        if found := contradiction_of(payout):
            entry = BankEntry.objects.get(pk=found)
            held = with_link(f"{_HELD} {found}.", entry)
            return SupportAnswer([held], "wait", **_next_step([entry]))
        return SupportAnswer([_leaves(payout, now)], tone)
    words = {
        PayoutStatus.IN_TRANSIT: f"On its way to the bank; {_due(payout, now)}.",
        PayoutStatus.PAID: f"Paid on {formats.moment(payout.paid_at)}.{_unbooked(payout)}",
        PayoutStatus.FAILED: f"Failed: {reason_of(payout)}",
        PayoutStatus.RETURNED: f"The bank sent it back: {reason_of(payout)}",
        PayoutStatus.CANCELED: "Canceled. The money went back to the merchant's balance.",
    }
    back = [_back(payout, now)] if payout.status in ENDED_UNPAID else []
    entries = _unexplained(payout)
    return SupportAnswer(
        [words[PayoutStatus(payout.status)], *back],
        tone,
        troubles=[_report(entry) for entry in entries],
        **_next_step(entries),
    )


def _unbooked(payout: Payout) -> str:
    """Say that no statement proves that a payout left; empty if one does, or none is to come."""
    is_ordered = getattr(payout, "order", None) is not None
    return " It is on no bank statement yet." if is_ordered and not payout.booked_at else ""


def reports_on(payout: Payout) -> list[str]:
    """Return what the bank reports about a payout and a person has yet to explain."""
    return [_report(entry) for entry in _unexplained(payout)]


def _unexplained(payout: Payout) -> list[BankEntry]:
    """Return the waiting entries that name its order, or its run as a whole."""
    order = getattr(payout, "order", None)
    if order is None:
        return []
    runs = PayoutBatch.objects.filter(pk=payout.batch_id).exclude(message_id="")
    of_run = Q(end_to_end_id="", message_reference__in=runs.values("message_id"))
    named = Q(end_to_end_id__in=with_truncated_forms(order.end_to_end_id)) | of_run
    waiting = BankEntry.objects.unmatched().filter(named, livemode=payout.livemode)
    return list(waiting.order_by("pk")[:MOST_QUOTED])


def _next_step(entries: Sequence[BankEntry]) -> NextStep:
    """Return the way to the first of these entries: the bank's queue, where each is explained."""
    if not entries:
        return {}
    name = "First of several bank entries" if len(entries) > 1 else "Bank entry"
    words = f"{name} to explain ({_says(entries[0])})"
    return {"next_step": page_to_open(entries[0]), "next_words": words}


def _report(entry: BankEntry) -> str:
    words = with_links(f"The bank reports {_says(entry)}. {entry.problem}")
    return with_link(words, entry)


def with_links(words: str) -> str:
    """Return a sentence, each entry, payout, run or top-up in it linked to its page."""
    parts = _OF_THE_BANK.split(words)
    return format_html_join(
        "", "{}", ((linked(each, each),) if at % 2 else (each,) for at, each in enumerate(parts))
    )


def _says(entry: BankEntry) -> str:
    whole = "" if entry.end_to_end_id else " of the whole run"
    amount = f": {formats.money(entry.amount, entry.currency)}" if entry.amount else ""
    return f"{entry.get_kind_display()}{whole}{amount}"


def why_none_leaves(*, livemode: bool, now: datetime) -> str:
    """Return why no payout of a mode leaves at present; empty if they do, as in test mode."""
    if not livemode:
        return ""
    if is_shut(now=now):
        return (
            "No live payout leaves for now: the database was restored, and first has to be compared"
            " with the bank."
        )
    entry = entry_of_unknown_file(livemode=livemode)
    words = (
        "No live payout leaves before {} is explained: it names a file of ours that is unknown"
        " here."
    )
    return format_html(words, formats.link("a bank entry", page_to_open(entry))) if entry else ""


def _leaves(payout: Payout, now: datetime) -> str:
    day = formats.day_text(payout.send_date)
    if payout.merchant.status == MerchantStatus.SUSPENDED:
        return "It is held: the merchant is suspended."
    if payout.bank_account.closed_at:
        return (
            "Its bank account was closed: with the next run it fails, and the money goes back to"
            " the merchant's balance."
        )
    if shut := why_none_leaves(livemode=payout.livemode, now=now):
        return shut
    for run in runs_waiting().filter(expires_at__gt=now):
        if payout.pk in run.arguments.get("payouts", ()):
            url, since = page_of(run), formats.clock(run.asked_at, now)
            words = 'It is in a <a href="{}">payout run</a> waiting for approval since {}.'
            return format_html(words, url, since)
    if payout.send_date < timezone.localtime(now).date():
        is_sent_by_us = provider_for(livemode=payout.livemode).automatic
        waits = "leaves with the worker's next turn" if is_sent_by_us else "waits for a payout run"
        return f"It was due to leave on {day}, and {waits}."
    return f"It leaves on {day}."


def _due(payout: Payout, now: datetime) -> str:
    was = "was " if payout.arrival_date < timezone.localtime(now).date() else ""
    return f"{was}due {formats.day_text(payout.arrival_date)}"


def _back(payout: Payout, now: datetime) -> str:
    """Return where the money of a payout that did not arrive is now."""
    at = formats.clock(payout.failed_at or payout.returned_at, now)
    went = f"The money went back to the merchant's balance ({at})"
    following = _payout_with_money_of(payout)
    if following is None:
        return format_html("{}, {}", went, _where_next(payout))
    made = formats.clock(following.created_at, now)
    is_now = following.get_status_display().lower()
    if following.amount < payout.amount:
        paid = formats.money(following.amount, following.currency)
        words = f"{went}; the next payout, made {made}, is of {paid}, and is {is_now}."
    else:
        words = f"{went}; the next payout, made {made}, includes it, and is {is_now}."
    return with_link(words, following)


def _payout_with_money_of(payout: Payout) -> Payout | None:
    """Return the payout that a payout's money went into again; of canceled ones, the next one.

    Of more than `MOST_CANCELED` in a row, the last of these: a merchant may cancel thousands.
    """
    following = payout
    for _ in range(MOST_CANCELED):
        line = _lines_given_back(following).select_related("statement__payout").first()
        if line is None:
            return None
        following = line.statement.payout
        if following.status != PayoutStatus.CANCELED:
            break
    return following


def _lines_given_back(payout: Payout) -> QuerySet[StatementLine]:
    """Return the movements that gave a payout's money back, and that are in a later payout."""
    return StatementLine.objects.filter(
        transfer__reference=payout.pk,
        transfer__kind__in=GIVEN_BACK,
        statement__closed_at__isnull=False,
    )


def _where_next(payout: Payout) -> str:
    """Return to which account the money goes out again, and what to do first."""
    before = payout.bank_account
    accounts = BankAccount.objects.like(before)
    account = accounts.open().first() or (None if payout.livemode else before)
    if account is None:
        asked = accounts.pending().first()
        waits = format_html("{} waits for review", _account(asked)) if asked else "it has none"
        return format_html("and stays there until the merchant has a bank account: {}.", waits)
    words = "to go out with the merchant's next payout, to {} account ({}){}."
    if account == before:
        remedy = ": ask the merchant whether it is right, and to change it before then"
        return format_html(words, "the same", _account(account), remedy)
    return format_html(words, "the merchant's new", _account(account), "")


def _account(account: BankAccount) -> str:
    return formats.link(account, page_to_open(account))  # type: ignore[no-any-return]  # markup


def reason_of(payout: Payout) -> str:
    """Return why it failed or came back, with the bank's code if it gave one."""
    words = showable(payout.failure_message).rstrip(".") or "no reason was given"
    is_of_bank = payout.failure_code not in ("", REFUSED, RETURNED_BY_BANK)
    return f"{words} ({payout.failure_code})." if is_of_bank else f"{words}."
