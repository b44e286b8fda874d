"""What pages say of a row that was tampered with in the database."""

from typing import Any

import structlog

from backoffice.audit_verification import is_entry_altered
from backoffice.models import AuditEntry, Instruction
from core.signatures import is_altered

logger = structlog.get_logger(__name__)


def report_altered(row: Any) -> str:
    """Return what to say of a row that is not as the service wrote it, and log an error; else "".

    Requests are left out: their own page says more.
    """
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
