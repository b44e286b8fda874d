"""Words that no password of staff may rely on: those that anyone associates with this service."""

import re

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError

# Beside these, the words of the service's own name.
OWN_WORDS = ("administrator", "admin", "checkout", "finance", "payments", "payment", "password",
             "secret", "staff", "support", "wallet", "welcome")  # fmt: skip
LEFT_CHARACTERS = 8


class OwnWordsValidator:
    """Refuses a password that is little more than the service's own words."""

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:
        """Raise ValidationError if too little is left without these words."""
        rest = password.lower()
        for word in (*re.findall(r"\w{4,}", settings.SERVICE_NAME.lower()), *OWN_WORDS):
            rest = rest.replace(word, "")
        if len(rest) < LEFT_CHARACTERS:
            raise ValidationError(self.get_help_text(), code="password_own_words")

    def get_help_text(self) -> str:
        return "Your password must be more than words of this service and a few digits."
