"""Exports in the background: requested, prepared by a worker, kept for a week."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from tempfile import TemporaryFile
from typing import IO, Any

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.apps import apps
from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from backoffice.audit import AuditAction, audited
from backoffice.errors import ExportsTooMany, Forbidden
from backoffice.models import ExportForm, ExportPart, ExportRun
from backoffice.resource.catalog import CATALOG
from backoffice.roles import Right
from backoffice.services.staff_mail import mail_staff, url_of
from backoffice.sheets import Worksheet, write_sheet
from backoffice.staff import Staff, rights_of
from backoffice.statement_files import STATEMENT_FILE
from core.clock import clock_from, not_before
from core.ids import new_id
from core.retention import PERIODS, delete_all
from payouts.models import AccountStatement

LEASE = timedelta(minutes=5)
NOTED_EVERY = 2_000
PART_BYTES = 512 * 1024
MOST_ATTEMPTS = 3
MOST_PENDING = 5
MOST_AT_ONCE = 2  # of the processes of a worker, which has other work as well
GIVEN_UP = (
    "It could not be made. Request it again, or a smaller one. If that fails too, tell the"
    " operators of the service."
)
KIND = "staff_export"

Source = Callable[[ExportRun], Worksheet | bytes]
logger = structlog.get_logger(__name__)


class ExportRefused(Exception):
    """There will be no such file. The text tells its requester why."""


class ExportNotReady(Exception):
    """The data for the export is not complete yet."""


_ENDED = ("finished_at", "error", "row_count", "byte_count")


class _LeaseLost(Exception):
    """Another worker has taken over the export."""


def start_export(
    *, staff: Staff, resource: str, query: str, form: ExportForm, name: str, now: datetime
) -> ExportRun:
    """Request a file. Raises Forbidden, ExportsTooMany while too many others are in preparation."""
    action = AuditAction("start export", Right.EXPORT, resource, "", reason=name)
    with audited(staff=staff, action=action, now=now) as record:
        pending = ExportRun.objects.filter(asked_by_id=staff.user_id, finished_at=None)
        if pending.count() >= MOST_PENDING:
            raise ExportsTooMany
        run = ExportRun.objects.create(
            id=new_id("exp", now),
            resource=resource,
            query=query,
            form=form,
            name=name,
            asked_by_id=staff.user_id,
            created_at=now,
        )
        record.after = {"export": run.pk}
    return run


def note_download(*, staff: Staff, run: ExportRun, now: datetime) -> None:
    """Record the download of an export. Raises Forbidden if its list may not be seen."""
    action = AuditAction("download export", Right.EXPORT, "exportrun", run.pk, reason=run.name)
    with audited(staff=staff, action=action, now=now):
        if not staff.may(_right_to_see(run)):
            raise Forbidden(right=f"is missing: {_right_to_see(run).value}")


def make_due(*, content_of: Source, now: datetime) -> int:
    """Prepare the oldest requested file that can be prepared; return how many are ready."""
    pending = ExportRun.objects.filter(finished_at=None)
    if pending.filter(lease_until__gt=now).count() >= MOST_AT_ONCE:
        return 0
    due = due_exports(now).order_by("created_at").values_list("pk", flat=True)
    clock = clock_from(now)
    return int(any(_make(pk, content_of, clock) for pk in list(due)))


def due_exports(now: datetime) -> QuerySet[ExportRun]:
    """Return the unfinished exports that no process is preparing."""
    free = Q(lease_until=None) | Q(lease_until__lte=now)
    return ExportRun.objects.filter(free, finished_at=None)


def delete_old(*, now: datetime) -> int:
    """Delete exports and their files after their period; return the number of rows deleted."""
    old = ExportRun.objects.filter(created_at__lt=now - PERIODS["exports of staff"])
    return delete_all(old, order_by="created_at")


def _make(run_id: str, content_of: Source, clock: Callable[[], datetime]) -> bool:
    run = _claim(run_id, clock())
    if run is None:
        return False
    try:
        _refuse_unauthorized(run)
        # As on the page of the list: days begin in the time zone of staff.
        with timezone.override(settings.STAFF_TIME_ZONE), TemporaryFile() as file:
            _write(run, content_of(run), file, clock)
            _refuse_unauthorized(run)  # it may have taken long
            return _store(run, file, now=clock())
    except ExportRefused as refusal:
        return _finish(run, clock(), error=str(refusal))
    except ExportNotReady:
        ExportRun.objects.filter(pk=run.pk).update(lease_until=None, attempts=0)
        return False
    except _LeaseLost:
        return False
    except SoftTimeLimitExceeded:  # the turn is over
        raise
    except Exception:
        logger.exception("export_not_made", run=run_id)
        if run.attempts < MOST_ATTEMPTS:
            return False  # its lease runs out, and it is made anew
        return _finish(run, clock(), error=GIVEN_UP)


def _refuse_unauthorized(run: ExportRun) -> None:
    """Raise ExportRefused unless the requester may still export this."""
    run.asked_by.refresh_from_db()
    if not {Right.EXPORT, _right_to_see(run)} <= rights_of(run.asked_by):
        raise ExportRefused("The requester may not export this any more.")


def _right_to_see(run: ExportRun) -> Right:
    model = AccountStatement if run.resource == STATEMENT_FILE else apps.get_model(run.resource)
    return CATALOG[model].right


def _claim(run_id: str, now: datetime) -> ExportRun | None:
    rows = due_exports(now).filter(pk=run_id)
    if not rows.update(lease_until=now + LEASE, attempts=F("attempts") + 1, row_count=0):
        return None
    run = ExportRun.objects.select_related("asked_by").get(pk=run_id)
    if run.attempts > MOST_ATTEMPTS:  # the last worker was killed
        _finish(run, now, error=GIVEN_UP)
        return None
    return run


def _write(
    run: ExportRun, content: Worksheet | bytes, file: IO[bytes], clock: Callable[[], datetime]
) -> None:
    if isinstance(content, bytes):
        file.write(content)
    else:
        write_sheet(replace(content, rows=_counted(run, content.rows, clock)), run.form, file)


def _counted(
    run: ExportRun, rows: Iterable[Sequence[Any]], clock: Callable[[], datetime]
) -> Iterator[Sequence[Any]]:
    """Yield the rows, updating their count and renewing the lease."""
    for row in rows:
        run.row_count += 1
        if run.row_count % NOTED_EVERY == 0:
            _renew(run, clock())
        yield row


def _renew(run: ExportRun, now: datetime) -> None:
    held = _held(run)
    run.lease_until = now + LEASE
    if not held.update(lease_until=run.lease_until, row_count=run.row_count):
        raise _LeaseLost


def _held(run: ExportRun) -> QuerySet[ExportRun]:
    return ExportRun.objects.filter(pk=run.pk, lease_until=run.lease_until, finished_at=None)


@transaction.atomic
def _store(run: ExportRun, file: IO[bytes], *, now: datetime) -> bool:
    _renew(run, now)
    run.byte_count = file.tell()
    file.seek(0)
    pieces = iter(lambda: file.read(PART_BYTES), b"")
    for number, content in enumerate(pieces):
        ExportPart.objects.create(run=run, number=number, content=content)
    return _finish(run, now)


@transaction.atomic
def _finish(run: ExportRun, now: datetime, error: str = "") -> bool:
    """Record the end and notify the requester, unless another worker has taken over."""
    run.finished_at, run.error = not_before(run.created_at, now), error[:200]
    ended = {name: getattr(run, name) for name in _ENDED}
    if not _held(run).update(**ended):
        return False
    if run.asked_by.email:
        rows = "" if run.form == ExportForm.PDF else f"has {run.row_count:,} rows, and "
        words = error or f"It {rows}is kept for a week."
        mail_staff(
            KIND,
            run.asked_by.email,
            about=run.pk,
            subject="your export failed" if error else "your export is ready",
            text=f"{run.name}: {words}\n\n{url_of(run)}",
            now=now,
        )
    return not error
