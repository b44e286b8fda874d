"""What Support does for a caller: resend a receipt or a message, and note what was said."""

from datetime import datetime

from backoffice.audit import AuditAction, audited
from backoffice.errors import MessageNotWaiting
from backoffice.models import Note, NoteSubject
from backoffice.roles import Right
from backoffice.staff import Staff
from messages.models import Message
from messages.resending import resend_message
from payments.emails import plan_receipt_again


def send_receipt(*, staff: Staff, payment_id: str, recipient: str, now: datetime) -> None:
    """Send the receipt of a completed payment, even if it was sent before.

    Raises Forbidden, ActionLimitReached, PaymentNotFound, PaymentNotCompleted.
    """
    action = AuditAction("send receipt", Right.RECEIPT, "payment", payment_id, limited=True)
    with audited(staff=staff, action=action, now=now) as record:
        plan_receipt_again(payment_id=payment_id, recipient=recipient, now=now)
        record.after = {"recipient": masked_address(recipient)}


def masked_address(address: str) -> str:
    """Return an e-mail address as it may be displayed: m•••@example.com."""
    name, _, host = address.partition("@")
    return f"{name[:1]}•••@{host}" if host else ""


def send_message_again(*, message_id: str, now: datetime) -> Message:
    """Resend a message. Raises MessageNotWaiting."""
    if not resend_message(message_id=message_id, now=now):
        raise MessageNotWaiting
    return Message.objects.get(pk=message_id)


def write_note(
    *, staff: Staff, subject_type: NoteSubject, subject_id: str, text: str, now: datetime
) -> Note:
    """Write a note for other staff. It never changes; a correction is another note."""
    action = AuditAction("note", Right.NOTE, subject_type, subject_id)
    with audited(staff=staff, action=action, now=now) as record:
        note = Note.objects.create(
            subject_type=subject_type,
            subject_id=subject_id,
            text=text,
            author_id=staff.user_id,
            created_at=now,
        )
        record.after = {"note": note.pk}
    return note
