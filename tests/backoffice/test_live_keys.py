"""A live key refunds and pays out: two people agree on it, and one collects it, once."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine

from backoffice.models import AuditEntry, Instruction
from backoffice.resource.page_urls import page_of
from backoffice.services.merchants import (
    COLLECTABLE_FOR,
    collect_key,
    end_key,
    replace_test_key,
    roll_live_key,
)
from backoffice.tasks import forget_uncollected_keys
from core.clock import utc_now
from core.errors import ApiError, RateLimited
from merchants.callers import Caller
from merchants.errors import ApiKeyNotFound
from merchants.models import ApiKey, Merchant
from merchants.owner_notices import NOTICES, count_notice_or_refuse
from merchants.services import issue_key, roll_key
from messages.models import Message
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.colleagues import (
    FIRST,
    SECOND,
    at_desk,
    decide,
    staff_named,
    two_administrators,
    waiting,
)
from tests.client import Api
from tests.nights import ITS_OWN

pytestmark = pytest.mark.django_db


@pytest.fixture
def key(merchant: Merchant) -> ApiKey:
    two_administrators()
    return issue_key(merchant=merchant, livemode=True, name="Till", now=utc_now()).key


def ask(key: ApiKey, how: str) -> Any:
    if how == "roll":
        return act(at_desk(), key, "roll", overlap_hours="0", reason="Leaked")
    values = {"mode": "live", "name": "Second till", "reason": "New till"}
    return act(at_desk(), key.merchant, "issue-key", **values)


def collect(name: str, instruction: Instruction) -> Any:
    return at_desk(name).post(page_of_act(instruction, "collect"), {"form_key": "1"})


def secret_of(response: Any) -> str:
    text: str = response.content.decode()
    return text.split('id="bo-secret">')[1].split("<")[0]


@pytest.mark.parametrize("how", ["issue", "roll"])
def test_one_person_gets_no_live_key(key: ApiKey, how: str) -> None:
    response = ask(key, how)

    assert response.status_code == 302
    assert ApiKey.objects.get() == key
    assert decide(FIRST).status_code == 422
    assert ApiKey.objects.get().is_active(utc_now())


@pytest.mark.each_on_postgres(ITS_OWN)
@pytest.mark.parametrize("how", ["issue", "roll"])
def test_it_is_issued_once_another_has_approved(key: ApiKey, how: str, api: Api, settings) -> None:
    ask(key, how)
    approved = decide(SECOND)
    assert "sk_live_" not in approved.content.decode()
    instruction = Instruction.objects.get()

    secret = secret_of(collect(FIRST, instruction))

    new = ApiKey.objects.exclude(pk=key.pk).get()
    assert (new.pk, new.last_four, new.livemode) == (instruction.result_id, secret[-4:], True)
    assert new.created_by == f"staff:{FIRST}"
    assert ApiKey.objects.get(pk=key.pk).is_active(utc_now()) == (how == "issue")
    assert Message.objects.filter(kind="api_key", recipient=key.merchant.email).count() == 1
    assert secret not in str(list(AuditEntry.objects.values()))
    assert secret not in str(list(Instruction.objects.values()))


def test_only_the_requester_collects_it(key: ApiKey) -> None:
    ask(key, "issue")
    decide(SECOND)
    instruction = Instruction.objects.get()

    assert collect(SECOND, instruction).status_code == 403
    assert secret_of(collect(FIRST, instruction)).startswith("sk_live_")


def test_it_is_collected_once(key: ApiKey) -> None:
    ask(key, "issue")
    decide(SECOND)
    instruction = Instruction.objects.get()
    collect(FIRST, instruction)

    assert "bo-secret" not in collect(FIRST, instruction).content.decode()


def test_a_third_reads_if_it_was_collected(key: ApiKey) -> None:
    def read(instruction: Instruction) -> str:
        page = at_desk("third").get(page_of(instruction)).content.decode()
        return page.split('class="bo-answer')[1].split("</section>")[0].split("</div>")[0]

    ask(key, "issue")
    decide(SECOND)
    instruction = Instruction.objects.get()
    assert f"{FIRST} has yet to collect the key, by " in read(instruction)
    with time_machine.travel(utc_now() + COLLECTABLE_FOR, tick=False):
        forget_uncollected_keys()
        assert "No one collected the key in time. Revoke the key" in read(instruction)

    ask(key, "roll")
    decide(SECOND)
    rolled = Instruction.objects.exclude(pk=instruction.pk).get()
    collect(FIRST, rolled)
    assert "The key was collected " in read(rolled)


@pytest.mark.each_on_postgres(ITS_OWN)
def test_it_does_not_wait_for_ever(key: ApiKey) -> None:
    ask(key, "issue")
    decide(SECOND)
    instruction = Instruction.objects.get()
    with time_machine.travel(utc_now() + COLLECTABLE_FOR - timedelta(seconds=1), tick=False):
        forget_uncollected_keys()
        assert Instruction.objects.exclude(sealed_result="").exists()

    with time_machine.travel(utc_now() + COLLECTABLE_FOR, tick=False):
        assert (forget_uncollected_keys(), forget_uncollected_keys()) == (1, 0)
        assert "bo-secret" not in collect(FIRST, instruction).content.decode()


def test_a_key_that_has_ended_meanwhile_is_not_rolled(key: ApiKey) -> None:
    ask(key, "roll")
    act(at_desk(), key, "revoke", reason="Leaked")

    assert decide(SECOND).status_code == 422
    assert waiting().status == "waiting"
    assert ApiKey.objects.count() == 1


def test_a_key_that_was_rolled_meanwhile_is_not_rolled_again(key: ApiKey) -> None:
    ask(key, "roll")
    roll_key(key_id=key.id, overlap=timedelta(hours=1), now=utc_now(), actor="staff:ada")

    assert decide(SECOND).status_code == 422
    assert waiting().status == "waiting"
    assert ApiKey.objects.count() == 2


def test_of_two_who_collect_at_once_one_gets_it(key: ApiKey) -> None:
    ask(key, "issue")
    decide(SECOND)
    asked, first = Instruction.objects.get(), staff_named(FIRST)
    secret = collect_key(staff=first, instruction_id=asked.pk, now=utc_now())
    assert secret.startswith("sk_live_")

    with pytest.raises(ApiError) as refused:
        collect_key(staff=first, instruction_id=asked.pk, now=utc_now())

    assert (refused.value.code, refused.value.status) == ("SECRET_NOT_THERE", 422)
    assert AuditEntry.objects.latest("sequence").outcome == "refused"


def test_each_way_to_roll_a_key_is_for_keys_of_its_mode(key: ApiKey) -> None:
    """The one of test mode shows the secret at once, to one person."""
    now = utc_now()
    test_key = issue_key(merchant=key.merchant, livemode=False, name="Test", now=now).key
    request = Instruction(subject_id=test_key.pk, arguments={"overlap_hours": 0})

    with pytest.raises(ApiKeyNotFound):
        replace_test_key(
            staff=staff_named(FIRST), key_id=key.pk, overlap=timedelta(0), reason="Leaked", now=now
        )
    with pytest.raises(ApiKeyNotFound):
        roll_live_key(request, Caller(None, livemode=True, actor="staff:anna"), now)

    assert ApiKey.objects.count() == 2


def test_the_end_of_a_test_key_gives_no_notices_back(merchant: Merchant) -> None:
    now = utc_now()
    for _ in range(NOTICES.times):
        count_notice_or_refuse(merchant.id, now=now)
    key = issue_key(merchant=merchant, livemode=False, name="Till", now=now).key

    end_key(key_id=key.pk, now=now)

    with pytest.raises(RateLimited):
        count_notice_or_refuse(merchant.id, now=now)
