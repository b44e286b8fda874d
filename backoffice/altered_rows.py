"""What pages say of a row that was tampered with in the database."""

from datetime import datetime
from typing import Any

import structlog

from backoffice.audit_verification import is_entry_altered
from backoffice.models import AuditEntry, Instruction
from backoffice.page_parts import SupportAnswer
from backoffice.resource.resource import AdminResource
from core.signatures import is_altered

logger = structlog.get_logger(__name__)


def report_altered(row: Any) -> str:
    """Return what to say of a row that is not as the service wrote it, and log an error; else "".

    Requests are left out: their own page says more. Without a row there is nothing to say.
    """
    if row is None:
        return ""
    is_entry = isinstance(row, AuditEntry)
    if isinstance(row, Instruction) or not (is_entry_altered(row) if is_entry else is_altered(row)):
        return ""
    name = str(row._meta.verbose_name)
    logger.error("row_altered", row=f"{name} {row.pk}")
    which = "audit entry, or the one before it," if is_entry else name
    return (
        f"This {which} was changed in the database by something other than this service: do not"
        " rely on what this page says, do nothing about it, and tell the operators of the service"
        " at once."
    )


def answer_about(resource: AdminResource, row: Any, now: datetime) -> SupportAnswer | None:
    """Return what to tell the caller about a row at this moment; of an altered one, only that."""
    if altered := report_altered(row):
        return SupportAnswer([altered], "bad", is_warning=True)
    return resource.answer(row, now)
