"""Every route of the API against every caller: own, foreign, missing, other mode, no key.

A route that is new has no entry, and fails here until it has one.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import Model
from django.urls import URLPattern, URLResolver, get_resolver
from pytest_django import DjangoDbBlocker

from core.clock import utc_now
from core.ids import new_id
from ledger.models import Transfer
from links.models import PaymentLink
from merchants.callers import Caller
from merchants.models import ApiKey, Merchant
from merchants.services import issue_key
from merchants.viewsets import CallerViewSet
from payments.models import Payment
from payouts.account_statements import request_statement
from payouts.models import AccountStatement, BankAccount, Payout
from refunds.models import Inquiry, Refund
from tests.backoffice.rows import one_of_each
from tests.client import Api, ApiClient
from tests.factories import MerchantFactory
from tests.shared_rows import shared
from webhooks.models import Delivery, Event, Webhook

pytestmark = pytest.mark.django_db

LIST, NEW, TOTAL = "a list", "something new", "a total"
OBJECTS: dict[str, type[Model]] = {
    "merchant_id": Merchant, "payment_id": Payment, "refund_id": Refund, "link_id": PaymentLink,
    "payout_id": Payout, "webhook_id": Webhook, "delivery_id": Delivery, "event_id": Event,
    "statement_id": AccountStatement, "key_id": ApiKey, "transaction_id": Transfer,
    "bank_account_id": BankAccount, "inquiry_id": Inquiry,
}  # fmt: skip
# What each route is about: the parameter that names its object, or one of the words above.
ROUTES = {
    "get merchants/<id:merchant_id>": "merchant_id",
    "patch merchants/<id:merchant_id>": "merchant_id",
    "get api-keys": LIST,
    "post api-keys": NEW,
    "get api-keys/<id:key_id>": "key_id",
    "post api-keys/<id:key_id>/roll": "key_id",
    "post api-keys/<id:key_id>/revoke": "key_id",
    "get payments": LIST,
    "post payments": NEW,
    "get payments/<id:payment_id>": "payment_id",
    "patch payments/<id:payment_id>": "payment_id",
    "post payments/<id:payment_id>/cancel": "payment_id",
    "post payments/<id:payment_id>/confirm": "payment_id",
    "post payments/<id:payment_id>/send": "payment_id",
    "post payment-links/<id:link_id>/send": "link_id",
    "post payments/<id:payment_id>/simulate": "payment_id",
    "post payments/<id:payment_id>/expire": "payment_id",
    "get till": TOTAL,
    "patch till": TOTAL,
    "post till/renew-screens": TOTAL,
    "post payments/<id:payment_id>/refund": "payment_id",
    "get payments/<id:payment_id>/refunds": "payment_id",
    "get refunds": LIST,
    "get refunds/<id:refund_id>": "refund_id",
    "get inquiries": LIST,
    "get inquiries/<id:inquiry_id>": "inquiry_id",
    "post inquiries/<id:inquiry_id>/answer": "inquiry_id",
    "get payment-links": LIST,
    "post payment-links": NEW,
    "get payment-links/<id:link_id>": "link_id",
    "patch payment-links/<id:link_id>": "link_id",
    "post payment-links/<id:link_id>/deactivate": "link_id",
    "post payment-links/<id:link_id>/expire": "link_id",
    "post test/advance": NEW,
    "get balance": TOTAL,
    "get bank-accounts": LIST,
    "post bank-accounts": NEW,
    "get bank-accounts/<id:bank_account_id>": "bank_account_id",
    "post bank-accounts/<id:bank_account_id>/close": "bank_account_id",
    "get ledger/proof/<id:transaction_id>": "transaction_id",
    "get payouts": LIST,
    "post payouts": NEW,
    "get payouts/<id:payout_id>": "payout_id",
    "get payouts/<id:payout_id>/movements": "payout_id",
    "post payouts/<id:payout_id>/cancel": "payout_id",
    "get statements": LIST,
    "post statements": NEW,
    "get statements/<id:statement_id>": "statement_id",
    "get statements/<id:statement_id>/lines": "statement_id",
    "get webhooks": LIST,
    "post webhooks": NEW,
    "post webhooks/test": NEW,
    "get webhooks/<id:webhook_id>": "webhook_id",
    "patch webhooks/<id:webhook_id>": "webhook_id",
    "delete webhooks/<id:webhook_id>": "webhook_id",
    "post webhooks/<id:webhook_id>/rotate-secret": "webhook_id",
    "post webhooks/<id:webhook_id>/recover": "webhook_id",
    "get webhooks/<id:webhook_id>/deliveries": "webhook_id",
    "post webhooks/<id:webhook_id>/deliveries/<id:delivery_id>/retry": "delivery_id",
    "get events": LIST,
    "get events/<id:event_id>": "event_id",
}
NAMED = [route for route, about in ROUTES.items() if about in OBJECTS]
BODIES: dict[str, dict[str, Any]] = {
    "post inquiries/<id:inquiry_id>/answer": {"text": "It is on its way."},
    "post webhooks/<id:webhook_id>/recover": {"since": "2026-01-31T09:30:00.000Z"},
    "post payments/<id:payment_id>/simulate": {"outcome": "paid"},
    "post payments/<id:payment_id>/send": {"email": "ana@example.com"},
    "post payment-links/<id:link_id>/send": {"email": "ana@example.com"},
}
OF_BOTH_MODES = "merchant_id"


def _patterns(resolver: URLResolver, prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    for pattern in resolver.url_patterns:
        place = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _patterns(pattern, place)
        else:
            yield place, pattern


def _routes() -> set[str]:
    return {
        f"{method} {place.removeprefix('v1/')}"
        for place, pattern in _patterns(get_resolver())
        if issubclass(getattr(pattern.callback, "cls", object), CallerViewSet)
        for method in getattr(pattern.callback, "actions", {})
        if method != "head"
    }


@pytest.fixture(scope="module")
def rows(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[dict[type[Model], Model]]:
    """One object of every kind, all of one merchant and in test mode."""
    with shared(django_db_blocker, _objects) as made:
        yield made


def _objects() -> dict[type[Model], Model]:
    made = one_of_each()
    end = utc_now() - timedelta(days=1)
    caller = Caller(_owner(made), livemode=False, actor="key:1")
    statement = request_statement(
        caller=caller, currency="BSD", start_at=end - timedelta(days=1), end_at=end, now=utc_now()
    )
    key = issue_key(merchant=_owner(made), livemode=False, name="Till", now=utc_now()).key
    return {**made, AccountStatement: statement, ApiKey: key}


def _owner(rows: dict[type[Model], Model]) -> Merchant:
    owner = rows[Merchant]
    assert isinstance(owner, Merchant)
    return owner


def _call(client: ApiClient, route: str, rows: dict[type[Model], Model] | None) -> Any:
    """Call a route about these rows; without any, about what does not exist."""
    method, place = route.split(" ")
    for name, model in OBJECTS.items():
        key = name if name == "transaction_id" else "pk"
        pk = getattr(rows[model], key) if rows else new_id("pay", utc_now())
        place = place.replace(f"<id:{name}>", pk)
    values = [BODIES[route]] if route in BODIES else []
    return getattr(client, method)(f"/v1/{place}", *values)


def _said(response: Any) -> tuple[int, bytes]:
    return response.status_code, response.content


def _stored(rows: dict[type[Model], Model]) -> list[dict[str, Any]]:
    return [
        type(row)._default_manager.filter(pk=row.pk).values().get()
        for kind, row in rows.items()
        if kind in OBJECTS.values()
    ]


def test_every_route_has_its_entry() -> None:
    assert set(ROUTES) == _routes()


def test_what_is_not_the_callers_is_like_what_is_missing(
    api: Api, rows: dict[type[Model], Model]
) -> None:
    before, foreign = _stored(rows), api(MerchantFactory())
    answers = {
        route: (_said(_call(foreign, route, rows)), _said(_call(foreign, route, None)))
        for route in NAMED
    }

    assert {route for route, (theirs, missing) in answers.items() if theirs != missing} == set()
    assert {missing[0] for _, missing in answers.values()} == {404}
    assert _stored(rows) == before


def test_what_is_of_the_other_mode_is_like_what_is_missing(
    api: Api, rows: dict[type[Model], Model]
) -> None:
    before, live = _stored(rows), api(_owner(rows), live=True)
    routes = [route for route in NAMED if ROUTES[route] != OF_BOTH_MODES]
    answers = {
        route: (_said(_call(live, route, rows)), _said(_call(live, route, None)))
        for route in routes
    }

    assert {route for route, (test, missing) in answers.items() if test != missing} == set()
    # A live key confirms nothing: it is told so before anything is looked up.
    refused = {route for route, (_, missing) in answers.items() if missing[0] != 404}
    assert refused == {
        "post payments/<id:payment_id>/confirm",
        "post payments/<id:payment_id>/simulate",
        "post payments/<id:payment_id>/expire",
        "post payment-links/<id:link_id>/expire",
    }
    assert _stored(rows) == before


def test_without_a_key_nothing_is_answered(rows: dict[type[Model], Model]) -> None:
    before = _stored(rows)

    assert {_call(ApiClient(), route, rows).status_code for route in ROUTES} == {401}
    assert _stored(rows) == before


def test_the_owner_is_answered(api: Api, rows: dict[type[Model], Model]) -> None:
    own = api(_owner(rows))
    order = ("get", "patch", "post", "delete")
    routes = sorted(ROUTES, key=lambda route: order.index(route.partition(" ")[0]))
    statuses = {route: _call(own, route, rows).status_code for route in routes}

    assert {route: status for route, status in statuses.items() if status in (401, 404)} == {}
    assert max(statuses.values()) < 500
    assert {statuses[route] for route in ROUTES if route.startswith("get ")} == {200}


@pytest.mark.parametrize("place", [route for route, about in ROUTES.items() if about == LIST])
def test_a_list_holds_the_callers_rows_of_the_mode(
    api: Api, rows: dict[type[Model], Model], place: str
) -> None:
    owner = _owner(rows)
    ids = {str(row.pk) for kind, row in rows.items() if kind in OBJECTS.values()}
    ids -= {owner.pk}

    def listed(client: ApiClient) -> bool:
        text = _call(client, place, rows).content.decode()
        return any(f'"id":"{pk}"' in text for pk in ids)

    assert listed(api(owner))
    assert not listed(api(owner, live=True))
    assert not listed(api(MerchantFactory()))
