"""The text messages that were sent in a test."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from core.formats import money
from customers.codes import request_code
from customers.models import CodePurpose
from tests.customers.guessing import ADDRESS

PHONE = "+1 242 359 1234"


@dataclass
class TextBox:
    """Whom a text was sent to, and what it said; `code` is the newest code in it."""

    to: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def send(self, *, to: str, text: str, reference: str = "") -> None:
        self.to.append(to)
        self.texts.append(text)

    @property
    def code(self) -> str:
        found = re.search("#([0-9]+)$", self.texts[-1])
        assert found
        return found[1]


def ask(now: datetime, phone: str = PHONE, address: str = ADDRESS, livemode: bool = True) -> str:
    """Ask for a code to sign in; return its handle."""
    return request_code(
        phone=phone,
        livemode=livemode,
        purpose=CodePurpose.SIGN_IN,
        address=address,
        now=now,
        payee="Conch Shack",
        amount=partial(money, 1_250, "BSD"),
    )
