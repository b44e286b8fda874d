"""The signed head of the log goes with each delivery, by no statement more."""

import base64

import pytest

from core.log_receipts import head_of
from ledger.checkpoints import verifiers
from ledger.log_tree import log_size
from merchants.models import Merchant
from tests.query_counts import Statements
from tests.tampered_shop import witness
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import emit_event, send_due
from tests.webhooks.receiver import Receiver

HEADER = "x-service-checkpoint"

pytestmark = pytest.mark.django_db


def test_it_is_the_newest_one_as_it_was_signed(
    merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver
) -> None:
    webhook = endpoint()
    emit_event(merchant)
    with Statements() as before:
        send_due()
    witness()
    emit_event(merchant)
    with Statements() as after:
        send_due()

    first, second = receiver.received(webhook.url)

    checkpoint = base64.b64decode(second.headers[HEADER]).decode()
    assert head_of(checkpoint, verifiers()).size == log_size()
    assert HEADER not in first.headers  # nothing was signed yet
    assert set(second.headers) == {*first.headers, HEADER}
    assert len(after.work) == len(before.work)
