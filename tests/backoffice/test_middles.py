"""The search finds parts of words, among the newest payments or those of a day."""

from datetime import timedelta
from unicodedata import normalize

import pytest
from django.utils import timezone

from backoffice.formats import day_text
from backoffice.resource.page_urls import page_of
from core.ids import new_id
from core.search import HasWords
from merchants.models import Merchant
from payments.models import Payment
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment
from tests.backoffice.searching import search
from tests.factories import MerchantFactory, PaymentFactory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("text", ["ballschuh", "BALL schuhe", "fußball €", "ballschuhe today"])
def test_the_search_finds_the_middle_of_a_word(
    office: Office, merchant: Merchant, text: str
) -> None:
    for description in ("Fussballschuh", "Zwei Paar Fußballschuhe"):
        PaymentFactory(merchant=merchant, description=description)
    payment = Payment.objects.latest("pk")

    assert payment.pk in search(office, text)
    assert payment.pk not in search(office, "ballschuhen")
    assert payment.pk not in search(office, "ballschuhe yesterday")


def test_the_search_finds_a_capital_whose_dot_was_typed_by_itself(
    office: Office, merchant: Merchant
) -> None:
    """Composed it is a Turkish İ, and small a plain i; as it is, a letter stands between."""
    text = normalize("NFD", "Çay İstanbul")
    first, _ = (PaymentFactory(merchant=merchant, description=each) for each in (text, "Istan"))

    for words in ("tanbul", "ay istanbul", text):
        assert search(office, words) == page_of(first)


def test_the_search_finds_middles_beside_beginnings(office: Office, merchant: Merchant) -> None:
    begins = PaymentFactory(merchant=merchant, description="Ball")
    within = PaymentFactory(merchant=merchant, description="Football")
    named = PaymentFactory(merchant=merchant, order_id="ball")

    assert search(office, "ball") == page_of(named)
    Payment.objects.filter(pk=named.pk).update(order_id=None)
    page = search(office, "ball")
    by_words, _, within_words = page.partition("“ball” within words, of the newest 20,000")
    assert (begins.pk in by_words, within.pk in by_words) == (True, False)
    assert (begins.pk in within_words, within.pk in within_words) == (False, True)


def test_short_figures_are_looked_for_beside_middles(office: Office, merchant: Merchant) -> None:
    seven, _ = (
        PaymentFactory(merchant=merchant, description=f"Footballs, {count} pairs")
        for count in (17, 12)
    )

    assert search(office, "otball 7") == page_of(seven)
    assert "Nothing was found" in search(office, "otball 8")
    assert "Nothing was found" in search(office, "17 12")


def test_middles_are_looked_for_among_the_newest_or_those_of_a_day(
    office: Office, merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backoffice.search_lookups.NEWEST", 2)
    found = PaymentFactory(merchant=merchant, description="Football")
    at = found.created_at - timedelta(days=2)
    old = PaymentFactory(pk=new_id("pay", at), merchant=merchant, description="Football")
    PaymentFactory(merchant=merchant)

    assert search(office, "otball") == page_of(found)
    day = day_text(timezone.localtime(at).date()).rpartition(" ")[0]
    assert search(office, f"otball {day}") == page_of(old)
    PaymentFactory(merchant=merchant)
    assert "Nothing was found" in search(office, "otball")


def test_the_search_takes_an_amount_with_the_name_of_the_shop(office: Office) -> None:
    reef, cafe = MerchantFactory(name="Reef Bakery"), MerchantFactory(name="Island Coffee")
    wanted, _ = paid_payment(reef, 1_250), paid_payment(cafe, 1_250)
    paid_payment(reef, 900)

    assert search(office, "12.50 at reef bakery") == page_of(wanted)
    assert search(office, "Reef 12.50") == page_of(wanted)
    assert "Nothing was found" in search(office, "12.50 reefs")


@pytest.mark.parametrize(("typed", "finds"), [("offee", True), ("afé", True), ("afe", False)])
@pytest.mark.parametrize("written", ["Café coffees", "Cafe\u0301 coffees"])
def test_plain_letters_are_not_those_with_accents(
    merchant: Merchant, typed: str, written: str, *, finds: bool
) -> None:
    PaymentFactory(merchant=merchant, description=written)

    found = Payment.objects.filter(HasWords((typed,), "description"))

    assert found.exists() is finds


@pytest.mark.postgres
@pytest.mark.parametrize(("word", "looks"), [("afe", 2), ("af\u00e9", 1)])
def test_a_text_is_composed_only_if_it_has_the_plain_letters(word: str, looks: int) -> None:
    """Composing twenty thousand texts took a third of a search that found nothing."""
    sql = str(Payment.objects.filter(HasWords((word,), "description")).query)

    assert (sql.count("normalize("), sql.count("LIKE ALL(")) == (1, looks)
