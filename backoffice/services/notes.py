"""Notes of staff on a payment, a customer or a merchant."""

from datetime import datetime

from backoffice.audit import AuditAction, audited
from backoffice.models import Note, NoteSubject
from backoffice.roles import Right
from backoffice.staff import Staff


def write_note(
    *, staff: Staff, subject_type: NoteSubject, subject_id: str, text: str, now: datetime
) -> Note:
    """Leave a note for other staff. It never changes; a correction is another note."""
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
