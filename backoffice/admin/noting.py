"""The act of writing a note, the same on a payment, a customer and a merchant."""

from backoffice.acts import Act, Done, Work
from backoffice.forms import ActForm, Lines
from backoffice.models import NoteSubject
from backoffice.roles import Right
from backoffice.services.notes import write_note


class NoteForm(ActForm):
    """What other staff should know."""

    text = Lines(max_length=2_000, label="Note")


def note_act(subject_type: NoteSubject) -> Act:
    """Return the act for one kind of object."""

    def carry_out(work: Work) -> Done:
        write_note(
            staff=work.staff,
            subject_type=subject_type,
            subject_id=work.row.pk,
            text=work.data["text"],
            now=work.now,
        )
        return Done("The note is kept.")

    return Act(
        name="note",
        title="Write a note",
        right=Right.NOTE,
        form=NoteForm,
        carry_out=carry_out,
        about="Only staff see notes. They cannot be changed later.",
        icon="edit_note",
    )
