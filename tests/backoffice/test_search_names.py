"""API keys are found by their end or their shop, bank accounts by a name."""

import pytest

from backoffice import search_lookups
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from core.clock import utc_now
from merchants.models import Merchant
from merchants.services import issue_key
from payouts.bank_accounts import BankDetails, open_bank_account
from payouts.models import BankAccount, BankEntry
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment, scheduled_payout
from tests.backoffice.searching import search
from tests.factories import MerchantFactory
from tests.payouts.bank_files import entry, read, statement

pytestmark = pytest.mark.django_db


@pytest.fixture
def cafe() -> Merchant:
    return MerchantFactory(name="Island Coffee", slug="island-coffee")


def test_an_api_key_is_opened_by_its_end_or_its_shop(office: Office, cafe: Merchant) -> None:
    key = issue_key(merchant=cafe, livemode=False, name="Till", now=utc_now()).key
    end = key.last_four

    ends = (f"key {words}{end}" for words in ("", "ending with ", "that ends in "))
    for text in (*ends, f"API key ending in {end.swapcase()}", key.hint, "key island"):
        assert search(office, text, Role.SUPPORT) == page_of(key)
        assert "Nothing was found" in search(office, text, Role.FINANCE)
    for text in ("key", "key co"):
        assert "Nothing was found" in search(office, text, Role.SUPPORT)


def test_a_shop_whose_name_begins_like_such_a_question_is_opened(office: Office) -> None:
    shop = MerchantFactory(name="Key West Diner", slug="key-west-diner")
    issue_key(merchant=shop, livemode=False, name="Till", now=utc_now())

    assert search(office, "key west diner", Role.SUPPORT) == page_of(shop)


def bank_account_of(merchant: Merchant) -> BankAccount:
    return open_bank_account(
        merchant_id=merchant.pk,
        livemode=True,
        details=BankDetails("BSD", "A. Rolle", "Conch Savings", "1234 5678 9012", "BOTIBSNSXXX"),
        actor="staff:ann",
        now=utc_now(),
    )


@pytest.mark.parametrize(
    "text",
    [
        "bank account island",
        "Bank account of Rolle",
        "Island Coffee's bank account",
        "Island Coffee\u2019s bank account",
        "bank accounts at Conch",
    ],
)
def test_a_bank_account_is_opened_by_a_name(office: Office, cafe: Merchant, text: str) -> None:
    account = bank_account_of(cafe)

    assert search(office, text, Role.SUPPORT) == page_of(account)
    assert "Nothing was found" in search(office, text, Role.DEVELOPER)


@pytest.mark.parametrize("text", ["bank account", "bank account co"])
def test_without_a_name_no_bank_account_is_found(office: Office, cafe: Merchant, text: str) -> None:
    bank_account_of(cafe)

    assert "Nothing was found" in search(office, text, Role.SUPPORT)


def test_a_role_that_does_not_see_what_is_asked_for_is_told_so(office: Office) -> None:
    for role, text, title in (
        (Role.FINANCE, "key a1B2", "API keys"),
        (Role.DEVELOPER, "bank account reef", "Bank accounts"),
        (Role.DEVELOPER, "payout reef", "Payouts"),
    ):
        assert f"{title} are not shown to your role" in search(office, text, role)
        assert "are not shown" not in search(office, text, Role.SUPPORT)


def test_a_renamed_shop_is_opened_by_its_first_name(office: Office, cafe: Merchant) -> None:
    Merchant.objects.filter(pk=cafe.pk).update(name="Conch Palace")

    assert search(office, "Island Coffee", Role.SUPPORT) == page_of(cafe)


def test_movements_of_a_shop_are_found_by_its_first_name_and_a_day(
    office: Office, cafe: Merchant
) -> None:
    paid_payment(cafe, 10_000)
    payout = scheduled_payout(cafe)
    Merchant.objects.filter(pk=cafe.pk).update(name="Conch Palace")

    for text in ("payout island coffee", "payout palace today", "payout island coffee today"):
        assert payout.pk in search(office, text, Role.SUPPORT)
    for text in (
        *("payout palace yesterday", "payout palace 3 dec", "payout palace 12.50 today"),
        *("payout today", "payout &&&"),
    ):
        assert "Nothing was found" in search(office, text, Role.SUPPORT)


def test_a_number_of_the_shops_name_is_no_amount_beside_a_day(office: Office) -> None:
    shop = MerchantFactory(name="Store 24")
    paid_payment(shop, 10_000)
    payout = scheduled_payout(shop)

    assert payout.pk in search(office, "payout store 24 today", Role.SUPPORT)
    assert "Nothing was found" in search(office, "payout store 24 yesterday", Role.SUPPORT)


@pytest.mark.parametrize(
    ("role", "named"),
    [
        (Role.VIEWER, ["payout reef", "bank account reef"]),
        (Role.SUPPORT, ["payout reef", "bank account reef", "key reef"]),
        (Role.DEVELOPER, ["refund reef", "key reef"]),
    ],
)
def test_nothing_found_names_only_what_the_role_may_find(office: Office, role, named) -> None:
    browser = office(role)

    page = browser.get("/admin/search/", {"q": "no such thing"}).content.decode()
    hints = browser.get("/admin/search/").content.decode().split("bo-hints")[1]

    kinds = ("payout reef", "refund reef", "bank account reef", "key reef")
    assert [kind for kind in kinds if kind in page] == named
    assert ("payout 1,200.00" in hints) == ("payout reef" in named)


@pytest.mark.usefixtures("debtor_account")
def test_of_the_bank_entries_of_one_reference_the_newest_are_listed(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_lookups, "SHOWN", 1)
    read(statement(entry(1_250, reference="RENT"), entry(1_300, reference="RENT")))

    assert search(office, "RENT", Role.FINANCE) == page_of(BankEntry.objects.latest("pk"))


def test_who_is_named_stands_above_the_payments_that_are_alike(
    office: Office, cafe: Merchant
) -> None:
    for _ in range(2):
        paid_payment(MerchantFactory(), description="Island Coffee")

    found = office(Role.SUPPORT).get("/admin/search/", {"q": "island coffee"})

    titles = [table.title for table in found.context["tables"]]
    assert titles == ["Merchants", "Payments: words “island coffee”"]
