"""The text messages that were sent in a test."""

import re
from dataclasses import dataclass, field


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
