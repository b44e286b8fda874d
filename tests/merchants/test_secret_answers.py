"""An answer that shows a secret is repeated to the key that asked for it, and to no other."""

import pytest

from core.clock import utc_now
from core.models import IdempotencyKey
from merchants.models import ApiKey
from merchants.services import issue_key
from tests.client import ApiClient
from webhooks.models import Webhook

pytestmark = pytest.mark.django_db
NEW_KEY = {"name": "Reporting", "scopes": ["refunds:write"]}
NEW_WEBHOOK = {"url": "https://shop.example.com/hook", "events": ["payment.completed"]}


def key_of(merchant, *, livemode=True):
    return issue_key(merchant=merchant, livemode=livemode, name="Server", now=utc_now())


def see_refused(answer, secret):
    assert (answer.status_code, answer.json()["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")
    assert secret not in answer.content.decode()


def test_a_rolled_key_is_not_shown_the_one_that_took_its_place(merchant):
    stolen = key_of(merchant)
    path, body = f"/v1/api-keys/{stolen.key.id}/roll", {"expires_in": 86_400}
    owner, thief = ApiClient(key_of(merchant).secret), ApiClient(stolen.secret)
    made = owner.post(path, body, idempotency_key="roll-1")

    see_refused(thief.post(path, body, idempotency_key="roll-1"), made.json()["secret"])
    assert owner.post(path, body, idempotency_key="roll-1").content == made.content


@pytest.mark.parametrize("livemode", [False, True])
def test_a_key_is_not_shown_what_another_has_made(merchant, livemode):
    owner, other = (ApiClient(key_of(merchant, livemode=livemode).secret) for _ in range(2))
    made = owner.post("/v1/api-keys", NEW_KEY, idempotency_key="1")
    keys = ApiKey.objects.count()

    see_refused(other.post("/v1/api-keys", NEW_KEY, idempotency_key="1"), made.json()["secret"])
    assert ApiKey.objects.count() == keys
    assert owner.post("/v1/api-keys", NEW_KEY, idempotency_key="1").content == made.content


def test_a_key_is_not_shown_the_secret_of_anothers_endpoint(merchant):
    owner, other = (ApiClient(key_of(merchant).secret) for _ in range(2))
    webhook = owner.post("/v1/webhooks", NEW_WEBHOOK).json()
    rotate = f"/v1/webhooks/{webhook['id']}/rotate-secret"
    for path, body in (("/v1/webhooks", NEW_WEBHOOK), (rotate, {"expires_in": 0})):
        shown = owner.post(path, body, idempotency_key=path)

        see_refused(other.post(path, body, idempotency_key=path), shown.json()["secret"])
        assert owner.post(path, body, idempotency_key=path).content == shown.content
    assert Webhook.objects.count() == 2


def test_what_shows_no_secret_is_repeated_to_each_key_of_the_merchant(merchant):
    servers = [ApiClient(key_of(merchant).secret) for _ in range(2)]
    first, again = (
        each.post("/v1/payments", {"amount": 100}, idempotency_key="order-1") for each in servers
    )

    assert (again.status_code, again.content) == (201, first.content)
    assert IdempotencyKey.objects.count() == 1
