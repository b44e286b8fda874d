"""A stored secret opens in the row that it was written to, and nowhere else."""

import ast
from itertools import product
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from backoffice.authenticators import Authenticator
from backoffice.models import Instruction, InstructionFile
from backoffice.roles import Role
from core.clock import utc_now
from core.crypto import SecretMisplaced, decrypt, encrypt
from core.models import AddressKey, IdempotencyKey
from core.sealed import bound_to, place_of, seal, sealed_columns, unseal
from merchants.models import Merchant
from merchants.services import issue_key
from payouts.models import BankAccount
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.colleagues import FIRST, SECOND, at_desk, decide, two_administrators
from tests.backoffice.conftest import make_user
from tests.client import Api
from tests.source_tree import ROOT
from webhooks.models import Webhook

pytestmark = pytest.mark.django_db
HOOK = {"url": "https://shop.example.com/hook", "events": ["*"]}


def rows_of(model: Any) -> list[Any]:
    """Return two rows, in memory, that are told apart by each name of a column's identity."""
    names = {name for column in columns_of(model) for name in bound_to(model, column)}
    rows = []
    for mark in ("1", "2"):
        row = model()
        for name in names:
            owner, _, attribute = name.rpartition("__")
            if owner:
                setattr(row, owner, Instruction(id=f"ins_{mark}", **{attribute: mark}))
            else:
                setattr(row, name, mark)
        rows.append(row)
    return rows


def columns_of(model: Any) -> list[str]:
    return [column for each, column in sealed_columns() if each is model]


MODELS = sorted({model for model, _ in sealed_columns()}, key=lambda model: model.__name__)


@pytest.mark.parametrize("model", MODELS)
def test_a_secret_opens_in_no_other_row(model: Any) -> None:
    for column in columns_of(model):
        mine, other = rows_of(model)
        assert bound_to(model, column)
        seal(mine, column, "hush")
        setattr(other, column, getattr(mine, column))

        assert unseal(mine, column) == "hush"
        with pytest.raises(SecretMisplaced):
            unseal(other, column)


def test_a_secret_opens_in_no_other_column() -> None:
    """But for the secret of an endpoint that is replaced: it becomes the previous one."""
    every = list(sealed_columns())
    places = {each: place_of(*each, ["1"]) for each in every}

    alike = {
        (one[1], other[1])
        for one, other in product(every, every)
        if one != other and places[one] == places[other]
    }

    assert alike == {("secret", "previous_secret"), ("previous_secret", "secret")}


def tokens_of_others(api: Api, merchant: Merchant) -> list[str]:
    """Return a secret of each kind that a writer of the database would like to read."""
    counters = AddressKey(name="payments.counter")
    seal(counters, "sealed_key", "00")
    device = Authenticator.objects.get(user=make_user(Role.SUPPORT))
    api(merchant).post("/v1/webhooks", HOOK)
    account = BankAccount(id="ba_1")
    account.encrypt_number("000123456789")
    instruction = Instruction(id="ins_1", asked_by_id=1)
    seal(instruction, "sealed_result", "sk_live_secret")
    return [
        counters.sealed_key,
        device.sealed_key,
        Webhook.objects.get(merchant=merchant).secret,
        account.encrypted_number,
        instruction.sealed_result,
    ]


def test_a_stored_answer_shows_no_other_secret(
    api: Api, merchant: Merchant, stranger: Merchant, caplog: pytest.LogCaptureFixture
) -> None:
    """The attack: with any key, and a hand in the database, one's own request is repeated."""
    thief = api(stranger)
    made = thief.post("/v1/webhooks", HOOK, idempotency_key="1")
    mine = IdempotencyKey.objects.filter(key="1")
    for token in tokens_of_others(api, merchant):
        before = bytes(mine.get().body or b"")
        mine.update(body=token.encode())

        answer = thief.post("/v1/webhooks", HOOK, idempotency_key="1")

        assert (answer.status_code, answer.json()["code"]) == (503, "SERVICE_UNAVAILABLE")
        assert "secret refused: it is bound to another row" in caplog.text
        mine.update(body=before)
        caplog.clear()
    again = thief.post("/v1/webhooks", HOOK, idempotency_key="1")
    assert again.content == made.content


def test_a_stored_answer_opens_for_no_other_caller(
    api: Api, merchant: Merchant, stranger: Merchant
) -> None:
    owner, thief = api(merchant), api(stranger)
    for each in (owner, thief):
        each.post("/v1/webhooks", HOOK, idempotency_key="1")
    victims, mine = IdempotencyKey.objects.order_by("pk")
    IdempotencyKey.objects.filter(pk=mine.pk).update(body=victims.body)

    assert thief.post("/v1/webhooks", HOOK, idempotency_key="1").status_code == 503
    assert owner.post("/v1/webhooks", HOOK, idempotency_key="1").status_code == 201


def test_a_colleagues_key_is_not_collected(merchant: Merchant) -> None:
    """Neither from one's own request, nor by becoming who asked for it."""
    two_administrators()
    issue_key(merchant=merchant, livemode=True, name="Till", now=utc_now())
    for asks, approves in ((FIRST, SECOND), (SECOND, FIRST)):
        values = {"mode": "live", "name": f"Till of {asks}", "reason": "New till"}
        act(at_desk(asks), merchant, "issue-key", **values)
        decide(approves)
    theirs, mine = Instruction.objects.order_by("asked_at", "pk")
    Instruction.objects.filter(pk=mine.pk).update(sealed_result=theirs.sealed_result)
    first, second = (User.objects.get(username=name) for name in (FIRST, SECOND))
    Instruction.objects.filter(pk=theirs.pk).update(asked_by=second, decided_by=first)

    for each in (mine, theirs):
        page = at_desk(SECOND).post(page_of_act(each, "collect"), {"form_key": "1"})
        assert page.status_code == 422
        assert "bo-secret" not in page.content.decode()


def test_an_authenticator_given_to_another_account_opens_nothing() -> None:
    own = Authenticator.objects.get(user=make_user(Role.SUPPORT))
    victim = Authenticator.objects.get(user=make_user(Role.ADMINISTRATOR))
    Authenticator.objects.filter(pk=victim.pk).update(sealed_key=own.sealed_key)

    with pytest.raises(SecretMisplaced):
        Authenticator.objects.get(pk=victim.pk).accept("000000", utc_now())


def test_what_is_from_before_is_read_until_the_operator_says_that_it_ends(settings: Any) -> None:
    row = AddressKey(name="payments.counter", sealed_key=encrypt("00ff"))
    settings.BOUND_SECRETS_ONLY = False
    assert unseal(row, "sealed_key") == "00ff"
    settings.BOUND_SECRETS_ONLY = True

    with pytest.raises(SecretMisplaced):
        unseal(row, "sealed_key")


def test_one_that_is_bound_is_refused_elsewhere_before_that_too(settings: Any) -> None:
    """Nor does a sign that decoders skip make it one from before."""
    settings.BOUND_SECRETS_ONLY = False
    row, other = AddressKey(name="a"), AddressKey(name="b")
    seal(row, "sealed_key", "00ff")

    for front in ("", "\n", "!", "gAAAA"):
        other.sealed_key = front + row.sealed_key
        with pytest.raises(Exception, match="SERVICE_UNAVAILABLE"):
            unseal(other, "sealed_key")


def test_the_version_before_reads_it_as_any_token_of_fernet(settings: Any) -> None:
    for text in ("", "0123456789abcde", "0123456789abcdef", "Zoë" * 1_000):
        token = encrypt(text, b"place")

        assert Fernet(settings.ENCRYPTION_KEY).decrypt(token.encode()).decode() == text
        assert decrypt(token, b"place") == text


def test_a_pass_binds_what_is_from_before(api: Api, merchant: Merchant, capsys: Any) -> None:
    api(merchant).post("/v1/webhooks", HOOK, idempotency_key="1")
    secret = unseal(Webhook.objects.get(), "secret")
    Webhook.objects.update(secret=encrypt(secret))
    with pytest.raises(CommandError, match="1 secrets bound to no row: run this again"):
        call_command("rotate_encryption", "--check")

    call_command("rotate_encryption")

    assert "0 secrets bound to no row" in capsys.readouterr().out
    assert unseal(Webhook.objects.get(), "secret") == secret


def test_a_pass_names_what_was_copied_and_leaves_it(
    api: Api, merchant: Merchant, stranger: Merchant
) -> None:
    for each in (merchant, stranger):
        api(each).post("/v1/webhooks", HOOK)
    one, other = Webhook.objects.order_by("pk")
    Webhook.objects.filter(pk=other.pk).update(secret=one.secret)

    for options in (["--check"], []):
        with pytest.raises(CommandError, match=f"Webhook.secret: copied from .*: {other.pk}"):
            call_command("rotate_encryption", *options)

    assert Webhook.objects.get(pk=other.pk).secret == one.secret


def test_a_file_is_bound_to_what_was_asked_about() -> None:
    assert bound_to(InstructionFile, "sealed_content") == ["instruction__subject_id"]


def test_no_code_but_migrations_encrypts_without_a_place() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in ROOT.glob("[a-z]*/**/*.py")
        if "migrations" not in path.parts and path.relative_to(ROOT).parts[0] != "tests"
        if "crypt" in (source := path.read_text())  # few have it: to parse all takes a second
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).split(".")[-1] in {"encrypt", "decrypt"}
        and ast.unparse(node.func).split(".")[0] in {"encrypt", "decrypt", "crypto"}
        and len(node.args) < 2
    ]

    assert found == []
