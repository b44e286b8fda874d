"""GET /v1/payments?q=…: words that very many payments have, alone and beside a rare one."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.clock import utc_now
from core.search import rarest_of
from merchants import caller_lists
from merchants.models import Merchant
from payments.models import Payment
from tests.client import Api
from tests.factories import PaymentFactory


def _sell(merchant: Merchant, *descriptions: str) -> list[str]:
    """Make payments, oldest first; return their ids."""
    at = utc_now()
    return [
        PaymentFactory(
            merchant=merchant, description=text, created_at=at + timedelta(hours=hour)
        ).pk
        for hour, text in enumerate(descriptions)
    ]


def _found(
    api: Api, merchant: Merchant, text: str, limit: int = 1, **filters: str
) -> tuple[list[str], int]:
    query = {"q": text, "limit": str(limit)} | filters
    page = api(merchant).get("/v1/payments", query).json()
    return [payment["id"] for payment in page["payments"]], page["total"]


def _pages(sent: CaptureQueriesContext) -> list[str]:
    """Return the statements that read payments, without those that count."""
    return [
        it["sql"] for it in sent.captured_queries if '"payments_payment"."success_url"' in it["sql"]
    ]


@pytest.mark.postgres
def test_a_common_word_is_found_among_the_newest(
    api: Api, merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that have it were gathered and sorted: 85,597 blocks for a page."""
    monkeypatch.setattr(caller_lists, "MOST_COUNTED", 1)
    monkeypatch.setattr(caller_lists, "COMMON_AMONG", 3)
    *_, newest = _sell(merchant, "Conch", "Conch salad", "Conch", "Conch fritters")

    with CaptureQueriesContext(connection) as sent:
        assert _found(api, merchant, "conch") == ([newest], 2)

    (page,) = _pages(sent)
    assert '"payments_payment"."created_at" >= ' in page
    assert "|| ''::tsvector @@" in page  # which no index has
    (bound,) = [it["sql"] for it in sent.captured_queries if "OFFSET 2" in it["sql"]]
    assert "tsvector" not in bound  # the newest of all, and not of those with the word
    assert not any("LIMIT 100001" in it["sql"] for it in sent.captured_queries)


@pytest.mark.parametrize(("common", "is_looked_up"), [(2, True), (1, False)])
@pytest.mark.postgres
def test_the_newest_with_a_common_word_are_found_in_order(
    api: Api,
    merchant: Merchant,
    monkeypatch: pytest.MonkeyPatch,
    common: int,
    *,
    is_looked_up: bool,
) -> None:
    monkeypatch.setattr("merchants.caller_lists.MOST_COUNTED", 1)
    monkeypatch.setattr("merchants.caller_lists.COMMON_ROWS", common)
    client = api(merchant)
    for _ in range(2):
        client.post("/v1/payments", {"amount": 100, "description": "Conch salad"})

    with CaptureQueriesContext(connection) as sent:
        answer = client.get("/v1/payments?q=conch&limit=1").json()

    assert (len(answer["payments"]), answer["total"], answer["has_more"]) == (1, 2, True)
    (page,) = _pages(sent)
    # Each time that it is stated, PostgreSQL gathers all that have the word, of any merchant.
    assert page.count("to_tsquery") == 1
    assert ("""'@'':*'""" in page) == is_looked_up


@pytest.mark.parametrize("very_common", [1, 9])
@pytest.mark.parametrize("among", [2, 3])
def test_a_word_that_was_common_is_found_behind_the_newest(
    api: Api, merchant: Merchant, monkeypatch: pytest.MonkeyPatch, very_common: int, among: int
) -> None:
    """Also if some of the newest have it, but too few for the page."""
    monkeypatch.setattr(caller_lists, "MOST_COUNTED", 1)
    monkeypatch.setattr(caller_lists, "COMMON_AMONG", among)
    monkeypatch.setattr(caller_lists, "COMMON_ROWS", very_common)
    _, second, third, *_ = _sell(merchant, "Conch", "Conch", "Conch", "Fish", "Fish")

    assert _found(api, merchant, "conch", limit=2) == ([third, second], 3)


@pytest.mark.parametrize("very_common", [1, 9])
@pytest.mark.parametrize("among", [1, 3])
def test_other_filters_hold_for_a_common_word_as_well(
    api: Api, merchant: Merchant, monkeypatch: pytest.MonkeyPatch, very_common: int, among: int
) -> None:
    monkeypatch.setattr(caller_lists, "MOST_COUNTED", 1)
    monkeypatch.setattr(caller_lists, "COMMON_AMONG", among)
    monkeypatch.setattr(caller_lists, "COMMON_ROWS", very_common)
    first, second, _ = _sell(merchant, "Conch", "Conch", "Conch")
    Payment.objects.filter(pk__in=[first, second]).update(reference="7")

    assert _found(api, merchant, "conch", limit=2, reference="7") == ([second, first], 2)


@pytest.mark.sqlite
def test_where_all_rows_are_read_anyway_nothing_is_asked_before(
    api: Api, merchant: Merchant
) -> None:
    _sell(merchant, "ORD-1042")
    _found(api, merchant, "1042")  # the key is known from then on
    sent: list[int] = []
    for text in ("1042", "ord-1042"):
        with CaptureQueriesContext(connection) as captured:
            _found(api, merchant, text)
        sent.append(len(captured))

    assert sent[0] == sent[1]


@pytest.mark.parametrize("few", [100, 0])
def test_all_of_several_words_are_found(
    api: Api, merchant: Merchant, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(caller_lists, "FEW_ROWS", few)
    wanted, *_ = _sell(merchant, "ORD-1042", "INV-1042", "ORD-1043", "Ordinary 10")

    assert _found(api, merchant, "ord-1042") == ([wanted], 1)
    assert _found(api, merchant, "ord-1044") == ([], 0)


@pytest.mark.postgres
@pytest.mark.parametrize(("few", "asked"), [(2, "'1042:*'"), (1, "'ord:* & 1042:*'")])
def test_the_index_is_asked_for_the_rarest_if_few_have_it(
    api: Api, merchant: Merchant, monkeypatch: pytest.MonkeyPatch, few: int, asked: str
) -> None:
    """It would gather all orders of all merchants for "ord"."""
    monkeypatch.setattr(caller_lists, "FEW_ROWS", few)
    _sell(merchant, "ORD-1042", "INV-1042", "ORD-1043")

    with CaptureQueriesContext(connection) as sent:
        _found(api, merchant, "ord-1042")

    (page,) = _pages(sent)
    assert f"@@ (to_tsquery('simple'::regconfig, {asked}) && " in page
    is_common_asked = any("'ord:* & 1042:*') && " in it["sql"] for it in sent.captured_queries)
    assert is_common_asked == ("ord" in asked)  # not to count them, either


@pytest.mark.parametrize(
    ("words", "rarest"),
    [
        (("ord", "1042"), "1042"),
        (("invoice", "7"), "7"),
        (("order", "2026", "0007"), "0007"),
        (("conch", "salad"), "salad"),
        (("the", "breakfast", "of"), "breakfast"),
    ],
)
def test_digits_are_rarer_than_letters_and_long_words_than_short_ones(
    words: tuple[str, ...], rarest: str
) -> None:
    assert rarest_of(words) == rarest
