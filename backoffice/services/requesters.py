"""Tell the member of staff who asked for something what became of it."""

from datetime import datetime

from backoffice.formats import money
from backoffice.models import Instruction
from backoffice.services.administrators import mail_staff, url_of

KIND = "staff_decision"


def tell_requester(instruction: Instruction, *, title: str, by: str, now: datetime) -> None:
    """Plan an e-mail about a decision, where the requester has an address.

    The decision is made, in the caller's transaction; `by` is who has made it.
    """
    recipient = instruction.asked_by.email
    if not recipient:
        return
    status = instruction.get_status_display()
    amount = f" of {money(instruction.amount, instruction.currency)}" * bool(instruction.amount)
    note = f"\nNote: {instruction.decision_note}" if instruction.decision_note else ""
    what = f"{title}{amount} ({instruction.subject_id}): {status}{by}."
    mail_staff(
        KIND,
        recipient,
        about=instruction.pk,
        subject=f"{title}: {status}",
        text=f"{what}{note}\n\n{url_of(instruction)}",
        now=now,
    )
