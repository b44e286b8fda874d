"""API keys as they come in and go out."""

from typing import Any, ClassVar

from core.choices import ChoicesField
from core.fields import InstantField, StrictBooleanField, StrictIntegerField, TextField
from core.serializers import Output
from merchants.access import EVERYTHING, SCOPES
from merchants.keys import KEY_CHARACTERS
from merchants.own_keys import KeyDraft
from merchants.services import MAX_OVERLAP, IssuedKey
from merchants.strict_inputs import StrictInput

DEFAULT_OVERLAP_SECONDS = 86_400
MAX_OVERLAP_SECONDS = int(MAX_OVERLAP.total_seconds())
MAX_KEY_NAME = 100
_SCOPES_RULE = "must be a list of scopes, with at least one"


class NewApiKey(StrictInput):
    never_null: ClassVar[tuple[str, ...]] = ("scopes", "livemode")

    merchant_id = TextField(max_length=64, required=False, help_text="Development mode only.")
    name = TextField(max_length=MAX_KEY_NAME)
    scopes = ChoicesField(allowed=SCOPES, rule=_SCOPES_RULE, required=False)
    livemode = StrictBooleanField(
        required=False,
        help_text="`false` creates a test key, even with a live key. Default: your mode.",
    )


class KeyRoll(StrictInput):
    never_null: ClassVar[tuple[str, ...]] = ("expires_in",)

    expires_in = StrictIntegerField(
        min_value=0,
        max_value=MAX_OVERLAP_SECONDS,
        required=False,
        help_text="Seconds for which the old key keeps working; one day by default.",
    )


class ApiKeyOutput(Output):
    id = TextField(max_length=40)
    merchant_id = TextField(max_length=40)
    name = TextField(max_length=MAX_KEY_NAME)
    hint = TextField(max_length=16)
    livemode = StrictBooleanField()
    scopes = ChoicesField(allowed=(EVERYTHING, *SCOPES), rule=_SCOPES_RULE, source="scope_names")
    created_at = InstantField()
    last_used_at = InstantField(required=False)
    expires_at = InstantField(required=False)
    revoked_at = InstantField(required=False)


class IssuedApiKey(ApiKeyOutput):
    """A key with its secret, which is shown this once."""

    secret = TextField(max_length=KEY_CHARACTERS)


def key_draft_of(values: dict[str, Any]) -> KeyDraft:
    """Return the draft of the key that a parsed body describes."""
    return KeyDraft(
        name=values["name"],
        scopes=tuple(values.get("scopes", (EVERYTHING,))),
        livemode=values.get("livemode"),
    )


def issued_body(issued: IssuedKey) -> dict[str, Any]:
    """Return the body that shows a new key, once."""
    return {**ApiKeyOutput.of(issued.key), "secret": issued.secret}
