"""The act of writing a note, the same on a payment, a customer and a merchant."""

from backoffice.actions import Action, ActionContext, ActionResult
from backoffice.forms import ActionForm, TextAreaField
from backoffice.models import NoteSubject
from backoffice.roles import Right
from backoffice.services.notes import write_note


class NoteForm(ActionForm):
    """What other staff should know."""

    text = TextAreaField(max_length=2_000, label="Note")


def note_action(subject_type: NoteSubject) -> Action:
    """Return the act for one kind of object."""

    def carry_out(context: ActionContext) -> ActionResult:
        write_note(
            staff=context.staff,
            subject_type=subject_type,
            subject_id=context.row.pk,
            text=context.data["text"],
            now=context.now,
        )
        return ActionResult("The note is kept.")

    return Action(
        name="note",
        title="Write a note",
        right=Right.NOTE,
        form=NoteForm,
        carry_out=carry_out,
        about="Only staff see notes. They cannot be changed later.",
        icon="edit_note",
    )
