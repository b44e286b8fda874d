"""E-mails, handed to the configured mail server."""

import re
from email.utils import parseaddr
from smtplib import SMTPRecipientsRefused, SMTPResponseException, SMTPSenderRefused

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.core.mail.backends.base import BaseEmailBackend

from core.mailboxes import ENCODED_WORD
from messages.content import Content
from messages.errors import Fault, MessageNotSent
from messages.models import Message

REFUSED_FOR_GOOD = 500
UNWRITABLE = (ValueError, IndexError)  # the latter by Python's parser, of an address of no one
_ADDRESS = re.compile(r"[^\s<>()\"',;:]+@[^\s<>()\"',;:]+")


def send(message: Message, content: Content, *, server: BaseEmailBackend) -> None:
    """Hand an e-mail to the server. Raises MessageNotSent.

    Its Message-ID is made from the row's id, so that mailboxes can drop a duplicate.
    """
    mail = EmailMultiAlternatives(
        subject=content.subject.replace(ENCODED_WORD, "= ?"),  # a reader's program would decode it
        body=content.text,
        to=[message.recipient],
        reply_to=[content.reply_to] if content.reply_to else None,
        headers={
            "Message-ID": f"<{message.id}@{_domain()}>",
            "X-Entity-Ref-ID": message.id,
        },
    )
    if content.html:
        mail.attach_alternative(content.html, "text/html")
    try:
        server.send_messages([mail])
    except (OSError, *UNWRITABLE) as error:
        server.close()  # it may be broken; the next e-mail opens another
        raise _failure(error) from error


def _failure(error: OSError | ValueError | IndexError) -> MessageNotSent:
    """Classify the failure. If the connection was lost, the server may have accepted the e-mail.

    A refused sender, such as one not signed in, concerns our account: it may be retried.
    A server may spell the recipient's address otherwise than we do: its words are kept without any.
    """
    if isinstance(error, UNWRITABLE):
        return MessageNotSent(Fault.REFUSED, f"It cannot be written: {type(error).__name__}")
    words: bytes | str
    if isinstance(error, SMTPRecipientsRefused):
        code, words = next(iter(error.recipients.values()))
    elif isinstance(error, SMTPResponseException):
        code, words = error.smtp_code, error.smtp_error
    else:
        cause = "timed out" if "timed out" in str(error) else type(error).__name__
        return MessageNotSent(Fault.UNKNOWN, f"The connection was lost: {cause}")
    is_final = code >= REFUSED_FOR_GOOD and not isinstance(error, SMTPSenderRefused)
    fault = Fault.REFUSED if is_final else Fault.TEMPORARY
    return MessageNotSent(fault, f"{code} {_ADDRESS.sub('the address', _text(words))}")


def _text(words: bytes | str) -> str:
    return words.decode(errors="replace") if isinstance(words, bytes) else words


def _domain() -> str:
    return parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2]
