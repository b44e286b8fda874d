"""An e-mail backend that prints readable e-mails on the console."""

from django.core.mail import EmailMessage
from django.core.mail.backends.console import EmailBackend


class ConsoleBackend(EmailBackend):
    """Prints the headers and the text of a message, without its HTML and attachments."""

    def write_message(self, message: EmailMessage) -> None:
        head = [
            f"E-mail to {', '.join(message.recipients())} from {message.from_email}",
            f"Subject: {message.subject}",
            *([f"Attached: {len(message.attachments)}"] if message.attachments else []),
        ]
        text = [f"  | {line}".rstrip() for line in str(message.body).splitlines()]
        self.stream.write("\n".join([*head, *text, ""]))
