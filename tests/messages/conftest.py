"""Messages to send, and servers that take or refuse them."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.core.mail.backends.locmem import EmailBackend

from core.clock import utc_now
from messages.models import Channel, Message
from messages.planning import plan_message

ADDRESS, PHONE = "ann@example.com", "+12423591234"
Break = Callable[[BaseException], None]


@pytest.fixture
def now() -> datetime:
    return utc_now()


@pytest.fixture
def break_mail(monkeypatch: pytest.MonkeyPatch) -> Break:
    """Let the mail server fail with an error from now on."""

    def fail(error: BaseException) -> None:
        def send(*_: object) -> int:
            raise error

        monkeypatch.setattr(EmailBackend, "send_messages", send)

    return fail


def plan(now: datetime, **changes: object) -> Message:
    """Plan an e-mail, or what the changes make of it, and return it."""
    values = {
        "channel": Channel.EMAIL,
        "kind": "api_key",
        "recipient": ADDRESS,
        "about": "mer_1",
        "livemode": True,
        "subject": "Hello",
        "text": "Good morning.",
        "now": now,
    }
    known = list(Message.objects.values_list("pk", flat=True))
    plan_message(**(values | changes))  # type: ignore[arg-type]  # a test names what it changes
    made = Message.objects.exclude(pk__in=known).first()
    return made or Message.objects.get(key=changes["key"])
