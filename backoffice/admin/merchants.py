"""Merchants: viewed, verified, suspended, paid out."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.html import format_html

from backoffice import formats
from backoffice.admin.ledger import ACCOUNT_FIELDS
from backoffice.admin.merchant_actions import MERCHANT_ACTIONS, SUSPENDED, balance_facts
from backoffice.admin.merchant_review import change_lines
from backoffice.admin.office import OfficeAdmin
from backoffice.admin.webhooks import ENDPOINT_STATE, FAILING_SINCE, LAST_ERROR, URL
from backoffice.audit import last_done
from backoffice.endpoint_timeline import with_endpoint_failures
from backoffice.page_parts import Section, SupportAnswer, facts
from backoffice.payout_answer import why_none_leaves
from backoffice.request_answer import done_words
from backoffice.resource.days import DayFilter
from backoffice.resource.filters import choice_filter
from backoffice.resource.page_urls import page_to_open
from backoffice.resource.resource import Related
from backoffice.resource.shown import Code, Field, Figure, Id, Instant, with_link
from backoffice.resource.usual_fields import MODE, STATUS
from backoffice.roles import Right
from backoffice.webhook_answer import endpoints_in_trouble
from core.clock import request_now
from ledger.models import Account
from merchants.models import ApiKey, Merchant, MerchantChange, PayoutSchedule
from merchants.statuses import MerchantStatus
from payments.models import Payment
from payouts.balances import balances_of
from payouts.forecasts import Forecast, forecast_payouts
from payouts.models import BankAccount, Payout
from webhooks.models import Webhook

SHOWN = 10
_STANDING = {
    MerchantStatus.UNVERIFIED: ("Not verified yet: it accepts test payments only.", "wait"),
    MerchantStatus.VERIFIED: ("It accepts live payments.", "good"),
    MerchantStatus.SUSPENDED: ("Suspended: it cannot be paid, and nothing is paid out.", "bad"),
}


def _standing(merchant: Merchant) -> tuple[str, str]:
    status = MerchantStatus(merchant.status)
    if status == MerchantStatus.UNVERIFIED and not settings.REQUIRE_VERIFIED_MERCHANTS:
        return "Not verified, but it accepts live payments: the settings allow that.", "wait"
    return _STANDING[status]


SLUG, CATEGORY = Field("Slug", "slug"), Field("Category", "category")
SINCE = Instant("Since", "created_at")


class MerchantAdmin(OfficeAdmin):
    model = Merchant
    heading_format = "{row.name}"
    list_display = (
        Field("Name", "name"),
        STATUS,
        SLUG,
        CATEGORY,
        Figure("Fee", lambda merchant: formats.percent(merchant.fee_basis_points)),
        SINCE,
        Id("Merchant"),
    )
    list_filter = (
        choice_filter("status", "status", MerchantStatus.choices),
        choice_filter("payouts", "payout_schedule", PayoutSchedule.choices),
        DayFilter,
    )
    row_actions = MERCHANT_ACTIONS
    details = (
        Code("Merchant", "pk"),
        Field("E-mail", "email"),
        Instant("E-mail confirmed", "email_confirmed_at", empty="not yet"),
        Field("Support", "support_email"),
        Field("Website", "website"),
        Field("Address", "address"),
        Field("Type", "business_type"),
        Field("Description", "description"),
        Field("Time zone", "time_zone"),
    )
    related = (
        Related(Payment, "merchant", "Newest payments", shown=SHOWN),
        Related(Payout, "merchant", shown=SHOWN),
        Related(ApiKey, "merchant", shown=SHOWN),
        Related(BankAccount, "merchant", shown=SHOWN),
        Related(Account, "owner", "Accounts in the ledger", fields=ACCOUNT_FIELDS),
        Related(
            Webhook,
            "merchant",
            "Webhook endpoints",
            fields=(URL, ENDPOINT_STATE, MODE, FAILING_SINCE, LAST_ERROR),
            rows=lambda merchant: Webhook.objects.not_deleted().filter(merchant=merchant),
            shown=SHOWN,
        ),
    )

    def get_queryset(self, request: HttpRequest) -> Any:
        rows, match = super().get_queryset(request), request.resolver_match
        is_of_one = match is not None and "object_id" in match.kwargs
        return with_endpoint_failures(rows) if is_of_one else rows

    def answer(self, row: Merchant, now: datetime) -> SupportAnswer:
        words, tone = _standing(row)
        sentences = [words, *_suspension(row, now), *_waiting_change(row, now)]
        live = BankAccount.objects.filter(merchant=row, livemode=True, closed_at=None)
        accounts = list(live.order_by("-pk"))
        of_payouts = [*_waiting_account(accounts, now), *_no_account(row, accounts)]
        return SupportAnswer(sentences, tone, endpoints_in_trouble(row, now), of_payouts)

    def sections(self, row: Merchant) -> list[Section]:
        return [*super().sections(row), _money(row)]


def _suspension(merchant: Merchant, now: datetime) -> Iterator[str]:
    """Yield since when it is suspended, and by whom."""
    if merchant.status != MerchantStatus.SUSPENDED:
        return
    if last := last_done(SUSPENDED, merchant.pk):
        yield f"Suspended {done_words(last, now)}."


def _waiting_change(merchant: Merchant, now: datetime) -> Iterator[str]:
    """Yield the change that the merchant has requested and staff have to review."""
    if merchant.pending_changes is None:
        return
    for change in MerchantChange.objects.pending().filter(merchant=merchant):
        fields = "; ".join(change_lines(change))
        since = formats.clock(change.created_at, now)
        yield f"It has requested a change, waiting for review since {since}: {fields}."


def _waiting_account(accounts: Sequence[BankAccount], now: datetime) -> Iterator[str]:
    """Yield the bank account that staff have to review, if it would replace another."""
    pending = [each for each in accounts if each.is_pending]
    for account in pending if len(pending) < len(accounts) else ():
        since = formats.clock(account.created_at, now)
        words = f"There is another bank account, {account}, waiting for review since {since}."
        yield with_link(words, account)


def _no_account(merchant: Merchant, accounts: Sequence[BankAccount]) -> Iterator[str]:
    """Yield that scheduled live payouts have no account to go to."""
    if merchant.status != MerchantStatus.VERIFIED:
        return
    if merchant.payout_schedule == PayoutSchedule.MANUAL:
        return
    if all(each.is_pending for each in accounts):
        often, waits = merchant.payout_schedule, bool(accounts)
        but = "the account for it is waiting for review" if waits else "has no bank account for it"
        yield f"It is to be paid out {often} in live mode, and {but}."


def _money(merchant: Merchant) -> Section:
    """Show the balances that the merchant reads, and what the schedule will pay out of them."""
    now = request_now()
    pairs: list[tuple[str, Any]] = [("Paid out", str(merchant.payout_schedule))]
    for livemode, mode in ((True, "live"), (False, "test")):
        held = balances_of(merchant_id=merchant.pk, livemode=livemode)
        pairs += balance_facts(held)
        forecasts = forecast_payouts(merchant, held, now=now)
        pairs += [(f"Next payout, {mode}", _forecast_words(each, now)) for each in forecasts]
    return Section("Money", facts(*pairs), right=Right.VIEW_PAYOUTS)


def _forecast_words(forecast: Forecast, now: datetime) -> str:
    """Describe the next payout as things stand, and what would keep it from leaving."""
    code = forecast.bank_account.currency
    day, arrival = (
        f"{each:%a} {formats.day_text(each)}" for each in (forecast.day, forecast.arrival_date)
    )
    if not forecast.amount:
        least = formats.money(settings.PAYOUT_MINIMUM, code)
        return f"Forecast for {day}: nothing in {code} as things stand; it takes {least} or more"
    amount = formats.money(forecast.amount, code)
    words = f"Forecast for {day}: {amount} as things stand, expected at the bank on {arrival}"
    if shut := why_none_leaves(livemode=forecast.bank_account.livemode, now=now):
        return format_html("{}. {}", words, shut)
    if not forecast.held_by:
        return words
    entry = formats.link("a bank entry", page_to_open(forecast.held_by))
    return format_html("{}. It cannot leave before {} is explained.", words, entry)
