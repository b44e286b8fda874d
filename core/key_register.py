"""Which keys stored secrets need: a process that lacks one does not start serving.

The register holds no keys, only an id of each one that a process may have written under. An entry
is removed when nothing is left under the key, or when an operator gives it up.
"""

import hashlib
import hmac
from datetime import datetime

from django.conf import settings

from core.crypto import keys_of
from core.models import KeyInUse, KeyPurpose

ID_CHARACTERS = 16
ADVICE = (
    "Put it back behind the newest one, in {name}; or let `manage.py rotate_encryption` find that "
    "nothing needs it; or, where it is lost for good, `manage.py rotate_encryption --give-up {id}`."
)
VARIABLES = {
    "encryption": "ENCRYPTION_KEY",
    "ledger": "LEDGER_KEY",
    "pepper": "PIN_PEPPER_FALLBACKS",
}


def key_id(purpose: KeyPurpose, key: str) -> str:
    """Return the id of a key: it tells keys apart and reveals nothing."""
    digest = hmac.digest(key.encode(), f"id:{purpose.value}".encode(), hashlib.sha256)
    return digest.hex()[:ID_CHARACTERS]


def peppers() -> dict[str, str]:
    """Return the peppers by their ids, the one for new PINs first."""
    every = [settings.PIN_PEPPER, *settings.PIN_PEPPER_FALLBACKS]
    return {key_id(KeyPurpose.PEPPER, pepper): pepper for pepper in every}


def configured_ids() -> dict[KeyPurpose, list[str]]:
    """Return the ids of the keys of this process, newest first."""
    listed = {
        KeyPurpose.ENCRYPTION: settings.ENCRYPTION_KEY,
        KeyPurpose.LEDGER: settings.LEDGER_KEY,
    }
    ids = {
        purpose: [key_id(purpose, key) for key in keys_of(keys)] for purpose, keys in listed.items()
    }
    return ids | {KeyPurpose.PEPPER: list(peppers())}


def missing_keys() -> list[KeyInUse]:
    """Return the keys that stored secrets may need and this process does not have."""
    ours = configured_ids()
    return [
        entry
        for entry in KeyInUse.objects.order_by("since", "id")
        if entry.key_id not in ours[KeyPurpose(entry.purpose)]
    ]


def words_of_missing_keys() -> list[str]:
    """Return a sentence for each of the missing keys: its id, since when, and what can be done."""
    return [
        f"{entry} is missing, in use since {entry.since:%Y-%m-%d}. "
        + ADVICE.format(name=VARIABLES[entry.purpose], id=entry.key_id)
        for entry in missing_keys()
    ]


def newer_keys() -> list[KeyInUse]:
    """Return the encryption keys that came into use after this process's first one."""
    first, *_ = configured_ids()[KeyPurpose.ENCRYPTION]
    known = KeyInUse.objects.filter(purpose=KeyPurpose.ENCRYPTION)
    return list(known.filter(since__gt=known.filter(key_id=first).values("since")))


def is_registered(purpose: KeyPurpose, id_: str) -> bool:
    """Return whether a key is in the register, or nothing is yet for this purpose."""
    entered = KeyInUse.objects.filter(purpose=purpose).values_list("key_id", flat=True)
    return not entered or id_ in entered


def note_keys(*, now: datetime) -> None:
    """Register the keys that this process writes under and that are not in the register yet.

    Its earlier keys are left out: after a restart, one that was released would be needed again.
    They are registered only if nothing is yet, as older rows may need them.
    """
    entered = set(KeyInUse.objects.values_list("purpose", "key_id"))
    begun = {purpose for purpose, _ in entered}
    new = [
        KeyInUse(purpose=purpose, key_id=each, since=now)
        for purpose, ids in configured_ids().items()
        for each in (ids[:1] if purpose.value in begun else ids)
        if (purpose.value, each) not in entered
    ]
    if new:
        KeyInUse.objects.bulk_create(new, ignore_conflicts=True)


def release_key(purpose: KeyPurpose, id_: str) -> None:
    """Remove a key from the register: nothing needs it any more."""
    KeyInUse.objects.filter(purpose=purpose, key_id=id_).delete()
