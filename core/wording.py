"""The words of the reference: what each object and field means, with an example value.

A name means the same everywhere, so its words are written once: here, or in the room whose objects
have it. `WORDINGS` lists the rooms' own; a field's `help_text` overrides all of them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

Words = Mapping[str, tuple[str, Any]]


@dataclass(frozen=True)
class Wording:
    """The words of one room.

    `objects` says what each object is. `fields` maps a name, or `Object.name` if it means something
    else there, to its meaning and an example. `shown` lists the optional fields that the example of
    an object has; `columns` those of a list that can be exported as a file.
    """

    objects: Mapping[str, str]
    fields: Words
    shown: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of(self, schema: str, name: str) -> tuple[str, Any]:
        """Return the meaning and example of a field; empty if none are written."""
        for key in (f"{schema}.{name}", name):
            if key in self.fields:
                return self.fields[key]
        return COMMON.get(name, ("", None))


COMMON: Words = {
    "id": ("Its id.", "pay_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
    "merchant_id": (
        "The merchant. In requests for development mode only: the API key identifies the merchant.",
        "mer_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg",
    ),
    "merchant_slug": ("The merchant's short name, as used in URLs.", "harbour-tours"),
    "payment_id": ("The id of the payment.", "pay_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
    "key_id": ("The id of the API key.", "key_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
    "link_id": ("The id of the payment link.", "link_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
    "payment_link_id": (
        "The id of the payment link.",
        "link_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg",
    ),
    "refund_id": ("The id of the refund.", "ref_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
    "inquiry_id": ("The id of the inquiry.", "inq_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
    "payout_id": ("The id of the payout.", "po_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
    "bank_account_id": ("The id of the bank account.", "ba_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
    "statement_id": ("The id of the statement.", "stm_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
    "webhook_id": ("The id of the webhook.", "wh_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
    "event_id": ("The id of the event.", "evt_0W1fDEfG5nXkZu7SyP3wRj9AmLs6Hh"),
    "delivery_id": ("The id of the delivery.", "dlv_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
    "customer_id": ("The id of the customer who paid.", "cus_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
    "transaction_id": (
        "The id of the ledger transaction, once money has moved.",
        "txn_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg",
    ),
    "amount": ("In the smallest unit of the currency (cents).", 1250),
    "currency": (
        "A three-letter ISO 4217 code; in requests it defaults to the service's own currency.",
        "BSD",
    ),
    "description": ("Free text, shown to people.", "Two tickets to Rose Island"),
    "metadata": (
        "Your own keys and values: stored, returned and sent with events, but never interpreted.",
        {"order": "1001"},
    ),
    "livemode": ("`true` for live objects, `false` for those of test mode.", False),
    "created_at": ("When it was created.", "2026-11-21T14:00:00.000Z"),
    "updated_at": ("When it was last changed.", "2026-11-21T14:00:00.000Z"),
    "expires_at": (
        "When it expires; absent if it never does.",
        "2026-11-22T14:00:00.000Z",
    ),
    "completed_at": ("When it was paid.", "2026-11-21T14:02:00.000Z"),
    "failed_at": ("When it failed.", "2026-11-21T14:02:00.000Z"),
    "canceled_at": ("When it was canceled.", "2026-11-21T14:02:00.000Z"),
    "error_code": ("Why it failed, as a code.", "INSUFFICIENT_BALANCE"),
    "error_message": ("Why it failed, as a sentence for people.", "The balance is too low."),
    "total": ("How many objects the list has on all pages together.", 1),
    "limit": ("The page size that was requested.", 20),
    "offset": ("How many objects were skipped before this page.", 0),
    "has_more": ("Whether the list continues after this page.", False),
    "success_url": (
        "Where the customer is sent once the payment is completed. `{PAYMENT_ID}` in it is replaced"
        " with the payment's id; without it, `payment_id=…` is added to the query. Anyone can open"
        " that URL: read the payment before you deliver.",
        "https://shop.example.com/thanks",
    ),
    "cancel_url": (
        "Where a customer who does not pay is sent; it receives the payment's id as `success_url`"
        " does.",
        "https://shop.example.com/basket",
    ),
    "url": ("Its URL.", "https://shop.example.com/hooks"),
}

# What means something else in an address.
IN_PATHS: Words = {
    "merchant_id": ("The id of the merchant.", "mer_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
}


@cache
def wordings() -> tuple[Wording, ...]:
    return tuple(import_string(name) for name in settings.WORDINGS)


def wording_of(schema: str) -> Wording:
    """Return the words of the room that an object belongs to."""
    nothing = Wording({}, {})
    return next((each for each in wordings() if schema in each.objects), nothing)


def describe(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Write the words into what has none: objects, fields, parameters; a hook of the generator."""
    for name, schema in result["components"]["schemas"].items():
        wording = wording_of(name)
        if name in wording.objects:
            schema["description"] = wording.objects[name]
        for field_name, shape in schema.get("properties", {}).items():
            shape.pop("x-spec-enum-id", None)
            if not _has_words(shape):
                shape["description"] = wording.of(name, field_name)[0]
    for operation in operations(result):
        for parameter in operation.get("parameters", []):
            words, example = {**COMMON, **IN_PATHS}.get(parameter["name"], ("", None))
            if parameter["in"] == "path":
                parameter |= {"description": words, "example": example}
    return result


def operations(result: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every operation in the document."""
    for item in result["paths"].values():
        yield from item.values()


def _has_words(shape: Mapping[str, Any]) -> bool:
    """Return whether there is a description that does more than list the values."""
    description = shape.get("description", "")
    return bool(description) and not description.startswith("* `")
