"""The dashboard: today's figures, what needs attention, and the last thirty days."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.admin import AdminSite
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from backoffice import figures, formats
from backoffice.forms import default_mode
from backoffice.models import Instruction
from backoffice.page_parts import Table
from backoffice.pages.listing import own_views
from backoffice.queues import queues_of
from backoffice.request_answer import with_names
from backoffice.resource.catalog import CATALOG
from backoffice.resource.page_urls import list_of
from backoffice.resource.resource import summary_table
from backoffice.roles import Right
from backoffice.staff import Staff, staff_of
from core.clock import request_now
from core.models import TurnMark
from core.money import is_currency
from ledger.models import Purpose
from payments.models import Payment
from payments.verification import Verification
from payouts.bank.position import BankPosition, position_in
from payouts.models import BankStatement
from webhooks.models import Delivery, Webhook

KEPT_SECONDS = 30
WEEK_AGO = timedelta(days=7)  # what today is compared with
REQUESTS_SHOWN_FOR = timedelta(days=7)
ROWS_SHOWN, VIEWS_SHOWN = 5, 20
CLOCK_SHOWN = timedelta(minutes=10)  # a refusal is recorded every minute
CHART_WIDTH, CHART_HEIGHT, BAR_GAP = 900, 180, 6
NOTHING = figures.PeriodTotals({"completed": 0}, 0)  # on a day without a payment that ended
_HOLDERS = {
    Purpose.WALLET: "Customers' wallets",
    Purpose.MERCHANT: "Merchants' balances",
    Purpose.PAYOUTS: "Payouts not paid yet",
    Purpose.FEES: "Fees earned",
}
_PROOFS = {
    Verification.NONE: "None needed",
    Verification.PIN: "PIN",
    Verification.PASSKEY: "Passkey",
}


@dataclass(frozen=True)
class Tile:
    """One figure, what it is compared with, and the list behind it."""

    title: str
    figure: str
    beside: str
    url: str
    tone: str = "quiet"
    right: Right = Right.VIEW_TRADE


@dataclass(frozen=True)
class Bar:
    """One day of the chart, in the units of its drawing."""

    x: int
    y: int
    width: int
    height: int
    words: str
    url: str
    label: str


def dashboard_page(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Show the figures of one mode and currency."""
    asked = request.GET.get("mode", "")
    mode = asked if asked in ("live", "test") else default_mode()
    currency = request.GET.get("currency", settings.DEFAULT_CURRENCY).upper()
    if not is_currency(currency):
        currency = settings.DEFAULT_CURRENCY
    staff, instant = staff_of(request), request_now()
    key = f"dashboard-figures-of:{mode}:{currency}"  # another than the release before
    shown = cache.get(key)
    if shown is None:
        shown = _figures(mode, currency, instant)
        cache.set(key, shown, KEPT_SECONDS)
    context = {
        **site.each_context(request),
        "title": "Dashboard",
        "mode": mode,
        "currency": currency,
        "queues": queues_of(staff, livemode=mode == "live", now=instant),
        "saved_views": own_views(site, request)[:VIEWS_SHOWN],
        "focus_search": True,
        "days_shown": figures.DAYS_SHOWN,
        "tables": _tables(site, staff, livemode=mode == "live", now=instant),
        **shown,
    }
    failing = Webhook.objects.failing().filter(livemode=mode == "live").count()
    webhooks = _webhooks(mode, shown["webhook_health"], failing)
    tiles = [*shown["day_tiles"], webhooks, *shown["other_tiles"]]
    context["tiles"] = [tile for tile in tiles if staff.may(tile.right)]
    if not staff.may(Right.VIEW_LEDGER):
        context["balances"] = []
    return TemplateResponse(request, "admin/backoffice/dashboard.html", context)


def _tables(site: AdminSite, staff: Staff, *, livemode: bool, now: datetime) -> list[Table]:
    """Return the endpoints that are failing now, and the outcome of the reader's own requests."""
    failing = Webhook.objects.failing().filter(livemode=livemode).select_related("merchant")
    known = Instruction.objects.select_related("decided_by")
    requested = with_names(CATALOG[Instruction].rows_seen(known, staff))
    own = requested.filter(asked_by_id=staff.user_id, asked_at__gt=now - REQUESTS_SHOWN_FOR)
    found = (
        ("Endpoints failing now", Webhook, failing[:ROWS_SHOWN]),
        ("Your requests", Instruction, own.order_by("-asked_at", "-pk")),
    )
    tables = [
        summary_table(site, title, model, rows[:ROWS_SHOWN])
        for title, model, rows in found
        if staff.may(CATALOG[model].right)
    ]
    return [table for table in tables if table.rows]


def _figures(mode: str, currency: str, instant: datetime) -> dict[str, Any]:
    livemode, today = mode == "live", timezone.localtime(instant).date()
    start, yesterday = figures.day_start(today), instant - timedelta(days=1)
    kind: dict[str, Any] = {"livemode": livemode, "currency": currency}
    span = figures.totals_between(**kind, start=start, end=instant)
    before = figures.totals_between(**kind, start=start - WEEK_AGO, end=instant - WEEK_AGO)
    days = figures.days_before(today, livemode=livemode)
    return {
        "currencies": sorted({settings.DEFAULT_CURRENCY, currency, *days}),
        "day_tiles": _day_tiles(span, before, mode, currency),
        "webhook_health": figures.webhook_health(livemode=livemode, start=yesterday, end=instant),
        "other_tiles": [
            *_bank(mode, position_in(currency, livemode=livemode)),
            *_clock(instant),
        ],
        "mix": _mix(span.proofs),
        "balances": _balances(figures.balances_of_all(**kind), currency),
        "bars": _bars(today, days.get(currency, {}) | {today: span}, mode, currency),
    }


def _day_tiles(
    span: figures.PeriodTotals, before: figures.PeriodTotals, mode: str, currency: str
) -> list[Tile]:
    shown = {"mode": mode, "currency": currency}
    paid = list_of(Payment, paid="today", **shown)
    rate, old_rate = span.success_percent, before.success_percent
    failed, old_failed = span.counts["failed"], before.counts["failed"]
    return [
        Tile(
            "Paid today",
            formats.money(span.amount, currency),
            f"{formats.money(before.amount, currency)} a week ago at this time",
            paid,
        ),
        Tile(
            "Payments today",
            f"{span.completed:,}",
            f"{before.completed:,} a week ago at this time",
            paid,
        ),
        Tile(
            "Success",
            "—" if rate is None else formats.share(rate),
            f"{span.completed:,} of {span.ended:,} that ended; "
            f"{'nothing' if old_rate is None else formats.share(old_rate)} a week ago",
            list_of(Payment, ended="today", **shown),
            "bad"
            if rate is not None and old_rate is not None and rate + 10 < old_rate
            else "quiet",
        ),
        Tile(
            "Failed today",
            f"{failed:,}",
            f"{old_failed:,} a week ago at this time",
            list_of(Payment, failed="today", **shown),
        ),
    ]


def _webhooks(mode: str, health: figures.WebhookHealth, failing: int) -> Tile:
    ended = health.arrived + health.failed
    arrived, more = f"{health.arrived:,} delivered", "+" if health.has_more_failed else ""
    given_up, most = f"{health.failed:,}{more} failed", "at most " if more else ""
    if failing:
        return Tile(
            "Webhooks now",
            f"{failing:,} failing",
            f"{arrived}, {given_up} for good in 24 hours",
            list_of(Webhook, state="failing", mode=mode),
            "bad",
        )
    return Tile(
        "Webhooks, 24 hours",
        f"{most}{formats.share(health.arrived * 100 // ended)}" if ended else "—",
        f"{arrived}, {given_up}",
        list_of(Delivery, status="failed", ended="day", mode=mode),
        "bad" if health.failed else "quiet",
    )


def _bank(mode: str, position: BankPosition | None) -> list[Tile]:
    """Show the difference between ledger and bank, once the bank has sent a statement."""
    if position is None:
        return []
    parts = [f"{part.count:,} {part.words}" for part in position.parts]
    parts += [f"a statement is missing after {gap.after}" for gap in position.missing]
    return [
        Tile(
            "Ledger less bank",
            formats.money(position.difference, position.currency),
            "; ".join(parts) or "nothing is open",
            list_of(BankStatement, mode=mode),
            "bad" if parts else "quiet",
            CATALOG[BankStatement].right,
        )
    ]


def _clock(instant: datetime) -> list[Tile]:
    """Warn while background work is refused because of a wrong clock."""
    refused = TurnMark.objects.exclude(refusal="").filter(refused_at__gt=instant - CLOCK_SHOWN)
    here = reverse("admin:index")
    return [
        Tile("Background work", "refused", _why_refused(mark, instant), here, "bad")
        for mark in refused
    ]


def _why_refused(mark: TurnMark, now: datetime) -> str:
    if mark.leapt_at is None:
        return f"{mark.refusal} Last refused {formats.clock(mark.refused_at, now)}."
    earlier, leapt = formats.clock(mark.at, now), formats.clock(mark.leapt_at, now)
    return f"The time has leapt from {earlier} to {leapt}."


def _mix(counts: Mapping[Verification, int]) -> list[tuple[str, int, int]]:
    """Return each kind of proof with its count and its share in percent."""
    whole = sum(counts.values()) or 1
    return [(_PROOFS[proof], count, round(count * 100 / whole)) for proof, count in counts.items()]


def _balances(sums: dict[str, int], currency: str) -> list[tuple[str, str]]:
    return [
        (words, formats.money(sums.get(purpose, 0), currency))
        for purpose, words in _HOLDERS.items()
    ]


def _bars(
    today: date, figures_of: dict[date, figures.PeriodTotals], mode: str, currency: str
) -> list[Bar]:
    first = today - timedelta(days=figures.DAYS_SHOWN - 1)
    highest = max(totals.amount for totals in figures_of.values()) or 1
    step, bars = CHART_WIDTH // figures.DAYS_SHOWN, []
    for number in range(figures.DAYS_SHOWN):
        day = first + timedelta(days=number)
        totals = figures_of.get(day, NOTHING)
        height = max(totals.amount * CHART_HEIGHT // highest, 1)
        name = f"{day.day} {day:%b}"
        bar = Bar(
            x=number * step,
            y=CHART_HEIGHT - height,
            width=step - BAR_GAP,
            height=height,
            words=f"{name}: {_day_words(totals, currency)}",
            url=list_of(Payment, paid=day.isoformat(), mode=mode, currency=currency),
            label=name if number % 5 == 2 else "",
        )
        bars.append(bar)
    return bars


def _day_words(totals: figures.PeriodTotals, currency: str) -> str:
    paid = formats.counted(totals.completed, "payment")
    others = [f"{count:,} {name}" for name, count in totals.unpaid.items()]
    ended = f"; not paid: {', '.join(others)}" if others else ""
    return f"{formats.money(totals.amount, currency)} in {paid}{ended}"
