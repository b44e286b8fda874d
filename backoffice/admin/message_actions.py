"""Send a message again that could not be sent."""

from backoffice.actions import Action
from backoffice.forms import ActionForm, CheckboxField
from backoffice.roles import Right
from backoffice.services.messages import send_message_again
from messages.models import MessageStatus


class SendAgainForm(ActionForm):
    """One message; a tick where it may have arrived all the same."""

    sure = CheckboxField(required=False, label="It may have arrived; send it again anyway")

    def prepare(self) -> None:
        may_have_arrived = self.row.status != MessageStatus.REFUSED
        self.fields["sure"].required = may_have_arrived
        if not may_have_arrived:
            del self.fields["sure"]


SEND_AGAIN = Action(
    title="Send again",
    right=Right.MESSAGE,
    form=SendAgainForm,
    service=lambda context: send_message_again(
        staff=context.staff, message=context.row, now=context.now
    ),
    message="Queued to be sent again.",
    about="It goes to the same recipient, who may get it twice.",
    icon="send",
    main=True,
    available=lambda message, now: message.waits_for_staff(now),
)
