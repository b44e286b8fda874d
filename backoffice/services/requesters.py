"""Tell the member of staff who asked for something what became of it."""

from datetime import datetime

from django.conf import settings

from backoffice.formats import money
from backoffice.models import Instruction
from backoffice.services.administrators import staff_url
from messages.models import Channel
from messages.planning import plan_message

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
    url = staff_url(f"/admin/backoffice/instruction/{instruction.pk}/change/")
    plan_message(
        channel=Channel.EMAIL,
        kind=KIND,
        recipient=recipient,
        about=instruction.pk,
        livemode=True,
        subject=f"{settings.SERVICE_NAME}: {title}: {status}",
        text=f"{title}{amount} ({instruction.subject_id}): {status}{by}.{note}\n\n{url}",
        now=now,
    )
