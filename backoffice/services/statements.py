"""Statements for merchants' accountants, requested by staff."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

from backoffice.audit import AuditAction, audited
from backoffice.formats import day_text
from backoffice.models import ExportForm, ExportRun
from backoffice.resource.days import read_day
from backoffice.roles import Right
from backoffice.services.exports import start_export
from backoffice.staff import Staff
from backoffice.statement_files import STATEMENT_FILE, period_of
from core.instants import start_of_day, today_in
from merchants.callers import Caller
from merchants.models import Merchant
from payouts.account_statements import request_statement, same_statement
from payouts.models import AccountStatement

PERIODS = (
    ("last_month", "last month"),
    ("this_month", "this month so far"),
    ("days", "other days"),
)


def period_days(
    merchant: Merchant, period: str, chosen: tuple[date | None, date | None], now: datetime
) -> tuple[date, date] | None:
    """Return the first and last day of a period; None if it is unknown, or not over yet."""
    today = today_in(merchant.time_zone, now)
    if period == "this_month":
        return today.replace(day=1), today
    if period == "last_month":
        last = today.replace(day=1) - timedelta(days=1)
        return last.replace(day=1), last
    first, last_chosen = chosen
    if first is None or last_chosen is None or not first <= last_chosen <= today:
        return None
    return first, last_chosen


def ask_for_statement(
    *,
    staff: Staff,
    merchant: Merchant,
    livemode: bool,
    currency: str,
    days: tuple[date, date],
    form: ExportForm,
    now: datetime,
) -> tuple[AccountStatement, ExportRun]:
    """Request a statement of these days, and its file. A day that is not over ends now.

    Those that exist already are returned if new ones would say the same.

    Raises Forbidden, AccountStatementsTooMany, ExportsTooMany.
    """
    action = AuditAction("make statement", Right.EXPORT, "merchant", merchant.pk)
    caller, zone = Caller(merchant, livemode=livemode, actor=staff.actor), merchant.time_zone
    period = {
        "start_at": start_of_day(days[0], zone),
        "end_at": min(start_of_day(days[1] + timedelta(days=1), zone), now),
    }
    with audited(staff=staff, action=action, now=now) as record:
        statement = same_statement(
            caller=caller, currency=currency, since=start_of_day(days[1], zone), **period
        ) or request_statement(caller=caller, currency=currency, now=now, **period)
        run = start_file(staff=staff, statement=statement, form=form, now=now)
        record.after = {"statement": statement.pk, "from": str(days[0]), "to": str(days[1])}
    return statement, run


def days_of_statement(after: Mapping[str, Any]) -> str:
    """Return the days that an entry of the audit trail names for a statement; "" without any.

    In an entry that was tampered with, they may be no days.
    """
    days = (read_day(str(after.get(name))) for name in ("from", "to"))
    return " to ".join(day_text(day) for day in days if day)


def start_file(
    *, staff: Staff, statement: AccountStatement, form: ExportForm, now: datetime
) -> ExportRun:
    """Request the file of a statement; return the one there is if it would be the same.

    Raises Forbidden, ExportsTooMany.
    """
    if (made := _same_file(staff, statement, form)) and staff.may(Right.EXPORT):
        return made
    first, last = period_of(statement)
    of = statement.currency if statement.livemode else f"{statement.currency} test"
    return start_export(
        staff=staff,
        resource=STATEMENT_FILE,
        query=statement.pk,
        form=form,
        name=f"{statement.merchant.slug} {first} to {last} {of}.{form}"[-120:],
        now=now,
    )


def _same_file(staff: Staff, statement: AccountStatement, form: ExportForm) -> ExportRun | None:
    """Return this person's newest file of it, unless it failed or the merchant changed since."""
    made = ExportRun.objects.filter(asked_by_id=staff.user_id, resource=STATEMENT_FILE, error="")
    unchanged = made.filter(created_at__gt=statement.merchant.updated_at)
    return unchanged.filter(query=statement.pk, form=form).order_by("-pk").first()
