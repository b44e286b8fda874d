"""GET and POST /confirm-email: the link that a new merchant gets."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.core import mail
from django.test import Client
from prometheus_client import REGISTRY

from core.attempt_limits import AttemptLimit
from core.clock import utc_now
from core.models import Quota
from merchants import email_confirmation, known_keys
from merchants.email_confirmation import plan_confirmation, recipient_of_tests
from merchants.models import Merchant
from messages.send_loop import send_due_messages

pytestmark = pytest.mark.django_db
LEAST = {"name": "Bank Fraud Desk, call 242 555 0100", "email": "owner@conch.example"}
LINK = re.compile(r"http://\S+(/confirm-email\?token=\S+)")


@pytest.fixture
def link(api):
    api(None).post("/v1/merchants", LEAST)
    send_due_messages(now=utc_now())
    found = LINK.search(str(mail.outbox[0].body))
    assert found
    return found[1]


def confirmed_at():
    return Merchant.objects.get().email_confirmed_at


def test_it_confirms_by_a_button(link, client):
    page = client.get(link)
    assert page.status_code == 200
    assert "owner@conch.example" in page.content.decode()
    assert confirmed_at() is None  # a scanner that opens every link has confirmed nothing

    confirmed = client.post(link)
    assert confirmed.status_code == 200
    assert "your test payments now go to owner@conch.example" in confirmed.content.decode()
    assert "This link does not work" in client.get("/confirm-email").content.decode()
    assert confirmed_at() is not None


def test_the_page_tells_whose_tests_are_to_be_mailed(link, client):
    """A stranger gives one's address first: the only link of the day is of the stranger's."""
    page = client.get(link).content.decode()

    assert Merchant.objects.get().id in page
    assert "Fraud" not in page


def test_the_api_shows_it(link, client, api):
    client.post(link)

    body = api(Merchant.objects.get()).get(f"/v1/merchants/{Merchant.objects.get().id}").json()
    assert body["email_confirmed_at"]


@pytest.mark.usefixtures("link")
def test_the_mail_says_nothing_that_the_caller_chose():
    assert mail.outbox[0].to == ["owner@conch.example"]
    assert "Fraud" not in f"{mail.outbox[0].subject}{mail.outbox[0].body}"


def test_it_works_twice_and_keeps_the_first_time(link, client):
    client.post(link)
    first = confirmed_at()

    with time_machine.travel(utc_now() + timedelta(minutes=1), tick=False):
        assert client.post(link).status_code == 200
    assert confirmed_at() == first


def test_it_expires(link, client):
    with time_machine.travel(utc_now() + timedelta(days=7, seconds=1), tick=False):
        assert client.get(link).status_code == client.post(link).status_code == 400
    assert confirmed_at() is None


@pytest.mark.parametrize("token", ["", "x", "eyJhIjoxfQ:1:2"])
def test_no_one_makes_a_link(link, client, token):
    assert client.post(f"/confirm-email?token={token}").status_code == 400
    assert confirmed_at() is None


def test_a_link_to_an_old_address_confirms_no_new_one(link, client):
    Merchant.objects.update(email="victim@example.com")

    assert client.post(link).status_code == 400
    assert confirmed_at() is None


def test_another_site_cannot_press_the_button(link):
    assert Client(enforce_csrf_checks=True).post(link).status_code == 403
    assert confirmed_at() is None


def test_a_new_address_must_be_confirmed_again(api, link, client, development):
    client.post(link)
    merchant = Merchant.objects.get()

    api(None).patch(f"/v1/merchants/{merchant.id}", {"email": "victim@example.com"})

    send_due_messages(now=utc_now())
    assert confirmed_at() is None
    # The link goes to the new address, a warning to the old one: whichever is sent first.
    told = sorted(message.to[0] for message in mail.outbox[-2:])
    assert told == sorted([LEAST["email"], "victim@example.com"])


def test_naming_the_address_again_sends_one_link_a_day(api, link, development):
    path = f"/v1/merchants/{Merchant.objects.get().id}"
    for _ in range(5):
        api(None).patch(path, {"email": LEAST["email"]})
    send_due_messages(now=utc_now())
    assert len(mail.outbox) == 1

    with time_machine.travel(utc_now() + timedelta(days=1), tick=False):
        api(None).patch(path, {"email": LEAST["email"]})
        send_due_messages(now=utc_now())
    assert len(mail.outbox) == 2


# By someone who wants no one else to register with an address


def link_sent_to(address):
    send_due_messages(now=utc_now())
    found = [LINK.search(str(message.body)) for message in mail.outbox if message.to == [address]]
    assert found[-1]
    return found[-1][1]


@pytest.mark.parametrize("named", ["ann@example.com", "Ann@example.com", "ann+x@example.com"])
def test_a_stranger_who_takes_the_mail_of_the_day_gives_its_link_to_the_owner(api, client, named):
    api(None).post("/v1/merchants", LEAST | {"email": named})
    own = api(None).post("/v1/merchants", LEAST | {"email": "ann@example.com"}).json()["id"]

    confirmed = client.post(link_sent_to(named), {"merchant_id": own})

    assert confirmed.status_code == 200
    assert "now go to ann@example.com" in confirmed.content.decode()
    assert list(Merchant.objects.exclude(email_confirmed_at=None)) == [Merchant(pk=own)]


def test_a_stranger_who_names_another_address_at_once_does_not_keep_the_mail_back(
    api, client, settings
):
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    strange = api(None).post("/v1/merchants", LEAST | {"email": "ann@example.com"}).json()["id"]
    moved = {"email": "stranger@example.com"}
    api(Merchant.objects.get()).patch(f"/v1/merchants/{strange}", moved)
    own = api(None).post("/v1/merchants", LEAST | {"email": "ann@example.com"}).json()["id"]
    link = link_sent_to("ann@example.com")

    assert client.post(link, {"merchant_id": strange}).status_code == 400
    assert client.post(link, {"merchant_id": own}).status_code == 200


@pytest.mark.parametrize("given", ["", "x\0", "mer_0", "pay_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"])
def test_an_id_that_is_none_is_asked_for_again(link, client, given):
    page = client.post(link, {"merchant_id": given})

    assert page.status_code == 400
    assert "No merchant with this id has this address." in page.content.decode()
    assert confirmed_at() is None


def test_a_link_confirms_no_merchant_of_another_mailbox(link, client, api):
    other = api(None).post("/v1/merchants", LEAST | {"email": "victim@example.com"}).json()["id"]

    assert client.post(link, {"merchant_id": other}).status_code == 400
    assert not Merchant.objects.exclude(email_confirmed_at=None).exists()


# By someone who wants strangers to get mail


def sent_to() -> list[str]:
    send_due_messages(now=utc_now())
    return sorted(address for message in mail.outbox for address in message.to)


def test_one_mailbox_gets_one_mail_a_day_for_all_registrations(api):
    for email in ["victim@example.com"] * 3 + ["Victim@example.com", "victim+2@example.com"]:
        assert api(None).post("/v1/merchants", LEAST | {"email": email}).status_code == 201
    assert sent_to() == ["victim@example.com"]

    with time_machine.travel(utc_now() + timedelta(days=1), tick=False):
        api(None).post("/v1/merchants", LEAST | {"email": "victim@example.com"})
        assert len(sent_to()) == 2


def test_a_merchant_that_renames_itself_again_and_again_reaches_few(api, link, settings):
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    merchant = Merchant.objects.get()
    for number in range(10):
        email = f"victim{number}@example.com"
        answer = api(merchant).patch(f"/v1/merchants/{merchant.id}", {"email": email})
        assert (answer.status_code, answer.json()["email"]) == (200, email)
        send_due_messages(now=utc_now())

    assert sent_to() == [
        "owner@conch.example",
        *(f"victim{number}@example.com" for number in range(4)),
    ]


def test_a_network_that_registers_again_and_again_reaches_few(api, monkeypatch, caplog):
    few = AttemptLimit("confirm-email-network", 3, timedelta(days=1))
    monkeypatch.setattr(email_confirmation, "PER_NETWORK", few)
    for number in range(5):
        email, source = f"victim{number}@example.com", f"203.0.113.{number}"
        answer = api(None).post("/v1/merchants", LEAST | {"email": email}, REMOTE_ADDR=source)
        assert answer.status_code == 201

    assert sent_to() == [f"victim{number}@example.com" for number in range(3)]
    assert "confirmations_used_up" not in caplog.text  # that of all networks is not


def test_a_flood_from_many_networks_reaches_few_and_is_in_the_log(api, monkeypatch, caplog):
    few = AttemptLimit("confirm-email", 3, timedelta(days=1))
    monkeypatch.setattr(email_confirmation, "IN_ALL", few)
    before = REGISTRY.get_sample_value("merchants_confirmations_refused_total") or 0
    for number in range(5):
        email, source = f"victim{number}@example.com", f"203.0.{number}.1"
        answer = api(None).post("/v1/merchants", LEAST | {"email": email}, REMOTE_ADDR=source)
        assert answer.status_code == 201

    assert sent_to() == [f"victim{number}@example.com" for number in range(3)]
    assert caplog.text.count("'event': 'confirmations_used_up'") == 2
    assert REGISTRY.get_sample_value("merchants_confirmations_refused_total") == before + 2

    merchant = Merchant.objects.latest("created_at")
    plan_confirmation(merchant, network="", now=utc_now())  # as staff have approved its address
    assert sent_to()[3:] == ["victim4@example.com"]


def test_the_counts_name_no_address(link):
    assert not [key for key in Quota.objects.values_list("key", flat=True) if "owner" in key]


def test_the_log_keeps_no_link(link, client, caplog, capsys):
    caplog.set_level("DEBUG")

    client.get(link)

    assert link.split("token=")[1] not in caplog.text + "".join(capsys.readouterr())


# By someone who reads the mails of tests that are not theirs


def link_that_ends(merchant):
    found = recipient_of_tests(merchant.pk)
    assert found
    return found[1].removeprefix("http://testserver")


def test_its_reader_ends_them_by_a_button_once(merchant, client):
    def stored():
        return Merchant.objects.values_list("email_confirmed_at", "updated_at").get()

    confirmed, link = stored(), link_that_ends(merchant)
    assert merchant.id in client.get(link).content.decode()
    assert client.get(link.replace("stop", "token")).status_code == 400
    assert stored() == confirmed  # a scanner that opens it has ended nothing
    known = [known_keys._known._since]

    stopped = client.post(link)

    assert (stopped.status_code, merchant.email in stopped.content.decode()) == (200, True)
    ended = stored()
    assert (ended[0], ended[1] > confirmed[1]) == (None, True)
    known.append(known_keys._known._since)
    assert client.post(link).status_code == 200
    assert stored() == ended
    assert known[0] is not known[1] is known_keys._known._since


def test_one_who_reads_another_mailbox_ends_none(merchant, client):
    link = link_that_ends(merchant)
    Merchant.objects.update(email="another@example.com")

    assert client.post(link).status_code == 200

    assert confirmed_at() is not None
