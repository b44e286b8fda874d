"""Cash taken by staff, after the customer has confirmed it with a code."""

from datetime import datetime

from backoffice.audit import AuditAction, audited, snapshot
from backoffice.roles import Right
from backoffice.staff import Staff
from core.errors import ApiError
from funding.cash import check_cash_code, send_cash_code, take_cash
from funding.models import TopUp

WATCHED = ("status", "amount_received", "taken_by")


def text_cash_code(*, staff: Staff, top_up_id: str, now: datetime) -> TopUp:
    """Text the customer the code that confirms the cash. Raises as `send_cash_code`, and Forbidden.

    The audit entry is written first: the text must not leave from within its transaction.
    """
    action = AuditAction("send cash code", Right.TAKE_CASH, "topup", top_up_id)
    with audited(staff=staff, action=action, now=now):
        TopUp.objects.one(top_up_id)
    return send_cash_code(top_up_id=top_up_id, agent=staff.actor, address=staff.address, now=now)


def confirm_cash(*, staff: Staff, top_up_id: str, code: str, now: datetime) -> TopUp:
    """Credit the cash with the customer's code. Raises Forbidden, and the errors of a wrong code.

    The attempt is counted before the transaction of the credit, whose rollback would undo the
    count.
    """
    refusal = _refusal_of_code(top_up_id, code, now) if staff.may(Right.TAKE_CASH) else None
    action = AuditAction("take cash", Right.TAKE_CASH, "topup", top_up_id)
    with audited(staff=staff, action=action, now=now) as record:
        if refusal is not None:
            raise refusal
        record.before = snapshot(TopUp.objects.one(top_up_id), *WATCHED)
        top_up = take_cash(top_up_id=top_up_id, agent=staff.actor, now=now)
        record.after = snapshot(top_up, *WATCHED)
    return top_up


def _refusal_of_code(top_up_id: str, code: str, now: datetime) -> ApiError | None:
    try:
        check_cash_code(top_up_id=top_up_id, code=code, now=now)
    except ApiError as error:
        return error
    return None
