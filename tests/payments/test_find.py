"""GET /v1/payments, narrowed to what a shop looks for: amounts, metadata, words, changes."""

import re
from datetime import timedelta
from typing import Any, Literal
from unicodedata import normalize

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bench.copies import FIRST_NUMBER, copy_row, numbered
from core.clock import iso, utc_now
from core.pagination import in_order
from merchants.callers import Caller
from merchants.models import Merchant
from payments.models import Payment
from tests.client import Api
from tests.factories import PaymentFactory
from tests.lone_index import leave_only

pytestmark = pytest.mark.django_db

TEXTS = {
    "description": "Two iced Coffees, to-go",
    "order_id": "ORD_2026-0017",
    "invoice_number": "INV/88",
    "reference": "Café Übersee",
}


def found(api: Api, merchant: Merchant, **query: object) -> list[str]:
    response = api(merchant).get("/v1/payments", query)
    assert response.status_code == 200, response.json()
    page = response.json()
    assert page["total"] == len(page["payments"])
    assert not page["has_more"]
    return [record["id"] for record in page["payments"]]


def test_it_finds_an_amount(api: Api, merchant: Merchant) -> None:
    small, middle, large = (
        PaymentFactory(merchant=merchant, amount=amount).id for amount in (100, 2_500, 99_999)
    )

    assert found(api, merchant, amount=2_500) == [middle]
    assert sorted(found(api, merchant, amount_min=2_500)) == sorted([middle, large])
    assert sorted(found(api, merchant, amount_max=2_500)) == sorted([small, middle])
    assert found(api, merchant, amount_min=101, amount_max=99_998) == [middle]
    assert found(api, merchant, amount=2_501) == []
    assert found(api, merchant, amount=2_500, status="completed") == []


def test_it_finds_a_currency(api: Api, merchant: Merchant) -> None:
    PaymentFactory(merchant=merchant)
    dollars = PaymentFactory(merchant=merchant, currency="USD")

    assert found(api, merchant, currency="USD") == [dollars.id]
    assert found(api, merchant, currency="USD", amount=dollars.amount) == [dollars.id]
    assert found(api, merchant, currency="EUR") == []


@pytest.mark.parametrize(
    ("stored", "asked", "is_found"),
    [
        ("1234", "1234", True),
        (1234, "1234", True),
        (12.5, "12.5", True),
        (True, "true", True),
        ("true", "true", True),
        (1, "true", False),
        (True, "1", False),
        ("1234", "123", False),
        (None, "null", False),
        ("", "", True),
        ('it\'s "%s" é', 'it\'s "%s" é', True),
    ],
)
def test_it_finds_metadata(
    api: Api, merchant: Merchant, stored: Any, asked: str, *, is_found: bool
) -> None:
    PaymentFactory(merchant=merchant, metadata={"another": stored})
    payment = PaymentFactory(merchant=merchant, metadata={"order_id": stored, "shop": "x"})

    assert found(api, merchant, **{"metadata[order_id]": asked}) == [payment.id] * is_found


@pytest.mark.parametrize("key", ["0", 'a"b', "a.b", "a'b", "key", "a__b", "%s", "é", "a[b]"])
def test_a_key_is_taken_as_it_is(api: Api, merchant: Merchant, key: str) -> None:
    payment = PaymentFactory(merchant=merchant, metadata={key: "v"})
    PaymentFactory(merchant=merchant, metadata={f"{key}x": "v"})

    assert found(api, merchant, **{f"metadata[{key}]": "v"}) == [payment.id]


def test_several_keys_must_all_match(api: Api, merchant: Merchant, stranger: Merchant) -> None:
    metadata = {"shop": "north", "till": 2}
    payment = PaymentFactory(merchant=merchant, metadata=metadata)
    PaymentFactory(merchant=merchant, metadata={"shop": "north", "till": 3})
    PaymentFactory(merchant=stranger, metadata=metadata)

    query = {"metadata[shop]": "north", "metadata[till]": "2"}
    assert found(api, merchant, **query) == [payment.id]
    assert found(api, merchant, **query, status="created", amount=1_250) == [payment.id]


@pytest.mark.parametrize(
    ("words", "is_found"),
    [
        ("coffee", True),
        ("ICED two", True),
        ("go", True),
        ("ord_2026-0017", True),
        ("0017", True),
        ("inv 88", True),
        ("café", True),
        ("ÜBER", True),
        ("coffee 88", True),
        ("offee", False),
        ("coffee tea", False),
        ("017", False),
    ],
)
def test_it_finds_words(api: Api, merchant: Merchant, words: str, *, is_found: bool) -> None:
    PaymentFactory(merchant=merchant, description="nothing of it")
    payment = PaymentFactory(merchant=merchant, **TEXTS)

    assert found(api, merchant, q=words) == [payment.id] * is_found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("İstanbul İle Çay", "İstanbul"),
        ("İstanbul İle Çay", "İSTANBUL ile"),
        ("İstanbul İle Çay", "istanbul"),
        ("İstanbul".lower(), "İstanbul".lower()),  # with a dot on its own, which is no letter
        ("ΚΑΦΕΣ ΕΛΛΗΝΙΚΟΣ", "ΚΑΦΕΣ"),
        ("ΚΑΦΕΣ ΕΛΛΗΝΙΚΟΣ", "ελληνικοσ"),
        ("Ελληνικός καφές", "καφές"),
    ],
)
def test_each_letter_is_made_small_by_itself(
    api: Api, merchant: Merchant, text: str, words: str
) -> None:
    payment = PaymentFactory(merchant=merchant, description=text)

    assert found(api, merchant, q=words) == [payment.id]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("asked_form", ["NFC", "NFD"])
def test_it_finds_accents_however_they_were_typed(
    api: Api, merchant: Merchant, form: Literal["NFC", "NFD"], asked_form: Literal["NFC", "NFD"]
) -> None:
    text = normalize(form, "Crème brûlée, Übersee")
    payment = PaymentFactory(merchant=merchant, description=text)

    for words in ("crème", "BRÛ", "über crème"):
        assert found(api, merchant, q=normalize(asked_form, words)) == [payment.id]
    assert found(api, merchant, q="creme") == []
    record = api(merchant).get(f"/v1/payments/{payment.id}").json()
    assert record["description"] == text


def test_it_finds_what_has_changed(api: Api, merchant: Merchant) -> None:
    now = utc_now()
    PaymentFactory(merchant=merchant, created_at=now - timedelta(days=3))
    changed = PaymentFactory(merchant=merchant, created_at=now - timedelta(days=2))
    api(merchant).patch(f"/v1/payments/{changed.id}", {"description": "new"})

    assert found(api, merchant, updated_since=iso(now)) == [changed.id]
    assert found(api, merchant, updated_since=now.date().isoformat()) == [changed.id]


def test_a_filtered_list_is_paged(api: Api, merchant: Merchant) -> None:
    made = [PaymentFactory(merchant=merchant, metadata={"a": "b"}).id for _ in range(3)]
    query = {"metadata[a]": "b", "limit": 2}

    first = api(merchant).get("/v1/payments", query).json()
    assert (first["has_more"], first["total"]) == (True, 3)
    after = first["payments"][-1]["id"]
    rest = api(merchant).get("/v1/payments", {**query, "starting_after": after}).json()
    assert [record["id"] for record in rest["payments"]] == [
        name for name in sorted(made, reverse=True) if name < after
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("amount", "12.50"),
        ("amount", "-1"),
        ("amount_min", ""),
        ("amount_max", "9" * 16),
        ("currency", "bsd"),
        ("q", ""),
        ("q", "!?"),
        ("q", "a " + " ".join(map(str, range(10)))),
        ("updated_since", "yesterday"),
        ("metadata[]", "x"),
        ("metadata", "x"),
    ],
)
def test_it_refuses_what_makes_no_filter(
    api: Api, merchant: Merchant, name: str, text: str
) -> None:
    response = api(merchant).get("/v1/payments", {name: text})

    assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")
    assert response.json()["details"].startswith(f"{name}: ")


def test_no_more_pairs_than_an_object_has(api: Api, merchant: Merchant) -> None:
    query = {f"metadata[{place}]": "x" for place in range(21)}

    assert api(merchant).get("/v1/payments", query).status_code == 400


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("lookups", "index"),
    [
        ({"pairs": {"order_id": "1"}}, "payment_owned_pairs"),
        ({"words": ("coffee",)}, "payment_owned_words"),
    ],
)
def test_it_is_found_by_an_index(lookups: dict[str, Any], index: str, merchant: Merchant) -> None:
    caller = Caller(merchant, livemode=False, actor="tests")
    leave_only(index, Payment)

    assert index in Payment.objects.matching(lookups, caller).explain()


@pytest.mark.postgres
def test_a_pair_that_only_others_have_is_not_looked_for_in_the_list(
    merchant: Merchant, stranger: Merchant
) -> None:
    """From the newest payment on, until a page is full: that would be all that the merchant has."""
    for turn, (shop, channel) in enumerate(((merchant, "web"), (stranger, "kiosk"))):
        payment = PaymentFactory(merchant=shop, metadata={"channel": channel})
        changes = {"id": numbered("pay")}
        copy_row(payment, changes, first=FIRST_NUMBER + turn * 1_000, count=1_000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE payments_payment")
    caller = Caller(merchant, livemode=False, actor="tests")

    found, own = (
        Payment.objects.listed(caller, {"pairs": {"channel": each}}, utc_now())
        for each in ("kiosk", "web")
    )

    assert "payment_owned_pairs" in in_order(found)[:21].explain()
    assert "payment_newest" in in_order(own)[:21].explain()
    assert (found.count(), own.count()) == (0, 1_001)


@pytest.mark.postgres
def test_a_rare_word_is_looked_up_among_the_words(merchant: Merchant, payment: Payment) -> None:
    """And not for in the newest payments, one by one until a page is full: in all of them."""
    copy_row(payment, {"id": numbered("pay")}, count=1_000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE payments_payment")
    caller = Caller(merchant, livemode=False, actor="tests")

    found = Payment.objects.listed(caller, {"words": ("zebra",)}, utc_now())

    assert not in_order(found)[:21]
    assert expected(found.explain()) < 1_000 // 100


@pytest.mark.postgres
def test_the_index_of_words_knows_whose_they_are(merchant: Merchant, stranger: Merchant) -> None:
    """And finds them without reading those of others, who may have millions with such a word."""
    for shop in (merchant, stranger):
        PaymentFactory(merchant=shop, description="Conch salad")
    caller = Caller(merchant, livemode=False, actor="tests")

    found = Payment.objects.matching({"words": ("conch",)}, caller)

    assert [payment.merchant for payment in found] == [merchant]


def test_nothing_is_looked_for_that_is_not_there(api: Api, merchant: Merchant) -> None:
    with CaptureQueriesContext(connection) as sent:
        answer = api(merchant).get("/v1/payments?q=conch").json()

    read = [it["sql"] for it in sent.captured_queries if 'FROM "payments_payment"' in it["sql"]]
    assert (answer["payments"], answer["total"], len(read)) == ([], 0, 1)


def expected(plan: str) -> int:
    """Return how many rows PostgreSQL expects to find."""
    (rows,) = re.findall(r"rows=(\d+)", plan.splitlines()[0])
    return int(rows)
