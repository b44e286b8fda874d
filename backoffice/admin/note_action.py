"""The action of writing a note, the same on a payment, a customer and a merchant."""

from backoffice.actions import Action
from backoffice.forms import ActionForm, TextAreaField
from backoffice.models import NoteSubject
from backoffice.roles import Right
from backoffice.services.notes import write_note


class NoteForm(ActionForm):
    """What other staff should know."""

    text = TextAreaField(max_length=2_000, label="Note")


def note_action(subject_type: NoteSubject) -> Action:
    """Return the action for one kind of object."""
    return Action(
        name="note",
        title="Write a note",
        right=Right.NOTE,
        form=NoteForm,
        service=write_note,
        given={"subject_type": subject_type},
        message="The note has been saved.",
        about="Visible to staff only. Notes cannot be changed later.",
        icon="edit_note",
    )
