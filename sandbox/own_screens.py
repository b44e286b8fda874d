"""The screens of the customer's own pages with sample content: wallet, verification, top-ups."""

from dataclasses import dataclass, replace
from datetime import datetime

from checkout import forms as f
from checkout.amount_forms import AmountForm
from customers.errors import InvalidCode, InvalidPin, ProofMethod
from sandbox.screen_samples import (
    ARRIVED,
    BANK_ROWS,
    CHOICES,
    NOW,
    ON_ITS_WAY,
    ROWS,
    TOP_UP,
    Person,
    PreviewRefund,
    Screen,
    filled,
    locked_words,
)


@dataclass(frozen=True)
class OpenSession:
    handle: str
    device: str
    created_at: datetime = NOW
    last_seen_at: datetime = NOW
    payment_id: str = ""


@dataclass(frozen=True)
class OwnPasskey:
    handle: str = "a"
    name: str = "iPhone"
    created_at: datetime = NOW


REACHED = Person(email="philippa.rolle-ferguson@post.example")
EXPIRED = replace(
    ON_ITS_WAY,
    state="Expired",
    is_pending=False,
    ended="Its time has run out. Nothing was added to the wallet.",
)
OWN = {"livemode": True, "customer": Person(), "back_address": "#"}
PROVE = OWN | {"title": "Create a passkey"}
ACCOUNT = OWN | {
    "customer": REACHED,
    "balances": ({"amount": 1_234_567, "currency": "BSD"},),
    "passkeys": (OwnPasskey(),),
    "zone": "America/Nassau",
    "support_email": "help@payments.example",
}
NEW_WALLET = ACCOUNT | {
    "customer": Person(has_pin=False),
    "balances": ({"amount": 0, "currency": "BSD"},),
    "passkeys": (),
}
SENT = {"phone": "+12425550100"}
DEVICES = OWN | {
    "own": OpenSession("a", "iPhone"),
    "has_others": True,
    "all_others": "others",
    "zone": "America/Nassau",
}

OWN_SCREENS: dict[str, Screen] = {
    "account": lambda: (
        "account",
        ACCOUNT
        | {
            "entries": [
                {"payment": ROWS[0], "refunds": [PreviewRefund(400), PreviewRefund(100, None)]},
                *({"payment": row, "refunds": []} for row in ROWS[1:]),
            ],
            "top_ups": (ON_ITS_WAY, ARRIVED, EXPIRED),
            "older": "pay_1",
        },
    ),
    "account-by-phone": lambda: ("account", ACCOUNT | {"is_hidden": True}),
    "account-new": lambda: ("account", NEW_WALLET | {"done": "Your PIN has been changed."}),
    "sign-in": lambda: ("sign_in", {"livemode": True}),
    "not-me": lambda: ("not_me", {"livemode": True}),
    "devices": lambda: (
        "devices",
        DEVICES
        | {
            "is_done": True,
            "others": (OpenSession("b", "Android"), OpenSession("c", "", payment_id="pay_1")),
        },
    ),
    "devices-by-phone": lambda: ("devices", DEVICES),
    "freeze": lambda: ("freeze", OWN),
    "own-email": lambda: ("own_email", OWN | {"customer": REACHED, "form": filled(f.EmailForm)}),
    "own-email-none": lambda: ("own_email", OWN | {"form": filled(f.EmailForm)}),
    "confirm-address": lambda: ("confirm_address", {"livemode": True, "claim": _claim(False)}),
    "confirm-address-done": lambda: ("confirm_address", {"livemode": True, "claim": _claim(True)}),
    "confirm-address-old": lambda: ("confirm_address", {"livemode": True, "claim": None}),
    "change-pin": lambda: ("new_pin", OWN | {"form": filled(f.ChangePinForm)}),
    "change-pin-error": lambda: (
        "new_pin",
        OWN
        | {"form": filled(f.ChangePinForm, InvalidPin(attempts_left=4), old="9999", pin="8305")},
    ),
    "reset-pin": lambda: ("reset_pin", OWN | SENT | {"form": filled(f.ResetPinForm)}),
    "reset-pin-error": lambda: (
        "reset_pin",
        OWN
        | SENT
        | {"form": filled(f.ResetPinForm, InvalidCode(attempts_left=3), code="123456", pin="7291")},
    ),
    "reset-pin-asked": lambda: ("reset_pin", OWN | {"phone": ""}),
    "prove-passkey": lambda: ("prove", PROVE | {"needed": ProofMethod.PASSKEY}),
    "prove-pin": lambda: (
        "prove",
        PROVE | {"needed": ProofMethod.PIN, "form": filled(f.PinForm)},
    ),
    "prove-pin-locked": lambda: (
        "prove",
        PROVE | {"needed": ProofMethod.PIN, "locked": locked_words(), "form": filled(f.PinForm)},
    ),
    "prove-code": lambda: (
        "prove",
        PROVE
        | SENT
        | {"livemode": False, "needed": ProofMethod.CODE, "form": filled(f.SmsCodeForm)},
    ),
    "prove-code-asked": lambda: ("prove", PROVE | {"needed": ProofMethod.CODE, "phone": ""}),
    "create-passkey": lambda: ("prove", PROVE | {"needed": None}),
    "remove-passkey": lambda: (
        "prove",
        OWN | {"title": "Remove this passkey?", "needed": None, "passkey": OwnPasskey()},
    ),
    "add": lambda: (
        "add",
        OWN | {"form": AmountForm(currency="BSD"), "choices": CHOICES[:2]},
    ),
    "add-error": lambda: (
        "add",
        OWN | {"form": _refused_amount(), "choices": CHOICES[:2]},
    ),
    "add-nowhere": lambda: ("add", OWN | {"form": AmountForm(currency="BSD"), "choices": ()}),
    "top-up-transfer": lambda: (
        "top_up",
        TOP_UP | {"bank_rows": BANK_ROWS, "waits": True, "is_own": True},
    ),
    "top-up-goes-on": lambda: (
        "top_up",
        TOP_UP | {"bank_rows": BANK_ROWS, "waits": True, "goes_on": True, "is_own": True},
    ),
    "top-up-cash": lambda: (
        "top_up",
        OWN
        | {
            "top_up": replace(ON_ITS_WAY, way="agent", way_name="Cash"),
            "cash_place": "12 Bay Street, Nassau",
            "is_own": True,
        },
    ),
    "top-up-receipt": lambda: (
        "top_up",
        OWN | {"top_up": ARRIVED, "zone": "America/Nassau", "is_own": True},
    ),
    "top-up-for-payment": lambda: (
        "top_up",
        TOP_UP | {"top_up": ARRIVED, "zone": "America/Nassau", "is_own": True},
    ),
    "top-up-expired": lambda: ("top_up", OWN | {"top_up": EXPIRED, "is_own": True}),
}


def _claim(is_confirmed: bool) -> dict[str, object]:
    return {"customer": REACHED, "email": REACHED.email, "is_confirmed": is_confirmed}


def _refused_amount() -> AmountForm:
    form = AmountForm({"amount": "12.5.5"}, currency="BSD")
    form.is_valid()
    return form
