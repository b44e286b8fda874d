"""What actions share: from form to instruction, the page's words about it, and notes."""

from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings

from backoffice.actions import Action, ActionContext, ActionResult
from backoffice.forms import ActionForm, TextAreaField
from backoffice.models import Instruction, NoteSubject
from backoffice.request_answer import refund_words
from backoffice.resource.page_urls import page_of
from backoffice.roles import Right
from backoffice.services.instruction_kinds import TASKS
from backoffice.services.instructions import InstructionRequest, instruct
from backoffice.services.support import write_note
from backoffice.statuses import InstructionStatus
from merchants.models import ApiKey, Merchant
from merchants.services import IssuedKey
from payments.models import Payment
from payouts.models import Payout

_FROM_FORM = ("reason", "note", "form_key")


def instruction_action(
    task: str,
    *,
    done_message: str,
    form_arguments: Sequence[str] = (),
    overrides: Callable[[ActionContext], dict[str, Any]] = lambda context: {},
    is_repeated: bool = False,
    **declared: Any,
) -> Action:
    """Return the action that submits an instruction for `task`, under the task's right.

    `done_message` is shown if no second person was needed. `form_arguments` are the form fields
    that become arguments of the instruction. `overrides` returns the fields of the request that
    differ from what `submit` takes from the form and the row. `is_repeated`: another amount, or
    another wallet, can be requested while a request waits. `declared` are other fields of the
    action.
    """

    def service(context: ActionContext) -> Instruction:
        arguments = {name: context.data[name] for name in form_arguments}
        return submit(context, task, **({"arguments": arguments} | overrides(context)))

    right = TASKS[task].right
    once = "" if is_repeated else task
    message = submitted(done_message)
    return Action(right=right, service=service, message=message, asked_once=once, **declared)


def submit(context: ActionContext, task: str, **overrides: Any) -> Instruction:
    """Submit an instruction about the row from the form; `overrides` replace both.

    Amount and currency come from the form, or else from the row: an instruction that moves no money
    has 0 in the default currency. There is no default for the mode: if neither form nor row has
    one, `overrides` must.
    """
    row, data = context.row, context.data
    known: dict[str, Any] = {
        "amount": data.get("amount", getattr(row, "amount", 0)),
        "currency": data.get("currency", getattr(row, "currency", settings.DEFAULT_CURRENCY)),
        "merchant_id": _merchant_id(row),
        "note_on": _note_on(row),
        **{name: data.get(name, "") for name in _FROM_FORM},
    }
    if "livemode" not in overrides:
        known["livemode"] = context.livemode
    if row is not None:
        known["subject_id"] = row.pk
    request = InstructionRequest(task=task, **(known | overrides))
    return instruct(staff=context.staff, request=request, now=context.now)


def submitted(message: str) -> Callable[[Instruction], ActionResult]:
    """Return a function that reports an instruction: done, or waiting for someone else."""

    def result(instruction: Instruction) -> ActionResult:
        if instruction.status == InstructionStatus.CARRIED_OUT:
            held = refund_words(instruction)
            return ActionResult(held or message, is_warning=bool(held))
        return ActionResult("This is waiting for a colleague's approval.", url=page_of(instruction))

    return result


def key_result(words: str, name: str) -> Callable[[IssuedKey | Instruction], ActionResult]:
    """Return a function that reports a key: shown once, or waiting for someone else."""

    def result(issued: IssuedKey | Instruction) -> ActionResult:
        if isinstance(issued, Instruction):
            return submitted(words)(issued)
        notified = f"{words.rstrip('.')}, and the merchant notified by e-mail."
        return ActionResult(notified, secret=issued.secret, secret_name=name)

    return result


def _merchant_id(row: Any) -> str:
    if isinstance(row, Merchant):
        return str(row.pk)
    return str(row.merchant_id) if isinstance(row, Payment | Payout | ApiKey) else ""


def _note_on(row: Any) -> NoteSubject | None:
    """Return the kind of subject under which a form's note is kept, if its pages show notes."""
    name = row._meta.model_name if row is not None else ""
    return NoteSubject(name) if name in NoteSubject.values else None


class NoteForm(ActionForm):
    text = TextAreaField(max_length=2_000, label="Note")


NOTE = Action(
    name="note",
    title="Write a note",
    right=Right.NOTE,
    form=NoteForm,
    service=write_note,
    message="The note has been saved.",
    about="Visible to staff only. Notes cannot be changed later.",
    icon="edit_note",
)
