"""Passkeys of customers, made and used by their pages without a browser."""

import json
from typing import TYPE_CHECKING, Any

from webauthn.helpers import base64url_to_bytes

from tests.checkout.shopper import Shopper, signed_in_at
from tests.checkout.steps import NEW_PHONE
from tests.customers.authenticator import VirtualAuthenticator

if TYPE_CHECKING:
    from payments.models import Payment


def ask(shopper: Shopper, path: str) -> dict[str, Any]:
    """Ask for the options of a ceremony as the script does."""
    answer = shopper.client.post(path, shopper.form().fields)
    assert answer.status_code == 200
    return dict(answer.json())


def on_this_device(credential: str) -> str:
    return json.dumps({**json.loads(credential), "authenticatorAttachment": "platform"})


def make_passkey(shopper: Shopper, payment: "Payment") -> VirtualAuthenticator:
    device, path = VirtualAuthenticator(), f"{payment.hosted_url}/passkey/new"
    shopper.visit(path)
    shopper.send(credential=on_this_device(device.create(ask(shopper, f"{path}/options"))))
    return device


def paid_with_passkey(payment: "Payment", site: str) -> tuple[Shopper, VirtualAuthenticator]:
    """Pay with a first passkey at the address of a browser, which may then have it.

    Give the browser the cookies, and the device by `add_authenticator(page, held=device)`.
    """
    device = VirtualAuthenticator(rp_id="localhost", origin=site)
    shopper = signed_in_at(payment, NEW_PHONE)
    options = ask(shopper, f"{shopper.path}/options")
    device.user_handle = base64url_to_bytes(options["user"]["id"])
    shopper.send(credential=on_this_device(device.create(options)))
    assert "<h1>Paid</h1>" in shopper.text
    return shopper, device
