"""The reference that a customer writes on a transfer: an ISO 11649 creditor reference.

Its two check digits tell a mistyped one from another customer's: an invalid one matches nothing.
Characters that are easily confused are left out.
"""

import re
import secrets

ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
BODY_CHARACTERS = 8
GROUP = 4
_SPACING = re.compile(r"[\s.\-/]")
_FORM = re.compile(rf"(?=(RF[0-9]{{2}}[{ALPHABET}]{{{BODY_CHARACTERS}}}))")


def new_reference() -> str:
    """Return a new random reference, 12 characters long."""
    body = "".join(secrets.choice(ALPHABET) for _ in range(BODY_CHARACTERS))
    return f"RF{98 - _remainder(f'{body}RF00'):02}{body}"


def references_in(*texts: str) -> set[str]:
    """Return the valid references in the texts that a bank passes on, however grouped."""
    found = (each for text in texts for each in _FORM.findall(_SPACING.sub("", text).upper()))
    return {each for each in found if _remainder(each[4:] + each[:4]) == 1}


def grouped(reference: str) -> str:
    """Return the reference in groups of four, as people read and type it."""
    return " ".join(reference[at : at + GROUP] for at in range(0, len(reference), GROUP))


def _remainder(text: str) -> int:
    return int("".join(str(int(character, 36)) for character in text)) % 97
