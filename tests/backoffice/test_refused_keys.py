"""A merchant calls because its key is refused: the page of the key says why."""

import re
from datetime import timedelta

import pytest

from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from core.clock import utc_now
from merchants.models import ApiKey, Merchant
from merchants.services import issue_key, revoke_key, roll_key
from merchants.statuses import MerchantStatus
from tests.backoffice.acting import act
from tests.backoffice.conftest import Office

pytestmark = pytest.mark.django_db
ACCEPTED = "Its requests are accepted."


@pytest.fixture
def key(merchant: Merchant) -> ApiKey:
    return issue_key(merchant=merchant, livemode=True, name="Till", now=utc_now()).key


def test_it_says_who_revoked_a_key_and_why(office: Office, key: ApiKey) -> None:
    browser = office(Role.DEVELOPER)
    act(browser, key, "revoke", reason="Leaked")

    revoked, refused = browser.get(page_of(key)).context["answer"].words

    assert revoked.startswith("Revoked by developer, ")
    assert revoked.endswith(": Leaked.")
    assert refused == "Its requests are refused."


@pytest.mark.parametrize(
    ("column", "hours", "begins", "ends"),
    [
        ("expires_at", 1, "Its requests are accepted until ", ": another key has replaced it."),
        ("expires_at", -1, "It ended ", ": another key has replaced it."),
        ("revoked_at", -1, "Revoked ", ", by API."),
    ],
)
def test_it_says_what_its_merchant_has_done_to_it(
    office: Office, key: ApiKey, column: str, hours: int, begins: str, ends: str
) -> None:
    ApiKey.objects.update(**{column: utc_now() + timedelta(hours=hours)})

    words = office(Role.SUPPORT).get(page_of(key)).context["answer"].words[0]

    assert (words.startswith(begins), words.endswith(ends)) == (True, True), words


@pytest.mark.parametrize(("hours", "begins"), [(24, "Its requests are accepted"), (0, "It ended")])
@pytest.mark.parametrize(
    ("actor", "name"),
    [("staff:ann", "ann (staff)"), ("key:key_1", "the shop, with key key_1…"), (None, "")],
)
def test_it_says_which_key_has_replaced_it_and_who_rolled_it(
    office: Office, key: ApiKey, hours: int, begins: str, actor: str | None, name: str
) -> None:
    now = utc_now()
    new = roll_key(key_id=key.pk, overlap=timedelta(hours=hours), now=now, actor=actor or "").key
    ApiKey.objects.filter(pk=new.pk).update(created_by=actor)  # null in older rows

    words = office(Role.SUPPORT).get(page_of(key)).context["answer"].words[0]

    by = f" by {name}" if actor else ""
    replaced = rf": {re.escape(new.hint)} has replaced it, rolled \d\d:\d\d{re.escape(by)}\. <a "
    assert re.match(f"{begins}.*{replaced}", words), words
    assert page_of(new) in words


def test_the_first_key_was_made_by_the_registration(office: Office, key: ApiKey) -> None:
    browser, made_by = office(Role.SUPPORT), "('Created by', 'registration')"
    assert made_by not in str(browser.get(page_of(key)).context["sections"])

    ApiKey.objects.update(created_at=key.merchant.created_at)

    assert made_by in str(browser.get(page_of(key)).context["sections"])


def test_it_says_what_the_status_of_the_merchant_is_to_a_key(
    office: Office, key: ApiKey, settings
) -> None:
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    browser, said = office(Role.SUPPORT), {}
    for status in MerchantStatus.values:
        Merchant.objects.update(status=status)
        said[status] = browser.get(page_of(key)).context["answer"].words

    assert said == {
        "unverified": [ACCEPTED, "No live payments yet: the merchant is not verified."],
        "verified": [ACCEPTED],
        "suspended": ["Its requests are refused: the merchant is suspended."],
    }


def happened(office: Office, key: ApiKey) -> list[tuple[str, str]]:
    entries = office(Role.DEVELOPER).get(page_of(key)).context["timeline"]
    return [(re.sub("<[^>]*>", "", str(entry.title)), entry.actor) for entry in entries]


def test_what_happened_says_that_a_key_was_revoked_by_api(office: Office, key: ApiKey) -> None:
    revoke_key(key_id=key.pk, now=utc_now())

    assert happened(office, key) == [("Revoked", "the shop, by API"), ("Created", "")]


@pytest.mark.parametrize("hours", [24, 0])
def test_what_happened_says_that_a_key_was_rolled_by_api(
    office: Office, key: ApiKey, hours: int
) -> None:
    actor, overlap = f"key:{key.pk}", timedelta(hours=hours)
    new = roll_key(key_id=key.pk, overlap=overlap, now=utc_now(), actor=actor).key

    replaced, *others = [entry for entry in happened(office, key) if entry != ("Ended", "")]

    assert replaced == (f"Replaced by {new.hint}", f"the shop, with key {key.pk[:12]}…")
    assert others == [("Created", "")]
    assert (("Ended", "") in happened(office, key)) == (hours == 0)


def test_what_staff_did_to_a_key_stands_there_once(office: Office, key: ApiKey) -> None:
    ApiKey.objects.update(livemode=False)
    for name in ("roll", "revoke"):
        act(office(Role.DEVELOPER), key, name, reason="Leaked", overlap_hours=1)

    titles = [title for title, _ in happened(office, key)]

    assert len(titles) == 3, titles


def test_a_key_that_was_revoked_before_its_end_has_not_ended(office: Office, key: ApiKey) -> None:
    now = utc_now()
    ApiKey.objects.update(revoked_at=now - timedelta(hours=2), expires_at=now - timedelta(hours=1))

    assert {title for title, _ in happened(office, key)} == {"Revoked", "Created"}
